"""When the context is full, the oldest rounds give way to exact counts."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from otherminds import Record, SeatSpec

Episode = Callable[..., Record]
LM = SeatSpec("lm", model="stand-in")
TOLD = r"^In round \d+, .*\.$"
"""A round that was played; the round to come has no full stop."""


def test_a_full_context_is_folded_and_the_record_says_so(episode: Episode, stand_in: Any) -> None:
    model = stand_in(context=512 + 400)
    record = episode(LM, model, "ipd-tit_for_tat-v1", rounds=40)
    folded = [note for note in record.notes if note.kind == "context_folded"]
    assert folded, "it happened, and was noted"
    assert all(model.count(prompt) <= model.context for prompt in model.prompts)
    last = model.prompts[-1]
    assert "Rounds 1 to " in last
    counted = sum(int(n) for n in re.findall(r": (\d+) times?\.", last))
    lines = len(re.findall(TOLD, last, re.MULTILINE))
    assert counted + lines == 39, "no round is lost, none is counted twice"


def test_a_context_with_room_keeps_every_round(episode: Episode, stand_in: Any) -> None:
    model = stand_in()
    record = episode(LM, model, rounds=30)
    assert record.notes == ()
    assert len(re.findall(TOLD, model.prompts[-1], re.MULTILINE)) == 29
