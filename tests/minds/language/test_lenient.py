"""The readers on 1,529 replies that were written and labelled without sight of them, and on fuzzed ones.

The readers were mended on the 1,109 of ``replies.jsonl``, and not on the 420 of ``replies_hard.jsonl``.
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
from otherminds.minds.language.lenient import choice
from otherminds.worlds.asking import asked, read
from tests.cases import depth, for_each


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(__file__).with_name(name).read_text().splitlines()]


ROWS, HARD = rows("replies.jsonl"), rows("replies_hard.jsonl")
SURE = [row for row in ROWS if not row["doubtful"]]


def strictly(reply: str, labels: list[str]) -> str | None:
    found = read(asked("Q", labels, labels), reply)
    return None if isinstance(found, Invalid) else found


def leniently(reply: str, labels: list[str]) -> str | None:
    return strictly(reply, labels) or choice(reply, labels)


def outcomes(reader: Any, rows: list[dict[str, Any]]) -> Counter[str]:
    found: Counter[str] = Counter()
    for row in rows:
        said, truth = reader(row["reply"], row["labels"]), row["truth"]
        if truth is None:
            found["coerced" if said else "left"] += 1
        else:
            found["right" if said == truth else "wrong" if said else "missed"] += 1
    return found


def test_no_ambiguous_reply_is_an_action() -> None:
    for reader in (strictly, leniently):
        assert outcomes(reader, SURE)["coerced"] == 0


def test_recall_and_precision() -> None:
    """Two replies of 619 are misread: a correction in mid-line, and an answer before an invented round."""
    strict, lenient = outcomes(strictly, SURE), outcomes(leniently, SURE)
    assert (strict["wrong"], lenient["wrong"]) == (2, 2)
    assert strict["right"] >= 0.3 * (strict["right"] + strict["missed"])
    assert lenient["right"] >= 0.9 * (lenient["right"] + lenient["missed"])


def test_figures_on_hard_replies() -> None:
    """Those of docs/models.md: 232 answers, and 168 replies without one, of which some are still taken for one."""
    sure = [row for row in HARD if not row["doubtful"]]
    assert outcomes(strictly, sure) == {"right": 117, "missed": 115, "left": 163, "coerced": 5}
    assert outcomes(leniently, sure) == {"right": 226, "missed": 6, "left": 159, "coerced": 9}


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


@for_each("unit", ["A: Option J or ", "{", "<a ", "\\boxed{", "**", "I choose ", "A", " ", "\n", "not ", "`"])
def test_time_is_bounded_for_any_length(unit: str) -> None:
    started = process_time()
    choice(unit * (200_000 // len(unit)), ["J", "F"])
    assert process_time() - started < 10
