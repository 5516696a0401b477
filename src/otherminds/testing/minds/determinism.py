"""The spec decides the episode, whatever a mind did before."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

from otherminds.core.record import Clock, Record
from otherminds.play.loop import play
from otherminds.testing.episodes import played
from otherminds.testing.minds.case import MindCase
from otherminds.testing.records import same
from otherminds.testing.wrappers import Yielding


class DeterminismPromises(MindCase):
    """A mind's part in :class:`~otherminds.testing.records.RecordPromises`, and that it forgets."""

    draws = "the mind"

    def yielding(self, seeds: tuple[int, ...]) -> list[Coroutine[Any, Any, tuple[Record, Clock]]]:
        scenario = self.make_scenario()
        return [
            play(
                self.spec(scenario, seed),
                scenario,
                {seat: Yielding(self.make_mind()) for seat in scenario.focal},
                self.make_models(),
            )
            for seed in seeds
        ]

    def perishable(self, record: Record) -> str:
        return f"some of its notes {record.notes} or answers {record.asked}"

    def test_begin_forgets(self) -> None:
        """A mind used again, after other episodes, plays as a fresh one."""
        scenario = self.make_scenario()
        used = {seat: self.make_mind() for seat in scenario.focal}
        for seed in (*self.seeds, self.seeds[0]):
            again = played(self.spec(scenario, seed), scenario, used, self.make_models())
            same(
                self.episode(seed), again, f"seed {seed} gives the same record with a mind that is used again"
            )
