"""Whether a mind acts on what it says: best responses to its own predictions."""

from __future__ import annotations

from otherminds.core.data import Behaviour
from otherminds.core.record import Asked, Record
from otherminds.measures.literal import answers
from otherminds.measures.registry import Inapplicable, Unknown, measures
from otherminds.measures.seats import NO_GAME, ego, other


@measures.register("best_response_rate")
def best_response_rate(record: Record) -> float | Unknown:
    """Share (0 to 1) of predictions to which the mind then played the best response.

    The best response of the stage game, with the true payoffs; where several
    are best, any of them counts. It is looked for in the next encounter with
    whom the prediction is about. Invalid predictions are left out.
    """
    game = record.game
    if game is None:
        return Inapplicable(NO_GAME)
    view = game if record.seats.index(ego(record)) == 0 else game.flipped()
    own, others = view.behaviours
    done = [
        _is_best(view.payoffs, own.index(shown), others.index(asked.answer))
        for asked in answers(record)
        if asked.invalid is None and (shown := _shown(record, asked)) is not None
    ]
    return sum(done) / len(done) if done else Unknown("no prediction was made")


def _shown(record: Record, asked: Asked) -> Behaviour | None:
    """What ego did in the next encounter with whom it was asked about."""
    mine = ego(record)
    about = record.questions[asked.question].about or other(record)
    return next(
        (met.did[mine][0] for met in record.met[mine] if met.step >= asked.step and about in met.did), None
    )


def _is_best(payoffs: tuple[tuple[tuple[float, float], ...], ...], own: int, other: int) -> bool:
    return payoffs[own][other][0] == max(row[other][0] for row in payoffs)
