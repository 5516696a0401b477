"""What an agent tells whom: the simple ways. Those that think of their partners are in :mod:`.routing`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from otherminds.core.data import Seat
from otherminds.epistemic.words import Controls, Fact, Inverse, Mirrors, Must, Statement, say
from otherminds.worlds.household.commands import EVERYBODY
from otherminds.worlds.household.reference.knowledge import Knowledge

LONGEST = 600
"""Characters of a message."""


@dataclass(frozen=True)
class TeamMessage:
    """What is to be said to ``to``: one agent, or several at once (everybody whom one can write to)."""

    to: tuple[Seat, ...]
    statements: tuple[Statement, ...]

    def call(self, me: Seat) -> str:
        """The message as a call of ``Communicate``."""
        name = self.to[0] if len(self.to) == 1 else EVERYBODY
        return f'Communicate[{name}, "{" ".join(say(statement, me=me) for statement in self.statements)}"]'


class Talker(Protocol):
    """A way of talking.

    ``now`` gives a message that comes before anything else, ``later`` one for a turn in
    which there is nothing else to do; ``idle`` counts the turns since anything happened.
    """

    def now(self) -> TeamMessage | None: ...

    def later(self, idle: int) -> TeamMessage | None: ...


class Silent:
    """Says nothing."""

    def now(self) -> TeamMessage | None:
        return None

    def later(self, idle: int) -> TeamMessage | None:
        return None


class Broadcast:
    """Tells everybody everything, in the order in which it came to know it, as much as a message holds.

    What it hears it tells too; a limited number of messages goes to whatever comes first.
    """

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self._said: set[Statement] = set()

    def now(self) -> TeamMessage | None:
        knowledge = self._knowledge
        to = knowledge.targets(knowledge.me)
        if knowledge.left == 0 or not to:
            return None
        news: list[Statement] = []
        room = LONGEST
        told = [statement for statement, heard in knowledge.statements.items() if not heard.derived]
        for statement in (*told, *reached(knowledge)):
            length = len(say(statement, me=knowledge.me)) + 1
            if statement in self._said or statement in news or length > room:
                continue
            news.append(statement)
            room -= length
        self._said.update(news)
        return TeamMessage(to, tuple(news)) if news else None

    def later(self, idle: int) -> TeamMessage | None:
        return None


class First:
    """Tells what it knows of the goal, one statement a message, in the order in which it came to know it.

    Each goes at once to the first whom it can reach, and to the others when nothing
    else is to be done. Who they are and what they know makes no difference (level 1).
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
            heard = self._knowledge.statements.get(statement)
            for other in to:
                if heard is None or other not in heard.holders:
                    return TeamMessage((other,), (statement,))
        return None


def relevant(knowledge: Knowledge) -> Iterator[Statement]:
    """What an agent knows by itself that bears on the goal: what is wanted, what is so, how things work."""
    for statement, heard in tuple(knowledge.statements.items()):
        own = heard.source == knowledge.me and not heard.derived
        if own and isinstance(statement, Must | Fact | Inverse | Mirrors | Controls):
            yield statement
    yield from reached(knowledge)


def reached(knowledge: Knowledge) -> Iterator[Fact]:
    """The goals that are seen to be reached by now, as facts."""
    for goal in knowledge.goals:
        if knowledge.achieved(goal) and Fact(goal) not in knowledge.statements:
            yield Fact(goal)
