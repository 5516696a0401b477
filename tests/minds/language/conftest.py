"""Stand-in models for tests of language minds."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import pytest

from otherminds import EpisodeSpec, Record, SeatSpec
from otherminds.core.contracts import Completion, Decoding, Scores, Usage
from otherminds.core.data import Message
from otherminds.minds.registry import make_mind
from otherminds.play.loop import play
from otherminds.worlds.registry import scenario

Reply = Callable[[str, Decoding], str]


class StandIn:
    """Answers by a function of the prompt; likes the continuation ``favourite`` best."""

    spec = "stand-in"
    concurrency = 4

    def __init__(self, reply: Reply | None = None, favourite: str = " J", context: int = 100_000) -> None:
        self.reply = reply
        self.favourite = favourite
        self.context = context
        self.prompts: list[str] = []

    async def generate(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
        await asyncio.sleep(0)
        prompt = messages[-1].content
        self.prompts.append(prompt)
        assert self.reply is not None
        return Completion(self.reply(prompt, decoding), usage=Usage(len(prompt), 5, 0))

    async def score(self, prompt: str, continuations: Sequence[str]) -> Scores:
        await asyncio.sleep(0)
        self.prompts.append(prompt)
        return Scores(tuple(-1.0 if c == self.favourite else -5.0 for c in continuations))

    def count(self, text: str) -> int:
        return len(text.split())


@pytest.fixture
def stand_in() -> type[StandIn]:
    return StandIn


@pytest.fixture
def episode() -> Callable[..., Record]:
    """``episode(mind, model, scenario, seed)``: one record of a language mind against a partner."""

    def play_one(
        mind: SeatSpec, model: StandIn, name: str = "ipd-tit_for_tat-v1", seed: int = 0, **options: object
    ) -> Record:
        chosen = {"rounds": 5, **options}
        built = scenario(name, chosen)
        player = make_mind(mind)
        seats = {"ego": mind, "partner_0": built.population.schedule()[0][0]}
        spec = EpisodeSpec(name, seats, seed, chosen, {"ego": tuple(sorted(player.grants))})
        return asyncio.run(play(spec, built, {"ego": player}, {"ego": model}))[0]

    return play_one
