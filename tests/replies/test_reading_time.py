"""Every reader of replies takes linear time, whatever a model or a server writes."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time

import pytest

from otherminds.core.data import Ask, Moment, Turn
from otherminds.core.model import Completion, ToolCall
from otherminds.household.verbalizer import read_call
from otherminds.replies import answers
from otherminds.replies.answers import choice, in_words
from otherminds.replies.blocks import blocks, dictionaries, split_reasoning
from tests.cases import depth
from tests.household import hearing
from tests.household import small_house as small

LABELS = ("J", "F")
LENGTH = 24_000
"""Characters of the longer of two replies; the shorter one has a quarter of it."""
HEARD = hearing.Heard(small.house(goal=hearing.GOAL, agent_secrets=hearing.SECRETS))
ACT = HEARD.verbalizer.ask(Turn(), Moment(3, None))
ASK = Ask("Which?", LABELS, (0, 1))
PIECES = (
    *(
        "{}",
        "[",
        '{"a":',
        '"',
        "'",
        "\\",
        "`",
        "```\n",
        "~~",
        "<think>",
        "</think>",
        "<|channel|>analysis",
        "[THINK]",
    ),
    *(
        "A: Option J\n",
        "A: Option J or F. ",
        "I choose J, but ",
        "If they play F, ",
        "Wait, actually J. ",
        "not J, ",
    ),
    *(
        '{"option": "J"} ',
        "{'a': 'b' 'c'} ",
        "Action: Wait[]\n",
        "Action: Open[",
        "Thought: x\nAction: Open[a]\n",
    ),
    *(
        "Answer: J\n",
        "**",
        "_",
        "\n",
        " ",
        "(",
        "\\boxed{J}",
        "J, ",
        "1.",
        "“",
        "s' ",
        "<b>",
        "? ",
        '{"answers": [',
    ),
    *('Communicate[agent_1, "', "é", "\u200b", "#1\n", "-1e", "[[1, ", "9"),
)
READERS: dict[str, Callable[[str], object]] = {
    "reasoning": split_reasoning,
    "blocks": blocks,
    "hypotheses": dictionaries,
    "strict": lambda reply: answers.read(ASK, reply),
    "lenient": lambda reply: choice(reply, LABELS),
    "call": read_call,
    "household": lambda reply: HEARD.verbalizer.read(ACT, reply),
    "tool call": lambda reply: in_words(
        ACT, Completion("", tools=(ToolCall("Navigate", reply),)), HEARD.verbalizer
    ),
}


SLOW = ("lenient",)
"""It reads the last 20,000 characters of a reply, and takes a third of a second for some of them."""


@pytest.mark.parametrize("every", depth(3, 1))
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else []) for name in READERS]
)
def test_four_times_the_text_takes_about_four_times_as_long(name: str, every: int) -> None:
    read = READERS[name]

    def seconds(text: str) -> float:
        start = process_time()
        read(text)
        return process_time() - start

    for piece in PIECES[::every]:
        text = (piece * LENGTH)[:LENGTH]
        assert seconds(text) < 8 * seconds(text[: LENGTH // 4]) + 0.15, piece
