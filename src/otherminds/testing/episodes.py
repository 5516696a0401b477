"""Whole episodes for the kit, and the checks that minds and scenarios share."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Coroutine
from functools import lru_cache
from typing import Any

import msgspec

from otherminds.core.data import Question
from otherminds.core.encoding import encode
from otherminds.core.record import Asked, Record, Timing
from otherminds.core.setup import Setup
from otherminds.play.loop import play, play_now
from otherminds.testing.compare import alike, leaves_randomness_alone, promise, round_trips
from otherminds.testing.elsewhere import same_elsewhere


def played(setup: Setup) -> Record:
    """The record of one episode; in an event loop only where a mind suspends."""
    if any(who.mind.suspends for who in setup.participants.values()):
        return asyncio.run(play(setup))[0]
    return play_now(setup)[0]


def body(record: Record) -> list[str]:
    """A record without its spec, as lines to compare."""
    return re.split(r"(?<=,)", encode(msgspec.structs.replace(record, spec=None)).decode())


def deeds(record: Record) -> list[bytes]:
    """Actions and rewards, step by step, and choices."""
    return [*map(encode, zip(record.actions, record.rewards, strict=True)), *map(encode, record.choices)]


def pair_answers(record: Record) -> list[tuple[Asked, Question]]:
    """What was asked in an episode, each with its question."""
    return [(answer, record.questions[answer.question]) for answer in record.asked]


class RecordPromises:
    """Checks that play an episode again under other circumstances: its spec alone determines it.

    A case defines how an episode is played (:meth:`episode`), how several are played concurrently
    (:meth:`yielding`), what draws random numbers, and what JSON may lose.
    """

    seeds: tuple[int, ...]
    draws: str = "something"

    def episode(self, seed: int) -> Record:
        """The episode of ``seed``, by itself."""
        raise NotImplementedError(f"{type(self).__name__} must write episode()")

    def once(self, seed: int) -> Record:
        """The episode of ``seed``, played once for all checks that only read it."""
        return _once(type(self), seed)

    def yielding(self, seeds: tuple[int, ...]) -> list[Coroutine[Any, Any, tuple[Record, Timing]]]:
        """The episodes of ``seeds`` in one scenario, whose minds yield to other tasks at every turn."""
        raise NotImplementedError(f"{type(self).__name__} must write yielding()")

    def perishable(self, record: Record) -> str:
        """The parts of a record that JSON may not give back."""
        raise NotImplementedError(f"{type(self).__name__} must write perishable()")

    def fingerprint(self) -> str:
        """A hash of the records under all seeds."""
        bodies = ("".join(body(self.once(seed))) for seed in self.seeds)
        return hashlib.sha256("".join(bodies).encode()).hexdigest()

    def test_same_spec_same_record(self) -> None:
        """Two equal specs give equal records."""
        for seed in self.seeds:
            same(self.once(seed), self.episode(seed), f"seed {seed} gives the same record twice")

    def test_same_in_another_process(self) -> None:
        """Another process, with another ``PYTHONHASHSEED``, makes the same records."""
        same_elsewhere(self, "records")

    def test_interleaved_episodes(self) -> None:
        """Episodes that are played concurrently give the same records as one after the other."""
        alone = [self.once(seed) for seed in self.seeds]

        async def side_by_side() -> list[Record]:
            return [record for record, _ in await asyncio.gather(*self.yielding(self.seeds))]

        for seed, single, other in zip(self.seeds, alone, asyncio.run(side_by_side()), strict=True):
            same(single, other, f"seed {seed} gives the same record while others are played")

    def test_global_randomness_is_left_alone(self) -> None:
        """The global random generators are neither read nor changed."""
        first, other = leaves_randomness_alone(lambda: self.episode(self.seeds[0]), self.draws)
        same(first, other, "the global generators are not read")

    def test_records_survive_json(self) -> None:
        """A record comes back from JSON as it was."""
        for record in map(self.once, self.seeds):
            lost = f"JSON cannot give back {self.perishable(record)}"
            promise(round_trips(record, Record), "a record comes back from JSON as it was", lost)


@lru_cache(maxsize=4)
def _once(kind: type[RecordPromises], seed: int) -> Record:
    return kind().episode(seed)


def same(record: Record, other: Record, promised: str) -> None:
    """Demands that two records are equal, except for their specs."""
    alike(body(record), body(other), promised)
