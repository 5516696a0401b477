"""Simple ways of communication; those that consider the partners are in :mod:`.routing`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from otherminds.core.data import Seat
from otherminds.household.commands import EVERYBODY
from otherminds.household.commands import LONGEST as CALL
from otherminds.household.epistemic.formula import Atom, claims
from otherminds.household.epistemic.predicates import AXES
from otherminds.household.epistemic.words import Fact, HouseRule, Must, Statement
from otherminds.household.epistemic.words.sentences import say
from otherminds.household.reference.knowledge import Knowledge
from otherminds.household.transmission import parts_of

LONGEST = 600
"""Characters of a message of :class:`Broadcast`."""


@dataclass(frozen=True)
class TeamMessage:
    """A message to ``to``: one agent, or several at once (all addressees of the sender)."""

    to: tuple[Seat, ...]
    statements: tuple[Statement, ...]

    def call(self, me: Seat) -> str:
        name = self.to[0] if len(self.to) == 1 else EVERYBODY
        return f'Communicate[{name}, "{" ".join(say(statement, me=me) for statement in self.statements)}"]'


class Talker:
    """A way of communication; this one sends no messages."""

    def now(self) -> TeamMessage | None:
        """A message that precedes any other act."""
        return None

    def later(self, idle: int) -> TeamMessage | None:
        """A message for a turn without other acts, ``idle`` turns after the last event."""
        return None

    def record_added(self, statements: Iterable[Statement]) -> None:
        """Records that the last message carries these ``statements`` too."""


class Broadcast(Talker):
    """Tells everything to all agents, in the order in which it became known, as much as fits in a message.

    It also relays what it hears; limited messages are used for the first statements.
    """

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self._said: set[Statement] = set()

    def now(self) -> TeamMessage | None:
        knowledge = self._knowledge
        to = knowledge.targets(knowledge.me)
        if knowledge.left == 0 or not to:
            return None
        learned = [
            statement for statement, provenance in knowledge.statements.items() if not provenance.derived
        ]
        unsaid = (
            statement for statement in (*learned, *achieved_goals(knowledge)) if statement not in self._said
        )
        news = fitting(unsaid, LONGEST, knowledge)
        self._said.update(news)
        return TeamMessage(to, news) if news else None

    def record_added(self, statements: Iterable[Statement]) -> None:
        self._said.update(statements)


class First(Talker):
    """Tells what it knows about the goal, one statement per message, in the order in which it became known.

    Each statement goes to the first addressee at once, and to the others when there is nothing else to do. It ignores
    what addressees know and can do (level 1).
    """

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge

    def now(self) -> TeamMessage | None:
        return self._next(self._knowledge.targets(self._knowledge.me)[:1])

    def later(self, idle: int) -> TeamMessage | None:
        return self._next(self._knowledge.targets(self._knowledge.me))

    def _next(self, to: tuple[Seat, ...]) -> TeamMessage | None:
        if self._knowledge.left == 0:
            return None
        for statement in relevant(self._knowledge):
            provenance = self._knowledge.statements.get(statement)
            for other in to:
                if provenance is None or other not in provenance.holders:
                    return TeamMessage((other,), (statement,))
        return None


class WholeMemory(Talker):
    """Sends the messages of another way of communication, each with all that the agent knows, as far as a call carries it.

    What all addressees are known to know already is left out.
    """

    def __init__(self, knowledge: Knowledge, inner: Talker) -> None:
        self._knowledge = knowledge
        self._inner = inner

    def now(self) -> TeamMessage | None:
        return self._whole(self._inner.now())

    def later(self, idle: int) -> TeamMessage | None:
        return self._whole(self._inner.later(idle))

    def _whole(self, message: TeamMessage | None) -> TeamMessage | None:
        if message is None:
            return None
        knowledge, to = self._knowledge, set(message.to)
        shared = {
            statement for statement, provenance in knowledge.statements.items() if to <= provenance.holders
        }
        new = (statement for statement in memory(knowledge) if statement not in shared)
        room = CALL - len(TeamMessage(message.to, ()).call(knowledge.me))
        statements = fitting((*message.statements, *new), room, knowledge)
        self._inner.record_added(statements)
        return TeamMessage(message.to, statements)


def fitting(statements: Iterable[Statement], room: int, knowledge: Knowledge) -> tuple[Statement, ...]:
    """Those of ``statements`` that fit into ``room`` characters, one after another, each once.

    Where the statements of a message are limited, only the first ones.
    """
    chosen: dict[Statement, None] = {}
    for statement in statements:
        length = len(say(statement, me=knowledge.me)) + 1
        if statement not in chosen and length <= room:
            chosen[statement] = None
            room -= length
    return limit_statements(chosen, knowledge)


def limit_statements(statements: Iterable[Statement], knowledge: Knowledge) -> tuple[Statement, ...]:
    """Those of ``statements`` that arrive if they are sent in one message."""
    limit = knowledge.plan.statements
    if limit is None:
        return tuple(statements)
    parts = (part for statement in statements for part in parts_of(statement) if part)
    return tuple(islice(parts, limit))


def memory(knowledge: Knowledge) -> Iterator[Statement]:
    """All that an agent was told and still believes, and the places and states of things that it believes."""
    for statement, provenance in tuple(knowledge.statements.items()):
        if not provenance.derived and (not isinstance(statement, Fact) or _is_believed(knowledge, statement)):
            yield statement
    yield from achieved_goals(knowledge)
    for (kind, name, *_), (value, *_) in tuple(knowledge.picture.facts.items()):
        if kind in AXES:
            yield Fact(Atom(value, (name,)))
        elif kind == "at" and (place := knowledge.picture.lying(name)):
            yield Fact(place)


def _is_believed(knowledge: Knowledge, fact: Fact) -> bool:
    return all(knowledge.achieved(claim.fact) for claim in claims(fact.formula))


def relevant(knowledge: Knowledge) -> Iterator[Statement]:
    """The agent's own knowledge about the goal: goals, facts, and mechanics."""
    for statement, provenance in tuple(knowledge.statements.items()):
        own = provenance.source == knowledge.me and not provenance.derived
        about_things = isinstance(statement, HouseRule) and statement.things
        if own and (isinstance(statement, Must | Fact) or about_things):
            yield statement
    yield from achieved_goals(knowledge)


def achieved_goals(knowledge: Knowledge) -> Iterator[Fact]:
    """The goals that are known to be achieved by now, as facts."""
    for goal in knowledge.goals:
        if knowledge.achieved(goal) and Fact(goal) not in knowledge.statements:
            yield Fact(goal)
