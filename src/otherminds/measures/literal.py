"""Literal theory of mind: what is said about others, and how often it is right."""

from __future__ import annotations

from otherminds.core.record import Asked, Record
from otherminds.epistemic.probing import HELPER, UNKNOWN
from otherminds.measures.registry import Unknown, measures
from otherminds.measures.seats import under_test

NOT_ASKED = "no question with a known truth was put"


def answers(record: Record) -> list[Asked]:
    """The questions put to the seats under test whose truth came to be; not those that only help others.

    What another would report has no truth where that one reported that it does not know: two
    who know nothing would agree on that, and be right by saying nothing.
    """
    mine = under_test(record)
    put = [question.seat in mine and not question.id.startswith(HELPER) for question in record.questions]
    return [asked for asked in record.asked if put[asked.question] and asked.truth not in (None, UNKNOWN)]


def right(asked: Asked) -> bool:
    """Whether the answer is the truth. An invalid answer is not."""
    return asked.invalid is None and asked.answer == asked.truth


@measures.register("tom_percent")
def tom_percent(record: Record) -> float | Unknown:
    """``ToM %``: 100 × right answers / questions put with a known truth.

    Riemer et al. 2025, section 2.1. An invalid answer counts as not right.
    """
    put = answers(record)
    return 100 * sum(map(right, put)) / len(put) if put else Unknown(NOT_ASKED)


@measures.register("literal")
def literal(record: Record) -> float | Unknown:
    """The literal score L = (accuracy − chance) / (1 − chance).

    Chance is what blind guessing gets on average over the questions put: L is 1
    for always right, 0 for guessing, below 0 for worse than that.
    """
    put = answers(record)
    if not put:
        return Unknown(NOT_ASKED)
    chance = sum(record.questions[asked.question].chance for asked in put) / len(put)
    if chance >= 1:
        return Unknown("every answer is right by chance")
    return (sum(map(right, put)) / len(put) - chance) / (1 - chance)
