"""F at its fixed points: 1 for best responses, 0 for the best blind plan, null where it cannot be measured."""

from __future__ import annotations

from math import isclose

import pytest

from otherminds.core.record import Outcome
from otherminds.core.scenario import scenario
from otherminds.games.best_response import best_response
from otherminds.games.blind import blind_plan, blind_value
from otherminds.games.registry import automaton
from otherminds.matrix.scenarios import family
from otherminds.measures.basis import NOTHING_TO_WIN, share
from otherminds.measures.cells import tabulate
from otherminds.measures.registry import Unknown
from tests.cases import for_each

DEFINED = ["rps-single-v1", "ibs-single-v1", "rps-mixed-v1", "ibs-mixed-v1", "ipd-mixed-v1"]


def records(play, name: str, act, rounds: int = 20):
    length = len(scenario(name, {}).population.schedule())
    return [play(name, act, lambda h: 0, seed, rounds=rounds) for seed in range(length)]


def cell(play, name: str, act, rounds: int = 20):
    found = records(play, name, act, rounds)
    return tabulate({(name, "scripted"): len(found)}, found)[0]


@for_each("name", DEFINED)
def test_the_blind_plan_scores_zero(play, name: str) -> None:
    game = scenario(name, {}).game
    plan = blind_plan(game, family(game, name.split("-")[1], 20), 20)
    assert isclose(cell(play, name, lambda h: plan[len(h)]).functional.mean, 0, abs_tol=1e-12)


@for_each("first", [0, 1, 2])
def test_ties_between_blind_plans_change_nothing(play, first: int) -> None:
    """Against constants in RPS every constant plan is best; F of each is 0, whatever partner's episodes are lost."""
    found = records(play, "rps-single-v1", lambda h: first)
    more = records(play, "rps-single-v1", lambda h: first)
    for record in more[: len(more) // 3]:
        record.outcome = Outcome("invalid", "reply", "gibberish", 3)
    planned = {("rps-single-v1", "scripted"): 2 * len(found)}
    assert isclose(tabulate(planned, [*found, *more])[0].functional.mean, 0, abs_tol=1e-12)


@pytest.mark.parametrize("name", ["rps-single-v1", "ibs-single-v1"])
def test_knowing_the_partner_but_for_one_round(play, name: str) -> None:
    """Probes with 0, then best-responds: F is exact in closed form."""
    best = {"rps-single-v1": lambda b: (b + 1) % 3, "ibs-single-v1": lambda b: b}[name]
    found = cell(play, name, lambda h: best(h[-1][1]) if h else 0)
    # RPS: one round of mean loss 1 of 20. IBS: always-1 loses 7 of its 140.
    assert isclose(found.functional.mean, 0.95)


@for_each("name", ["rps-tit_for_tat-v1", "ipd-tit_for_tat-v1", "ipd-grim-v1"])
def test_one_policy_shows_nothing_by_itself(play, name: str) -> None:
    """Always-cooperate had .99 against tit-for-tat and grim: where only one policy is met there is nothing to adapt to."""
    found = cell(play, name, lambda h: 0)
    for estimate in (found.functional, found.literal, found.gap):
        assert estimate.mean is None
        assert "no episode here is against" in estimate.reason
    assert found.tom_percent.mean is not None
    assert found.delta_functional.mean is not None


def test_null_where_next_to_nothing_can_be_won(play) -> None:
    found = cell(play, "ipd-single-v1", lambda h: 1)
    assert found.functional.mean is None
    assert found.functional.reason == NOTHING_TO_WIN


def test_a_range_that_is_tiny_beside_the_payoffs_is_no_range(play) -> None:
    record = play("rps-single-v1", lambda h: 0, lambda h: 0, rounds=10)
    least, most = record.bounds.blind, record.bounds.best
    assert most - least == 10
    record.bounds = type(record.bounds)(1.0, least + 0.02 * 20 - 1e-9, least)
    assert share(record) == Unknown(NOTHING_TO_WIN)
    record.bounds = type(record.bounds)(1.0, least + 0.02 * 20 + 1e-9, least)
    assert not isinstance(share(record), Unknown)


def test_a_member_without_a_scored_episode_leaves_bounds(play) -> None:
    """RPS against constants, best responses but for one partner whose episodes all failed: F from 1/3 − 1/3 to 1."""
    best = [lambda h, b=b: (b + 1) % 3 for b in range(3)]
    found = [play("rps-single-v1", best[k % 3], lambda h: 0, k, rounds=10) for k in range(6)]
    for record in found[0::3]:
        record.outcome = Outcome("failed", "provider", "down", 2)
    functional = tabulate({("rps-single-v1", "scripted"): 6}, found)[0].functional
    assert functional.mean is None
    assert (functional.low, functional.high) == pytest.approx((2 / 3 - 1 / 3, 1))
    assert "worst and the best case" in functional.reason


def test_the_ends_are_the_population_s_means(play) -> None:
    record = play("ipd-mixed-v1", lambda h: 0, lambda h: 0, rounds=20)
    game, members = record.game, family(record.game, "mixed", 20)
    assert isclose(
        record.bounds.best, sum(m.weight * best_response(game, m.automaton, 20).value for m in members)
    )
    assert isclose(record.bounds.blind, blind_value(game, members, 20))
    assert [one.automaton for one in record.bounds.population] == [m.automaton for m in members]


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
