"""One goal after another."""

from __future__ import annotations

from otherminds.household.epistemic.formula import Literal
from otherminds.household.teams.acting.own_goals import OwnGoals


class FirstGoalFirst(OwnGoals):
    """Works on the first goal that it knows and can do, until that is achieved."""

    def goals(self) -> list[Literal]:
        return [goal for goal in super().goals() if not self.knowledge.achieved(goal)][:1]
