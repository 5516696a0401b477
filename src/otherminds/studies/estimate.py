"""Estimates the tokens of a plan: from recorded episodes, else by playing one of each cell without the model."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable, Sequence

from msgspec import Struct

from otherminds.core.data import Message
from otherminds.core.model import Completion, Decoding, Scores, Usage
from otherminds.core.record import Record
from otherminds.core.worlds import scenario
from otherminds.models.scripted import uniform
from otherminds.models.wrapper import LONGEST
from otherminds.play.loop import play
from otherminds.studies.plan import StudyPlan, ego
from otherminds.studies.seating import models_of, setup_of

CHARACTERS = 3.7
"""Characters per token, measured with SmolLM2 over 100 rounds of a matrix game."""
BRIEF = 32
"""Replies that may have more tokens than this contain reasoning or free text."""
FREELY = 0.5
"""The assumed length of a free reply, as a share of its maximal length."""
CONVERSATIONS = 8
"""Earlier prompts that a prompt is compared with: those of several conversations, which take turns."""

Key = tuple[str, str]


class CellUsage(Struct, frozen=True):
    """The tokens and calls of a cell; ``played`` is the number of recorded episodes used (0: estimated without any).

    ``fresh`` of the tokens ``read`` do not repeat the beginning of an earlier prompt of the episode; a server with a
    prefix cache evaluates only these.
    """

    read: int
    written: int
    played: int = 0
    calls: int = 0
    fresh: int = 0

    @property
    def usage(self) -> Usage:
        """The tokens as a :class:`Usage`."""
        return Usage(self.read, self.written)


class Rehearsal:
    """A model that answers at random, and counts the tokens that a real one would read and write."""

    spec = "rehearsal"
    context = 2**31
    concurrency = 1

    def __init__(self) -> None:
        self._stand_in = uniform()
        self._prompts: deque[str] = deque(maxlen=CONVERSATIONS)
        self.read = self.written = self.calls = self.fresh = 0

    async def generate(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
        reply = await self._stand_in.generate(messages, decoding)
        text, free = reply.text, 0
        if decoding.max_tokens > BRIEF:
            free = round(FREELY * decoding.max_tokens)
            text = f"{_words(free)}\n{text}"
        self.calls += 1
        self.read += sum(self.count(message.content) for message in messages)
        self._reuse("\n".join(message.content for message in messages))
        self.written += max(self.count(text), free)
        return Completion(text)

    async def score(self, prompt: str, continuations: Sequence[str]) -> Scores:
        self.calls += 1
        self.read += self.count(prompt) + sum(self.count(text) for text in continuations)
        self._reuse(prompt)
        return await self._stand_in.score(prompt, continuations)

    def count(self, text: str) -> int:
        return round(len(text) / CHARACTERS) or 1

    def _reuse(self, prompt: str) -> None:
        """Counts what ``prompt`` has beyond the beginning that it shares with an earlier one."""
        shared = max((_count_shared(prompt, other) for other in self._prompts), default=0)
        self.fresh += self.count(prompt[shared:])
        self._prompts.append(prompt)


def estimate(plan: StudyPlan, played: Iterable[Record] = ()) -> dict[Key, CellUsage]:
    """Tokens read and written by each cell with a language model.

    ``played`` are records of this plan. A cell with scored ones is estimated from them, re-asks
    included; for the others one episode is played without the model, with no re-asks.
    """
    usages: dict[Key, list[tuple[Usage, int]]] = {}
    for record in played:
        if record.calls and record.outcome.status == "scored":
            key = (record.spec.title, ego(record.spec).title)
            usages.setdefault(key, []).append((record.used(), len(record.calls)))
    cells = plan.cells()
    estimates: dict[Key, CellUsage] = {}
    for spec in plan.episodes:
        key = (spec.title, ego(spec).title)
        if not models_of(spec) or key in estimates:
            continue
        if key in usages:
            n = len(usages[key])
            read = sum(took.prompt for took, _ in usages[key])
            completion = sum(took.completion for took, _ in usages[key])
            calls = sum(call_count for _, call_count in usages[key])
            read, completion, calls = (count * cells[key] // n for count in (read, completion, calls))
            estimates[key] = CellUsage(read, completion, n, calls)
        else:
            rehearsal = Rehearsal()
            built = scenario(spec.scenario, spec.options)
            asyncio.run(play(setup_of(spec, built, dict.fromkeys(models_of(spec), rehearsal))))
            rehearsed = rehearsal.read, rehearsal.written, rehearsal.calls, rehearsal.fresh
            read, completion, calls, fresh = (count * cells[key] for count in rehearsed)
            estimates[key] = CellUsage(read, completion, 0, calls, fresh)
    return estimates


def _count_shared(text: str, other: str) -> int:
    """The number of characters with which both texts begin.

    >>> _count_shared("round 1: rock", "round 1: paper"), _count_shared("a", "ab")
    (9, 1)
    """
    low, high = 0, min(len(text), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if text[:middle] == other[:middle] else (low, middle - 1)
    return low


def _words(tokens: int) -> str:
    """Filler text of about ``tokens`` tokens; of a longer reply than the kept part, as long as that."""
    line = "the other player did the same as before, so that I think about it\n"
    length = min(round(tokens * CHARACTERS), LONGEST)
    return (line * (length // len(line) + 1))[:length]
