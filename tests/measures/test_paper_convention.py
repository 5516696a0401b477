"""The printed convention: derived costs and optima, and the exact printed values."""

from __future__ import annotations

from math import isclose

from hypothesis import given, settings
from hypothesis import strategies as st

from otherminds import Automaton
from otherminds.games.best_response import best_response
from otherminds.games.registry import automaton, games
from otherminds.measures.registry import Unknown
from otherminds.measures.regret import (
    cost,
    delta_functional,
    gain,
    paper_delta_functional,
    paper_delta_tom,
    reachable,
)
from tests.cases import for_each

TIT_FOR_TAT = ("tit_for_tat", {})


@for_each(
    ("game", "partner", "c", "long_run"),
    [
        ("rps", ("single", {"behaviour": 0}), 1.5, 1),
        ("rps", ("single", {"behaviour": 2}), 1.5, 1),
        ("rps", TIT_FOR_TAT, 1.5, 1),
        ("ibs", ("single", {"behaviour": 0}), 10, 10),
        ("ibs", ("single", {"behaviour": 1}), 7, 7),
        ("ibs", TIT_FOR_TAT, 8.5, 10),
        ("ipd", ("single", {"behaviour": 0}), 2, 10),
        ("ipd", ("single", {"behaviour": 1}), 5, 5),
        ("ipd", TIT_FOR_TAT, 3.5, 8),
    ],
)
def test_costs_and_long_run_averages(game: str, partner, c: float, long_run: float) -> None:
    made = games.get(game)()
    met = automaton(partner[0], made, 100, partner[1])
    assert cost(made, met) == c
    assert isclose(gain(made, met), long_run)


@for_each(
    ("name", "wrong", "printed"),
    [("rps-tit_for_tat-v1", 7, 0.105), ("ipd-tit_for_tat-v1", 2, 0.070), ("rps-single-v1", 2, 0.030)],
)
def test_printed_tom_regret(play, name: str, wrong: int, printed: float) -> None:
    """Tables 4 and 10: 93.0 % and 98.0 % right go with exactly .105 and .070."""

    truth = {"rps-tit_for_tat-v1": 1}.get(name, 0)  # ego always shows 0

    def say(history: list[tuple[int, int]]) -> int:
        return truth if len(history) >= wrong else (truth + 1) % 2

    assert isclose(paper_delta_tom(play(name, lambda h: 0, say)), printed)


def test_ipd_tit_for_tat_is_printed_against_800(play) -> None:
    record = play("ipd-tit_for_tat-v1", lambda h: 0, lambda h: 0)
    assert isclose(paper_delta_functional(record), 0, abs_tol=1e-12)
    assert isclose(delta_functional(record), 0.02)
    defects = play("ipd-tit_for_tat-v1", lambda h: 1, lambda h: 0)
    assert isclose(paper_delta_functional(defects), (800 - 505) / 100)


@for_each(
    "name", ["rps-single-v1", "ibs-single-v1", "ipd-single-v1", "rps-tit_for_tat-v1", "ibs-tit_for_tat-v1"]
)
def test_elsewhere_the_two_regrets_agree(play, name: str) -> None:
    for seed in range(3):
        record = play(name, lambda h: len(h) % 2, lambda h: 0, seed)
        assert isclose(paper_delta_functional(record), delta_functional(record))


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_the_long_run_average_is_what_long_plans_tend_to(data: st.DataObject) -> None:
    game, states, rounds = games.get("rps")(), data.draw(st.integers(1, 6)), 300
    state = st.integers(0, states - 1)
    shown = data.draw(st.lists(st.integers(0, 2), min_size=states, max_size=states))
    after = data.draw(st.lists(st.tuples(state, state, state), min_size=states, max_size=states))
    met = Automaton(
        data.draw(state),
        tuple(tuple(float(b == i) for i in range(3)) for b in shown),
        tuple((to, to, to) for to in after),
    )
    slack = 2 * states / rounds  # a transient of at most `states` rounds, payoffs within 2
    assert abs(best_response(game, met, rounds).value / rounds - gain(game, met)) <= slack


def test_only_reachable_behaviours_count() -> None:
    met = Automaton(1, ((1.0, 0.0), (0.0, 1.0)), (((0, 0), (0, 0)), ((0, 0), (1, 1))))
    assert reachable(met) == [1]
    assert cost(games.get("ibs")(), met) == 7


def test_partners_the_paper_does_not_have(play) -> None:
    noisy = play("rps-noisy_tit_for_tat-v1", lambda h: 0, lambda h: 0, rounds=5)
    large = play("rps-best_response_to_frequency-v1", lambda h: 0, lambda h: 0, rounds=9)
    for record in (noisy, large):
        for measure in (paper_delta_tom, paper_delta_functional):
            assert isinstance(measure(record), Unknown)
    assert "at random" in paper_delta_tom(noisy).reason
    assert "automaton" in paper_delta_tom(large).reason
