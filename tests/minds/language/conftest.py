"""Stand-in models for tests of language minds."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from otherminds import Record, SeatSpec
from otherminds.core.data import Message
from otherminds.core.model import Completion, Decoding, Scores, Usage
from otherminds.core.record import prompts
from otherminds.core.scenario import Participant, Setup, scenario
from otherminds.minds.registry import make_mind
from otherminds.play.loop import play

Reply = Callable[[str, Decoding], str]
FORM = re.compile(r":\n((?:A: Option \S+\n?)+)\Z")


class StandIn:
    """Answers by a function of the prompt, whose messages it reads in one; likes the continuation ``favourite`` best."""

    spec = "stand-in"
    concurrency = 4

    def __init__(self, reply: Reply | None = None, favourite: str = " J", context: int = 100_000) -> None:
        self.reply = reply
        self.favourite = favourite
        self.context = context
        self.prompts: list[str] = []
        self.decodings: list[Decoding | None] = []

    async def generate(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
        await asyncio.sleep(0)
        prompt = "\n".join(message.content for message in messages)
        self.prompts.append(prompt)
        self.decodings.append(decoding)
        assert self.reply is not None
        return Completion(self.reply(prompt, decoding), usage=Usage(len(prompt), 5, 0))

    async def score(self, prompt: str, continuations: Sequence[str]) -> Scores:
        await asyncio.sleep(0)
        self.prompts.append(prompt)
        self.decodings.append(None)
        return Scores(tuple(-1.0 if c == self.favourite else -5.0 for c in continuations))

    def count(self, text: str) -> int:
        return len(text.split())


@pytest.fixture
def stand_in() -> type[StandIn]:
    return StandIn


@pytest.fixture
def agreeable() -> Callable[..., Reply]:
    """``agreeable(text, answer)``: gives ``answer`` where a form is asked for, else ``text``."""

    def make(text: str = "Nothing in particular.", answer: str = "A: Option J") -> Reply:
        return lambda prompt, decoding: answer if FORM.search(prompt) else text

    return make


@pytest.fixture
def episode() -> Callable[..., Record]:
    """``episode(mind, model, scenario, seed)``: one record of a language mind against a partner."""

    def play_one(
        mind: SeatSpec,
        model: Any,
        name: str = "ipd-tit_for_tat-v1",
        seed: int = 0,
        ask: bool = True,
        **options: object,
    ) -> Record:
        built = scenario(name, {"rounds": 5, **options})
        ego = Participant(make_mind(mind), model, mind.label)
        return asyncio.run(play(Setup(built, {"ego": ego}, seed, ask=ask)))[0]

    return play_one


@pytest.fixture
def purposes() -> Callable[[Record], list[list[str]]]:
    """The purposes of a record's model calls, step by step."""

    def listed(record: Record) -> list[list[str]]:
        steps = max(call.step for call in record.calls) + 1
        return [[call.purpose for call in record.calls if call.step == step] for step in range(steps)]

    return listed


@pytest.fixture
def said() -> Callable[[Record, str], list[str]]:
    """``said(record, purpose)``: the prompts of that purpose, in order."""

    def full(record: Record, purpose: str) -> list[str]:
        texts = zip(record.calls, prompts(record.calls), strict=True)
        return [
            "\n".join(part.content for part in prompt) for call, prompt in texts if call.purpose == purpose
        ]

    return full
