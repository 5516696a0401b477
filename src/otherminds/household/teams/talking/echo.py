"""Repeats what it hears."""

from __future__ import annotations

from collections.abc import Sequence

from otherminds.core.data import Seat
from otherminds.household.epistemic.words import Statement
from otherminds.household.reference.talking import TeamMessage
from otherminds.household.teams.speaker import Speaker


class Echo(Speaker):
    """Says one thing of its own, and then only repeats what it hears, even to those who said it."""

    def now(self) -> TeamMessage | None:
        return self.message()

    def unsaid(self, to: Sequence[Seat]) -> list[Statement]:
        statements, me = self.knowledge.statements, self.knowledge.me
        found = super().unsaid(to)
        if self.spoke is None:
            return found
        return [one for one in found if one in statements and statements[one].source != me]

    def came_from(self, statement: Statement, to: Sequence[Seat]) -> bool:
        return False
