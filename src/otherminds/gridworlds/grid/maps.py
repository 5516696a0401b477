"""Maps drawn in characters, the windows of seats, and the rules that all substrates share."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import KW_ONLY, dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from otherminds.gridworlds.grid.actions import DX, DY


@dataclass(frozen=True)
class View:
    """The window of a seat, in cells to its left, right, forward and backward.

    The window is an array [row, column] in the seat's own frame: forward is up,
    the seat itself is at row ``forward``, column ``left``.
    """

    left: int
    right: int
    forward: int
    backward: int

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the window."""
        return self.forward + self.backward + 1, self.left + self.right + 1

    @property
    def margin(self) -> int:
        """The farthest that a window reaches beyond its seat."""
        return max(self.left, self.right, self.forward, self.backward)

    @cached_property
    def shifts(self) -> tuple[tuple[tuple[int, int, int, int], ...], ...]:
        """By orientation, for each cell of the window: its row and column, and how far east and south of the seat it is."""
        rows, columns = self.shape
        return tuple(
            tuple(
                (row, column, ahead * DX[f] + side * DX[(f + 1) % 4], ahead * DY[f] + side * DY[(f + 1) % 4])
                for row in range(rows)
                for column in range(columns)
                for ahead, side in ((self.forward - row, column - self.left),)
            )
            for f in range(4)
        )

    @cached_property
    def reaches(self) -> frozenset[tuple[int, int, int]]:
        """By orientation f, the cells that the window shows: (f, how far east, how far south of the seat)."""
        return frozenset((f, dx, dy) for f, way in enumerate(self.shifts) for _, _, dx, dy in way)

    def cells(self, pose: tuple[int, int, int]) -> Iterator[tuple[int, int, tuple[int, int]]]:
        """Each cell of the window from ``pose``: its row and column, and where it is on the map or beyond it."""
        x, y, facing = pose
        for row, column, dx, dy in self.shifts[facing]:
            yield row, column, (x + dx, y + dy)

    @cached_property
    def gaze(self) -> NDArray[np.int32]:
        """int32[4, 2, rows, columns]: how far down and to the right a seat of each orientation sees each cell."""
        down_right = np.array(self.shifts, np.int32)[..., [3, 2]]
        return np.moveaxis(down_right, 2, 1).reshape(4, 2, *self.shape)

    def reach(self, wide: int) -> NDArray[np.uint32]:
        """:attr:`gaze` on a map with a margin, ``wide`` cells wide, read as one row: uint32[4, rows · columns].

        It counts from the place :attr:`margin` columns left and rows above the seat's own, so that no number is negative.
        """
        down, right = self.gaze[:, 0], self.gaze[:, 1]
        return ((self.margin + down) * wide + self.margin + right).astype(np.uint32).reshape(4, -1)


@dataclass(frozen=True)
class GridRules:
    """The rules that all substrates share: at most ``maximum`` steps an episode; ``spawn`` marks spawn points in ``drawing``."""

    name: str
    drawing: str
    players: int
    view: View
    _: KW_ONLY
    maximum: int
    spawn: str = "P"

    @cached_property
    def drawn(self) -> tuple[str, ...]:
        """The rows of the map."""
        return rows(self.drawing)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the map."""
        return len(self.drawn[0]), len(self.drawn)

    @cached_property
    def spawns(self) -> tuple[tuple[int, int], ...]:
        """Where avatars appear."""
        return cells(self.drawn, self.spawn)

    def check(self, closed: Collection[tuple[int, int]]) -> None:
        """Checks that avatars, which cannot enter ``closed`` cells, cannot leave the map, and that all can be placed.

        Raises:
            ValueError: a cell at the rim is open, or there are fewer spawn points than avatars.
        """
        width, height = self.size
        rim = {(x, y) for x in range(width) for y in (0, height - 1)}
        rim |= {(x, y) for x in (0, width - 1) for y in range(height)}
        if openings := rim.difference(closed):
            raise ValueError(f"the map of {self.name} is not enclosed: {min(openings)} is open")
        if len(self.spawns) < self.players:
            raise ValueError(f"{self.name} has {self.players} avatars and {len(self.spawns)} spawn points")


def rows(drawing: str) -> tuple[str, ...]:
    """The rows of a drawn map, all of one width.

    >>> rows("WWW\\nW W\\nWWW")
    ('WWW', 'W W', 'WWW')
    """
    lines = tuple(drawing.strip("\n").split("\n"))
    width = max(map(len, lines))
    return tuple(line.ljust(width) for line in lines)


def cells(rows: tuple[str, ...], chars: str) -> tuple[tuple[int, int], ...]:
    """The positions (x, y) of ``chars``, row by row.

    >>> cells(("ab", "ba"), "b")
    ((1, 0), (0, 1))
    """
    return tuple((x, y) for y, line in enumerate(rows) for x, char in enumerate(line) if char in chars)
