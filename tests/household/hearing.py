"""One seat of the small house, heard: what it is told in a course of calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from otherminds.core.data import Moment
from otherminds.household.house import House
from otherminds.household.verbalizer import HouseholdVerbalizer
from otherminds.household.world import HouseholdWorld
from tests.household import small_house as small

NESTED = "(K agent_1 (K agent_0 (is_open fridge_3)))"
GOAL = f"(and (is_on_top bowl_0 table_5) (K agent_0 (is_on_top bowl_0 table_5)) {NESTED})"
SECRETS = {
    "agent_0": ("You cannot enter study_1.", "bowl_0 must end on table_5."),
    "agent_1": ("You can only message agent_0.",),
}
TURNS = 20


class Heard:
    """What one seat hears in a course of calls, and its verbalizer."""

    def __init__(self, house: House, seat: str = "agent_0") -> None:
        self.world = HouseholdWorld(house, TURNS)
        self.verbalizer, self.seat = HouseholdVerbalizer(house, seat, TURNS), seat
        self.moments: list[Moment] = []
        self._hear(*self.world.reset())

    def play(self, *turns: Mapping[str, str]) -> list[str]:
        """What is told after each turn."""
        start = len(self.moments)
        for calls in turns:
            self._hear(*small.turn(self.world, calls))
        return [self.verbalizer.tell(moment) for moment in self.moments[start:]]

    def _hear(self, observations: dict[str, Any], infos: dict[str, Any]) -> None:
        over = not self.world.agents
        told = infos[self.seat]["told"]
        self.moments.append(Moment(self.world.turn, observations[self.seat], told=told, last=over))
