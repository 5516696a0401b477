"""Reasoning is kept apart from the answer: whole, and nothing of it is left behind."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from otherminds.replies.blocks import split_reasoning
from tests.cases import for_each

Growth = Callable[[Callable[[str], Any], str], float]


@for_each(
    ("reply", "answer", "reasoning"),
    [
        ("", "", ""),
        ("A: Option J", "A: Option J", ""),
        ("<think>\nIt copies me.\n</think>\n\nA: Option J", "A: Option J", "It copies me."),
        ("It copies me.\n</think>\nA: Option J", "A: Option J", "It copies me."),
        ("<think>It may copy", "", "It may copy"),
        ("<think></think>A: Option J", "A: Option J", ""),
        ("A: Option J<think>or F?</think>", "A: Option J", "or F?"),
        ("<think>one</think>A: <think>two</think>Option J", "A:\nOption J", "one\ntwo"),
        ("<think>I use a <think> block.</think>A: Option J", "A: Option J", "I use a\nblock."),
        ("<think>a<think>b</think>c</think>A: Option J", "A: Option J", "a\nb\nc"),
        ("A: Option F</think>A: Option J</think>", "", "A: Option F\nA: Option J"),
        ("<thinking>a</thinking>b", "b", "a"),
        ("<THINK>a</Think >b", "b", "a"),
        ("<th<think>a</think>ink>b", "<th\nink>b", "a"),
        ("<thinker>a</thinker>", "<thinker>a</thinker>", ""),
        ("2 < 3 > 1", "2 < 3 > 1", ""),
    ],
)
def test_what_is_answer_and_what_is_reasoning(reply: str, answer: str, reasoning: str) -> None:
    assert split_reasoning(reply) == (answer, reasoning)


PIECES = [
    "<think>",
    "</think>",
    "<thinking>",
    "</thinking>",
    "<think",
    "think>",
    "<",
    "a",
    "b\n",
    "A: Option J",
    " ",
    "é",
]


def said(reply: str) -> str:
    """The letters of the answer, found the other way round: by asking of each part whether it is reasoning."""
    parts = re.split(r"(</?think(?:ing)?[ \t]*>)", reply)
    tags = ["", *parts[1::2], ""]
    texts = parts[::2]
    closes = [tag.startswith("</") for tag in tags]
    lone = [i for i in range(1, len(tags)) if closes[i] and (i == 1 or closes[i - 1])]
    after = max(lone, default=0)
    kept = (
        text
        for i, text in enumerate(texts)
        if i >= after and (tags[i] == "" or closes[i]) and not (i == 0 and after)
    )
    return "".join("".join(kept).split())


def check(reply: str) -> None:
    answer, reasoning = split_reasoning(reply)
    assert "".join(answer.split()) == said(reply)
    for text in (answer, reasoning):
        assert not re.search(r"</?think(?:ing)?[ \t]*>", text, re.IGNORECASE)
    letters = re.sub(r"</?think(?:ing)?[ \t]*>", "", reply)
    assert sorted("".join((answer + reasoning).split())) == sorted("".join(letters.split())), (
        "nothing is lost"
    )
    assert split_reasoning(answer) == (answer, "")


def test_no_reasoning_is_left_in_the_answer() -> None:
    """10,000 replies put together of tags and words."""
    rng = Random(5)
    for _ in range(10_000):
        check("".join(rng.choices(PIECES, k=rng.randint(0, 12))))


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=4), max_size=12).map("".join))
def test_no_text_makes_it_fail(reply: str) -> None:
    split_reasoning(reply)


@for_each(
    "unit", ["<think>", "</think>", "<think", "<think ", "<think></think>", "</think><think>", "<", "a "]
)
def test_time_grows_with_length_and_no_faster(unit: str, growth: Growth) -> None:
    assert growth(split_reasoning, unit) <= 30
