"""F at its fixed points: 1 for the best response, 0 for the best blind plan, null where both are one."""

from __future__ import annotations

from math import isclose

import pytest

from otherminds.games.blind import blind_plan
from otherminds.games.registry import automaton
from otherminds.measures.cells import tabulate
from otherminds.measures.functional import NOTHING_TO_WIN, share
from otherminds.measures.registry import Unknown
from otherminds.worlds.matrix.scenarios import family
from otherminds.worlds.registry import scenario

DEFINED = ["rps-single-v1", "ibs-single-v1", "rps-mixed-v1", "ibs-mixed-v1", "ipd-mixed-v1"]
NULL = ["ipd-single-v1", "rps-tit_for_tat-v1", "ibs-tit_for_tat-v1"]


def cell(play, name: str, act, rounds: int = 20):
    length = len(scenario(name, {}).population.schedule())
    records = [play(name, act, lambda h: 0, seed, rounds=rounds) for seed in range(length)]
    return tabulate({(name, "scripted"): length}, records)[0]


@pytest.mark.parametrize("name", DEFINED)
def test_the_blind_plan_scores_zero(play, name: str) -> None:
    game = scenario(name, {}).game
    plan = blind_plan(game, family(game, name.split("-")[1], 20), 20)
    assert isclose(cell(play, name, lambda h: plan[len(h)]).functional.mean, 0, abs_tol=1e-12)


@pytest.mark.parametrize("name", ["rps-single-v1", "ibs-single-v1"])
def test_knowing_the_partner_but_for_one_round(play, name: str) -> None:
    """Probes with 0, then best-responds: F is exact in closed form."""
    best = {"rps-single-v1": lambda b: (b + 1) % 3, "ibs-single-v1": lambda b: b}[name]
    found = cell(play, name, lambda h: best(h[-1][1]) if h else 0)
    # RPS: one round of mean loss 1 of 20. IBS: always-1 loses 7 of its 140.
    assert isclose(found.functional.mean, 0.95)


@pytest.mark.parametrize("name", NULL)
def test_null_with_its_reason_where_the_blind_plan_does_as_well(play, name: str) -> None:
    found = cell(play, name, lambda h: 0)
    assert found.functional.mean is None
    assert found.functional.reason == NOTHING_TO_WIN
    assert found.gap.mean is None
    assert found.literal.mean is not None


def test_ipd_against_tit_for_tat_can_show_it(play) -> None:
    assert isclose(cell(play, "ipd-tit_for_tat-v1", lambda h: 0, 100).functional.mean, (800 - 505) / 297)


def test_unknown_bounds_say_why(play) -> None:
    record = play("rps-single-v1", lambda h: 0, lambda h: 0, rounds=3)
    record.bounds = None
    assert isinstance(share(record), Unknown)
    found = tabulate({("rps-single-v1", "scripted"): 1}, [record])[0]
    assert found.functional.mean is None
    assert "references" in found.functional.reason


def test_family_of_the_test_is_the_scenario_s() -> None:
    game = scenario("rps-single-v1", {}).game
    assert [one.automaton for one in family(game, "single", 5)] == [
        automaton("single", game, 5, {"behaviour": b}) for b in range(3)
    ]
