"""Helps before it acts for itself."""

from __future__ import annotations

from otherminds.epistemic.formula import Literal
from otherminds.worlds.household.teams.acting.hallway import Hallway


class HandOverFirst(Hallway):
    """As the hallway rule, but brings things into the hallway before it changes furniture for its own goals."""

    def goals(self) -> list[Literal]:
        return [*super().goals(), *self.handed(seen=True)]
