"""Literal theory of mind: what is said about others, and how often it is right.

``L = (A − b) / (u − b)``: A is the accuracy of the predictions, b that of the best
predictor that knows the population and the mind's own actions but never looks at the
partner, u that of one who knows the partner's policy (:mod:`otherminds.measures.population`).
"""

from __future__ import annotations

from otherminds.core.record import Asked, Record
from otherminds.epistemic.household_facts import HELPER, UNKNOWN
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


@measures.register("tom_above_chance")
def tom_above_chance(record: Record) -> float | Unknown:
    """(accuracy − chance) / (1 − chance).

    Chance is what guessing at random gets on average over the questions put: 1 for always
    right, 0 for guessing. A mind whose own play decides what its partner does can have 1
    without looking at it; L cannot.
    """
    put = answers(record)
    if not put:
        return Unknown(NOT_ASKED)
    chance = sum(record.questions[asked.question].chance for asked in put) / len(put)
    if chance >= 1:
        return Unknown("every answer is right by chance")
    return (sum(map(right, put)) / len(put) - chance) / (1 - chance)
