"""Keeps one message for what it will hear."""

from __future__ import annotations

from otherminds.household.reference.talking import TeamMessage
from otherminds.household.teams.speaker import Speaker

PATIENCE = 6
"""Turns without news or work after which the last message is used all the same."""


class HoldTheLast(Speaker):
    """Says each thing as soon as it knows it, but its last message only after it has heard something."""

    def now(self) -> TeamMessage | None:
        return None if self.last and self.heard is None else self.message()

    def later(self, idle: int) -> TeamMessage | None:
        return self.message() if idle >= PATIENCE else None
