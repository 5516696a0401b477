"""Automata fitted to play: known policies are found, chance is not taken for a rule, and ranges hold the truth."""

from __future__ import annotations

from itertools import product
from math import log2
from random import Random

import pytest

from otherminds.core.data import Automaton, Game
from otherminds.games.best_response import best_response
from otherminds.games.fitting import Plays, fit_policy
from otherminds.games.registry import automaton, games

IPD, RPS = games.get("ipd")(), games.get("rps")()


def play_against(
    game: Game, met: Automaton, episodes: int, rounds: int, explore: float = 1.0
) -> list[list[tuple[int, int]]]:
    """Episodes of a player that explores with that probability, and shows its first behaviour else."""
    rng = Random(5)
    plays: list[list[tuple[int, int]]] = []
    for _ in range(episodes):
        state, play = met.start, []
        for _ in range(rounds):
            own = rng.randrange(len(game.behaviours[0])) if rng.random() < explore else 0
            other = rng.choices(range(len(game.behaviours[1])), met.output[state])[0]
            play.append((own, other))
            state = met.next[state][other][own]
        plays.append(play)
    return plays


@pytest.mark.parametrize(
    ("game", "family", "params", "states"),
    [
        (IPD, "tit_for_tat", {}, 2),
        (IPD, "grim", {}, 2),
        (IPD, "win_stay_lose_shift", {}, 2),
        (IPD, "noisy_tit_for_tat", {}, 2),
        (IPD, "single", {"behaviour": 1}, 1),
        (RPS, "single", {"behaviour": 2}, 1),
    ],
)
def test_a_known_policy_is_found_and_its_best_reply_is_in_the_range(
    game: Game, family: str, params: dict[str, int], states: int
) -> None:
    met = automaton(family, game, 12, params)
    plays = play_against(game, met, 12, 12)
    fitted = fit_policy(game, plays)
    assert fitted is not None
    assert fitted.states == states
    value = best_response(game, met, 12).value / 12
    low, high = fitted.best_reply
    width = 0.06 * (max(cell[0] for row in game.payoffs for cell in row) + 1)
    assert low - width <= value <= high + width
    assert fitted.held_out > fitted.chance == -log2(len(game.behaviours[1]))


def test_three_states_are_searched_if_they_are_asked_for() -> None:
    """Two defections in a row are needed before it defects."""
    patient = Automaton(
        0, ((1.0, 0.0), (1.0, 0.0), (0.0, 1.0)), (((0, 1),) * 2, ((0, 2),) * 2, ((0, 2),) * 2)
    )
    plays = play_against(IPD, patient, 2, 30)
    two, three = (fit_policy(IPD, plays, most_states=k) for k in (2, 3))
    assert two is not None
    assert three is not None
    assert (two.states, three.states) == (2, 3)
    assert three.held_out > two.held_out


def test_games_with_many_options_are_fitted_with_one_state() -> None:
    names = tuple("abcd")
    game = Game(
        "four", (names, names), tuple(tuple((float(i == j), 0.0) for j in range(4)) for i in range(4))
    )
    fitted = fit_policy(game, [[(0, 2)] * 10] * 4)
    assert fitted is not None
    assert fitted.states == 1
    assert fitted.best_reply == pytest.approx((1, 1), abs=0.1)


def test_play_by_chance_has_one_state_and_nothing_to_use() -> None:
    coin = Automaton(0, ((0.5, 0.5),), (((0, 0), (0, 0)),))
    fitted = fit_policy(IPD, play_against(IPD, coin, 10, 20))
    assert fitted is not None
    assert fitted.states == 1
    assert fitted.score is None
    assert fitted.held_out == pytest.approx(-1, abs=0.1)


def test_what_was_never_tried_stays_open() -> None:
    met = automaton("grim", IPD, 20, {})
    untried = fit_policy(IPD, play_against(IPD, met, 8, 20, explore=0.0))
    assert untried is not None
    assert untried.states == 1, "nothing of its play needs a second state"
    tried = fit_policy(IPD, play_against(IPD, met, 8, 20, explore=0.1))
    assert tried is not None
    assert tried.states == 2
    assert untried.best_reply[1] > tried.best_reply[1], "who never saw grim defect hopes for more"


def test_long_play_with_three_options_is_fitted_with_two_states() -> None:
    copies = Automaton(0, ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)), ((((0, 1, 1),) * 3), (((0, 1, 1),) * 3)))
    fitted = fit_policy(RPS, play_against(RPS, copies, 12, 60))
    assert fitted is not None
    assert fitted.states == 2


def test_the_search_finds_the_likeliest_of_all_tables() -> None:
    """Against every table of two states, counted one by one in plain Python."""
    plays = play_against(IPD, automaton("win_stay_lose_shift", IPD, 9, {}), 2, 9)
    fitted = fit_policy(IPD, [plays[0], plays[1], *plays])
    assert fitted is not None

    def counts(moves: tuple[int, ...], episodes: list[list[tuple[int, int]]]) -> list[list[float]]:
        seen = [[0.0, 0.0], [0.0, 0.0]]
        for play in episodes:
            state = 0
            for own, other in play:
                seen[state][other] += 1
                state = moves[4 * state + 2 * own + other]
        return seen

    def bits(seen: list[list[float]], fit: list[list[float]]) -> float:
        return sum(
            n * log2((fit[s][b] + 0.5) / (sum(fit[s]) + 1))
            for s, row in enumerate(seen)
            for b, n in enumerate(row)
        )

    fit, test = [plays[0], plays[0]], [plays[1], plays[1]]
    tables = list(product(range(2), repeat=8))
    best = max(bits(counts(t, fit), counts(t, fit)) for t in tables)
    held_out = [
        bits(counts(t, test), counts(t, fit)) / 18
        for t in tables
        if bits(counts(t, fit), counts(t, fit)) > best - 1e-9
    ]
    assert fitted.states >= 2
    assert fitted.states > 2 or fitted.held_out in [pytest.approx(value) for value in held_out]


def test_a_score_of_one_is_that_of_the_best_reply_and_zero_of_the_best_single_behaviour() -> None:
    alternating = Automaton(0, ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)), (((1,) * 3,) * 3, ((0,) * 3,) * 3))
    moves = {"best": (1, 2), "single": (1, 1)}
    for name, expected in (("best", 1.0), ("single", 0.0)):
        plays = [[(moves[name][t % 2], t % 2) for t in range(20)] for _ in range(6)]
        fitted = fit_policy(RPS, plays)
        assert fitted is not None
        assert fitted.states == 2
        assert fitted.score is not None
        assert fitted.score[0] - 0.1 <= expected <= fitted.score[1] + 0.1
    assert best_response(RPS, alternating, 20).value == 20


@pytest.mark.parametrize("plays", [[], [[(0, 0)]], [[], [(0, 0)]]])
def test_too_little_play_has_no_fit(plays: Plays) -> None:
    assert fit_policy(IPD, plays) is None
