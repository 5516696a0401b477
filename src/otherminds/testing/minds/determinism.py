"""The spec decides the episode, whatever else goes on."""

from __future__ import annotations

import asyncio

from otherminds.core.record import Record
from otherminds.play.loop import play
from otherminds.testing.compare import difference, global_randomness, global_state, promise, round_trips
from otherminds.testing.elsewhere import elsewhere
from otherminds.testing.episodes import body, played
from otherminds.testing.minds.case import MindCase
from otherminds.testing.wrappers import Yielding


class DeterminismPromises(MindCase):
    """Checks that play the same episode under other circumstances."""

    def test_same_spec_same_record(self) -> None:
        """Two equal specs are one episode."""
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
        """Episodes played side by side are the episodes played one after the other."""
        alone = [self.episode(seed) for seed in self.seeds]

        async def side_by_side() -> list[Record]:
            scenario = self.make_scenario()
            waiting = [
                play(
                    self.spec(scenario, seed),
                    scenario,
                    {seat: Yielding(self.make_mind()) for seat in scenario.focal},
                    self.make_models(),
                )
                for seed in self.seeds
            ]
            return [record for record, _ in await asyncio.gather(*waiting)]

        for seed, one, other in zip(self.seeds, alone, asyncio.run(side_by_side()), strict=True):
            _same(one, other, f"seed {seed} gives the same record while others are played")

    def test_begin_forgets(self) -> None:
        """A mind used again, after other episodes, plays as a fresh one."""
        scenario = self.make_scenario()
        used = {seat: self.make_mind() for seat in scenario.focal}
        for seed in (*self.seeds, self.seeds[0]):
            again = played(self.spec(scenario, seed), scenario, used, self.make_models())
            _same(
                self.episode(seed), again, f"seed {seed} gives the same record with a mind that is used again"
            )

    def test_global_randomness_is_left_alone(self) -> None:
        """A mind draws from its bench: it neither reads nor moves the global generators."""
        records: list[Record] = []
        for state in (1, 2):
            with global_randomness(state):
                before = global_state()
                records.append(self.episode(self.seeds[0]))
                promise(
                    global_state() == before,
                    "the global generators are left alone",
                    "the mind drew from one of them, or seeded it",
                )
        _same(records[0], records[1], "the global generators are not read")

    def test_records_survive_json(self) -> None:
        """A record comes back from JSON as it was, with what the mind noted."""
        for seed in self.seeds:
            record = self.episode(seed)
            promise(
                round_trips(record, Record),
                "a record comes back from JSON as it was",
                f"JSON cannot give back some of its notes {record.notes} or answers {record.asked}",
            )


def _same(one: Record, other: Record, promised: str) -> None:
    promise(one.hash == other.hash, promised, f"it differs {difference(body(one), body(other))}")
