"""Speaks at random times."""

from __future__ import annotations

from otherminds.household.reference.talking import TeamMessage
from otherminds.household.teams.speaker import Speaker

SHARE = 1 / 3
"""The probability of a message in a turn."""


class RandomMessages(Speaker):
    """Speaks in each turn with the same probability."""

    def now(self) -> TeamMessage | None:
        return self.message() if self.rng.random() < SHARE else None
