"""The paper's regrets, by its own definitions: Riemer et al. 2025, section 2.1."""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

from otherminds.core.data import Game
from otherminds.core.record import Asked, Record
from otherminds.games.automata import best_reply
from otherminds.measures.literal import answers
from otherminds.measures.registry import Inapplicable, Unknown, measures
from otherminds.measures.seats import NO_GAME, by_rounds, ego, other

NO_OPTIMUM = "the best response to this partner is not known"
NO_ROUNDS = "nothing was played"
NO_ROUNDS_HERE = "regret a round is for matrix games"
NOT_PREDICTED = "the partner's next behaviour was not asked for"

Losses: TypeAlias = tuple[tuple[float, ...], ...]


@measures.register("delta_functional")
def delta_functional(record: Record) -> float | Unknown:
    """``Δ_Functional/T``: (optimal T-step return − return) / T, per round.

    The optimum is the best response to the partner met, by backward induction
    (definition 2.2). Against a partner that plays at random it is an
    expectation, and a lucky episode can be below 0.
    """
    if not by_rounds(record) and record.rewards:
        return Inapplicable(NO_ROUNDS_HERE)
    if record.bounds is None or record.bounds.informed is None:
        return Unknown((record.bounds and record.bounds.reason) or NO_OPTIMUM)
    if not record.rewards:
        return Unknown(NO_ROUNDS)
    return (record.bounds.informed - record.total(ego(record))) / len(record.rewards)


@measures.register("delta_tom")
def delta_tom(record: Record) -> float | Unknown:
    """``Δ_ToM/T``: mean over rounds of max_a r(a, b) − r(BR(b̂), b).

    The regret of the policy that best-responds, with the true payoffs, to the
    literal predictions b̂ (lowest behaviour on ties), round by round on what the
    partner did, b. Whoever gives no valid prediction knows nothing: such a round
    is charged the mean over all possible predictions.
    """
    if record.game is None:
        return Inapplicable(NO_GAME)
    predicted = predictions(record)
    if not predicted:
        return Unknown(NOT_PREDICTED)
    number = {name: i for i, name in enumerate(record.game.behaviours[1])}
    loss = losses(record.game)
    silent = len(number)
    total = 0.0
    for asked in predicted:
        said = silent if asked.invalid is not None else number.get(asked.answer, silent)
        total += loss[said][number[asked.truth]]
    return total / len(predicted)


def predictions(record: Record) -> list[Asked]:
    """Ego's answers about what the other shows in the round being played."""
    if record.game is None:
        return []
    theirs, names = other(record), record.game.behaviours[1]
    about = [
        question.about == theirs and question.when != "end" and set(question.options) <= set(names)
        for question in record.questions
    ]
    return [asked for asked in answers(record) if about[asked.question]]


@lru_cache(maxsize=64)
def losses(game: Game) -> Losses:
    """What best-responding to prediction ``said`` loses when the other does ``did``.

    ``losses[said][did]``, in payoff; the last row is for no valid prediction,
    the mean over all of them.
    """
    columns = range(len(game.behaviours[1]))
    table: list[tuple[float, ...]] = []
    for said in columns:
        reply = best_reply(game, said)
        table.append(
            tuple(max(row[did][0] for row in game.payoffs) - game.payoffs[reply][did][0] for did in columns)
        )
    table.append(tuple(sum(row[did] for row in table) / len(columns) for did in columns))
    return tuple(table)
