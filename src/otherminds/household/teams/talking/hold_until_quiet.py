"""Keeps one message until all has been said."""

from __future__ import annotations

from otherminds.household.reference.talking import TeamMessage
from otherminds.household.teams.speaker import Speaker

QUIET = 2
"""Turns without anything new."""


class HoldUntilQuiet(Speaker):
    """Says each thing as soon as it knows it, but its last message only after it has heard something and then nothing new."""

    def now(self) -> TeamMessage | None:
        waits = self.heard is None or self.knowledge.turn < self.heard + QUIET
        return None if self.last and waits else self.message()
