"""Equilibria: the known ones, and that nobody gains by leaving them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.core.data import Game
from otherminds.games.best_response import nash
from otherminds.games.registry import games
from tests.cases import for_each


def worth(game: Game, p: tuple[float, ...], q: tuple[float, ...]) -> tuple[float, float]:
    """What each seat can expect under the mixtures ``p`` and ``q``."""
    cells = [(x * y, game.payoffs[i][j]) for i, x in enumerate(p) for j, y in enumerate(q)]
    return sum(w * pay[0] for w, pay in cells), sum(w * pay[1] for w, pay in cells)


def pure(i: int, n: int) -> tuple[float, ...]:
    return tuple(float(i == k) for k in range(n))


KNOWN = {
    "rps": ((1 / 3,) * 3, (1 / 3,) * 3),
    "ibs": ((10 / 17, 7 / 17), (7 / 17, 10 / 17)),
    "ipd": ((0.0, 1.0), (0.0, 1.0)),
}


@for_each("name", KNOWN)
def test_known_equilibria(name: str) -> None:
    p, q = nash(games.get(name)())
    assert p == pytest.approx(KNOWN[name][0])
    assert q == pytest.approx(KNOWN[name][1])


@given(data=st.data(), rows=st.integers(1, 4), columns=st.integers(1, 4), most=st.sampled_from([1, 2, 9]))
def test_nobody_gains_by_leaving(data: st.DataObject, rows: int, columns: int, most: int) -> None:
    """Small payoffs make degenerate games common; ``most`` is the largest of them."""
    letters = ("abcd"[:rows], "wxyz"[:columns])
    pay = st.integers(0, most).map(float)
    cells = tuple(tuple((data.draw(pay), data.draw(pay)) for _ in range(columns)) for _ in range(rows))
    game = Game("random", (tuple(letters[0]), tuple(letters[1])), cells)
    p, q = nash(game)
    for mixture, size in ((p, rows), (q, columns)):
        assert len(mixture) == size
        assert min(mixture) >= 0
        assert sum(mixture) == pytest.approx(1)
    row, column = worth(game, p, q)
    assert max(worth(game, pure(i, rows), q)[0] for i in range(rows)) <= row + 1e-6
    assert max(worth(game, p, pure(j, columns))[1] for j in range(columns)) <= column + 1e-6


def test_the_equilibrium_that_commits_least_is_taken() -> None:
    """Pure coordination has three; the mixed one is it."""
    game = Game("meet", (("a", "b"), ("a", "b")), (((1.0, 1.0), (0.0, 0.0)), ((0.0, 0.0), (1.0, 1.0))))
    assert nash(game)[0] == pytest.approx((0.5, 0.5))


def test_the_other_seats_view_has_the_same_equilibrium() -> None:
    game = games.get("ibs")()
    p, q = nash(game)
    assert nash(game.flipped())[0] == pytest.approx(q)
    assert nash(game.flipped())[1] == pytest.approx(p)
