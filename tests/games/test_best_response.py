"""Optimal returns: the published ones, and those that a search over everything finds."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.core.data import Automaton
from otherminds.games.best_response import best_response, optimal_rewards
from otherminds.games.registry import automaton, games
from tests.cases import for_each
from tests.games import kit

OPTIMA = {
    ("rps", "single", 0): 100,
    ("rps", "single", 1): 100,
    ("rps", "single", 2): 100,
    ("ibs", "single", 0): 1000,
    ("ibs", "single", 1): 700,
    ("ipd", "single", 0): 1000,
    ("ipd", "single", 1): 500,
    ("rps", "tit_for_tat", None): 100,
    ("ibs", "tit_for_tat", None): 1000,
    ("ipd", "tit_for_tat", None): 802,
}


@for_each(("game", "family", "behaviour"), OPTIMA)
def test_optimal_returns_over_100_rounds(game: str, family: str, behaviour: int | None) -> None:
    """Riemer et al. 2025, definition 2.2, with tit-for-tat opening as if behaviour 0 came before."""
    played = games.get(game)()
    params = {} if behaviour is None else {"behaviour": behaviour}
    partner = automaton(family, played, 100, params)
    best = best_response(played, partner, 100)
    assert best.value == pytest.approx(OPTIMA[game, family, behaviour])
    assert sum(optimal_rewards(played, partner, 100)) == pytest.approx(best.value)


def test_against_tit_for_tat_one_cooperates_99_times_and_then_defects() -> None:
    ipd = games.get("ipd")()
    rewards = optimal_rewards(ipd, automaton("tit_for_tat", ipd, 100, {}), 100)
    assert rewards == (8.0,) * 99 + (10.0,)


@pytest.mark.parametrize("name", ["rps", "ibs", "ipd"])
@pytest.mark.parametrize("family", ["single", "tit_for_tat", "grim", "win_stay_lose_shift", "cycler"])
def test_no_sequence_does_better_against_a_sure_partner(name: str, family: str) -> None:
    game = games.get(name)()
    partner = automaton(family, game, 5, {})
    actions = range(len(game.behaviours[0]))
    best = max(kit.open_loop(game, partner, sequence) for sequence in product(actions, repeat=5))
    assert best_response(game, partner, 5).value == pytest.approx(best)


@given(data=st.data(), rounds=st.integers(1, 6))
def test_no_sequence_does_better_against_a_random_sure_partner(data: st.DataObject, rounds: int) -> None:
    game, partner = data.draw(kit.games()), data.draw(kit.automata())
    best = max(kit.open_loop(game, partner, sequence) for sequence in product((0, 1), repeat=rounds))
    assert best_response(game, partner, rounds).value == pytest.approx(best)


@given(data=st.data(), rounds=st.integers(1, 4))
def test_no_policy_does_better_against_a_noisy_partner(data: st.DataObject, rounds: int) -> None:
    game = data.draw(kit.games(rows=3, columns=2))
    partner = data.draw(kit.automata(rows=3, columns=2, noisy=True))
    best = kit.best_closed_loop(game, partner, rounds)
    assert best_response(game, partner, rounds).value == pytest.approx(best)
    assert sum(optimal_rewards(game, partner, rounds)) == pytest.approx(best)


@given(data=st.data(), rounds=st.integers(1, 4))
def test_following_the_plan_earns_its_value(data: st.DataObject, rounds: int) -> None:
    game, partner = data.draw(kit.games()), data.draw(kit.automata(noisy=True))
    plan = best_response(game, partner, rounds)

    def earned(seen: tuple[tuple[int, int], ...]) -> float:
        if len(seen) == rounds:
            return 0.0
        at = kit.state(partner, seen)
        a = plan.act(len(seen), at)
        return sum(
            p * (game.payoffs[a][b][0] + earned((*seen, (a, b))))
            for b, p in enumerate(partner.output[at])
            if p
        )

    assert earned(()) == pytest.approx(plan.value)


def test_a_noisy_tit_for_tat_is_worth_less_than_a_sure_one_and_more_than_mutual_defection() -> None:
    ipd = games.get("ipd")()
    values = [
        best_response(ipd, automaton("tit_for_tat", ipd, 100, {"noise": noise}), 100).value
        for noise in (0.0, 0.05, 0.1)
    ]
    assert pytest.approx(values[0]) == 802
    assert values[0] > values[1] > values[2] > 500


def test_the_first_of_equal_actions_is_taken() -> None:
    game = games.get("ibs")()
    nothing = Automaton(0, ((0.5, 0.5),), (((0, 0), (0, 0)),))
    even = game.__class__("even", game.behaviours, (((1.0, 0.0), (1.0, 0.0)), ((1.0, 0.0), (1.0, 0.0))))
    assert best_response(even, nothing, 3).act(0, 0) == 0
