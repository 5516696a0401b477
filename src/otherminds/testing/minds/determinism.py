"""The spec decides the episode, whatever a mind did before."""

from __future__ import annotations

from collections.abc import Coroutine
from dataclasses import replace
from typing import Any

from otherminds.core.record import Record, Timing
from otherminds.core.setup import Participant
from otherminds.play.loop import play
from otherminds.testing.episodes import played
from otherminds.testing.minds.case import MindCase
from otherminds.testing.records import same
from otherminds.testing.wrappers import Around, Yielding


class MindDeterminismPromises(MindCase):
    """A mind's part in :class:`~otherminds.testing.records.RecordPromises`, and that it forgets."""

    draws = "the mind"

    def yielding(self, seeds: tuple[int, ...]) -> list[Coroutine[Any, Any, tuple[Record, Timing]]]:
        return [play(self.setup(seed, lambda mind, scenario: Yielding(mind))) for seed in seeds]

    def perishable(self, record: Record) -> str:
        return f"some of its notes {record.notes} or answers {record.asked}"

    def test_begin_forgets(self) -> None:
        """A mind used again, after other episodes, plays as a fresh one."""
        used = {seat: Around(self.make_mind()) for seat in self.make_scenario().focal}
        for seed in (*self.seeds, self.seeds[0]):
            fresh = self.setup(seed)
            models = {seat: who.model for seat, who in fresh.participants.items()}
            again = replace(
                fresh, minds={seat: Participant(mind, models[seat]) for seat, mind in used.items()}
            )
            same(
                self.episode(seed),
                played(again),
                f"seed {seed} gives the same record with a mind that is used again",
            )
