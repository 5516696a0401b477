"""Win-stay, lose-shift (Pavlov)."""

from __future__ import annotations

from otherminds.core.data import Automaton, Game
from otherminds.games.automata import START, always, unfold
from otherminds.games.registry import partners


@partners.register("win_stay_lose_shift")
def win_stay_lose_shift(game: Game, rounds: int) -> Automaton:
    """Repeats a behaviour that paid at least the game's mean payoff, else takes the next one.

    Opens with behaviour 0. Nowak & Sigmund 1993; in the Prisoner's Dilemma it
    stays after 8 and 10 and shifts after 0 and 5.
    """
    rows, columns = (len(names) for names in game.behaviours)
    pays = [[game.payoffs[i][j][1] for i in range(rows)] for j in range(columns)]
    mean = sum(map(sum, pays)) / (rows * columns)

    def advance(state: int, own: int, other: int) -> int:
        return own if pays[own][other] >= mean else (own + 1) % columns

    return unfold(START, lambda state: always(state, columns), advance, (columns, rows), rounds)
