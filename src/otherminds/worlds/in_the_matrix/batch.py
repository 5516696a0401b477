"""The batched interface of this world: see :mod:`otherminds.worlds.grid.batch`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from otherminds.worlds.grid.batch import GridBatch, shown
from otherminds.worlds.in_the_matrix import state as columns
from otherminds.worlds.in_the_matrix.rules import Rules
from otherminds.worlds.in_the_matrix.state import State


class Observations(NamedTuple):
    """What all avatars observe: B worlds of P avatars and K classes.

    ``window`` uint8[B, P, rows, columns, 4]: codes in :mod:`.views`. ``inventory``
    int32[B, P, K]. ``ready_to_shoot`` float64[B, P]: 1 when the beam can be fired,
    less while it cools. ``position`` int32[B, P, 2]: x and y, -1 while removed.
    ``orientation`` int32[B, P]: 0 N, 1 E, 2 S, 3 W, and 0 while removed.
    """

    window: NDArray[np.uint8]
    inventory: NDArray[np.int32]
    ready_to_shoot: NDArray[np.float64]
    position: NDArray[np.int32]
    orientation: NDArray[np.int32]


class Info(NamedTuple):
    """As :class:`otherminds.worlds.grid.batch.Info`, with what was held in duels.

    ``interaction_inventories`` int32[B, P, 2, K]: own and the other's inventory where a duel was resolved in
    this step, else -1; 0 at the reset.
    """

    interaction_inventories: NDArray[np.int32]
    seeds: NDArray[np.uint64]
    returns: NDArray[np.float64]
    lengths: NDArray[np.int32]


class Batch(GridBatch[Observations, Info]):
    """``worlds`` copies of the substrate under ``rules``, stepped together by the compiled kernel.

    See :class:`~otherminds.worlds.grid.batch.GridBatch`.

    Raises:
        ImportError: numba is not installed.
        ValueError: the map is not enclosed by walls, or has fewer spawn points than avatars.

    >>> from otherminds.worlds.in_the_matrix.rules import RWS_REPEATED
    >>> batch = Batch(RWS_REPEATED, worlds=3)
    >>> observations, info = batch.reset(7)
    >>> observations.window.shape, info.seeds.tolist()
    ((3, 2, 5, 5, 4), [7, 8, 9])
    >>> batch.step(np.zeros((3, 2), int)).rewards.shape
    (3, 2)
    """

    state: State

    def __init__(self, rules: Rules, worlds: int) -> None:
        from otherminds.worlds.in_the_matrix._kernel import KERNEL

        super().__init__(rules, worlds, KERNEL, len(rules.classes))

    def _observed(self) -> Observations:
        avatars = self.state.avatars
        alive = avatars[..., columns.ALIVE]
        return Observations(
            window=shown(self._window),
            inventory=shown(avatars[..., columns.COUNTS :]),
            ready_to_shoot=1.0 - avatars[..., columns.COOLDOWN] / self.rules.cooldown,
            position=np.where(alive[..., None], avatars[..., : columns.FACING], np.int32(-1)),
            orientation=avatars[..., columns.FACING] * alive,
        )

    def _info(self) -> Info:
        kept = self._episodes
        return Info(shown(kept.met), shown(kept.seeds), shown(kept.last_returns), shown(kept.last_lengths))
