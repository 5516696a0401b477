"""Whether a mind acts on what it says: best responses to its own predictions."""

from __future__ import annotations

from otherminds.core.record import Record
from otherminds.measures.literal import answers
from otherminds.measures.registry import Unknown, measures
from otherminds.measures.seats import ego


@measures.register("best_response_rate")
def best_response_rate(record: Record) -> float | Unknown:
    """Share (0 to 1) of predictions to which the mind then played the best response.

    The best response of the stage game, with the true payoffs; where several
    are best, any of them counts. Invalid predictions are left out.
    """
    game = record.game
    if game is None:
        return Unknown("the record holds no game")
    column = record.seats.index(ego(record))
    view = game if column == 0 else game.flipped()
    done = [
        _is_best(
            view.payoffs, int(record.actions[asked.step][column]), view.behaviours[1].index(asked.answer)
        )
        for asked in answers(record)
        if asked.invalid is None
    ]
    return sum(done) / len(done) if done else Unknown("no prediction was made")


def _is_best(payoffs: tuple[tuple[tuple[float, float], ...], ...], own: int, other: int) -> bool:
    return payoffs[own][other][0] == max(row[other][0] for row in payoffs)
