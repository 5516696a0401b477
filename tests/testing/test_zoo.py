"""The kit rejects every broken specimen by the check that should, and passes the healthy ones."""

from __future__ import annotations

import re
from typing import Any

import pytest

from otherminds.testing import MindConformance, PartnerConformance, ScenarioConformance, WorldConformance
from tests.cases import for_each
from tests.testing import toy_scenario, toys
from tests.testing import zoo_minds as minds
from tests.testing import zoo_open as opened
from tests.testing import zoo_partners as partners
from tests.testing import zoo_scaffolds as scaffolds
from tests.testing import zoo_scenarios as scenarios
from tests.testing import zoo_worlds as worlds

KITS = {
    worlds: WorldConformance,
    minds: MindConformance,
    partners: PartnerConformance,
    scenarios: ScenarioConformance,
    scaffolds: ScenarioConformance,
    opened: ScenarioConformance,
}
BASES = ("HealthyPartner", "HealthyNoisyPartner", "Even", "Specimen", "Opened", "Worded")


def specimens(zoo: Any) -> list[Any]:
    return [thing for thing in vars(zoo).values() if isinstance(thing, type) and "caught_by" in vars(thing)]


@pytest.mark.parametrize(
    "specimen",
    [
        pytest.param(kind, id=f"{KITS[zoo].__name__}-{kind.__name__}")
        for zoo in KITS
        for kind in specimens(zoo)
    ],
)
def test_specimen_is_caught_by_its_check(specimen: Any) -> None:
    with pytest.raises(AssertionError, match=r"(?s)^promised: .*; happened: ") as caught:
        getattr(specimen(), specimen.caught_by)()
    assert re.search(specimen.says, str(caught.value))


@for_each("zoo", KITS, ids=lambda zoo: KITS[zoo].__name__)
def test_every_check_catches_something(zoo: Any) -> None:
    checks = {name for name in dir(KITS[zoo]) if name.startswith("test_")}
    alike = [other for other in KITS if KITS[other] is KITS[zoo]]
    assert {kind.caught_by for other in alike for kind in specimens(other)} == checks


@for_each("zoo", KITS, ids=lambda zoo: KITS[zoo].__name__)
def test_every_specimen_is_in_the_list(zoo: Any) -> None:
    kinds = {
        name for name, thing in vars(zoo).items() if isinstance(thing, type) and issubclass(thing, KITS[zoo])
    }
    named = {kind.__name__ for kind in specimens(zoo)}
    assert kinds - named - {KITS[zoo].__name__} <= set(BASES)


class TestHealthyWorld(toys.HealthyWorld):
    """The world that the broken worlds are made from."""


class TestHealthyMind(toy_scenario.HealthyMind):
    """The mind that the broken minds are made from."""


class TestHealthyTalker(toy_scenario.HealthyTalker):
    """A mind with a language model."""


class TestHealthyScenario(toy_scenario.HealthyScenario):
    """The scenario that the broken scenarios are made from."""


class TestHealthyOpenScenario(opened.Opened):
    """The one whose choices are open."""


class TestHealthyPartner(partners.HealthyPartner):
    """The partner that the broken partners are made from."""


class TestHealthyNoisyPartner(partners.HealthyNoisyPartner):
    """A partner that draws."""


class TestHealthyEvenPartner(partners.Even):
    """A partner with draws of its own."""
