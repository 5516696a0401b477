"""Rock, Paper, Scissors: Riemer et al. 2025, table 5."""

from __future__ import annotations

from otherminds.core.data import Game
from otherminds.games.registry import games


@games.register("rps")
def rps() -> Game:
    """Win +1, tie 0, lose −1; paper beats rock, scissors beat paper, rock beats scissors."""
    moves = ("rock", "paper", "scissors")
    wins = ((0, -1, 1), (1, 0, -1), (-1, 1, 0))
    return Game("rps", (moves, moves), tuple(tuple((float(w), float(-w)) for w in row) for row in wins))
