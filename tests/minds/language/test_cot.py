"""CoT prompting: reasons and answer in one reply."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from otherminds import Record, SeatSpec

Episode = Callable[..., Record]
COT = SeatSpec("cot", model="stand-in")
THOUGHTS = "It copied me twice.\nOption F pays more now, but then it copies that.\n\n"


def test_the_answer_is_read_below_the_reasons(
    episode: Episode, stand_in: Any, agreeable: Any, purposes: Any
) -> None:
    record = episode(COT, stand_in(agreeable(answer=f"{THOUGHTS}A: Option J")))
    assert [row[0] for row in record.actions] == [0] * 5
    assert [asked.answer for asked in record.asked] == ["cooperate"] * 5
    assert purposes(record) == [["act", "predict"]] * 5


def test_it_asks_for_reasons_before_the_form(
    episode: Episode, stand_in: Any, agreeable: Any, said: Any
) -> None:
    record = episode(COT, stand_in(agreeable()))
    form = "Then write exactly one of these lines and stop:\nA: Option J\nA: Option F"
    for prompt in said(record, "act"):
        assert prompt.endswith(
            f"Think step by step: explain what the other player does and what is best for you. {form}"
        )
    for prompt in said(record, "predict"):
        assert prompt.endswith(f"Think step by step: explain what the other player does and why. {form}")
        assert "best for you" not in prompt


def test_reasons_that_end_before_an_answer_are_drawn_again(
    episode: Episode, stand_in: Any, agreeable: Any
) -> None:
    record = episode(COT, stand_in(agreeable(answer=THOUGHTS)))
    assert record.outcome.status == "invalid"
    assert [call.attempt for call in record.calls] == [0, 1, 2]
    assert record.actions == []


def test_of_two_answers_the_strict_reader_takes_none_and_the_lenient_one_the_last(
    episode: Episode, stand_in: Any, agreeable: Any
) -> None:
    model = stand_in(agreeable(answer="A: Option J\nOr rather:\nA: Option F"))
    strict = episode(SeatSpec("cot", {"reader": "strict"}, model="stand-in"), model)
    assert strict.outcome.reason.startswith("ego: several different answers")
    assert {call.read for call in strict.calls if call.purpose == "act"} == {"lenient"}
    record = episode(COT, model)
    assert record.outcome.status == "scored"
    assert len({row[0] for row in record.actions}) == 1
