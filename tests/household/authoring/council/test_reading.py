"""A reply of a judge is read wholly or not at all."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.core.data import Invalid
from otherminds.household.authoring.council.council import LONGEST, MOST_FIXES, read_judgement
from otherminds.household.authoring.council.prompt import reply_schema
from otherminds.household.authoring.results import Judgement
from tests.household.authoring.council.made import reply


def read(text: str) -> Judgement | Invalid:
    return read_judgement(text, "cooperative", "fake")


def changed(**fields: Any) -> str:
    return json.dumps({**json.loads(reply()), **fields})


@pytest.mark.parametrize(
    "text",
    [
        reply(),
        f"```json\n{reply()}\n```",
        f"Here is my judgement:\n{reply()}\nI hope that it helps.",
        f"<think>{reply(score=0.1)}</think>{reply()}",
        f"{reply()}\nOnce more:\n{reply()}",
        changed(subgoal_tension={"score": 3}),
        changed(overall_reasoning="Fine."),
    ],
)
def test_the_form_is_read_also_in_fences_and_prose(text: str) -> None:
    found = read(text)
    assert isinstance(found, Judgement)
    assert len(found.scores) == 8
    assert {one.score for one in found.scores.values()} == {0.9}
    assert found.fixes == ("Change it.",)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no JSON object"),
        ("All scores are 1.0.", "no JSON object"),
        (reply()[:-40], "no JSON object"),
        (f"{reply()}{reply(score=0.3)}", "two JSON objects"),
        (reply("mixed"), "task_interdependence: it is missing"),
        (changed(secret_quality=0.7), "secret_quality: it is missing, or not an object"),
        (changed(secret_quality={"reasoning": "So."}), "secret_quality: its score is not a number"),
        (changed(secret_quality={"score": "1.0", "reasoning": "So."}), "not a number"),
        (changed(secret_quality={"score": True, "reasoning": "So."}), "not a number"),
        (changed(secret_quality={"score": 1.2, "reasoning": "So."}), "not between 0 and 1"),
        (changed(secret_quality={"score": -0.1, "reasoning": "So."}), "not between 0 and 1"),
        (changed(secret_quality={"score": 1.0}), "reasoning"),
        (changed(secret_quality={"score": 1.0, "reasoning": "So.", "quote": 3}), "quote"),
        (changed(overall_reasoning=["So."]), "overall_reasoning"),
        (changed(required_fixes="none"), "required_fixes"),
        (changed(required_fixes=[1]), "required_fixes"),
        (reply().replace("0.9", "NaN"), "no JSON object"),
    ],
)
def test_what_is_not_in_the_form_is_not_read(text: str, why: str) -> None:
    found = read(text)
    assert isinstance(found, Invalid)
    assert why in found.reason


def test_texts_are_one_line_of_bounded_length() -> None:
    found = read(changed(overall_reasoning="a\nb\x1b[2J" + "c" * 9999, required_fixes=["d\ne"] * 99))
    assert isinstance(found, Judgement)
    assert found.overall.startswith("a b\\u001b[2Jccc")
    assert len(found.overall) == LONGEST
    assert found.fixes == ("d e",) * MOST_FIXES


@given(st.text())
def test_no_reply_is_read_in_part(text: str) -> None:
    found = read(text + reply())
    assert isinstance(found, Invalid) or found == read(reply())


def test_the_schema_asks_for_what_is_read() -> None:
    schema = reply_schema("mixed")
    assert schema["required"] == [*json.loads(reply("mixed"))]
