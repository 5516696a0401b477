"""The accuracy of predictions about others: the share of right answers, in per cent and above chance, and its slope.

L is computed from such accuracies elsewhere: that of a verdict in :mod:`otherminds.measures.evidence`, that of a report's
tables in :mod:`otherminds.measures.basis`, with its ends from :mod:`otherminds.measures.population`.
"""

from __future__ import annotations

from otherminds.core.data import HELPER, UNKNOWN
from otherminds.core.record import Asked, Record
from otherminds.measures.registry import Inapplicable, Unknown, measures
from otherminds.measures.seats import under_test

NOT_ASKED = "no question with a known truth was put"


def answers(record: Record) -> list[Asked]:
    """The questions to the seats under test that have a true answer, without auxiliary questions.

    A question about another's report has none where that report is "unknown": two minds that know
    nothing would otherwise be right by agreeing on that.
    """
    mine = under_test(record)
    counts = [question.seat in mine and not question.id.startswith(HELPER) for question in record.questions]
    return [
        answer for answer in record.asked if counts[answer.question] and answer.truth not in (None, UNKNOWN)
    ]


def right(answer: Asked) -> bool:
    """Whether the answer is the truth. An invalid answer is not."""
    return answer.invalid is None and answer.answer == answer.truth


@measures.register("tom_percent")
def tom_percent(record: Record) -> float | Unknown:
    """``ToM %``: 100 × right answers / questions put with a known truth.

    Riemer et al. 2025, section 2.1. An invalid answer counts as not right.
    """
    answered = answers(record)
    return 100 * sum(map(right, answered)) / len(answered) if answered else Unknown(NOT_ASKED)


@measures.register("tom_above_chance")
def tom_above_chance(record: Record) -> float | Unknown:
    """(accuracy − chance) / (1 − chance).

    Chance is the mean accuracy of random guesses: the value is 1 for always right, 0 for guessing.
    A mind whose own play determines its partner's can reach 1 without observing it; L cannot.
    """
    answered = answers(record)
    if not answered:
        return Unknown(NOT_ASKED)
    chance = sum(record.questions[answer.question].chance for answer in answered) / len(answered)
    if chance >= 1:
        return Unknown("every answer is right by chance")
    return (sum(map(right, answered)) / len(answered) - chance) / (1 - chance)


@measures.register("tom_slope")
def tom_slope(record: Record) -> float | Unknown:
    """How ``ToM %`` changes within an episode: the least-squares slope, in percentage points for 10 steps.

    Above 0 for a mind that learns to predict its partner; 0 where it predicts equally well throughout.
    """
    answered = [answer for answer in answers(record) if record.questions[answer.question].when != "end"]
    steps = [answer.step for answer in answered]
    if len(set(steps)) < 2:
        return Inapplicable("predictions at several steps are needed for a slope")
    middle = sum(steps) / len(steps)
    spread = sum((step - middle) ** 2 for step in steps)
    return 1000 * sum((answer.step - middle) * right(answer) for answer in answered) / spread
