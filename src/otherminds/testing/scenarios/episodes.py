"""A scenario's episodes hang on their specs alone."""

from __future__ import annotations

from collections.abc import Coroutine
from random import Random
from typing import Any

import msgspec

from otherminds.core.record import Record, Timing
from otherminds.core.setup import Setup
from otherminds.play.loop import play
from otherminds.testing.compare import form, plain, promise
from otherminds.testing.scenarios.case import ScenarioCase
from otherminds.testing.simple import RandomMind
from otherminds.testing.wrappers import Yielding


class EpisodePromises(ScenarioCase):
    """A scenario's part in :class:`~otherminds.testing.records.RecordPromises`, and its draws."""

    def yielding(self, seeds: tuple[int, ...]) -> list[Coroutine[Any, Any, tuple[Record, Timing]]]:
        scenario = self.make_scenario()
        return [
            play(Setup(scenario, {seat: Yielding(RandomMind()) for seat in scenario.focal}, seed))
            for seed in seeds
        ]

    def perishable(self, record: Record) -> str:
        return f"its draws {record.drawn}, facts {record.facts} or encounters"

    def test_draws_are_json(self) -> None:
        """What chance fixes at the start hangs on its generator alone, and comes back from JSON."""
        scenario = self.make_scenario()
        for seed in self.seeds:
            drawn = scenario.draw(Random(seed))
            again = scenario.draw(Random(seed))
            promise(
                form(drawn) == form(again),
                "draw(rng) gives the same for the same generator",
                f"{drawn} and {again}",
            )
            promise(
                plain(msgspec.json.decode(form(drawn))) == plain(drawn),
                "draw(rng) gives JSON",
                f"JSON cannot give back {drawn}",
            )
