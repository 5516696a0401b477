"""The iterated Battle of the Sexes: Riemer et al. 2025, table 6."""

from __future__ import annotations

from otherminds.core.data import Game
from otherminds.games.registry import games


@games.register("ibs")
def ibs() -> Game:
    """Meeting pays 10 to the one whose taste it is and 7 to the other; missing pays nothing."""
    moves = ("fight", "ballet")
    return Game("ibs", (moves, moves), (((10.0, 7.0), (0.0, 0.0)), ((0.0, 0.0), (7.0, 10.0))))
