"""How many tokens a plan will take: from episodes that were played, else by rehearsing one of each cell."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence

from msgspec import Struct

from otherminds.core.data import Message
from otherminds.core.model import Completion, Decoding, Scores, Usage
from otherminds.core.record import EpisodeSpec, Record
from otherminds.models.scripted import uniform
from otherminds.play.loop import play
from otherminds.studies.plan import StudyPlan, ego
from otherminds.studies.seating import models_of, setup_of
from otherminds.worlds.registry import scenario

CHARACTERS = 3.7
"""Characters a token, for prompts of rounds and points: SmolLM2's own figure over 100 rounds."""
BRIEF = 32
"""A reply that may be longer than so many tokens reasons or writes freely."""
FREELY = 0.5
"""So much of the room for it a free reply is taken to fill."""

Key = tuple[str, str]


class CellUsage(Struct, frozen=True):
    """What a cell takes in all; ``played`` is the number of episodes that say so (0: rehearsed)."""

    read: int
    written: int
    played: int = 0

    @property
    def usage(self) -> Usage:
        """As the usage of one large call."""
        return Usage(self.read, self.written)


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
        text = reply.text
        if decoding.max_tokens > BRIEF:
            text = f"{_words(round(FREELY * decoding.max_tokens))}\n{text}"
        self.read += sum(self.count(message.content) for message in messages)
        self.written += self.count(text)
        return Completion(text)

    async def score(self, prompt: str, continuations: Sequence[str]) -> Scores:
        self.read += self.count(prompt) + sum(self.count(text) for text in continuations)
        return await self._stand_in.score(prompt, continuations)

    def count(self, text: str) -> int:
        return round(len(text) / CHARACTERS) or 1


def estimate(plan: StudyPlan, played: Iterable[Record] = ()) -> dict[Key, CellUsage]:
    """Tokens read and written by each cell with a language model.

    ``played`` are records of this plan: a cell of which there are scored ones is
    reckoned from them, re-asks included; the others are rehearsed, and then a
    reply is taken to be readable at once.
    """
    known: dict[Key, list[Usage]] = {}
    for record in played:
        if record.calls and record.outcome.status == "scored":
            key = (record.spec.title, ego(record.spec).title)
            known.setdefault(key, []).append(record.used())
    cells = plan.cells()
    found: dict[Key, CellUsage] = {}
    for spec in plan.episodes:
        key = (spec.title, ego(spec).title)
        if not models_of(spec) or key in found:
            continue
        if key in known:
            n = len(known[key])
            read, written = (
                sum(took.prompt for took in known[key]),
                sum(took.completion for took in known[key]),
            )
            found[key] = CellUsage(read * cells[key] // n, written * cells[key] // n, n)
        else:
            rehearsal = _rehearsed(spec)
            found[key] = CellUsage(rehearsal.read * cells[key], rehearsal.written * cells[key])
    return found


def _rehearsed(spec: EpisodeSpec) -> Rehearsal:
    rehearsal = Rehearsal()
    built = scenario(spec.scenario, spec.options)
    asyncio.run(play(setup_of(spec, built, dict.fromkeys(models_of(spec), rehearsal))))
    return rehearsal


def _words(tokens: int) -> str:
    """Filler of about so many tokens, in lines."""
    line = "the other player did the same as before, so that I think about it\n"
    return (line * (round(tokens * CHARACTERS) // len(line) + 1))[: round(tokens * CHARACTERS)]
