"""The paper's regrets by its definitions, against exact optima and closed forms."""

from __future__ import annotations

from math import isclose

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otherminds import Game
from otherminds.core.data import Invalid
from otherminds.games.best_response import best_response
from otherminds.measures.registry import Inapplicable, Unknown
from otherminds.measures.regret import delta_functional, delta_tom, losses, predictions
from tests.cases import for_each

OPTIMA = [
    ("rps-tit_for_tat-v1", 0, 100),
    ("rps-single-v1", 0, 100),
    ("rps-single-v1", 2, 100),
    ("ibs-single-v1", 0, 1000),
    ("ibs-single-v1", 1, 700),
    ("ibs-tit_for_tat-v1", 0, 1000),
    ("ipd-single-v1", 0, 1000),
    ("ipd-single-v1", 1, 500),
    ("ipd-tit_for_tat-v1", 0, 802),
]


@for_each(("name", "seed", "optimum"), OPTIMA)
def test_regret_is_against_the_exact_optimum(play, name: str, seed: int, optimum: float) -> None:
    record = play(name, lambda h: 0, lambda h: 0, seed)
    assert isclose(delta_functional(record), (optimum - record.total("ego")) / 100)


@for_each(("name", "seed", "optimum"), OPTIMA)
def test_the_best_response_has_no_regret(play, name: str, seed: int, optimum: float) -> None:
    scouted = play(name, lambda h: 0, lambda h: 0, seed)
    automaton = scouted.partners["partner_0"].automaton
    plan = best_response(scouted.game, automaton, 100)

    def act(history: list[tuple[int, int]]) -> int:
        state = automaton.start
        for own, other in history:
            state = automaton.next[state][other][own]
        return plan.act(len(history), state)

    record = play(name, act, lambda h: 0, seed)
    assert record.total("ego") == optimum
    assert delta_functional(record) == 0


@given(st.lists(st.sampled_from([0, 1, 2, None]), min_size=10, max_size=10))
@settings(max_examples=30)
def test_tom_regret_in_rps(play, said: list[int | None]) -> None:
    """Against rock, predicting paper gets scissors (loses 2), predicting scissors gets rock (loses 1)."""
    record = play(
        "rps-single-v1",
        lambda h: 0,
        lambda h: Invalid("silent") if said[len(h)] is None else said[len(h)],
        rounds=10,
    )
    cost = {0: 0, 1: 2, 2: 1, None: 1}
    assert isclose(delta_tom(record), sum(cost[one] for one in said) / 10)


@pytest.mark.parametrize(("seed", "best"), [(0, 10), (1, 7)])
def test_tom_regret_in_ibs(play, seed: int, best: float) -> None:
    record = play("ibs-single-v1", lambda h: 0, lambda h: (seed + (len(h) < 30)) % 2, seed)
    assert isclose(delta_tom(record), 0.3 * best)


def test_a_true_best_response_is_never_wrong_in_ipd(play) -> None:
    for name in ("ipd-single-v1", "ipd-tit_for_tat-v1"):
        assert delta_tom(play(name, lambda h: len(h) % 2, lambda h: 1)) == 0


def test_it_is_taken_round_by_round_on_what_the_partner_did(play) -> None:
    """Against tit-for-tat in IBS: predicted 0 throughout, while it follows an alternating ego."""
    record = play("ibs-tit_for_tat-v1", lambda h: len(h) % 2, lambda h: 0)
    # The partner shows 0, then what ego did before: 0, 0, 1, 0, 1, ... : 49 times 1.
    assert isclose(delta_tom(record), 49 * 7 / 100)


def test_ties_go_to_the_lowest_behaviour() -> None:
    game = Game("tied", (("a", "b"), ("x", "y")), (((1, 0), (0, 0)), ((1, 0), (5, 0))))
    assert losses(game)[0] == (0, 5)  # said x: a and b tie, a is played
    assert losses(game)[1] == (0, 0)
    assert losses(game)[2] == (0, 2.5)  # said nothing valid


def test_unknown_says_why(play) -> None:
    record = play("rps-single-v1", lambda h: 0, lambda h: 0, rounds=2)
    record.asked, record.bounds = (), None
    found = delta_functional(record), delta_tom(record)
    assert all(isinstance(one, Unknown) and one.reason for one in found)
    assert predictions(record) == []
    record.game = None
    assert delta_tom(record) == Inapplicable("this world records no stage game")
