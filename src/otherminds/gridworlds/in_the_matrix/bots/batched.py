"""The background bots as partners of a batch: they act for chosen seats of all its worlds in one call.

An episode under seed s is the same as that of :class:`~..world.InTheMatrixWorld` under s whose minds are the bots of
:mod:`.roster`, each with the context ``SeatContext(seat, s, ...)``: the same actions step by step, drawn from the same
random numbers (:mod:`otherminds.gridworlds.grid._mersenne`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from otherminds.gridworlds.grid.batch import GridBatch
from otherminds.gridworlds.grid.casts import Cast
from otherminds.gridworlds.grid.partners import BatchedPartners
from otherminds.gridworlds.grid.scenarios import check_noise
from otherminds.gridworlds.in_the_matrix.bots.charts import POLICY, chart, desk, empty
from otherminds.gridworlds.in_the_matrix.bots.roster import bot_names, bot_policies


class BatchedBots(BatchedPartners):
    """Bots in seats of ``batch``: see :class:`~otherminds.gridworlds.grid.partners.BatchedPartners`.

    ``cast`` names bots of :func:`~.roster.bot_names`; each has the knowledge of its own seat. ``noise`` is the
    probability of a random movement in a step.

    Raises:
        StudyError: a bad cast, or ``noise`` is no probability.

    >>> from otherminds.gridworlds.grid.substrates import substrate
    >>> batch = substrate("pd-repeated-v1").batch(worlds=2)
    >>> bots = BatchedBots(batch.shards[0], [{1: "puppet_tft_margin_0"}, [None, "puppet_flip_0"]])
    >>> batch.reset(7)
    >>> bots.begin()
    >>> actions = bots.act()
    >>> actions.shape, actions[:, 0].tolist()
    ((2, 2), [0, 0])
    >>> batch.step(actions)
    """

    def __init__(self, batch: GridBatch, cast: Cast, noise: float = 0.0) -> None:
        from otherminds.gridworlds.in_the_matrix.bots import _kernel

        check_noise(noise, "bot")
        rules = batch.rules
        super().__init__(batch, cast, bot_names(rules))
        self.noise = float(noise)
        self._kernel = _kernel
        self._chart, self._policies = chart(rules), bot_policies(rules)
        self._memory, self._desk = empty(rules, batch.worlds, batch.players), desk(rules)
        self._no_maps = np.zeros((0, self._chart.place.size, 2), np.int8)
        rows, columns, layers = batch.windows.shape[2:]
        self._windows = batch.windows.reshape(batch.worlds, batch.players, rows * columns, layers)

    def _remembered(self) -> Mapping[str, NDArray[Any]]:
        return self._memory._asdict()

    def _start(self, fresh: NDArray[np.bool_], streams: NDArray[np.uint64]) -> None:
        from otherminds.gridworlds.grid import _mersenne as mersenne

        generators = np.zeros((streams[fresh].size, mersenne.SIZE), np.uint32)
        mersenne.seed_all(generators, streams[fresh].ravel())
        self._memory.streams[fresh, :, POLICY] = generators.reshape(-1, self.batch.players, mersenne.SIZE)
        self._kernel.begin_all(self._chart, self._policies, self._memory, fresh, self.cast)

    def _decide(self, actions: NDArray[np.int64]) -> None:
        state, memory = self.batch.state, self._memory
        self._kernel.see_all(
            self._chart,
            self._policies,
            memory,
            state.avatars,
            state.clock,
            state.met,
            self._windows,
            self._no_maps,
        )
        self._kernel.act_all(self._chart, self._policies, memory, self._desk, self.noise, actions)
