"""Rules for talking: when a member of a cheap team speaks, and to whom. What it says first is in :mod:`.choosing`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import TypeAlias

from otherminds.core.data import Seat
from otherminds.household.commands import LONGEST
from otherminds.household.epistemic.words import Asks, Fact, HouseRule, Must, Statement
from otherminds.household.reference.doing import Doer
from otherminds.household.reference.knowledge import Knowledge
from otherminds.household.reference.talking import Talker, TeamMessage, fitting, memory

Choice: TypeAlias = "Callable[[Speaker, Sequence[Statement]], Sequence[Statement]]"
"""Those of the unsaid statements that a member wants to say, in its order."""


class Speaker(Talker):
    """One member's way of talking; each rule says when and to whom, and ``choose`` what.

    A message goes to all addressees, carries as many statements as the task lets it convey, and nothing twice. What is
    only seen is said along with other things: it is no reason for a message. ``spoke`` is the turn of the last message.
    """

    def __init__(self, knowledge: Knowledge, doer: Doer, rng: Random, choose: Choice) -> None:
        self.knowledge = knowledge
        self.doer = doer
        self.rng = rng
        self._choose = choose
        self._said: set[Statement] = set()
        self.spoke: int | None = None

    @property
    def last(self) -> bool:
        """Whether only one message is left."""
        return self.knowledge.left == 1

    @property
    def last_news_turn(self) -> int | None:
        """The turn in which something new was heard last; ``None`` if nothing was."""
        turns = [
            entry.turn for entry in self.knowledge.statements.values() if entry.source != self.knowledge.me
        ]
        return max(turns, default=None)

    def unsaid(self, to: Sequence[Seat]) -> list[Statement]:
        """What was not said yet and not told by all of ``to``, in the order in which it became known."""
        statements = dict.fromkeys(_wish(statement) for statement in memory(self.knowledge))
        return [
            statement
            for statement in statements
            if statement not in self._said and not self.came_from(statement, to)
        ]

    def came_from(self, statement: Statement, to: Sequence[Seat]) -> bool:
        """Whether all of ``to`` told it this statement."""
        entry = self.knowledge.statements.get(statement)
        return entry is not None and entry.tellers.issuperset(to)

    def message(self, to: Sequence[Seat] = ()) -> TeamMessage | None:
        """A message to ``to``, by default to all addressees; ``None`` if there is nothing to say or no message left."""
        knowledge = self.knowledge
        to = tuple(to or knowledge.targets(knowledge.me))
        if knowledge.left == 0 or not to:
            return None
        unsaid = self.unsaid(to)
        chosen = self._choose(self, [statement for statement in unsaid if self._matters(statement)])
        if not chosen:
            return None
        limit = knowledge.plan.statements
        if limit is None:
            room = LONGEST - len(TeamMessage(to, ()).call(knowledge.me))
            content = fitting((*chosen, *unsaid), room, knowledge)
        else:
            content = tuple(chosen[:limit])
        self._said.update(content)
        self.spoke = knowledge.turn
        return TeamMessage(to, content)

    def _matters(self, statement: Statement) -> bool:
        """Whether it is about goals, the state of the house, or mechanics of things, and not what agents may do."""
        about_things = isinstance(statement, HouseRule) and bool(statement.things)
        return (isinstance(statement, Must | Fact) or about_things) and statement in self.knowledge.statements


def _wish(statement: Statement) -> Statement:
    """What a member passes on of a statement: of a request, the goal."""
    return statement.goal if isinstance(statement, Asks) else statement


class AtOnce(Speaker):
    """Says each thing as soon as it knows it, until no message is left."""

    def now(self) -> TeamMessage | None:
        return self.message()


class OneByOne(Speaker):
    """Sends each message to the next one of its addressees, whoever that is."""

    _next = 0

    def now(self) -> TeamMessage | None:
        to = self.knowledge.targets(self.knowledge.me)
        message = self.message((to[self._next % len(to)],)) if to else None
        self._next += message is not None
        return message


PATIENCE = 6
"""Turns without news or work after which the last message is used all the same."""


class HoldTheLast(Speaker):
    """Says each thing as soon as it knows it, but its last message only after it has heard something."""

    def now(self) -> TeamMessage | None:
        return None if self.last and self.last_news_turn is None else self.message()

    def later(self, idle: int) -> TeamMessage | None:
        return self.message() if idle >= PATIENCE else None


QUIET = 2
"""Turns without anything new."""


class HoldUntilQuiet(Speaker):
    """Says each thing as soon as it knows it, but its last message only after it has heard something and then nothing new."""

    def now(self) -> TeamMessage | None:
        waits = self.last_news_turn is None or self.knowledge.turn < self.last_news_turn + QUIET
        return None if self.last and waits else self.message()


class Timetable(Speaker):
    """Speaks only in its own turns: of n agents, agent i in the turns i, i + n, i + 2n, and so on."""

    def now(self) -> TeamMessage | None:
        knowledge = self.knowledge
        mine = knowledge.turn % len(knowledge.agents) == knowledge.agents.index(knowledge.me)
        return self.message() if mine else None


SHARE = 1 / 3
"""The probability of a message in a turn."""


class RandomMessages(Speaker):
    """Speaks in each turn with the same probability."""

    def now(self) -> TeamMessage | None:
        return self.message() if self.rng.random() < SHARE else None


class RelayNewsOnly(Speaker):
    """Says only what has become known since its last message, and drops what it did not get to say."""

    def now(self) -> TeamMessage | None:
        return self.message()

    def unsaid(self, to: Sequence[Seat]) -> list[Statement]:
        since, statements = self.spoke, self.knowledge.statements
        unsaid = super().unsaid(to)
        return [
            statement
            for statement in unsaid
            if since is None or (statement in statements and statements[statement].turn > since)
        ]


class EchoSpeaker(Speaker):
    """Says one thing of its own, and then only repeats what it hears, even to those who said it."""

    def now(self) -> TeamMessage | None:
        return self.message()

    def unsaid(self, to: Sequence[Seat]) -> list[Statement]:
        statements, me = self.knowledge.statements, self.knowledge.me
        unsaid = super().unsaid(to)
        if self.spoke is None:
            return unsaid
        return [
            statement
            for statement in unsaid
            if statement in statements and statements[statement].source != me
        ]

    def came_from(self, statement: Statement, to: Sequence[Seat]) -> bool:
        return False


class AskFirst(Speaker):
    """Asks its addressees, in turn and with all others listening, to see to each goal that it says."""

    _requests = 0

    def now(self) -> TeamMessage | None:
        message = self.message()
        return message and TeamMessage(
            message.to, tuple(self._asking(message, statement) for statement in message.statements)
        )

    def _asking(self, message: TeamMessage, statement: Statement) -> Statement:
        if not isinstance(statement, Must):
            return statement
        self._requests += 1
        return Asks(message.to[self._requests % len(message.to)], statement)
