"""A scenario's episodes hang on their specs alone."""

from __future__ import annotations

import asyncio
from random import Random

import msgspec

from otherminds.core.record import Record
from otherminds.play.loop import play
from otherminds.testing.compare import (
    difference,
    form,
    global_randomness,
    global_state,
    plain,
    promise,
    round_trips,
)
from otherminds.testing.elsewhere import elsewhere
from otherminds.testing.episodes import body, spec_of
from otherminds.testing.scenarios.case import ScenarioCase
from otherminds.testing.simple import RandomMind
from otherminds.testing.wrappers import Yielding


class EpisodePromises(ScenarioCase):
    """Checks that play the same episode under other circumstances."""

    def test_same_spec_same_record(self) -> None:
        """Two equal specs are one episode; a scenario used again gives the same."""
        for seed in self.seeds:
            _same(self.episode(seed), self.episode(seed), f"seed {seed} gives the same record twice")

    def test_same_in_another_process(self) -> None:
        """Another process, with another ``PYTHONHASHSEED``, makes the same records."""
        hashes = [self.fingerprint(), *elsewhere(self, "fingerprint")]
        promise(
            len(set(hashes)) == 1,
            "the same records in every process, under every PYTHONHASHSEED",
            f"their hashes are {hashes}",
        )

    def test_interleaved_episodes(self) -> None:
        """Episodes of one scenario played side by side are those played one after the other."""
        alone = [self.episode(seed) for seed in self.seeds]

        async def side_by_side() -> list[Record]:
            scenario = self.make_scenario()
            waiting = [
                play(
                    spec_of(scenario, seed),
                    scenario,
                    {seat: Yielding(RandomMind()) for seat in scenario.focal},
                )
                for seed in self.seeds
            ]
            return [record for record, _ in await asyncio.gather(*waiting)]

        for seed, one, other in zip(self.seeds, alone, asyncio.run(side_by_side()), strict=True):
            _same(one, other, f"seed {seed} gives the same record while others are played")

    def test_global_randomness_is_left_alone(self) -> None:
        """World, partners and draws have their own generators: the global ones are not read or moved."""
        records: list[Record] = []
        for state in (1, 2):
            with global_randomness(state):
                before = global_state()
                records.append(self.episode(self.seeds[0]))
                promise(
                    global_state() == before,
                    "the global generators are left alone",
                    "something drew from one of them, or seeded it",
                )
        _same(records[0], records[1], "the global generators are not read")

    def test_records_survive_json(self) -> None:
        """A record comes back from JSON as it was."""
        for seed in self.seeds:
            record = self.episode(seed)
            promise(
                round_trips(record, Record),
                "a record comes back from JSON as it was",
                f"JSON cannot give back its draws {record.drawn}, facts {record.facts} or encounters",
            )

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


def _same(one: Record, other: Record, promised: str) -> None:
    promise(one.hash == other.hash, promised, f"it differs {difference(body(one), body(other))}")
