"""Nash equilibria of a two-seat stage game, by support enumeration."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from otherminds.core.data import Game

Mixed = tuple[float, ...]
SLACK = 1e-9


@lru_cache(maxsize=64)
def nash(game: Game) -> tuple[Mixed, Mixed]:
    """The equilibrium with the largest supports, as (row, column) mixtures.

    In RPS the uniform one, in the Battle of the Sexes the mixed one, in the Prisoner's Dilemma
    mutual defection. Equal supports: the first in lexicographic order. A finite game always has
    one (Nash 1951); degenerate games may have none with equal support sizes, so all are tried.
    """
    rows = np.array([[cell[0] for cell in row] for row in game.payoffs])
    columns = np.array([[cell[1] for cell in row] for row in game.payoffs])
    n, m = rows.shape
    sizes = sorted(
        ((i, j) for i in range(1, n + 1) for j in range(1, m + 1)), key=lambda s: (-s[0] - s[1], s)
    )
    for i, j in sizes:
        for support in combinations(range(n), i):
            for against in combinations(range(m), j):
                q = _indifferent(rows[list(support)][:, list(against)], against, m)
                p = _indifferent(columns[list(support)][:, list(against)].T, support, n)
                if p is not None and q is not None and _stable(rows, columns, p, q):
                    return tuple(p.tolist()), tuple(q.tolist())
    raise AssertionError("every finite game has an equilibrium")


def _indifferent(
    pays: NDArray[np.float64], support: tuple[int, ...], size: int
) -> NDArray[np.float64] | None:
    """The mixture over ``support`` that makes all rows of ``pays`` equal, or ``None``."""
    rows, columns = pays.shape
    system = np.zeros((rows + 1, columns + 1))
    system[:rows, :columns] = pays
    system[:rows, columns] = -1.0
    system[rows, :columns] = 1.0
    target = np.zeros(rows + 1)
    target[rows] = 1.0
    solution, _, _, _ = np.linalg.lstsq(system, target, rcond=None)
    if not np.allclose(system @ solution, target, atol=SLACK) or solution[:columns].min() < -SLACK:
        return None
    mixture = np.zeros(size)
    mixture[list(support)] = np.clip(solution[:columns], 0.0, None)
    return mixture / mixture.sum()


def _stable(
    rows: NDArray[np.float64], columns: NDArray[np.float64], p: NDArray[np.float64], q: NDArray[np.float64]
) -> bool:
    """Whether neither seat gains by leaving (p, q)."""
    return bool((rows @ q).max() <= p @ rows @ q + SLACK and (p @ columns).max() <= p @ columns @ q + SLACK)
