"""The house as an agent knows it: rooms, doors and furniture (:class:`FloorPlan`), known mechanics (:class:`Wiring`), what it
believes (:class:`Picture`), and what it takes others to believe (:class:`Models`).

There are two ways to learn about the beliefs of others. Agents that see something together know that the others see it
too. And a message is known to have arrived, so that both ends share its content."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any, TypeAlias

from otherminds.core.data import Seat
from otherminds.household.epistemic.formula import Atom, KnowledgeChain, Literal, Not, claims
from otherminds.household.epistemic.predicates import AXES, OPPOSITES, TOOLS, TURNS, positive
from otherminds.household.epistemic.words import Fact, HouseRule, Statement


class FloorPlan:
    """The mapping ``house`` of an observation (:class:`~..world.HouseholdWorld`), as look-ups.

    ``room_of`` gives the room of each piece of furniture, floors included; ``statements`` is the largest number of
    statements of a message, ``None`` if unlimited.
    """

    def __init__(self, house: Mapping[str, Any]) -> None:
        self.statements: int | None = house.get("statements")
        self.rooms: tuple[str, ...] = tuple(house["rooms"])
        self._doors: dict[str, tuple[str, ...]] = {
            room: tuple(beyond) for room, beyond in house["rooms"].items()
        }
        self.room_of: dict[str, str] = {f: about["room"] for f, about in house["furniture"].items()}
        self._kinds: dict[str, frozenset[str]] = {
            f: frozenset(d["is"]) for f, d in house["furniture"].items()
        }
        # Caches: these are queried in every turn.
        self._hops: dict[tuple[str, frozenset[str]], dict[str, int]] = {}
        self._within: dict[tuple[str, frozenset[str]], frozenset[str]] = {}
        self._free: dict[frozenset[str], frozenset[str]] = {}

    def hops(self, start: str, barred: frozenset[str] = frozenset()) -> Mapping[str, int]:
        """The number of doors from ``start`` to each reachable room, avoiding the barred rooms."""
        if (start, barred) in self._hops:
            return self._hops[start, barred]
        distances = self._hops[start, barred] = {start: 0}
        edge = [start]
        for room in edge:
            for beyond in self._doors.get(room, ()):
                if beyond not in distances and beyond not in barred:
                    distances[beyond] = distances[room] + 1
                    edge.append(beyond)
        return distances

    def within(self, start: str, barred: frozenset[str]) -> frozenset[str]:
        """The rooms that can be reached from ``start`` without the barred rooms."""
        rooms = self._within.get((start, barred))
        if rooms is None:
            rooms = self._within[start, barred] = frozenset(self.hops(start, barred))
        return rooms

    def free(self, barred: frozenset[str]) -> frozenset[str]:
        """The likely rooms of an agent with these ``barred`` rooms: the largest connected set of others."""
        if barred not in self._free:
            parts = (self.within(room, barred) for room in self.rooms if room not in barred)
            self._free[barred] = max(parts, key=len, default=frozenset[str]())
        return self._free[barred]

    def is_a(self, furniture: str, kind: str) -> bool:
        """Whether furniture is articulated, a surface, a container, a switch, a faucet or a floor."""
        return kind in self._kinds.get(furniture, ())

    def turns(self, furniture: str, value: str) -> bool:
        """Whether ``furniture`` can take the state ``value`` (``is_open``, ...)."""
        return any(value in states and self.is_a(furniture, kind) for kind, states in TURNS.items())

    def all_that(self, kind: str) -> tuple[str, ...]:
        return tuple(f for f, kinds in self._kinds.items() if kind in kinds)


class Wiring:
    """The mechanics that an agent knows."""

    def __init__(self) -> None:
        self.known: list[HouseRule] = []
        # Both are asked for in every turn, and change only with what is known.
        self._effects: dict[tuple[str, str], dict[str, str]] = {}
        self._ways: dict[tuple[str, str], tuple[tuple[str, str], ...]] = {}

    def learn(self, wire: HouseRule) -> None:
        if wire not in self.known:
            self.known.append(wire)
            self._effects.clear()
            self._ways.clear()

    def effects(self, furniture: str, value: str) -> Mapping[str, str]:
        """The values of all things that change when ``furniture`` takes ``value``, itself first.

        >>> from otherminds.household.mechanics.remote_control import Controls
        >>> wiring = Wiring()
        >>> wiring.learn(Controls("cabinet_3", "fridge_5", "open"))
        >>> wiring.effects("cabinet_3", "is_closed")
        {'cabinet_3': 'is_closed', 'fridge_5': 'is_closed'}
        """
        if (furniture, value) in self._effects:
            return self._effects[furniture, value]
        changes = self._effects[furniture, value] = {furniture: value}
        edge = [furniture]
        for changed in edge:
            for other, follows in self._follows(changed, changes[changed]):
                if other not in changes:
                    changes[other] = follows
                    edge.append(other)
        return changes

    def ways(self, furniture: str, value: str) -> tuple[tuple[str, str], ...]:
        """The changes (furniture and value) that give ``furniture`` the state ``value``; the direct one first."""
        if (furniture, value) in self._ways:
            return self._ways[furniture, value]
        ways = [(furniture, value)]
        for wire in self.known:
            for handle, _ in wire.drives:
                for tried in dict.fromkeys([value, OPPOSITES[value], *TOOLS]) if handle != furniture else ():
                    if (handle, tried) not in ways and self.effects(handle, tried).get(furniture) == value:
                        ways.append((handle, tried))
        self._ways[furniture, value] = tuple(ways)
        return self._ways[furniture, value]

    def used(self, furniture: str, way: str) -> tuple[HouseRule, ...]:
        """The mechanics that explain how ``furniture`` is set by changing ``way``."""
        reached = {affected for value in TOOLS for affected in self.effects(way, value)}

        def explains(wire: HouseRule) -> bool:
            return (
                way in wire.reversed()
                if wire.reversed()
                else way != furniture and reached.issuperset(wire.things)
            )

        return tuple(filter(explains, self.known))

    def call(self, furniture: str, value: str) -> str:
        """The call that sets ``furniture`` to ``value`` directly."""
        reverse = any(furniture in wire.reversed() for wire in self.known)
        return f"{TOOLS[OPPOSITES[value] if reverse else value]}[{furniture}]"

    def _follows(self, furniture: str, value: str) -> list[tuple[str, str]]:
        return [change for wire in self.known for change in wire.follows(furniture, value)]


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
