"""Fictitious play as a partner: best response to observed frequencies."""

from __future__ import annotations

from otherminds.core.data import Automaton, Game
from otherminds.games.automata import Chances, Machine, always, shape
from otherminds.games.registry import partners


@partners.register("best_response_to_frequency")
def best_response_to_frequency(game: Game, rounds: int) -> Automaton:
    """Best-responds to the other's frequencies; lowest on ties, so it opens with 0.

    Brown 1951. Its states are the counts, so it has about rounds² of them for
    two behaviours and rounds³/6 for three; exact plans refuse it when too large.
    """
    rows, columns = shape(game)

    def output(counts: tuple[int, ...]) -> Chances:
        if not any(counts):
            return always(0, columns)
        worth = [sum(n * game.payoffs[i][j][1] for i, n in enumerate(counts)) for j in range(columns)]
        return always(worth.index(max(worth)), columns)

    def advance(counts: tuple[int, ...], own: int, other: int) -> tuple[int, ...]:
        return tuple(n + (i == other) for i, n in enumerate(counts))

    return Machine((0,) * rows, output, advance).automaton(game, rounds)
