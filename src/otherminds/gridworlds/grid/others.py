"""The seats that a learner does not play."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from otherminds.gridworlds.grid.batch import GridBatch
from otherminds.gridworlds.grid.learner import LearnerBatch


class Others(Protocol):
    """Plays seats that the learner does not play, in the worlds of one shard: scripted partners, or a policy."""

    def begin(self) -> None:
        """Called after each reset of all worlds. Worlds whose episode ends begin anew without a call."""
        ...

    def act(self) -> NDArray[np.integer]:
        """Called before each step: the actions of all seats, int[B, P]. Those of the learner's seats are not read."""
        ...


MakeOthers = Callable[[GridBatch], Others]
"""Makes the other players of a shard."""


class Seats:
    """A batch of which a learner plays the first ``learners`` seats: all of them, or one if there are others."""

    def __init__(self, batch: LearnerBatch, others: MakeOthers | None) -> None:
        self.batch = batch
        self.learners = batch.players if others is None else 1
        self._others = [] if others is None else [others(shard) for shard in batch.shards]
        self._actions = np.zeros((batch.worlds, batch.players), np.int64)

    def reset(self, seeds: int | Sequence[int]) -> None:
        """As :meth:`~.learner.LearnerBatch.reset`."""
        self.batch.reset(seeds)
        for one in self._others:
            one.begin()

    def step(self, actions: NDArray[np.integer]) -> None:
        """One step of all worlds by the learners' ``actions``, int[B · learners], and those of the others."""
        if self._others:
            self._actions[:] = np.concatenate([one.act() for one in self._others])
        self._actions[:, : self.learners] = actions.reshape(self.batch.worlds, self.learners)
        self.batch.step(self._actions)
