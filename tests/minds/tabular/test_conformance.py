"""Every tabular mind keeps the promises of a mind."""

from __future__ import annotations

from typing import Any

import pytest

from otherminds import Mind, Scenario, SeatSpec
from otherminds.core.scenario import scenario
from otherminds.minds.registry import make_mind
from otherminds.testing import MindConformance
from tests.cases import for_each


class Tabular(MindConformance):
    mind = ""
    params: dict[str, Any] = {}  # noqa: RUF012 - a class says it once
    world = "ipd-mixed-v1"

    def make_mind(self) -> Mind:
        return make_mind(SeatSpec(self.mind, self.params))

    def make_scenario(self) -> Scenario:
        return scenario(self.world, {"rounds": 6, "policy_questions": True})


class TestRMax(Tabular):
    mind = "rmax"


class TestFactoredRMax(Tabular):
    mind = "factored_rmax"
    world = "rps-mixed-v1"


class TestBayes(Tabular):
    mind = "bayes"


class TestInformed(Tabular):
    mind = "informed"


class TestBlind(Tabular):
    mind = "blind"


class TestNash(Tabular):
    mind = "nash"
    world = "rps-mixed-v1"


class TestUniform(Tabular):
    mind = "uniform"


class TestEcho(Tabular):
    mind = "echo"


class TestMirror(Tabular):
    mind = "mirror"
    world = "rps-mixed-v1"


class TestRandom(Tabular):
    mind = "random"


class TestConstant(Tabular):
    mind = "constant"
    params = {"behaviour": "defect"}  # noqa: RUF012 - a class says it once


class TestFictitiousPlay(Tabular):
    mind = "fictitious_play"


class TestLevelK(Tabular):
    mind = "level_k"
    world = "rps-tit_for_tat-v1"


class TestSimulated(Tabular):
    mind = "simulated"
    world = "ibs-mixed-v1"


del Tabular  # a base class is no test of its own


def test_every_tabular_mind_is_tested() -> None:
    from otherminds.minds.registry import minds

    tested = {
        value.mind
        for value in globals().values()
        if isinstance(value, type) and issubclass(value, MindConformance) and value is not MindConformance
    }
    assert tested == {
        name
        for name in minds
        if minds.get(name).__module__.startswith(("otherminds.minds.references", "otherminds.minds.tabular"))
    }


@for_each("name", ["rmax(1)", "rmx", ""])
def test_an_unknown_mind_is_an_error_that_helps(name: str) -> None:
    from otherminds.core.errors import StudyError

    with pytest.raises(StudyError, match="no mind is called"):
        make_mind(SeatSpec(name))
