"""Says only what is new."""

from __future__ import annotations

from collections.abc import Sequence

from otherminds.core.data import Seat
from otherminds.household.epistemic.words import Statement
from otherminds.household.reference.talking import TeamMessage
from otherminds.household.teams.speaker import Speaker


class RelayNewsOnly(Speaker):
    """Says only what has become known since its last message, and drops what it did not get to say."""

    def now(self) -> TeamMessage | None:
        return self.message()

    def unsaid(self, to: Sequence[Seat]) -> list[Statement]:
        since, statements = self.spoke, self.knowledge.statements
        found = super().unsaid(to)
        return [one for one in found if since is None or (one in statements and statements[one].turn > since)]
