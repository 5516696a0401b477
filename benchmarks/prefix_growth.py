"""How the tokens that a caching server evaluates, and the log, grow with the rounds.

Plays ``ipd-tit_for_tat-v1`` at several lengths against a stand-in that answers at
random and keeps account of a prefix cache, as vLLM and SGLang have one: of each
prompt, what it begins with in common with any earlier prompt of the episode is
cached, the rest is evaluated. A word is a token. Twice the rounds are twice the
tokens where growth is linear, four times where it is quadratic.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_left, insort
from collections.abc import Sequence

from common import arguments, finish, show

from otherminds import SeatSpec
from otherminds.core.data import Message
from otherminds.core.model import Completion, Decoding, Scores
from otherminds.core.scenario import Participant, Setup, scenario
from otherminds.minds.registry import make_mind
from otherminds.models.scripted import ScriptedModel, uniform
from otherminds.play.loop import play
from otherminds.studies.store import line_of

SCENARIO = "ipd-tit_for_tat-v1"
STRATEGIES = ("lm", "qa", "social_qa", "social_lm", "oracle")
LENGTHS = (25, 50, 100, 200)
LINEAR = 2.2
"""Twice the rounds may take at most so many times the tokens: the rules are a fixed part."""


class Caching:
    """Answers at random; counts the tokens of all prompts, and those beyond a prefix seen before."""

    spec = "caching"
    context = 2**31
    concurrency = 1

    def __init__(self) -> None:
        self._answers: ScriptedModel = uniform()
        self._seen: list[list[str]] = []
        self.read = self.evaluated = 0

    async def generate(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
        self._take("\n".join(message.content for message in messages))
        return await self._answers.generate(messages, decoding)

    async def score(self, prompt: str, continuations: Sequence[str]) -> Scores:
        self._take(prompt)
        return await self._answers.score(prompt, continuations)

    def count(self, text: str) -> int:
        return len(text.split())

    def _take(self, prompt: str) -> None:
        words = prompt.split()
        # In a sorted list the longest shared beginning is with a neighbour.
        at = bisect_left(self._seen, words)
        near = self._seen[max(0, at - 1) : at + 1]
        self.read += len(words)
        self.evaluated += len(words) - max((_shared(words, other) for other in near), default=0)
        insort(self._seen, words)


def _shared(one: Sequence[str], two: Sequence[str]) -> int:
    same = 0
    for a, b in zip(one, two, strict=False):
        if a != b:
            break
        same += 1
    return same


def episode(strategy: str, rounds: int, seed: int) -> tuple[int, int, int]:
    """Tokens read, tokens evaluated, and bytes of the stored record."""
    built = scenario(SCENARIO, {"rounds": rounds})
    ego = SeatSpec(strategy, model="caching")
    model = Caching()
    partners = {"partner_0": SeatSpec("tit_for_tat")}
    record, timing = asyncio.run(
        play(Setup(built, {"ego": Participant(make_mind(ego), model)}, seed, partners))
    )
    if record.outcome.status != "scored":
        raise SystemExit(f"{strategy}: {record.outcome.reason}")
    return model.read, model.evaluated, len(line_of(record, timing))


def main() -> None:
    parser = arguments(__doc__)
    options = parser.parse_args()
    rows: list[list[object]] = []
    steepest = 0.0
    for strategy in STRATEGIES:
        before: tuple[int, int, int] | None = None
        for rounds in LENGTHS:
            found = episode(strategy, rounds, options.seed)
            times = (
                [f"{now / then:.2f}" for now, then in zip(found, before, strict=True)] if before else [""] * 3
            )
            if before:
                steepest = max(steepest, found[1] / before[1], found[2] / before[2])
            read, evaluated, size = found
            rows.append([strategy, rounds, read, times[0], evaluated, times[1], size, times[2]])
            before = found
    columns = ["strategy", "rounds", "tokens of prompts", "×", "evaluated", "×", "bytes of log", "×"]
    show(f"Growth with the rounds: {SCENARIO}, × against half the rounds", columns, rows)
    finish(options, {"steepest": {"value": steepest, "unit": "times for twice the rounds"}})
    if steepest > LINEAR:
        raise SystemExit(f"evaluated tokens or the log grow {steepest:.2f} times for twice the rounds")


if __name__ == "__main__":
    main()
