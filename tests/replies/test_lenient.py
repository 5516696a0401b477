"""The readers on 2,064 replies that were written and labelled without sight of them, and on fuzzed ones.

All sets are development sets: the readers were mended on them.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from random import Random
from time import process_time
from typing import Any

import pytest

from otherminds.core.data import Invalid
from otherminds.replies.answers import OtherOption, asked, choice, read
from tests.cases import depth, for_each


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(__file__).with_name(name).read_text().splitlines()]


ROWS, HARD, ODD = (rows(f"replies{name}.jsonl") for name in ("", "_hard", "_third"))
CLEAR = [[row for row in rows if not row["doubtful"]] for rows in (ROWS, HARD, ODD)]


def strictly(reply: str, labels: list[str]) -> str | None:
    found = read(asked("Q", labels, labels), reply)
    return None if isinstance(found, Invalid) else found


def leniently(reply: str, labels: list[str]) -> str | None:
    found = strictly(reply, labels) or choice(reply, labels)
    return None if isinstance(found, OtherOption) else found


def outcomes(reader: Any, rows: list[dict[str, Any]]) -> Counter[str]:
    found: Counter[str] = Counter()
    for row in rows:
        said, truth = reader(row["reply"], row["labels"]), row["truth"]
        if truth is None:
            found["coerced" if said else "left"] += 1
        else:
            found["right" if said == truth else "wrong" if said else "missed"] += 1
    return found


def test_figures() -> None:
    """Those of docs/models.md. No reply without an answer is an action, and no answer is misread."""
    assert [outcomes(strictly, rows) for rows in CLEAR] == [
        {"right": 201, "missed": 418, "left": 421},
        {"right": 117, "missed": 115, "left": 168},
        {"right": 72, "missed": 178, "left": 263},
    ]
    assert [outcomes(leniently, rows) for rows in CLEAR] == [
        {"right": 583, "missed": 36, "left": 421},
        {"right": 228, "missed": 4, "left": 168},
        {"right": 203, "missed": 47, "left": 263},
    ]


@for_each(
    "reply",
    [
        "**A:** Option J",
        "Answer: Option J",
        "Option: J",
        r"\boxed{J}",
        '{"option": "Option J"}',
        "Final answer: A: Option J",
    ],
)
def test_plain_ways_to_answer(reply: str) -> None:
    assert leniently(reply, ["J", "F"]) == leniently(reply, ["F", "J"]) == "J"


def test_reasoning_that_is_cut_is_not_read() -> None:
    assert leniently("<think>" + "I choose Option J. " * 3000, ["J", "F"]) is None


@pytest.mark.parametrize("number", depth(500, 10_000))
def test_fuzzed_replies_name_an_option_or_none(number: int) -> None:
    rng = Random(0)
    pieces = [part for row in ROWS for part in row["reply"].split(" ")]
    for _ in range(number):
        labels = rng.choice(ROWS)["labels"]
        reply = "".join(
            rng.choice(pieces) + rng.choice([" ", "\n", "", "*"]) for _ in range(rng.randrange(30))
        )
        assert leniently(reply, labels) in (*labels, None)


def seconds(reader: Any, reply: str) -> float:
    started = process_time()
    reader(reply, ["J", "F"])
    return process_time() - started


def _is_linear(reader: Any, start: str, unit: str, size: int) -> bool:
    """Reading ``size`` letters takes less than three times as long as half of them, or less than 0.1 s more."""
    whole = seconds(reader, start + unit * (size // len(unit)))
    return whole < 0.1 or whole < 3 * seconds(reader, start + unit * (size // 2 // len(unit))) + 0.1


@for_each("start", ["", "A: Option J "])
@for_each(
    "unit",
    [
        '"{}"',
        '{"option": "J"} ',
        "A: Option ",
        "A: Option J or ",
        "A: Option J\n",
        "[",
        "<a ",
        "\\boxed{",
        "I choose ",
        "A",
        "\n",
        ".\n",
        "maybe i ",
        "J is ",
        "J could choose F ",
        "if they play J, ",
        "`",
    ],
    every=6,
)
def test_time_is_linear(unit: str, start: str) -> None:
    for reader in (strictly, leniently):
        assert any(_is_linear(reader, start, unit, 12_000) for _ in range(2))


@for_each(
    "unit", ['"{}"', "A: Option ", "A: Option J\n", "{", "[", "\n", "J", "\\boxed{", "I choose "], every=6
)
def test_time_is_linear_in_long_replies(unit: str) -> None:
    for reader in (strictly, leniently):
        assert any(_is_linear(reader, "", unit, 100_000) for _ in range(2))
