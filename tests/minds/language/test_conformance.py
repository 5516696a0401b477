"""Language minds keep the promises of a mind, whatever the model says."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

from otherminds import Mind, Model, Scenario, SeatSpec
from otherminds.core.contracts import Completion, Decoding, Scores
from otherminds.core.data import Message, Seat
from otherminds.minds.registry import make_mind
from otherminds.testing import MindConformance
from otherminds.worlds.registry import scenario


class Hashing:
    """A model whose words follow from the prompt and the seed alone."""

    spec = "hashing"
    context = 100_000
    concurrency = 4

    async def generate(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
        draw = self._draw(messages[-1].content, decoding.seed)
        return Completion("hm" if draw % 5 == 0 else "A: Option J" if draw % 2 else "A: Option F")

    async def score(self, prompt: str, continuations: Sequence[str]) -> Scores:
        return Scores(tuple(-float(self._draw(prompt + text, 0) % 1000) for text in continuations))

    def count(self, text: str) -> int:
        return len(text)

    def _draw(self, text: str, seed: int) -> int:
        return hashlib.sha256(f"{seed}{text}".encode()).digest()[0]


class Language(MindConformance):
    strategy = ""

    def make_mind(self) -> Mind:
        return make_mind(SeatSpec(self.strategy, model="hashing"))

    def make_scenario(self) -> Scenario:
        return scenario("ipd-mixed-v1", {"rounds": 6})

    def make_models(self) -> Mapping[Seat, Model]:
        return {"ego": Hashing()}


class TestLM(Language):
    strategy = "lm"


class TestQA(Language):
    strategy = "qa"


del Language
