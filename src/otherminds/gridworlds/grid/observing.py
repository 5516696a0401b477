"""What a learner observes in a substrate: sets of observations, made from the arrays of a batch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from gymnasium.spaces import Box, Dict
from numpy.typing import NDArray

from otherminds.core.errors import StudyError, WorldError
from otherminds.gridworlds.grid.learner import LearnerBatch, Substrate
from otherminds.gridworlds.grid.pixels import TILE

Sort = Literal["symbolic", "codes", "rgb", "official"]
"""A set of observations: see :class:`Observing`."""
Observations: TypeAlias = (
    NDArray[np.float32] | NDArray[np.uint8] | dict[str, NDArray[np.float32] | NDArray[np.uint8]]
)


class Observing:
    """One set of the observations of ``substrate``; none has positions or orientations.

    - ``symbolic``: float32[cells · C + V], the window one-hot, row by row, each cell with its C codes layer by
      layer, and then the vector.
    - ``codes``: a dictionary of ``WINDOW``, uint8[rows, columns, layers], the window in codes, and the parts of the
      vector by name, float32. In the arena it has a twenty-seventh of the bytes of ``symbolic``.
    - ``rgb``: uint8[rows · 8, columns · 8, 3], the window in Melting Pot's pixels, alone.
    - ``official``: a dictionary of what Melting Pot gives to policies: ``RGB``, as before, and where the substrate
      has them ``INVENTORY`` float32[K] and ``READY_TO_SHOOT`` float32[1] (a scalar in Melting Pot).

    ``space`` is the Gymnasium space of one player's observation, and ``about`` says in words what it holds.

    Raises:
        WorldError: there is no such set.
    """

    def __init__(self, substrate: Substrate, sort: Sort) -> None:
        if sort not in get_args(Sort):
            raise WorldError(f"observations {sort!r} are none of {', '.join(get_args(Sort))}")
        self.sort: Sort = sort
        self.pictures = sort in {"rgb", "official"}
        rows, columns = substrate.rules.view.shape
        sizes = [size for _, size in substrate.vector]
        ends = np.cumsum(sizes, dtype=int).tolist()
        self._parts = {
            name: slice(end - size, end) for (name, size), end in zip(substrate.vector, ends, strict=True)
        }
        self._starts = np.cumsum((0, *substrate.codes))
        self._size = rows * columns * int(self._starts[-1]) + sum(sizes)
        window = f"the window of {rows} x {columns} cells"
        drawn = f"uint8[{rows * TILE}, {columns * TILE}, 3], {window} in Melting Pot's pixels"
        picture = Box(0, 255, (rows * TILE, columns * TILE, 3), np.uint8)
        self.space: Box | Dict = picture
        self.about: str | dict[str, str] = drawn
        if sort == "symbolic":
            listed = "".join(f", then {name} ({size})" for name, size in substrate.vector)
            self.space = Box(0, np.inf, (self._size,), np.float32)
            self.about = (
                f"float32[{self._size}]: {window}, row by row, each cell one-hot with its {self._starts[-1]} codes in "
                f"layers of {', '.join(map(str, substrate.codes))}{listed}"
            )
        elif sort != "rgb":
            vectors = {name: Box(0, np.inf, (size,), np.float32) for name, size in substrate.vector}
            highest = np.array(substrate.codes, np.uint8) - 1
            shape = (rows, columns, highest.size)
            cells = Box(np.zeros(shape, np.uint8), np.broadcast_to(highest, shape), dtype=np.uint8)
            self.space = Dict(
                {"RGB": picture, **vectors} if sort == "official" else {"WINDOW": cells, **vectors}
            )
            described = {
                "official": {"RGB": drawn},
                "codes": {
                    "WINDOW": f"uint8{list(shape)}: {window}, each cell a code of each layer; there are "
                    f"{', '.join(map(str, substrate.codes))}"
                },
            }
            self.about = described[sort] | {name: f"float32[{size}]" for name, size in substrate.vector}

    def of(self, batch: LearnerBatch, players: int) -> Observations:
        """The observations of the first ``players`` of each world; new arrays whose first axis is world · players + player."""
        return self._convert(batch.windows, batch.vectors, batch.rgb, players)

    def of_ends(self, batch: LearnerBatch, players: int, worlds: NDArray[np.integer]) -> Observations:
        """The last observations of the episodes that ended in the last step in ``worlds`` (int[N]), in the form of :meth:`of`."""
        pictures = batch.final_rgb
        return self._convert(
            batch.final_windows[worlds],
            batch.final_vectors[worlds],
            None if pictures is None else pictures[worlds],
            players,
        )

    def watch(self, batch: LearnerBatch, players: int) -> Callable[[], list[Observations]]:
        """What gives the observations of each of the first ``players`` of a batch of one world, as :meth:`of`, but faster."""
        if self.sort == "symbolic":
            from otherminds.gridworlds.grid._kernel import spread

            windows = batch.windows[0, :players]
            cells, vectors = windows.reshape(players, -1, windows.shape[-1]), batch.vectors[0, :players]

            def spread_codes() -> list[Observations]:
                flat = np.empty((players, self._size), np.float32)
                spread(cells, vectors, self._starts, flat)
                return list(flat)

            return spread_codes
        if self.sort == "rgb" and batch.rgb is not None:
            pictures = list(batch.rgb[0, :players])
            return lambda: [picture.copy() for picture in pictures]
        main, arrays = ("WINDOW", batch.windows) if self.sort == "codes" else ("RGB", batch.rgb)
        assert arrays is not None, "the batch was made without pictures"
        views: list[list[tuple[str, Any]]] = []
        for i in range(players):
            beside = [(name, batch.vectors[0, i, part]) for name, part in self._parts.items()]
            views.append([(main, arrays[0, i]), *beside])
        return lambda: [{name: view.copy() for name, view in parts} for parts in views]

    def _convert(
        self,
        windows: NDArray[np.uint8],
        vectors: NDArray[np.float32],
        pictures: NDArray[np.uint8] | None,
        players: int,
    ) -> Observations:
        if self.sort == "symbolic":
            return self._spread_codes(_rows(windows, players), _rows(vectors, players))
        if self.sort == "codes":
            main = {"WINDOW": _rows(windows, players).copy()}
        else:
            assert pictures is not None, "the batch was made without pictures"
            main = {"RGB": _rows(pictures, players).copy()}
        if self.sort == "rgb":
            return main["RGB"]
        beside = _rows(vectors, players)
        return {**main, **{name: beside[:, part].copy() for name, part in self._parts.items()}}

    def of_seat(self, observation: Mapping[str, Any]) -> Observations:
        """The same observation from what a seat of the substrate's own PettingZoo world observes, as in a study.

        Raises:
            StudyError: pictures are needed, and the world shows none.
        """
        beside = {name: np.float32(observation[name]).reshape(-1) for name in self._parts}
        if self.sort == "symbolic":
            vectors = np.concatenate([np.zeros(0, np.float32), *beside.values()])[None]
            return self._spread_codes(observation["WINDOW"][None], vectors)[0]
        if self.sort == "codes":
            return {"WINDOW": observation["WINDOW"], **beside}
        if "RGB" not in observation:
            raise StudyError(
                f"a policy of {self.sort} observations needs pictures, which scenarios do not show"
            )
        return observation["RGB"] if self.sort == "rgb" else {"RGB": observation["RGB"], **beside}

    def _spread_codes(self, windows: NDArray[np.uint8], vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        from otherminds.gridworlds.grid._kernel import spread

        flat = np.empty((len(windows), self._size), np.float32)
        cells = windows.reshape(len(windows), -1, windows.shape[-1])
        spread(cells, vectors, self._starts, flat)
        return flat


def take_row(observations: Observations, n: int) -> Observations:
    """Row ``n`` of what :meth:`Observing.of` gave."""
    if isinstance(observations, dict):
        return {name: array[n] for name, array in observations.items()}
    return observations[n]


def put_rows(observations: Observations, rows: NDArray[np.integer], others: Observations) -> None:
    """Writes ``others`` into ``rows`` (int[N]) of what :meth:`Observing.of` gave."""
    if isinstance(observations, dict) and isinstance(others, dict):
        for name, array in observations.items():
            array[rows] = others[name]
    elif not isinstance(observations, dict) and not isinstance(others, dict):
        observations[rows] = others


def _rows(array: NDArray[np.float32] | NDArray[np.uint8], players: int) -> NDArray:
    """The first ``players`` of each world, one after the other; a view if these are all."""
    first = array[:, :players]
    return first.reshape(len(array) * players, *array.shape[2:])
