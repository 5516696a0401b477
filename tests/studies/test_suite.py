"""Shipped suites: what they promise, and how a size becomes a study."""

from __future__ import annotations

from math import lcm
from pathlib import Path

import pytest

from otherminds import StudyError
from otherminds.core.scenario import Population
from otherminds.studies.plan import ego, plan
from otherminds.studies.run_overrides import RunOverrides, fill
from otherminds.studies.suite import LEAST, Suite, suite, suites
from otherminds.worlds.registry import scenario
from tests.cases import for_each

MODEL = "scripted:first"


@for_each("name", suites())
def test_every_size_of_every_suite_is_a_study_with_enough_episodes(name: str) -> None:
    chosen = suite(name)
    assert chosen.name == name
    for size in chosen.sizes:
        planned = plan(fill(chosen.study(size), RunOverrides((MODEL,))), Path())
        assert planned.name == f"{name}-{chosen.version} {size.name}"
        asked = {key: n for key, n in planned.cells().items() if key[1].endswith(MODEL)}
        assert len(asked) == len({spec.scenario + spec.label for spec in planned.episodes})
        assert min(asked.values()) >= LEAST


@for_each("name", ["core", "matrix"])
def test_matrix_games_meet_every_partner_with_its_share(name: str) -> None:
    for size in suite(name).sizes:
        planned = plan(fill(suite(name).study(size), RunOverrides((MODEL,))), Path())
        for one in {spec.scenario for spec in planned.episodes}:
            built = scenario(one, {})
            assert isinstance(built.population, Population)
            assert size.episodes % lcm(*(weight.denominator for weight, _ in built.population.members)) == 0


def test_another_mind_takes_the_place_of_the_suites_with_its_own_defaults() -> None:
    core = suite("core")
    (first,) = {ego(spec).called for spec in planned(core, "") if ego(spec).model}
    (other,) = {ego(spec).called for spec in planned(core, "cot") if ego(spec).model}
    assert (first, other) == ("qa@scripted:first(tries=10)", "cot@scripted:first")
    assert {ego(spec).title for spec in planned(core, "cot")} == {"cot@scripted:first", "rmax", "uniform"}


def planned(chosen: Suite, mind: str):
    return plan(fill(chosen.study(chosen.sizes[0], mind), RunOverrides((MODEL,))), Path()).episodes


def test_names_that_do_not_exist() -> None:
    with pytest.raises(StudyError, match=r"no suite 'cores'; did you mean core"):
        suite("cores")
    with pytest.raises(
        StudyError, match=r"core-1 has no size .huge.; there are glance, quick, standard, full"
    ):
        suite("core").size("huge")
