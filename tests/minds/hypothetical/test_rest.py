"""Plans that cannot be read earn no more than resting does, on the same seeds."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from otherminds.core.data import FALLBACK, Invalid, Message
from otherminds.core.model import Completion, Decoding
from otherminds.core.record import Record
from otherminds.core.scenario import Participant, Setup, scenario
from otherminds.measures.notes import fallback_share
from otherminds.minds.registry import minds
from otherminds.models.registry import open_model
from otherminds.play.loop import play
from tests.cases import depth, for_each

STEPS = 400


class Garbled:
    """``competent`` in everything but plans: those come as prose."""

    spec = "garbled"
    concurrency = 1

    def __init__(self) -> None:
        self.model = open_model("competent")
        self.context = self.model.context

    async def generate(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
        if "'plan'" in messages[-1].content.rpartition("in this form:")[2]:
            return Completion("I collect five boxes and then seek a duel.")
        return await self.model.generate(messages, decoding)

    def count(self, text: str) -> int:
        return self.model.count(text)


def episode(name: str, seed: int, model: Any = None) -> Record:
    """Hypothetical Minds with ``model``; without one an avatar that rests."""
    built = scenario(name, {"steps": STEPS})
    mind = built.minds["noop"]() if model is None else minds.make("hm", {})
    record, _ = asyncio.run(play(Setup(built, {"ego": Participant(mind, model)}, seed)))
    assert record.outcome.status == "scored", record.outcome
    return record


@pytest.mark.parametrize("seeds", depth(1, 2))
@for_each("name", ["rws-repeated-6-v1", "pd-repeated-1-v1", "cooking-asymmetric-2-v1"])
def test_garbage_plans_earn_no_more_than_rest(name: str, seeds: int) -> None:
    for seed in range(seeds):
        garbled = episode(name, seed, Garbled())
        resting = episode(name, seed)
        assert garbled.total("ego") <= resting.total("ego")
        assert all(isinstance(choice.made, Invalid) for choice in garbled.choices if choice.seat == "ego")
        assert {note.data["kept"] for note in garbled.notes if note.kind == FALLBACK} == {"rest for 10 steps"}
        assert fallback_share(garbled) == 1.0
