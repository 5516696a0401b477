"""What a test class says about its scenario, and how the kit plays it."""

from __future__ import annotations

from collections.abc import Mapping

from otherminds.core.record import Record, SeatSpec
from otherminds.core.scenario import Scenario
from otherminds.core.setup import Setup
from otherminds.testing.episodes import RecordPromises, played
from otherminds.testing.simple import RandomMind


class ScenarioCase(RecordPromises):
    """Write :meth:`make_scenario`; the rest has defaults.

    ``chances`` gives, by question id, the accuracy of blind guessing where it is
    not one over the number of options.
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
