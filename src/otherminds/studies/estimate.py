"""How many tokens a plan will take, by rehearsing one episode of each cell."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from otherminds.core.contracts import Completion, Decoding, Scores, Usage
from otherminds.core.data import Message
from otherminds.minds.registry import make_mind
from otherminds.models.scripted import uniform
from otherminds.play.loop import play
from otherminds.studies.plan import Plan, ego
from otherminds.worlds.registry import scenario

CHARACTERS = 3.4
"""Characters a token, for prompts of rounds and points; SmolLM2's own figure."""


class Rehearsal:
    """Stands in for a model: answers at random, and counts what a real one would read and write."""

    spec = "rehearsal"
    context = 2**31
    concurrency = 1

    def __init__(self) -> None:
        self._stand_in = uniform()
        self.read = self.written = 0

    async def generate(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
        reply = await self._stand_in.generate(messages, decoding)
        self.read += sum(self.count(message.content) for message in messages)
        self.written += self.count(reply.text)
        return reply

    async def score(self, prompt: str, continuations: Sequence[str]) -> Scores:
        self.read += self.count(prompt) + sum(self.count(text) for text in continuations)
        return await self._stand_in.score(prompt, continuations)

    def count(self, text: str) -> int:
        return round(len(text) / CHARACTERS) or 1


def estimate(plan: Plan) -> dict[tuple[str, str], Usage]:
    """Tokens read and written by each cell with a language model."""
    cells = plan.cells()
    found: dict[tuple[str, str], Usage] = {}
    for spec in plan.episodes:
        key = (spec.title, ego(spec).title)
        if not ego(spec).model or key in found:
            continue
        rehearsal = Rehearsal()
        built = scenario(spec.scenario, spec.options)
        seat = built.focal[0]
        asyncio.run(play(spec, built, {seat: make_mind(ego(spec))}, {seat: rehearsal}))
        found[key] = Usage(rehearsal.read * cells[key], rehearsal.written * cells[key])
    return found
