"""The filter against exact Bayes by enumeration."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.games.automata import Predictor, Setting
from otherminds.games.filtering import Evidence, Filter, among
from otherminds.games.registry import games, library

RPS = library(Setting(3, 3, games.get("rps")()))
IPD = library(Setting(2, 2, games.get("ipd")()))

encounters = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), max_size=6)


def likelihoods(predictor: Predictor, seen: list[tuple[int, int]], noise: float, of: int) -> list[float]:
    """The probability that a predictor, noise included, gives to each behaviour in turn."""
    return [
        (1 - noise) * predictor.predict(seen[:t])[theirs] + noise / of for t, (theirs, _) in enumerate(seen)
    ]


def filled(
    seen: list[tuple[int, int]], predictors: tuple[Predictor, ...], noise: float, hazard: float
) -> Filter:
    made = Filter(predictors, 3, noise, hazard)
    for theirs, own in seen:
        made.see(among((theirs,), 3), own)
    return made


def evidence(belief: Filter) -> float:
    """The log-probability of everything seen."""
    many = len(belief.history)
    return many * float(np.log(belief.fit(many))) if many else 0.0


def states(belief: Filter) -> tuple[object, ...]:
    return tuple(tracked.state for tracked in belief.tracked)


@given(encounters, st.sampled_from([0.01, 0.1, 0.5]))
def test_without_hazard_it_is_bayes_rule(seen: list[tuple[int, int]], noise: float) -> None:
    joint = np.array([2.0**-p.bits * np.prod(likelihoods(p, seen, noise, 3)) for p in RPS])
    prior = sum(2.0**-p.bits for p in RPS)
    made = filled(seen, RPS, noise, 0.0)
    assert made.weights == pytest.approx(joint / joint.sum(), abs=1e-12)
    assert evidence(made) == pytest.approx(np.log(joint.sum() / prior), abs=1e-9)


@given(encounters.filter(lambda seen: len(seen) <= 4), st.sampled_from([0.05, 0.3]))
def test_with_hazard_it_sums_over_every_way_in_which_the_partner_may_have_changed(
    seen: list[tuple[int, int]], hazard: float
) -> None:
    few = RPS[:4]
    prior = np.array([2.0**-p.bits for p in few])
    prior = prior / prior.sum()
    fits = np.array([likelihoods(p, seen, 0.1, 3) for p in few])
    expected = np.zeros(len(few))
    for who in product(range(len(few)), repeat=len(seen) + 1):
        chance = prior[who[0]]
        for t in range(len(seen)):
            stays = (1 - hazard) * (who[t + 1] == who[t])
            chance *= fits[who[t], t] * (stays + hazard * prior[who[t + 1]])
        expected[who[-1]] += chance
    made = filled(seen, few, 0.1, hazard)
    assert made.weights == pytest.approx(expected / expected.sum(), abs=1e-12)


@given(encounters, st.integers(0, len(RPS) - 1))
def test_one_added_late_counts_as_if_it_had_been_there(seen: list[tuple[int, int]], late: int) -> None:
    whole = filled(seen, (*RPS[:late], *RPS[late + 1 :], RPS[late]), 0.05, 0.02)
    grown = filled(seen, (*RPS[:late], *RPS[late + 1 :]), 0.05, 0.02)
    grown.add(RPS[late])
    assert grown.weights == pytest.approx(whole.weights, abs=1e-12)
    assert grown.predict() == pytest.approx(whole.predict())
    assert evidence(grown) == pytest.approx(evidence(whole))


@given(encounters)
def test_another_prior_judges_everything_anew(seen: list[tuple[int, int]]) -> None:
    other = np.linspace(1, 2, len(RPS))
    made = filled(seen, RPS, 0.05, 0.02)
    made.believe(other)
    fresh = Filter(RPS, 3, 0.05, 0.02, other)
    for theirs, own in seen:
        fresh.see(among((theirs,), 3), own)
    assert made.weights == pytest.approx(fresh.weights)


def test_worked_numbers() -> None:
    """Two constants alike beforehand, ε = 0.1 of two behaviours: 0.95 against 0.05 once, 361 to 1 twice."""
    made = Filter(tuple(p for p in IPD if p.name.startswith("always")), 2, 0.1, 0.0)
    made.see(among((0,), 2), 0)
    assert made.weights == pytest.approx([0.95, 0.05])
    assert made.predict() == pytest.approx([0.95 * 0.95 + 0.05 * 0.05, 2 * 0.95 * 0.05])
    made.see(among((0,), 2), 0)
    assert made.weights[0] / made.weights[1] == pytest.approx(361)
    assert made.fit() == pytest.approx(np.sqrt(0.5 * 0.905))


def test_candidates_are_summed_and_each_predictor_believes_its_own() -> None:
    """Rock or scissors, and nobody knows which: paper is out, and grim-like states go by what each expects."""
    constants = tuple(p for p in RPS if p.name.startswith("always"))
    made = Filter(constants, 3, 0.0, 0.0)
    made.see(among((0, 2), 3, 0.5), 1)
    assert made.weights == pytest.approx([2 / 3, 0, 1 / 3])
    flips = tuple(p for p in IPD if p.name == "stays with what did not lose, else the next one")
    doubtful = Filter(flips, 2)
    doubtful.see(among((1,), 2), 0)
    doubtful.see((1.0, 1.0), 0)
    assert states(doubtful) == (1,), "after a win with defection it believes in defection"


def test_it_recovers_after_a_switch() -> None:
    """Thirty times rock, then paper: with a hazard paper is expected after two, without it after many."""
    constants = tuple(p for p in RPS if p.name.startswith("always"))

    def expects(hazard: float) -> int:
        made = Filter(constants, 3, 0.02, hazard)
        for _ in range(30):
            made.see(among((0,), 3), 0)
        for k in range(1, 100):
            made.see(among((1,), 3), 0)
            if made.predict()[1] > 0.8:
                return k
        raise AssertionError("it never recovered")

    assert expects(0.01) <= 2
    assert expects(0.0) > 20


@given(st.lists(st.floats(0.01, 1.0), min_size=3, max_size=3))
def test_a_hint_is_evidence_that_moves_no_state(hinted: list[float]) -> None:
    hinted_at: Evidence = tuple(hinted)
    made = filled([(0, 1), (1, 1)], RPS, 0.05, 0.0)
    before = made.weights.copy(), states(made)
    hint = made.hint(hinted_at)
    assert (made.weights == before[0]).all()
    assert states(made) == before[1]
    made.see(hinted_at, 0)
    assert made.weights == pytest.approx(hint)


def test_an_empty_history_fits() -> None:
    assert Filter(RPS, 3).fit() == 1.0
    assert Filter(RPS, 3).predict() == pytest.approx([1 / 3] * 3)


def test_where_everything_is_left_there_is_no_evidence_whatever_comes_first() -> None:
    assert among((1, 0, 2), 3) == (1.0, 1.0, 1.0)
    belief = Filter(RPS, 3)
    before = belief.predict()
    for _ in range(6):
        belief.see(among((0, 1, 2), 3), 0)
    assert belief.predict() == pytest.approx(before, abs=0.1)


@given(encounters.filter(lambda seen: len(seen) <= 4), st.integers(0, 2))
def test_the_round_after_the_next_is_the_mean_over_what_may_come_between(
    seen: list[tuple[int, int]], own: int
) -> None:
    """Each hypothesis is followed through the next encounter; noise changes what is shown, and no state."""
    made = filled(seen, RPS, 0.1, 0.05)
    expected = np.full(3, 0.1 / 3)
    for weight, predictor in zip(made.weights, RPS, strict=True):
        for shown, p in enumerate(predictor.predict(seen)):
            if p:
                expected += 0.9 * weight * p * np.array(predictor.predict([*seen, (shown, own)]))
    before = made.weights.copy(), states(made)
    assert made.predict_after(own) == pytest.approx(expected, abs=1e-12)
    assert sum(made.predict_after(own)) == pytest.approx(1.0)
    assert (made.weights == before[0]).all()
    assert states(made) == before[1]
