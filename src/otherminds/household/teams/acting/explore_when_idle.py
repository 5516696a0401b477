"""Looks everywhere."""

from __future__ import annotations

from otherminds.household.teams.acting.own_goals import OwnGoals


class ExploreWhenIdle(OwnGoals):
    """Does every goal that it can do itself, and otherwise looks into one room after another."""

    def idle(self) -> str | None:
        knowledge = self.knowledge
        rooms = sorted(knowledge.rooms(knowledge.me))
        return f"Explore[{rooms[knowledge.turn % len(rooms)]}]"
