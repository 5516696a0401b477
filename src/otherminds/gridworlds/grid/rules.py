"""The rules that all gridworlds share: actions and players, drawn maps and the windows of seats, random numbers.

Actions, orientations and players have their names and numbers in Melting Pot. Random numbers are SplitMix64 (Steele,
Lea and Flood 2014), a 64-bit counter and a mixing function, so that they are equal in plain Python and in compiled
kernels, and the random state of a world is one number in an array."""

from __future__ import annotations

from collections.abc import Collection, Iterator, MutableSequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from otherminds.core.data import Seat

ACTIONS = ("NOOP", "FORWARD", "BACKWARD", "STEP_LEFT", "STEP_RIGHT", "TURN_LEFT", "TURN_RIGHT", "INTERACT")
NOOP, FORWARD, BACKWARD, STEP_LEFT, STEP_RIGHT, TURN_LEFT, TURN_RIGHT, INTERACT = range(8)

NORTH, EAST, SOUTH, WEST = range(4)
COMPASS = ("N", "E", "S", "W")
DX = (0, 1, 0, -1)
DY = (-1, 0, 1, 0)  # One step in each orientation: x grows to the east, y to the south

HEADING = (-1, 0, 2, 3, 1, -1, -1, -1)
"""Quarter turns clockwise from the own orientation to where an action moves; -1: it does not move."""
TURN = (0, 0, 0, 0, 0, 3, 1, 0)  # Quarter turns clockwise that an action makes
MOVES = tuple(range(FORWARD, TURN_RIGHT + 1))
"""The actions that change where an avatar stands, or which way it faces."""
UNREACHED = 1 << 20
"""More than any distance."""


def seat_of(player: int) -> Seat:
    """The seat of player number ``player``.

    >>> seat_of(0), seat_of(3)
    ('ego', 'partner_2')
    """
    return "ego" if player == 0 else f"partner_{player - 1}"


def player_of(seat: Seat) -> int:
    """The number of the player in ``seat``.

    >>> player_of("ego"), player_of("partner_0")
    (0, 1)
    """
    return 0 if seat == "ego" else int(seat.removeprefix("partner_")) + 1


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

    @property
    def actions(self) -> tuple[str, ...]:
        """The names of the actions, by number."""
        return ACTIONS

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

    def reach(self, closed: Collection[tuple[int, int]]) -> frozenset[tuple[int, int]]:
        """The cells that avatars can come to from their spawn points without entering ``closed`` ones.

        All other cells that are not closed are void: the world outside of a map that is no rectangle.
        """
        width, height = self.size
        left = {(x, y) for x in range(width) for y in range(height)}.difference(closed)
        ahead = left.intersection(self.spawns)
        reached: set[tuple[int, int]] = set()
        while ahead:
            reached |= ahead
            left -= ahead
            ahead = {
                (x + dx, y + dy) for x, y in ahead for dx, dy in ((0, 1), (1, 0), (0, -1), (-1, 0))
            } & left
        return frozenset(reached)

    def check(self, closed: Collection[tuple[int, int]]) -> None:
        """Checks that avatars, which cannot enter ``closed`` cells, cannot leave the map, and that all can be placed.

        Raises:
            ValueError: a cell at the rim can be reached, or there are fewer spawn points than avatars.
        """
        width, height = self.size
        rim = {(x, y) for x in range(width) for y in (0, height - 1)}
        rim |= {(x, y) for x in (0, width - 1) for y in range(height)}
        if openings := rim & self.reach(closed):
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


MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15
FIRST, SECOND = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
UNIT = 1.0 / (1 << 53)


def following(seed: int | None) -> int:
    """The seed of a reset without one: that of the episode after the one under ``seed``, as in batches, or any."""
    if seed is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
    return Luck(seed).next()


class Luck:
    """The plain version. ``state`` is the counter, 0 to 2**64 - 1.

    >>> Luck(0).next()
    16294208416658607535
    """

    def __init__(self, seed: int) -> None:
        self.state = seed & MASK

    def next(self) -> int:
        """64 random bits."""
        self.state = (self.state + GOLDEN) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * FIRST) & MASK
        z = ((z ^ (z >> 27)) * SECOND) & MASK
        return z ^ (z >> 31)

    def uniform(self) -> float:
        """A number in [0, 1), of 53 bits."""
        return (self.next() >> 11) * UNIT

    def below(self, n: int) -> int:
        """An integer from 0 to ``n - 1``."""
        return int(self.uniform() * n)

    def shuffle(self, items: MutableSequence[Any]) -> None:
        """Fisher and Yates, from the end."""
        for i in range(len(items) - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]
