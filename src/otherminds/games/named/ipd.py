"""The iterated Prisoner's Dilemma: Riemer et al. 2025, table 7."""

from __future__ import annotations

from otherminds.core.data import Game
from otherminds.games.registry import games


@games.register("ipd")
def ipd() -> Game:
    """Mutual cooperation 8, temptation 10, punishment 5, sucker's payoff 0."""
    moves = ("cooperate", "defect")
    return Game("ipd", (moves, moves), (((8.0, 8.0), (0.0, 10.0)), ((10.0, 0.0), (5.0, 5.0))))
