"""Tells one addressee at a time, without choosing which."""

from __future__ import annotations

from otherminds.household.reference.talking import TeamMessage
from otherminds.household.teams.speaker import Speaker


class OneByOne(Speaker):
    """Sends each message to the next one of its addressees, whoever that is."""

    _next = 0

    def now(self) -> TeamMessage | None:
        to = self.knowledge.targets(self.knowledge.me)
        made = self.message((to[self._next % len(to)],)) if to else None
        self._next += made is not None
        return made
