"""The games of Riemer et al. 2025, tables 5 to 7."""

from itertools import product

import pytest

from otherminds.core.errors import StudyError
from otherminds.games.registry import automaton, games
from tests.cases import for_each

PAYOFFS = {
    "rps": [[(0, 0), (-1, 1), (1, -1)], [(1, -1), (0, 0), (-1, 1)], [(-1, 1), (1, -1), (0, 0)]],
    "ibs": [[(10, 7), (0, 0)], [(0, 0), (7, 10)]],
    "ipd": [[(8, 8), (0, 10)], [(10, 0), (5, 5)]],
}


@for_each("name", PAYOFFS)
def test_payoffs(name: str) -> None:
    game = games.get(name)()
    assert game.name == name
    assert [[tuple(cell) for cell in row] for row in game.payoffs] == PAYOFFS[name]


@pytest.mark.parametrize("name", ["rps", "ipd"])
def test_symmetric_games_look_alike_from_both_seats(name: str) -> None:
    game = games.get(name)()
    assert game.flipped() == game


def test_rock_paper_scissors_is_strictly_competitive() -> None:
    game = games.get("rps")()
    assert {sum(game.payoffs[i][j]) for i, j in product(range(3), repeat=2)} == {0}


def test_the_paper_s_games_are_known() -> None:
    assert {"ibs", "ipd", "rps"} <= set(games)


def test_unknown_partners_and_parameters_are_named() -> None:
    game = games.get("ipd")()
    with pytest.raises(StudyError, match="no partner is called 'tit_for_tatt'; did you mean tit_for_tat"):
        automaton("tit_for_tatt", game, 5, {})
    with pytest.raises(StudyError, match="partner 'tit_for_tat' has no parameter 'mood'; it takes noise"):
        automaton("tit_for_tat", game, 5, {"mood": 1})
