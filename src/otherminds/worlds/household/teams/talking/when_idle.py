"""Acts first."""

from __future__ import annotations

from otherminds.worlds.household.reference.talking import TeamMessage
from otherminds.worlds.household.teams.speaker import Speaker


class WhenIdle(Speaker):
    """Speaks only in turns in which it has nothing else to do."""

    def later(self, idle: int) -> TeamMessage | None:
        return self.message()
