"""Reads a judge's reply. What is not wholly in the form is not read: the judge is asked again."""

from __future__ import annotations

from typing import Any

from otherminds.core.data import Invalid
from otherminds.core.quoting import plain
from otherminds.household.authoring.council.criteria import rubrics
from otherminds.household.authoring.results import Criterion, Judgement, Score
from otherminds.household.task import Category
from otherminds.replies.blocks import blocks

LONGEST = 500
"""Characters of a text in a reply that are kept."""
MOST_FIXES = 12
"""Required fixes that are kept."""


def read_judgement(reply: str, category: Category, judge: str) -> Judgement | Invalid:
    """The judgement in ``reply``, or why there is none.

    The reply must have one JSON object with a score in [0, 1] and a reasoning for each criterion, and no other that differs.
    A quote may be missing. Objects that lack a criterion are not read, and keys that are not asked for are passed over.
    """
    wanted: list[Criterion] = [one.criterion for one in rubrics(category)]
    found = [one for one in blocks(reply) if isinstance(one, dict) and not one.keys().isdisjoint(wanted)]
    if not found:
        return Invalid("there is no JSON object with scores", reply)
    if any(one != found[0] for one in found[1:]):
        return Invalid("there are two JSON objects with different scores", reply)
    scores: dict[Criterion, Score] = {}
    for criterion in wanted:
        score = _score(found[0].get(criterion))
        if isinstance(score, str):
            return Invalid(f"{criterion}: {score}", reply)
        scores[criterion] = score
    overall, fixes = found[0].get("overall_reasoning", ""), found[0].get("required_fixes", [])
    if not isinstance(overall, str):
        return Invalid("overall_reasoning: it is not a text", reply)
    if not isinstance(fixes, list) or not all(isinstance(one, str) for one in fixes):
        return Invalid("required_fixes: it is not a list of texts", reply)
    return Judgement(judge, scores, _line(overall), tuple(map(_line, fixes[:MOST_FIXES])))


def _score(found: Any) -> Score | str:
    """The score of one criterion, or what is wrong with it."""
    if not isinstance(found, dict):
        return "it is missing, or not an object"
    score, reasoning, quote = found.get("score"), found.get("reasoning"), found.get("quote", "")
    if isinstance(score, bool) or not isinstance(score, (int, float)):
        return "its score is not a number"
    if not 0 <= score <= 1:
        return "its score is not between 0 and 1"
    if not isinstance(reasoning, str) or not isinstance(quote, str):
        return "its reasoning or its quote is not a text"
    return Score(float(score), _line(reasoning), _line(quote))


def _line(text: str) -> str:
    """The text on one line that a terminal can show."""
    return plain(" ".join(text.split()))[:LONGEST]
