"""Agents take turns."""

from __future__ import annotations

from otherminds.household.reference.talking import TeamMessage
from otherminds.household.teams.speaker import Speaker


class Timetable(Speaker):
    """Speaks only in its own turns: of n agents, agent i in the turns i, i + n, i + 2n, and so on."""

    def now(self) -> TeamMessage | None:
        knowledge = self.knowledge
        mine = knowledge.turn % len(knowledge.agents) == knowledge.agents.index(knowledge.me)
        return self.message() if mine else None
