"""An episode in a world with a map, played again: a frame and the happenings of each step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from otherminds.core.data import SkillChoice
from otherminds.core.errors import StudyError
from otherminds.core.record import Record
from otherminds.core.scenario import Scenario
from otherminds.gridworlds.replay.scenes import Frame, Stage, scenery
from otherminds.reports.replay.again import Again
from otherminds.reports.replay.minds import describe_choice
from otherminds.reports.replay.replays import Happening

SPEED = 10.0
"""Steps a second."""


@dataclass(frozen=True)
class GridReplay:
    """An episode of T steps and P seats as T + 1 ``frames``; each of their arrays is over frames first.

    ``first`` is the number of the first frame, 0 unless the replay was cut.
    ``fault`` says where the replay departs from the record; empty if nowhere.
    """

    record: Record
    stage: Stage
    frames: Frame
    happenings: tuple[Happening, ...]
    first: int = 0
    fault: str = ""

    @property
    def last(self) -> int:
        """The number of the last frame."""
        return self.first + len(self.frames.codes) - 1

    @property
    def totals(self) -> NDArray[np.float64]:
        """What each seat has earned by each frame, float64[frames, P]."""
        rewards = np.array(self.record.rewards, np.float64).reshape(-1, len(self.record.seats))
        sums = np.vstack([np.zeros(len(self.record.seats)), rewards.cumsum(axis=0)])
        return sums[self.first : self.last + 1]

    def cut(self, first: int, last: int) -> GridReplay:
        """The frames from ``first`` to ``last``, both counted in.

        Raises:
            StudyError: there are no such frames.
        """
        if not self.first <= first <= last <= self.last:
            raise StudyError(f"steps {first}:{last} are not within {self.first}:{self.last}")
        part = slice(first - self.first, last + 1 - self.first)
        frames = Frame(*(array[part] for array in self.frames.arrays().values()))
        within = tuple(h for h in self.happenings if first <= h.step + h.steps and h.step <= last)
        return replace(self, frames=frames, happenings=within, first=first)


def again(record: Record, scenario: Scenario | None = None) -> GridReplay:
    """Plays ``record`` again, in ``scenario`` or else in the one that it names.

    Raises:
        StudyError: its world has no map, or there is no such scenario.
    """
    played = Again(record, scenario)
    world = played.world
    painter = scenery(world, record.spec.scenario)
    stage = painter.stage(world)
    frames = [painter.frame(world)]
    happenings: list[Happening] = []
    for step in played.steps():
        frames.append(painter.frame(world))
        happenings += painter.happened(world, frames[-2], frames[-1], step)
    stacked = Frame(*map(np.stack, zip(*(frame.arrays().values() for frame in frames), strict=True)))
    return GridReplay(record, stage, stacked, tuple(happenings), fault=played.fault)


def skills(replay: GridReplay) -> Iterator[tuple[int, int, int, str]]:
    """Each choice of a skill: its seat's number, the frames from which to which it held, and its words."""
    record = replay.record
    for i, seat in enumerate(record.seats):
        own = (choice for choice in record.choices if choice.seat == seat)
        chosen = [choice for choice in own if isinstance(choice.made, SkillChoice)]
        ends = [*(choice.step for choice in chosen), len(record.actions)][1:]
        for choice, end in zip(chosen, ends, strict=False):
            if end > replay.first and choice.step < replay.last:
                yield i, choice.step, end, describe_choice(choice)
