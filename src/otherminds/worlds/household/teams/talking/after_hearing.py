"""One message starts, and the others answer."""

from __future__ import annotations

from otherminds.worlds.household.reference.talking import TeamMessage
from otherminds.worlds.household.teams.speaker import Speaker


class AfterHearing(Speaker):
    """Speaks once at the start, and then once each time that it has heard something new."""

    def now(self) -> TeamMessage | None:
        if self.spoke is not None and (self.heard is None or self.heard <= self.spoke):
            return None
        return self.message()
