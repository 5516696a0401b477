"""Speaks whenever there is something to say."""

from __future__ import annotations

from otherminds.household.reference.talking import TeamMessage
from otherminds.household.teams.speaker import Speaker


class AtOnce(Speaker):
    """Says each thing as soon as it knows it, until no message is left."""

    def now(self) -> TeamMessage | None:
        return self.message()
