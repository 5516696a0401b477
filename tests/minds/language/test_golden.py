"""Every strategy's full prompts of round 3, as files that a person reads side by side.

After a change that is meant, look at what it does to them::

    OTHERMINDS_WRITE_GOLDEN=1 python -m pytest tests/minds/language/test_golden.py && git diff tests
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from otherminds import Record, SeatSpec
from otherminds.core.data import Message
from otherminds.core.model import Decoding
from otherminds.core.record import Call, prompts
from otherminds.minds.language.strategies.reflexion import REFLECT
from otherminds.minds.language.strategies.s2a import REWRITE
from otherminds.minds.registry import strategies
from tests.cases import for_each

GOLDEN = Path(__file__).parent / "golden"
WRITE = bool(os.environ.get("OTHERMINDS_WRITE_GOLDEN"))
GAMES = ("ibs", "ipd", "rps")
NAMES = sorted(strategies)
ROUND = 3


def reply(prompt: str, decoding: Decoding) -> str:
    """Something for each prompt: another answer each round, and thoughts of its own."""
    now = int((re.findall(r"currently playing round (\d+)\.", prompt) or "0")[-1])
    if prompt.endswith(REFLECT):
        told = len(
            re.findall(r"^In round", prompt.rsplit("Now it is your turn.", maxsplit=1)[-1], re.MULTILINE)
        )
        return f"(the reflection after round {told})"
    if prompt.endswith(REWRITE):
        return f"(the rewriting in round {now})"
    answers = re.findall(r"^A: Option \w+$", prompt, re.MULTILINE)
    plans = f"Plans: (the plans of round {now})\nInsights: (the insights of round {now})\n"
    return (plans if "Plans:" in prompt else "") + answers[-1 - now % 2]


def described(call: Call) -> str:
    if call.continuations:
        options = ", ".join(map(repr, call.continuations))
        return f"{call.purpose}: the likeliest of {options} after the prompt"
    return (
        f"{call.purpose}: a reply drawn with temperature {call.config['temperature']}, "
        f"top-p {call.config['top_p']}, at most {call.config['max_tokens']} tokens"
    )


def spoken(prompt: Sequence[Message]) -> str:
    """A prompt; where it is a conversation, each message below its role."""
    if len(prompt) == 1:
        return prompt[0].content
    return "\n".join(f"--- {message.role} ---\n{message.content}" for message in prompt)


def shown(record: Record) -> str:
    """The calls of the last round in the order they were made, a header line for each."""
    made = [
        (call, spoken(prompt))
        for call, prompt in zip(record.calls, prompts(record.calls), strict=True)
        if call.step == ROUND - 1
    ]
    return "\n\n".join(
        f"=== {i} of {len(made)}, {described(call)} ===\n{prompt}" for i, (call, prompt) in enumerate(made, 1)
    )


@for_each("game", GAMES)
@for_each("name", NAMES)
def test_prompts_are_as_a_person_read_them(
    episode: Callable[..., Record], stand_in: Any, name: str, game: str
) -> None:
    mind = SeatSpec(name, model="stand-in")
    text = shown(episode(mind, stand_in(reply), f"{game}-tit_for_tat-v1", rounds=ROUND)) + "\n"
    file = GOLDEN / f"{name}_{game}.txt"
    if WRITE:
        file.write_text(text)
    assert text == file.read_text()


def test_no_file_is_left_over() -> None:
    files = {file.name for file in GOLDEN.iterdir()}
    assert files == {f"{name}_{game}.txt" for name in NAMES for game in GAMES}
