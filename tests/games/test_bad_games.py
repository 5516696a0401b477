"""What is no game is refused where it is registered, played or read from a study, with a text that says why."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import otherminds as om
from otherminds.core.registry import Registry
from otherminds.games.registry import LARGEST, Games, games
from otherminds.matrix.scenarios import build
from tests.cases import for_each

AB = ("a", "b")
FINE = (((1, 2), (3, 4)), ((5, 6), (7, 8)))


def put(value: Any) -> Any:
    """A game in which the payoff of one cell is ``value``."""
    return AB, ((FINE[0][0], (value, 0.0)), FINE[1])


CELLS = (
    *(float("nan"), float("inf"), float("-inf"), np.float64("nan"), 1e10, -1e300, 10**400, -(10**400)),
    *("1", "", b"1", None, True, False, np.bool_(True), 1j, [1], (1,), {}, np.array(1.0)),
)
BAD = {
    **{
        f"payoff {value!r:.20}": (*put(value), r"payoffs\[0\]\[1\] must be two finite numbers")
        for value in CELLS
    },
    "ragged": (AB, (((1, 2), (3, 4)), ((5, 6),)), "2 rows of 2 pairs .* not 2 rows of 2, 1"),
    "a row too many": (AB, (*FINE, FINE[0]), "2 rows of 2 pairs .* not 3 rows"),
    "a row too few": (AB, FINE[:1], "2 rows of 2 pairs .* not 1 rows"),
    "empty": (AB, (), "2 rows of 2 pairs .* not 0 rows"),
    "empty rows": (AB, ((), ()), "2 rows of 2 pairs"),
    "empty cells": (AB, (((), ()), ((), ())), "two finite numbers"),
    "one number a cell": (AB, ((1.0, 2.0), (3.0, 4.0)), "two finite numbers"),
    "three numbers a cell": (AB, (((1, 2, 3),) * 2,) * 2, "two finite numbers"),
    "no payoffs": (AB, None, "not NoneType"),
    "a text": (AB, "12", "not str"),
    "an array": (AB, np.ones((2, 2, 2)), "as tuples, not ndarray"),
    "lists": (AB, [[[1, 2], [3, 4]], [[5, 6], [7, 8]]], "as tuples, not list"),
    "a text as a cell": (AB, (("12", (1, 2)), FINE[1]), r"payoffs\[0\]\[0\]"),
}
BEHAVIOURS = {
    "no seats": ((), "0 seats; a game has two"),
    "one seat": ((AB,), "1 seats; a game has two"),
    "three seats": ((AB, AB, AB), "3 seats; a game has two .* a world of its own"),
    "no behaviours": ((AB, ()), "a tuple of texts"),
    "a behaviour twice": ((AB, ("a", "a")), "must be different"),
    "no texts": ((AB, (1, 2)), "a tuple of texts"),
    "an empty name": ((AB, ("a", "")), "a tuple of texts"),
    "a text in place of a tuple": ((AB, "ab"), "a tuple of texts"),
}
CASES = [
    *(((names, names), payoffs, says) for names, payoffs, says in BAD.values()),
    *((behaviours, FINE, says) for behaviours, says in BEHAVIOURS.values()),
]


@pytest.mark.parametrize(("behaviours", "payoffs", "says"), CASES, ids=[*BAD, *BEHAVIOURS])
def test_what_is_no_game_is_refused_at_registration(behaviours: Any, payoffs: Any, says: str) -> None:
    bad = om.Game("wrong", behaviours, payoffs)
    with pytest.raises(om.StudyError, match=says):
        games.register("wrong")(lambda: bad)
    assert "wrong" not in om.games
    with pytest.raises(om.StudyError, match=says):
        build(bad, "single", 3)


@pytest.mark.parametrize(
    ("payoffs", "says"),
    [
        (payoffs, says)
        for name, (_, payoffs, says) in BAD.items()
        if name not in ("lists", "an array") and not isinstance(payoffs, str)
    ],
)
def test_what_is_no_game_is_refused_in_a_study(payoffs: Any, says: str) -> None:
    declared = {"name": "g", "behaviours": [*AB], "payoffs": payoffs}
    with pytest.raises(om.StudyError, match=says):
        om.make("bimatrix-single-v1", {"game": declared})


@for_each("made", [None, 3, {"name": "g"}, "rps"])
def test_what_a_maker_returns_must_be_a_game(made: Any) -> None:
    with pytest.raises(om.StudyError, match=r"must be an otherminds\.Game"):
        games.register("wrong")(lambda: made)


def test_a_maker_that_fails_is_refused_with_its_name() -> None:
    def fails() -> om.Game:
        raise KeyError("no")

    with pytest.raises(om.StudyError, match="game 'wrong' cannot be made: KeyError"):
        games.register("wrong")(fails)


@for_each("value", [0, 1, -1.5, LARGEST, -LARGEST, np.float64(2.5), 1e-300])
def test_every_finite_payoff_of_usual_size_is_played(value: Any) -> None:
    own: Registry[Any] = Games("game")
    names, payoffs = put(value)
    game = om.Game("fine", (names, names), payoffs)
    own.register("fine")(lambda: game)
    assert own.make("fine", {}) == game


def test_lists_of_whole_numbers_from_a_study_become_a_game() -> None:
    declared = {"name": "g", "behaviours": [["x"], ["y", "z"]], "payoffs": [[[1, 2], [3, 4]]]}
    env = om.make("bimatrix-single-v1", {"game": declared, "rounds": 2})
    assert env.action_space("ego").n == 1
    env.reset(seed=0)
    assert env.step({"ego": 0})[1]["ego"] in (1.0, 3.0)
