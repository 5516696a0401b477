"""Every strategy's full prompts of round 3, as files that a person reads side by side.

After a change that is meant, look at what it does to them::

    OTHERMINDS_WRITE_GOLDEN=1 python -m pytest tests/minds/language/test_golden.py && git diff tests

``golden/NAME_GAME.txt`` is the default prompt pack, ``golden/PACK/NAME.txt`` another pack in all games.
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
from otherminds.core.wording import PLAIN
from otherminds.minds.language.wording import Wording, shipped_packs, wording
from otherminds.minds.registry import strategies
from tests.cases import for_each

GOLDEN = Path(__file__).parent / "golden"
WRITE = bool(os.environ.get("OTHERMINDS_WRITE_GOLDEN"))
GAMES = ("ibs", "ipd", "rps")
NAMES = sorted(strategies)
ROUND = 3
OTHERS = sorted(set(shipped_packs()) - {PLAIN})


NOW = r"(?:currently playing round |^Round |for round )(\d+)(?:\.$|, and|\. In this|\. Your option)"
TOLD = r"^(?:In round \d|Round \d+:|Round \d+ is over:)"


def replying(words: Wording) -> Callable[[str, Decoding], str]:
    """Something for each prompt of a pack: another answer each round, and thoughts of its own."""

    def reply(prompt: str, decoding: Decoding) -> str:
        now = int((re.findall(NOW, prompt, re.MULTILINE) or "0")[-1])
        if prompt.endswith(words.reflexion.reflect):
            course = prompt.rsplit(words.cot.turn, maxsplit=1)[-1]
            return f"(the reflection after round {len(re.findall(TOLD, course, re.MULTILINE))})"
        if prompt.endswith(words.s2a.rewrite):
            return f"(the rewriting in round {now})"
        answers = re.findall(r"^A: Option \w+$", prompt, re.MULTILINE)
        plans = f"Plans: (the plans of round {now})\nInsights: (the insights of round {now})\n"
        return (plans if "Plans:" in prompt else "") + answers[-1 - now % 2]

    return reply


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
    played = episode(mind, stand_in(replying(wording(PLAIN))), f"{game}-tit_for_tat-v1", rounds=ROUND)
    _same(GOLDEN / f"{name}_{game}.txt", shown(played) + "\n")


@for_each("pack", OTHERS)
@for_each("name", NAMES)
def test_so_are_those_of_the_other_packs(
    episode: Callable[..., Record], stand_in: Any, name: str, pack: str
) -> None:
    mind = SeatSpec(name, {"pack": pack}, model="stand-in")
    model = stand_in(replying(wording(pack)))
    played = {game: episode(mind, model, f"{game}-tit_for_tat-v1", rounds=ROUND) for game in GAMES}
    text = "\n\n".join(f"##### {game}\n{shown(record)}" for game, record in played.items()) + "\n"
    _same(GOLDEN / pack / f"{name}.txt", text)


def test_no_file_is_left_over() -> None:
    files = {str(file.relative_to(GOLDEN)) for file in GOLDEN.rglob("*.txt")}
    plain = {f"{name}_{game}.txt" for name in NAMES for game in GAMES}
    assert files == plain | {f"{pack}/{name}.txt" for pack in OTHERS for name in NAMES}


def _same(file: Path, text: str) -> None:
    if WRITE:
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    assert text == file.read_text()
