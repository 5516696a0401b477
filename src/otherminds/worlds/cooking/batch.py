"""The batched interface of this world: see :mod:`otherminds.worlds.grid.batch`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from otherminds.worlds.cooking import state as columns
from otherminds.worlds.cooking.rules import Rules
from otherminds.worlds.cooking.state import State
from otherminds.worlds.grid.batch import GridBatch, Info, shown


class Observations(NamedTuple):
    """What all avatars observe: B worlds of P avatars.

    ``window`` uint8[B, P, rows, columns, 6]: codes in :mod:`.views`. ``position``
    int32[B, P, 2]: x and y. ``orientation`` int32[B, P]: 0 N, 1 E, 2 S, 3 W.
    """

    window: NDArray[np.uint8]
    position: NDArray[np.int32]
    orientation: NDArray[np.int32]


class Batch(GridBatch[Observations, Info]):
    """``worlds`` copies of the substrate under ``rules``, stepped together by the compiled kernel.

    See :class:`~otherminds.worlds.grid.batch.GridBatch`.

    Raises:
        ImportError: numba is not installed.
        ValueError: the map is not enclosed, or has fewer spawn points than avatars.

    >>> from otherminds.worlds.cooking.rules import COOKING_ASYMMETRIC
    >>> batch = Batch(COOKING_ASYMMETRIC, worlds=3)
    >>> observations, info = batch.reset(7)
    >>> observations.window.shape, info.seeds.tolist()
    ((3, 2, 5, 5, 6), [7, 8, 9])
    >>> batch.step(np.zeros((3, 2), int)).rewards.shape
    (3, 2)
    """

    state: State

    def __init__(self, rules: Rules, worlds: int) -> None:
        from otherminds.worlds.cooking._kernel import KERNEL

        super().__init__(rules, worlds, KERNEL)

    def _observed(self) -> Observations:
        avatars = shown(self.state.avatars)
        return Observations(shown(self._window), avatars[..., : columns.FACING], avatars[..., columns.FACING])
