"""The Bayesian mind keeps the promises of a mind, whatever its prior and wherever it plays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from otherminds import Mind, Scenario, SeatSpec
from otherminds.core.scenario import scenario
from otherminds.minds.registry import make_mind
from otherminds.testing import MindConformance


class Bayesian(MindConformance):
    params: dict[str, Any] = {}  # noqa: RUF012 - a class says it once
    world, options = "rps-mixed-v1", {"rounds": 5}

    def make_mind(self) -> Mind:
        return make_mind(SeatSpec("bayesian", self.params))

    def make_scenario(self) -> Scenario:
        return scenario(self.world, self.options)


class TestLibrary(Bayesian):
    pass


@pytest.mark.slow
class TestGranted(Bayesian):
    params = {"prior": "mixed"}  # noqa: RUF012
    world = "ipd-mixed-v1"


class Skilled(Bayesian):
    """Where it chooses skills. These see the map where it is granted, whichever mind chooses them."""

    def _list_undeclared(self, scenario: Scenario) -> Iterator[str]:
        return (grant for grant in super()._list_undeclared(scenario) if grant != "map")


class TestGrid(Skilled):
    world, options = "pd-repeated-mixed-v1", {"steps": 80}
    seeds = (0,)


@pytest.mark.slow
class TestCrowd(Skilled):
    world, options = "rws-arena-0-v1", {"steps": 50}
    seeds = (0,)
