"""What learning libraries are given to observe: sets of observations as Gymnasium spaces."""

from __future__ import annotations

from typing import Literal

import numpy as np
from gymnasium.spaces import Box, Dict
from numpy.typing import NDArray

from otherminds.core.errors import WorldError
from otherminds.gridworlds.grid.learner import LearnerBatch, Substrate
from otherminds.gridworlds.grid.pixels import TILE

Sort = Literal["symbolic", "rgb", "official"]
"""A set of observations: see :class:`Observing`."""
Observations = NDArray[np.float32] | NDArray[np.uint8] | dict[str, NDArray[np.float32] | NDArray[np.uint8]]


class Observing:
    """One set of the observations of ``substrate``; none has positions or orientations.

    - ``symbolic``: float32[cells · C + V], the window one-hot, row by row, each cell with its C codes layer by
      layer, and then the vector.
    - ``rgb``: uint8[rows · 8, columns · 8, 3], the window in Melting Pot's pixels, alone.
    - ``official``: a dictionary of what Melting Pot gives to policies: ``RGB``, as before, and where the substrate
      has them ``INVENTORY`` float32[K] and ``READY_TO_SHOOT`` float32[1] (a scalar in Melting Pot).

    ``space`` is the Gymnasium space of one player's observation.

    Raises:
        WorldError: there is no such set.
    """

    def __init__(self, substrate: Substrate, sort: Sort) -> None:
        if sort not in {"symbolic", "rgb", "official"}:
            raise WorldError(f"observations {sort!r} are none of symbolic, rgb, official")
        self.sort: Sort = sort
        self.pictures = sort != "symbolic"
        rows, columns = substrate.rules.view.shape
        sizes = [size for _, size in substrate.vector]
        ends = np.cumsum(sizes, dtype=int).tolist()
        self._parts = {
            name: slice(end - size, end) for (name, size), end in zip(substrate.vector, ends, strict=True)
        }
        self._starts = np.cumsum((0, *substrate.codes))
        self._size = rows * columns * int(self._starts[-1]) + sum(sizes)
        picture = Box(0, 255, (rows * TILE, columns * TILE, 3), np.uint8)
        self.space: Box | Dict = picture
        if sort == "symbolic":
            self.space = Box(0, np.inf, (self._size,), np.float32)
        elif sort == "official":
            vectors = {name: Box(0, np.inf, (size,), np.float32) for name, size in substrate.vector}
            self.space = Dict({"RGB": picture, **vectors})

    def of(self, batch: LearnerBatch, players: int, final: bool = False) -> Observations:
        """The observations of the first ``players`` of each world; new arrays whose first axis is world · players + player.

        ``final``: those at the ends of episodes, which are valid where one ended in the last step.
        """
        vectors = _rows(batch.final_vectors if final else batch.vectors, players)
        pictures = batch.final_rgb if final else batch.rgb
        if self.sort == "symbolic":
            from otherminds.gridworlds.grid._onehot import spread

            windows = _rows(batch.final_windows if final else batch.windows, players)
            found = np.empty((len(windows), self._size), np.float32)
            cells = windows.reshape(len(windows), -1, windows.shape[-1])
            spread(cells, vectors, self._starts, found)
            return found
        assert pictures is not None, "the batch was made without pictures"
        seen = _rows(pictures, players).copy()
        if self.sort == "rgb":
            return seen
        return {"RGB": seen, **{name: vectors[:, part].copy() for name, part in self._parts.items()}}


def taken(observations: Observations, n: int) -> Observations:
    """Row ``n`` of what :meth:`Observing.of` gave."""
    if isinstance(observations, dict):
        return {name: array[n] for name, array in observations.items()}
    return observations[n]


def _rows(array: NDArray[np.float32] | NDArray[np.uint8], players: int) -> NDArray:
    """The first ``players`` of each world, one after the other."""
    first = np.ascontiguousarray(array[:, :players])
    return first.reshape(len(array) * players, *array.shape[2:])
