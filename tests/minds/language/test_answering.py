"""Parameters of written answers come from study files, so they are checked."""

from __future__ import annotations

from typing import Any

import pytest

from otherminds import SeatSpec
from otherminds.core.data import Ask
from otherminds.core.errors import StudyError
from otherminds.core.model import Decoding
from otherminds.minds.language.requests import (
    OPEN_ANSWER,
    SHORT,
    TemplateSampling,
    reply_decoding,
    template_sampling,
)
from otherminds.minds.registry import make_mind, strategies
from tests.cases import for_each
from tests.minds.language.plain import AT_ONCE, REASONED

WRITTEN = sorted(set(strategies) - {"lm"})
EXTREMES: tuple[tuple[int, float, float, int], ...] = ((1, 0, 1, 1), (20, 2.5, 0.01, 4096))


@pytest.mark.parametrize("good", EXTREMES)
def test_what_can_be_drawn_with_is_taken_as_it_is(good: tuple[int, float, float, int]) -> None:
    decoding = Decoding(*good[1:])
    assert template_sampling(*good) == TemplateSampling(decoding, good[0], decoding)


@for_each("tries", [0, -1, 1.5, True, "3", None])
def test_no_tries_are_refused(tries: Any) -> None:
    with pytest.raises(StudyError, match="at least 1 try"):
        template_sampling(tries, 0.7, 0.95, 24)


@for_each(
    "bad",
    [
        (-0.1, 0.9, 24),
        (float("nan"), 0.9, 24),
        (float("inf"), 0.9, 24),
        ("hot", 0.9, 24),
        (0.7, 0, 24),
        (0.7, 1.1, 24),
        (0.7, None, 24),
        (0.7, 0.9, 0),
        (0.7, 0.9, 2.5),
        (0.7, 0.9, True),
    ],
)
def test_a_decoding_that_draws_nothing_is_refused(bad: Any) -> None:
    with pytest.raises(StudyError, match="is drawn with"):
        reply_decoding(*bad)


@for_each("name", WRITTEN)
def test_every_strategy_that_writes_takes_and_checks_them(name: str) -> None:
    make_mind(SeatSpec(name, {"tries": 20, "temperature": 0, "top_p": 1, "max_tokens": 7}, model="x"))
    for params in ({"tries": 0}, {"temperature": -1}, {"top_p": 2}, {"max_tokens": 0}):
        with pytest.raises(StudyError, match="not"):
            make_mind(SeatSpec(name, params, model="x"))


def test_open_answers_have_more_room_unless_a_parameter_says() -> None:
    listed, opened = Ask("", ("J",), (0,)), Ask("", (), (), forms=("Wait[]",))
    usual, said = template_sampling(3, 0.7, 0.95, None), template_sampling(3, 0.7, 0.95, 40)
    assert [usual.drawing(ask, len).max_tokens for ask in (listed, opened)] == [SHORT, OPEN_ANSWER]
    assert [said.drawing(ask, len).max_tokens for ask in (listed, opened)] == [40, 40]


def test_instructions_are_about_what_the_ask_says() -> None:
    listed, opened = Ask("", ("J",), (0,)), Ask("", (), (), forms=("Wait[]",), consider="what they know")
    assert AT_ONCE.put(listed) == "Write exactly one of these lines and stop:"
    assert REASONED.put(listed) == (
        "Think step by step: explain what the other player does and what is best for you. "
        "Then write exactly one of these lines and stop:"
    )
    assert REASONED.put(opened).startswith(
        "Think step by step: explain what they know. Then write exactly one line"
    )
