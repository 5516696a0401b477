"""A record replayed: the same world under the same seed, with the recorded actions.

The seed and the actions determine an episode, so replay is exact and needs no mind and
no model. The rewards are compared with the recorded ones at every step.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from otherminds.core.errors import StudyError
from otherminds.core.record import Record
from otherminds.core.scenario import Scenario
from otherminds.core.setup import Setup
from otherminds.core.worlds import scenario as named
from otherminds.gridworlds.grid.scenarios import Noop
from otherminds.gridworlds.replay.scenes import Frame, Happening, Stage, scenery
from otherminds.play.episode import EpisodeState


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


def scenario_of(record: Record) -> Scenario:
    """The scenario that a record names.

    Raises:
        StudyError: there is no such one; the text names the episode.
    """
    with naming_episode(record):
        return named(record.spec.scenario, record.spec.options)


@contextmanager
def naming_episode(record: Record) -> Generator[None]:
    """Names the episode of ``record`` in an error that says why it cannot be played again."""
    try:
        yield
    except StudyError as error:
        raise StudyError(f"episode {record.spec.hash[:12]} cannot be played again: {error}") from None


class Again:
    """The world of a record, reset as it was then. ``fault`` says where a replay departs from the record.

    Raises:
        StudyError: there is no such scenario as the record names, where none is given, or it has other seats or
            grants; the text names the episode.
    """

    def __init__(self, record: Record, scenario: Scenario | None = None) -> None:
        self._record = record
        scenario = scenario or scenario_of(record)
        seats = dict.fromkeys(record.seats, Noop())  # never asked: the record has the actions
        with naming_episode(record):
            state = EpisodeState(Setup(scenario, seats, record.spec.seed, grants=record.spec.grants))
        self.world = state.world
        self.fault = ""

    def steps(self) -> Iterator[int]:
        """Moves the world by the recorded actions, and gives the number of each step, from 1, once it is taken."""
        record, world = self._record, self.world
        for step, (actions, rewards) in enumerate(zip(record.actions, record.rewards, strict=True), 1):
            if not world.agents:
                self.found(f"the replay ends after {step - 1} of {len(record.actions)} recorded steps")
                break
            _, paid, *_ = world.step(dict(zip(record.seats, actions, strict=True)))
            got = tuple(paid[seat] for seat in record.seats)
            if got != tuple(rewards):
                self.found(
                    f"from step {step} on the replay is not what was recorded: rewards {got}, recorded {tuple(rewards)}"
                )
            yield step
        if record.outcome.status == "scored" and world.agents:
            self.found(f"the replay goes on after the {len(record.actions)} recorded steps")

    def found(self, fault: str) -> None:
        """Keeps the first fault."""
        self.fault = self.fault or fault


def again(record: Record, scenario: Scenario | None = None) -> GridReplay:
    """Plays ``record`` again, in ``scenario`` or else in the one that it names.

    Raises:
        StudyError: its world has no map, or there is no such scenario.
    """
    played = Again(record, scenario)
    world = played.world
    shown = scenery(world, record.spec.scenario)
    stage = shown.stage(world)
    frames = [shown.frame(world)]
    happenings: list[Happening] = []
    for step in played.steps():
        frames.append(shown.frame(world))
        happenings += shown.happened(world, frames[-2], frames[-1], step)
    stacked = Frame(*map(np.stack, zip(*(frame.arrays().values() for frame in frames), strict=True)))
    return GridReplay(record, stage, stacked, tuple(happenings), fault=played.fault)
