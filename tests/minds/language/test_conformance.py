"""Language minds keep the promises of a mind, whatever the model says."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import pytest

from otherminds import Mind, Scenario, SeatSpec
from otherminds.core.data import Message, Seat
from otherminds.core.model import Completion, Decoding, Model, Scores
from otherminds.core.scenario import scenario
from otherminds.minds.registry import make_mind, strategies
from otherminds.testing import MindConformance


class Hashing:
    """A model whose words follow from the prompt and the seed alone."""

    spec = "hashing"
    context = 100_000
    concurrency = 4

    async def generate(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
        draw = self._draw(messages[-1].content, decoding.seed)
        text = "hm" if draw % 5 == 0 else "A: Option J" if draw % 2 else "A: Option F"
        return Completion(f"Plans: number {draw}.\nInsights: none.\n{text}" if draw % 3 else text)

    async def score(self, prompt: str, continuations: Sequence[str]) -> Scores:
        return Scores(tuple(-float(self._draw(prompt + text, 0) % 1000) for text in continuations))

    def count(self, text: str) -> int:
        return len(text) // 8

    def _draw(self, text: str, seed: int) -> int:
        return hashlib.sha256(f"{seed}{text}".encode()).digest()[0]


class Language(MindConformance):
    strategy = ""
    params: Mapping[str, int] = MappingProxyType({})

    def make_mind(self) -> Mind:
        return make_mind(SeatSpec(self.strategy, dict(self.params), model="hashing"))

    def make_scenario(self) -> Scenario:
        return scenario("ipd-mixed-v1", {"rounds": 4, "policy_questions": True})

    def make_models(self) -> Mapping[Seat, Model]:
        return {"ego": Hashing()}


class TestLM(Language):
    strategy = "lm"


class TestQA(Language):
    strategy = "qa"


class TestCoT(Language):
    strategy = "cot"


@pytest.mark.slow
class TestCoT3Shot(Language):
    strategy = "cot_3shot"


class TestPlansInsights(Language):
    strategy = "plans_insights"


class TestReflexion(Language):
    strategy = "reflexion"


@pytest.mark.slow
class TestS2A(Language):
    strategy = "s2a"


@pytest.mark.slow
class TestS2ACoT(Language):
    strategy = "s2a_cot"


class TestSocialQA(Language):
    strategy = "social_qa"
    params = MappingProxyType({"tries": 6})


@pytest.mark.slow
class TestSocialLM(Language):
    strategy = "social_lm"
    params = MappingProxyType({"tries": 6})


class TestChat(Language):
    strategy = "chat"
    params = MappingProxyType({"tries": 6})


class TestToolLoop(Language):
    strategy = "tool_loop"
    params = MappingProxyType({"tries": 6})


class TestOracle(Language):
    strategy = "oracle"


@pytest.mark.slow
class TestOracleMax(Language):
    strategy = "oracle_max"


del Language  # a base class is no test of its own


def test_every_strategy_is_tested() -> None:
    tested = {
        value.strategy
        for value in globals().values()
        if isinstance(value, type) and issubclass(value, MindConformance) and value is not MindConformance
    }
    assert tested == set(strategies)
