"""F of decisions: the best response is at 1, nobody is above it, the best blind pattern is at 0, and collecting is apart."""

from __future__ import annotations

from functools import cache
from itertools import product

import pytest

from otherminds.core.record import Record, SeatSpec
from otherminds.core.scenario import Setup, scenario
from otherminds.games.best_response import ENDLESS, best_response
from otherminds.games.blind import USUAL, blind_pattern, blind_value, lose_blindly, open_loop_return, repeat
from otherminds.gridworlds.in_the_matrix.rules import SUBSTRATES
from otherminds.gridworlds.in_the_matrix.scenarios import family
from otherminds.measures.decisions import decision_functional
from otherminds.measures.evidence import EpisodeEvidence, episode_evidence
from otherminds.measures.registry import Inapplicable
from otherminds.measures.weighed_acts import weigh_acts
from otherminds.minds.registry import make_mind
from otherminds.play.loop import play_now
from tests.cases import for_each

SCENARIOS = (
    "rws-repeated-2-v1",
    "pd-repeated-mixed-v1",
    "rws-repeated-strangers-v1",
    "pd-repeated-strangers-v1",
)


@cache
def played(name: str, mind: str, seed: int, steps: int = 700) -> Record:
    built = scenario(name, {"steps": steps})
    made = built.minds[mind]() if mind in built.minds else make_mind(SeatSpec(mind))
    return play_now(Setup(built, {"ego": made}, seed))[0]


def decided(record: Record) -> float:
    pair = decision_functional(record)
    assert isinstance(pair, tuple), pair
    return pair[0] / pair[1]


@for_each(("name", "mind"), list(product(SCENARIOS, ("informed", "uniform", "fictitious_play", "blind"))))
def test_nobody_is_above_the_best_response(name: str, mind: str) -> None:
    for seed in range(2):
        record = played(name, mind, seed)
        acts = weigh_acts(record)
        assert isinstance(acts, list)
        assert all(act.loss >= -1e-9 for act in acts)
        assert decided(record) <= 1 + 1e-9


@for_each("name", ["pd-repeated-mixed-v1", "pd-repeated-strangers-v1", "rws-repeated-2-v1"])
def test_who_knows_the_policy_and_sees_what_was_shown_is_at_one(name: str) -> None:
    """In rock, paper, scissors a reward may leave the state of a partner that errs open; here none of these errs."""
    for seed in range(4):
        assert decided(played(name, "informed", seed)) == pytest.approx(1, abs=1e-6)


@for_each("substrate", ["rws-repeated", "pd-repeated"])
def test_the_best_repeated_pattern_earns_nearly_what_the_best_fixed_plan_earns(substrate: str) -> None:
    rules = SUBSTRATES[f"{substrate}-v1"]
    met = family(rules, "2" if substrate == "rws-repeated" else "5")
    plan = repeat(blind_pattern(rules.game, met, USUAL, 4), USUAL)
    earned = sum(member.weight * open_loop_return(rules.game, member.automaton, plan) for member in met)
    exact = blind_value(rules.game, met, USUAL)
    highest = max(cell[0] for row in rules.game.payoffs for cell in row)
    assert exact - 0.05 * highest * USUAL <= earned <= exact + 1e-9


def test_what_a_blind_plan_loses_is_the_best_return_less_its_own_where_the_horizon_ends_with_it() -> None:
    rules = SUBSTRATES["rws-repeated-v1"]
    met = family(rules, "3")
    plan = repeat((0, 1, 2), USUAL)
    for member, lost in zip(met, lose_blindly(rules.game, met, plan, USUAL), strict=True):
        best = best_response(rules.game, member.automaton, USUAL).value
        assert lost * USUAL == pytest.approx(best - open_loop_return(rules.game, member.automaton, plan))


def test_decisions_of_a_mind_that_knows_nothing_are_worse_than_those_of_the_best_pattern() -> None:
    for name in ("rws-repeated-strangers-v1", "pd-repeated-strangers-v1"):
        scores = [decided(played(name, "uniform", seed)) for seed in range(6)]
        assert sum(scores) / len(scores) < 0


def test_an_episode_that_is_cut_scores_the_encounters_it_has() -> None:
    """Collecting is apart: with a third of the encounters, the best response is still at 1."""
    for steps in (250, 700):
        assert decided(played("pd-repeated-strangers-v1", "informed", 0, steps)) == pytest.approx(1, abs=1e-6)
    short, long = (
        weigh_acts(played("pd-repeated-strangers-v1", "informed", 0, steps)) for steps in (250, 700)
    )
    assert isinstance(short, list)
    assert isinstance(long, list)
    assert len(short) < len(long) < ENDLESS


def test_who_keeps_away_from_a_partner_decides_like_one_who_knows_nothing() -> None:
    record = played("pd-repeated-strangers-v1", "noop", 0, 200)
    assert not record.met["ego"]
    assert decided(record) == 0


def test_verdicts_of_duels_have_f_of_decisions() -> None:
    record = played("rws-repeated-2-v1", "informed", 0)
    evidence = episode_evidence(record)
    assert isinstance(evidence, EpisodeEvidence)
    assert evidence.functional == pytest.approx(decided(record))


def test_it_is_for_encounters_that_avatars_bring_about() -> None:
    matrix, _ = play_now(
        Setup(scenario("rps-mixed-v1", {"rounds": 6}), {"ego": make_mind(SeatSpec("uniform"))}, 0)
    )
    assert isinstance(decision_functional(matrix), Inapplicable)
    kitchen = scenario("cooking-asymmetric-0-v1", {"steps": 40})
    cooked, _ = play_now(Setup(kitchen, {"ego": kitchen.minds["cook"]()}, 0))
    assert isinstance(decision_functional(cooked), Inapplicable)
