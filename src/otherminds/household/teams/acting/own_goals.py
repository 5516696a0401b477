"""Does what it can of the goal."""

from __future__ import annotations

from otherminds.household.epistemic.formula import Literal
from otherminds.household.reference.doing import Doer
from otherminds.household.reference.knowledge import Knowledge
from otherminds.household.reference.sharing import able


class OwnGoals:
    """Does every goal that it can do itself, and waits otherwise."""

    def __init__(self, knowledge: Knowledge, doer: Doer) -> None:
        self.knowledge = knowledge
        self.doer = doer

    def goals(self) -> list[Literal]:
        """The goals to work on."""
        knowledge = self.knowledge
        return [goal for goal in knowledge.goals if able(knowledge, knowledge.me, goal)]

    def chore(self) -> str | None:
        """A call for when none of these can be advanced: closing what was opened on a search."""
        return self.doer.tidy()

    def idle(self) -> str | None:
        """A call for a turn with nothing to do and nothing to say."""
        return None
