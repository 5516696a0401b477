"""What all talking rules share: which statements are unsaid, and messages of as many as one message conveys."""

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
    def heard(self) -> int | None:
        """The turn in which something new was heard last; ``None`` if nothing was."""
        turns = [one.turn for one in self.knowledge.statements.values() if one.source != self.knowledge.me]
        return max(turns, default=None)

    def unsaid(self, to: Sequence[Seat]) -> list[Statement]:
        """What was not said yet and not told by all of ``to``, in the order in which it became known."""
        found = dict.fromkeys(_wish(one) for one in memory(self.knowledge))
        return [one for one in found if one not in self._said and not self.came_from(one, to)]

    def came_from(self, statement: Statement, to: Sequence[Seat]) -> bool:
        """Whether all of ``to`` told it this statement."""
        heard = self.knowledge.statements.get(statement)
        return heard is not None and heard.tellers.issuperset(to)

    def message(self, to: Sequence[Seat] = ()) -> TeamMessage | None:
        """A message to ``to``, by default to all addressees; ``None`` if there is nothing to say or no message left."""
        knowledge = self.knowledge
        to = tuple(to or knowledge.targets(knowledge.me))
        if knowledge.left == 0 or not to:
            return None
        unsaid = self.unsaid(to)
        wanted = self._choose(self, [one for one in unsaid if self._matters(one)])
        if not wanted:
            return None
        limit = knowledge.plan.statements
        if limit is None:
            room = LONGEST - len(TeamMessage(to, ()).call(knowledge.me))
            content = fitting((*wanted, *unsaid), room, knowledge)
        else:
            content = tuple(wanted[:limit])
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
