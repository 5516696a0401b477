"""A partner that answers the last encounter best."""

from __future__ import annotations

from otherminds.core.data import Automaton, Game
from otherminds.games.automata import always, best_reply, unfold
from otherminds.games.registry import partners

OPENING: int = -1
"""Nothing was met yet."""


@partners.register("best_response_to_last")
def best_response_to_last(game: Game, rounds: int) -> Automaton:
    """Best-responds to the last behaviour met, the lowest on ties; opens with any, equally likely.

    Cournot's adjustment process; Melting Pot's ``CounterPrevious`` (Agapiou et al. 2022).
    """
    rows, columns = (len(names) for names in game.behaviours)
    own = game.flipped()

    def output(last: int) -> tuple[float, ...]:
        return (1 / columns,) * columns if last == OPENING else always(best_reply(own, last), columns)

    return unfold(OPENING, output, lambda last, mine, other: other, (columns, rows), rounds)
