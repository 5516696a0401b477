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
from otherminds.gridworlds.in_the_matrix.bots.charts import chart, policies
from otherminds.gridworlds.in_the_matrix.bots.memory import desk, empty
from otherminds.gridworlds.in_the_matrix.bots.roster import bot_names


class BatchedBots(BatchedPartners):
    """Bots in seats of ``batch``: see :class:`~otherminds.gridworlds.grid.partners.BatchedPartners`.

    ``cast`` names bots of :func:`~.roster.bot_names`; each has the knowledge of its own seat. ``noise`` is the
    probability of a random movement in a step.

    Raises:
        ImportError: numba is not installed.
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
        self._chart, self._policies = chart(rules), policies(rules)
        self._memory, self._desk = empty(rules, batch.worlds), desk(rules)
        rows, columns, layers = batch.windows.shape[2:]
        self._windows = batch.windows.reshape(batch.worlds, batch.players, rows * columns, layers)

    def _remembered(self) -> Mapping[str, NDArray[Any]]:
        return self._memory._asdict()

    def _start(self, fresh: NDArray[np.bool_], streams: NDArray[np.uint64]) -> None:
        self._kernel.begin_all(self._chart, self._policies, self._memory, fresh, self.cast, streams)

    def _decide(self, actions: NDArray[np.int64]) -> None:
        self._kernel.act_all(
            self._chart,
            self._policies,
            self._memory,
            self._desk,
            self.batch.state,
            self._windows,
            self.noise,
            actions,
        )
