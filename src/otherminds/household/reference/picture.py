"""What an agent believes about the house (:class:`Picture`), and what it takes others to believe (:class:`Models`).

There are two ways to learn about the beliefs of others. Agents that see something together know that the others see it
too. And a message is known to have arrived, so that both ends share its content.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import TypeAlias

from otherminds.core.data import Seat
from otherminds.household.epistemic.formula import Atom, KnowledgeChain, Literal, Not, claims
from otherminds.household.epistemic.predicates import AXES, positive
from otherminds.household.epistemic.words import Fact, Statement

Key: TypeAlias = tuple[str, ...]
Value: TypeAlias = tuple[str, ...]

LYING = ("is_on_top", "is_inside", "lies_on")


class Picture:
    """Beliefs as a table with one value per key; a missing key is unknown.

    ``("at", bowl_0)`` has the value ``("is_on_top", table_1)``, or ``("is_in_room", kitchen_1)`` if only the room is
    known; ``("is_open", cabinet_3)`` has ``("is_closed",)``; ``("room", agent_1)`` has ``("kitchen_1",)``.
    """

    def __init__(self, room_of: Mapping[str, str]) -> None:
        self.room_of = room_of
        self.facts: dict[Key, Value] = {}

    def place(self, name: str) -> Value | None:
        """The place where an object is believed to be."""
        return self.facts.get(("at", name))

    def lying(self, name: str) -> Atom | None:
        """The place of an object as a fact that can be said; ``None`` if only its room is known, or it is held."""
        how, *where = self.facts.get(("at", name), ("",))
        if how not in LYING:
            return None
        if how == "lies_on":
            return Atom("is_in_room", (name, self.room_of[where[0]]))
        return Atom(how, (name, where[0]))

    def room(self, name: str) -> str | None:
        """The room in which furniture, an object or an agent is believed to be."""
        if name in self.room_of:
            return self.room_of[name]
        how, *where = self.facts.get(("at", name), ("is_at", name))
        if how == "is_in_room":
            return where[0]
        if how in LYING:
            return self.room_of.get(where[0])
        return self.facts.get(("room", where[0]), (None,))[0] if where else None

    def state(self, name: str, value: str) -> str | None:
        """The state of ``name``: ``value`` or its opposite, or ``None`` if unknown."""
        return self.facts.get((AXES[value], name), (None,))[0]

    def note(self, literal: Literal) -> None:
        literal = positive(literal)
        if isinstance(literal, Not):
            if self.holds(literal.inside) is not False:
                self.forget(key_of(literal.inside))
            if literal.inside.predicate == "is_next_to":
                self.facts[key_of(literal.inside)] = ("",)
            return
        if not self.holds(literal):
            arguments = () if literal.predicate in AXES else literal.args[1:]
            self.facts[key_of(literal)] = (literal.predicate, *arguments)
            if literal.predicate == "agent_in_room":
                self.facts[key_of(literal)] = arguments

    def forget(self, key: Key) -> None:
        self.facts.pop(key, None)

    def holds(self, literal: Literal) -> bool | None:
        """Whether ``literal`` is believed to hold; ``None`` if unknown."""
        literal = positive(literal)
        if isinstance(literal, Not):
            inside = self.holds(literal.inside)
            return None if inside is None else not inside
        value = self.facts.get(key_of(literal))
        if value is None:
            return None
        if literal.predicate in AXES or literal.predicate == "is_next_to":
            return value[0] == literal.predicate
        if literal.predicate == "agent_in_room":
            return value[0] == literal.args[1]
        return self._lies(literal, value)

    def would(self, literal: Literal, place: Value) -> bool | None:
        """Whether ``literal`` would hold with its object at ``place``; ``None`` if that does not determine it."""
        if isinstance(literal, Not):
            inside = self.would(literal.inside, place)
            return None if inside is None else not inside
        return self._lies(literal, place)

    def _lies(self, atom: Atom, place: Value) -> bool | None:
        """Whether an object at ``place`` satisfies ``atom``, a literal about its place."""
        how, *where = place
        required = (atom.predicate, *atom.args[1:])
        # A floor stores what is on it as lies_on.
        if place == required or (how, atom.predicate, *where) == ("lies_on", *required):
            return True
        if "is_held_by" in (how, atom.predicate):
            return False
        if atom.predicate == "is_on_floor":
            return None if how == "is_in_room" else how == "lies_on"
        if how == "is_on_floor":
            return None if atom.predicate == "is_in_room" else False
        if atom.predicate == "is_in_room":
            return (where[0] if how == "is_in_room" else self.room_of.get(where[0])) == atom.args[1]
        if how == "is_in_room":
            return None if self.room_of.get(atom.args[1]) == where[0] else False
        return False


def key_of(atom: Atom) -> Key:
    """The key of what an atom is about."""
    if atom.predicate in AXES:
        return (AXES[atom.predicate], atom.args[0])
    if atom.predicate == "agent_in_room":
        return ("room", atom.args[0])
    if atom.predicate == "is_next_to":
        return ("beside", *sorted(atom.args))
    return ("at", atom.args[0])


DEEPEST = 3
"""The largest depth: what b believes that c believes that d believes."""


class Models:
    """Pictures by chain of agents: ``(agent_1, agent_2)`` is what agent 1 believes that agent 2 believes.

    All are beliefs of ``me``, and chains begin with another agent. ``own`` is the agent's own picture.
    """

    def __init__(self, me: Seat, own: Picture) -> None:
        self._me = me
        self._own = own
        self._pictures: dict[tuple[Seat, ...], Picture] = {}

    def holds(self, agents: Sequence[Seat], fact: Literal) -> bool | None:
        """The belief about ``fact`` attributed to a chain of agents; the agent's own for an empty chain.

        ``None`` if unknown, or if the chain is too deep.
        """
        chain = self._short(agents)
        if not chain:
            return self._own.holds(fact)
        picture = self._pictures.get(chain)
        return picture.holds(fact) if picture else None

    def seen_together(self, company: Sequence[Seat], here: Mapping[Key, Value]) -> None:
        """Records that ``company`` is in the room, and that all see one another and the facts ``here``."""
        edge: list[tuple[Seat, ...]] = [(agent,) for agent in company]
        everyone = (self._me, *company)
        for chain in edge:
            self._of(chain).facts.update(here)
            if len(chain) < DEEPEST:
                edge += [(*chain, agent) for agent in everyone if agent != chain[-1]]

    def common(self, agents: tuple[Seat, ...], statement: Statement) -> None:
        """Records a message with ``statement`` between this agent and another: both know that both know."""
        if isinstance(statement, Fact):
            other, *_ = agents
            for chain in claims(statement.formula):
                for lead in ((other,), (other, self._me), (other, self._me, other)):
                    self.record_chain(KnowledgeChain((*lead, *chain.agents), chain.fact))

    def record_chain(self, chain: KnowledgeChain) -> None:
        """Records a chain and all its subsequences: an agent that knows that another knows a fact knows the fact."""
        for length in range(1, len(chain.agents) + 1):
            for agents in combinations(chain.agents, length):
                short = self._short(agents)
                if short and len(short) <= DEEPEST:
                    self._of(short).note(chain.fact)

    def _of(self, chain: tuple[Seat, ...]) -> Picture:
        return self._pictures.setdefault(chain, Picture(self._own.room_of))

    def _short(self, agents: Iterable[Seat]) -> tuple[Seat, ...]:
        """The chain without repetitions, and without this agent at its start."""
        chain: list[Seat] = []
        for agent in agents:
            if agent != (chain[-1] if chain else self._me):
                chain.append(agent)
        return tuple(chain)
