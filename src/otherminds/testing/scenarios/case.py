"""The factory of a scenario's test class, and episodes of random minds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from otherminds.core.data import Seat
from otherminds.core.record import Record, SeatSpec
from otherminds.core.scenario import Scenario
from otherminds.core.setup import Setup
from otherminds.testing.episodes import RecordPromises, played
from otherminds.testing.simple import RandomMind
from otherminds.testing.wrappers import Listening


class ScenarioCase(RecordPromises):
    """Write :meth:`make_scenario`; the rest has defaults.

    ``chances`` has the accuracy of blind guessing by question id, where it is not one over the
    number of options.
    """

    seeds: tuple[int, ...] = (0, 1, 2)
    chances: Mapping[str, float] = {}

    def make_scenario(self) -> Scenario:
        """The scenario, a short one."""
        raise NotImplementedError(f"{type(self).__name__} must write make_scenario()")

    def episode(self, seed: int, members: tuple[SeatSpec, ...] | None = None) -> Record:
        """An episode of random, legal minds with the population's members, or ``members``."""
        scenario = self.make_scenario()
        minds = {seat: RandomMind() for seat in scenario.focal}
        met = None if members is None else dict(zip(scenario.others, members, strict=True))
        return played(Setup(scenario, minds, seed, met))


@lru_cache(maxsize=1)
def hear_episode(kind: type[ScenarioCase]) -> tuple[dict[str, Any], dict[Seat, Listening]]:
    """What chance drew in an episode of random minds, and these minds: played once for all checks that only read it."""
    case = kind()
    scenario = replace(case.make_scenario(), bounds=None)
    minds = {seat: Listening(RandomMind()) for seat in scenario.seats}
    return played(Setup(scenario, minds, case.seeds[0])).drawn, minds
