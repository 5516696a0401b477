"""Tells one addressee at a time, drawn by lot."""

from __future__ import annotations

from otherminds.worlds.household.reference.talking import TeamMessage
from otherminds.worlds.household.teams.speaker import Speaker


class OneAtRandom(Speaker):
    """Sends each message to one of its addressees, each with the same probability."""

    def now(self) -> TeamMessage | None:
        to = self.knowledge.targets(self.knowledge.me)
        return self.message((self.rng.choice(to),)) if to else None
