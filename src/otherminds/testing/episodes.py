"""Whole episodes for the kit, played through the one loop."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Coroutine
from typing import Any

import msgspec

from otherminds.core.encoding import encode
from otherminds.core.record import Record, Timing
from otherminds.core.scenario import Scenario
from otherminds.core.seeds import stream
from otherminds.core.setup import Setup
from otherminds.play.loop import play, play_now
from otherminds.testing.compare import (
    difference,
    leaves_randomness_alone,
    promise,
    round_trips,
)
from otherminds.testing.elsewhere import same_elsewhere


def played(setup: Setup) -> Record:
    """The record of one episode; in an event loop only where a mind suspends."""
    if any(who.mind.suspends for who in setup.participants.values()):
        return asyncio.run(play(setup))[0]
    return play_now(setup)[0]


def drawn(scenario: Scenario, seed: int) -> dict[str, Any]:
    """What chance draws in the episode of ``scenario`` under ``seed``, as play draws it."""
    return scenario.draw(stream(seed, "draw"))


def body(record: Record) -> list[str]:
    """A record as lines to compare, without its spec."""
    return re.split(r"(?<=,)", encode(msgspec.structs.replace(record, spec=None)).decode())


def deeds(record: Record) -> list[bytes]:
    """What was done and what it brought, step by step."""
    return [*map(encode, zip(record.actions, record.rewards, strict=True)), *map(encode, record.choices)]


class RecordPromises:
    """Checks that play the same episode under other circumstances.

    A case says how an episode is played (:meth:`episode`), how it is played
    beside others (:meth:`yielding`), who draws in it, and what JSON may lose.
    """

    seeds: tuple[int, ...]
    draws: str = "something"

    def episode(self, seed: int) -> Record:
        """The episode of ``seed``, by itself."""
        raise NotImplementedError(f"{type(self).__name__} must write episode()")

    def yielding(self, seeds: tuple[int, ...]) -> list[Coroutine[Any, Any, tuple[Record, Timing]]]:
        """The episodes of ``seeds`` in one scenario, whose minds give way at every turn."""
        raise NotImplementedError(f"{type(self).__name__} must write yielding()")

    def perishable(self, record: Record) -> str:
        """The parts of a record that JSON may not give back."""
        raise NotImplementedError(f"{type(self).__name__} must write perishable()")

    def fingerprint(self) -> str:
        """A hash of the records under all seeds."""
        bodies = ("".join(body(self.episode(seed))) for seed in self.seeds)
        return hashlib.sha256("".join(bodies).encode()).hexdigest()

    def test_same_spec_same_record(self) -> None:
        """Two equal specs are one episode."""
        for seed in self.seeds:
            same(self.episode(seed), self.episode(seed), f"seed {seed} gives the same record twice")

    def test_same_in_another_process(self) -> None:
        """Another process, with another ``PYTHONHASHSEED``, makes the same records."""
        same_elsewhere(self, "records")

    def test_interleaved_episodes(self) -> None:
        """Episodes played side by side are the episodes played one after the other."""
        alone = [self.episode(seed) for seed in self.seeds]

        async def side_by_side() -> list[Record]:
            return [record for record, _ in await asyncio.gather(*self.yielding(self.seeds))]

        for seed, one, other in zip(self.seeds, alone, asyncio.run(side_by_side()), strict=True):
            same(one, other, f"seed {seed} gives the same record while others are played")

    def test_global_randomness_is_left_alone(self) -> None:
        """The global random generators are neither read nor changed."""
        one, other = leaves_randomness_alone(lambda: self.episode(self.seeds[0]), self.draws)
        same(one, other, "the global generators are not read")

    def test_records_survive_json(self) -> None:
        """A record comes back from JSON as it was."""
        for seed in self.seeds:
            record = self.episode(seed)
            promise(
                round_trips(record, Record),
                "a record comes back from JSON as it was",
                f"JSON cannot give back {self.perishable(record)}",
            )


def same(one: Record, other: Record, promised: str) -> None:
    """Demands that two records say the same of what was played, whatever class their minds have."""
    promise(body(one) == body(other), promised, f"it differs {difference(body(one), body(other))}")
