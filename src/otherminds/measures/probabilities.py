"""The Brier score of predictions that come with probabilities, as those of LM prompting do."""

from __future__ import annotations

from math import exp

from otherminds.core.record import Call, Record
from otherminds.measures.literal import answers
from otherminds.measures.registry import Inapplicable, Unknown, measures
from otherminds.measures.seats import ego, shown_labels

NO_PROBABILITIES = "predictions come without probabilities"
PREDICTIONS = ("predict", "expect")
"""The purposes of calls that score predictions: to answer a question, and before a choice that rests on it."""


@measures.register("brier")
def brier(record: Record) -> float | Unknown:
    """The mean squared distance between the predicted distribution and the partner's behaviour (Brier 1950).

    ``mean of Σ_x (p_x − 1[x = truth])²`` over the predictions with probabilities: 0 for certain and right, 2 for
    certain and wrong, (n − 1)/n for all of n options equally likely. Probabilities are those of the labels as
    continuations, normalised over the options.
    """
    labels = shown_labels(record)
    scored = {call.step: call for call in record.calls if call.scores and _is_prediction(call, record)}
    if not scored or record.game is None or labels is None:
        return Inapplicable(NO_PROBABILITIES)
    behaviours = dict(zip(labels.names[1], record.game.behaviours[1], strict=True))
    distances: list[float] = []
    for answer in answers(record):
        call = scored.get(answer.step)
        if call is not None and record.questions[answer.question].when != "end":
            distances.append(_distance(call, behaviours, answer.truth))
    return sum(distances) / len(distances) if distances else Inapplicable(NO_PROBABILITIES)


def _is_prediction(call: Call, record: Record) -> bool:
    return call.seat == ego(record) and call.purpose in PREDICTIONS


def _distance(call: Call, behaviours: dict[str, str], truth: str) -> float:
    """The squared distance of one prediction."""
    most = max(call.scores)
    weights = [exp(score - most) for score in call.scores]
    predicted = [behaviours.get(label.strip()) for label in call.continuations]
    return sum(
        (weight / sum(weights) - (behaviour == truth)) ** 2
        for weight, behaviour in zip(weights, predicted, strict=True)
    )
