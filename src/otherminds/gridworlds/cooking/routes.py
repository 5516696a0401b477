"""What follows from a kitchen's map: the ways and windows of its poses, once as Python and once as arrays.

The compiled cooks (:mod:`._cooks`) look the map up in the arrays, the :class:`Routes`."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from otherminds.gridworlds.cooking.rules import (
    COUNTER,
    DISH,
    DISHES,
    HATCH,
    TOMATO,
    TOMATOES,
    Rules,
)
from otherminds.gridworlds.grid.paths import STEPS, Cell, Ground, PathSearch, Pose, moved, ways
from otherminds.gridworlds.grid.rules import DX, DY, NOOP, UNREACHED

FULL_BAR = 10


class KitchenLayout:
    """What follows from the map alone; cached by :func:`layout`. Ways are those of an empty kitchen."""

    def __init__(self, rules: Rules) -> None:
        width, height = rules.size
        self.rules = rules
        self.things = {(x, y): rules.things[y][x] for y in range(height) for x in range(width)}
        self.ground = Ground(rules.size, (cell for cell in self.things if cell not in rules.floor))
        self._search = PathSearch(self.ground, STEPS)
        self.sources = {TOMATO: self._all(TOMATOES), DISH: self._all(DISHES)}
        self.hatches = self._all(HATCH)
        self.counters = self._all(COUNTER)
        poses = [(x, y, facing) for x, y in self.ground.open for facing in range(4)]
        self.shown = {pose: self._window(pose) for pose in poses}
        self._ways: dict[tuple[Pose, Cell], tuple[int, ...] | None] = {}
        self.rooms = self._list_rooms()
        self.room = {cell: n for n, room in enumerate(self.rooms) for cell in room}
        self._serves: dict[int, bool] = {}

    def way(self, pose: Pose, cell: Cell) -> tuple[int, ...] | None:
        """The fewest actions to reach ``cell``, or to face it if it is closed; ``None`` if there is no way."""
        if (pose, cell) not in self._ways:
            x, y = cell
            goals = self.ground.stands(cell) or {(x - DX[way], y - DY[way], way) for way in range(4)}
            # A fixed choice among equally short ways, since the result is cached for all cooks.
            self._ways[pose, cell] = self._search.path(pose, goals, seed=0)
        return self._ways[pose, cell]

    def nearest(self, pose: Pose, cells: Iterable[Cell]) -> Cell | None:
        """The one of ``cells`` that is reached in the fewest actions; ``None`` if none can be."""
        ways = [(len(way), cell) for cell in cells if (way := self.way(pose, cell)) is not None]
        return min(ways)[1] if ways else None

    def tour(self, pose: Pose, *stops: Iterable[Cell]) -> tuple[int, Pose]:
        """The steps to use the nearest cell of each of ``stops`` in turn, and the pose at the end.

        A stop that cannot be reached costs more than any tour.
        """
        steps = 0
        for cells in stops:
            cell = self.nearest(pose, cells)
            if cell is None:
                return UNREACHED, pose
            for action in self.way(pose, cell) or ():
                pose = moved(pose, action)
                steps += 1
            steps += 1
        return steps, pose

    def serves(self, pose: Pose) -> bool:
        """Whether in the room of ``pose`` the round of serving is shorter than that of one tomato.

        Such a room is the one to serve from; another to supply tomatoes from.
        """
        number = self.room[pose[:2]]
        if number not in self._serves:
            first = (*min(self.rooms[number]), 0)
            pots, dishes, tomatoes = self.rules.pots, self.sources[DISH], self.sources[TOMATO]
            serving, _ = self.tour(self.tour(first, dishes)[1], pots, self.hatches, dishes)
            supplying, _ = self.tour(self.tour(first, tomatoes)[1], pots, tomatoes)
            self._serves[number] = serving < supplying
        return self._serves[number]

    def uses(self, number: int, cells: Iterable[Cell]) -> bool:
        """Whether somebody in room ``number`` can use one of ``cells``."""
        pose = (*min(self.rooms[number]), 0)
        return any(self.way(pose, cell) is not None for cell in cells)

    @cached_property
    def passes(self) -> tuple[Cell, ...]:
        """Counters between rooms: what one lays there, another can take."""
        reached = [[self.uses(n, [cell]) for n in range(len(self.rooms))] for cell in self.counters]
        return tuple(cell for cell, by in zip(self.counters, reached, strict=True) if sum(by) > 1)

    def _list_rooms(self) -> tuple[frozenset[Cell], ...]:
        """The parts of the floor between which there is no way, in the order of their first cells."""
        rooms: list[frozenset[Cell]] = []
        for cell in sorted(self.ground.open):
            if not any(cell in room for room in rooms):
                rooms.append(
                    frozenset(c for c in self.ground.open if self.ground.distance(c, cell) < UNREACHED)
                )
        return tuple(rooms)

    def _all(self, tile: int) -> tuple[Cell, ...]:
        return tuple(cell for cell, there in self.things.items() if there == tile)

    def _window(self, pose: Pose) -> tuple[tuple[Cell, int, int], ...]:
        """What a window shows from ``pose``: (cell, row, column)."""
        cells = self.rules.view.cells(pose)
        return tuple((cell, row, column) for row, column, cell in cells if cell in self.things)


@lru_cache(maxsize=32)
def layout(rules: Rules) -> KitchenLayout:
    """The layout of ``rules``."""
    return KitchenLayout(rules)


OVERDUE = 12
"""Steps that soup may wait in a pot before the partner is no longer trusted to serve; a round takes it 9."""


class Routes(NamedTuple):
    """One map of H × W cells with N containers, M pots and T places of delivery.

    A cell is y · W + x, a pose 4 · cell + orientation. Rows of poses in closed cells are never looked up.

    ``length`` int32[4·H·W, H·W]: actions to face a closed cell, or to enter an open one, ``UNREACHED`` without a way;
    ``first`` int8[4·H·W, H·W]: the first of them, ``NOOP`` if there is none. ``rank`` int32[H·W]: the
    order of cells by x, then y, which decides among equally near ones. ``ahead`` int32[4·H·W]: the cell that
    the beam reaches. ``containers`` int32[N], ``pots`` int32[M], ``hatches`` int32[T]: their cells.
    ``stock`` int8[N]: what a dispenser gives, ``EMPTY`` for a counter.

    ``counters_shown`` int16[4·H·W, counters, 3] and ``pots_shown`` int16[4·H·W, M, 3]: the counters and pots
    in the window, each as its row and column there and its number; -1 after the last one. ``row`` and
    ``column`` are where the seat sees itself.

    ``serves`` bool[4·H·W]: whether the room is one to serve from. ``tour`` int32[4·H·W, M]: actions to use a
    dispenser of dishes and then a pot. ``lacks`` int8[4·H·W]: 0 in rooms with everything that a soup needs, 1 in
    those without something, 2 in those without a pot. ``passes`` int32[K]: counters between rooms. ``shared``: 1 if
    several avatars may be in one room, and get in each other's way. For such kitchens alone, else empty: ``after``
    int32[4·H·W, 8], where an action leads (-1: nowhere), and ``shown`` int32[4·H·W, rows · columns], the cell of the map
    that each cell of the window shows, -1 outside of it. The other numbers are those of :class:`~.rules.Rules`.
    """

    length: NDArray[np.int32]
    first: NDArray[np.int8]
    rank: NDArray[np.int32]
    ahead: NDArray[np.int32]
    containers: NDArray[np.int32]
    pots: NDArray[np.int32]
    hatches: NDArray[np.int32]
    stock: NDArray[np.int8]
    counters_shown: NDArray[np.int16]
    pots_shown: NDArray[np.int16]
    row: int
    column: int
    width: int
    serves: NDArray[np.bool_]
    tour: NDArray[np.int32]
    lacks: NDArray[np.int8]
    passes: NDArray[np.int32]
    shared: int
    after: NDArray[np.int32]
    shown: NDArray[np.int32]
    capacity: int
    cooking: int
    pay: float


@lru_cache(maxsize=8)
def routes(rules: Rules) -> Routes:
    """The routes of ``rules``; a search for each pose and each cell of the map."""
    kitchen = layout(rules)
    width, height = rules.size
    view = rules.view

    def numbers(places: Iterable[Cell]) -> NDArray[np.int32]:
        return np.array([y * width + x for x, y in places], np.int32)

    cells, poses = width * height, 4 * width * height
    length = np.full((poses, cells), UNREACHED, np.int32)
    first = np.full((poses, cells), NOOP, np.int8)
    ahead, serves = np.zeros(poses, np.int32), np.zeros(poses, np.bool_)
    tour = np.full((poses, len(rules.pots)), UNREACHED, np.int32)
    lacks = np.zeros(poses, np.int8)
    needed = (kitchen.sources[TOMATO], kitchen.sources[DISH], kitchen.hatches, rules.pots)
    lacking = [[not kitchen.uses(n, cells) for cells in needed] for n in range(len(kitchen.rooms))]
    seats = [sum(cell in room for cell in rules.spawns) for room in kitchen.rooms]
    shared = int(max(seats) > 1)
    shown = np.full((poses if shared else 0, view.shape[0] * view.shape[1]), -1, np.int32)
    pots = {cell: n for n, cell in enumerate(rules.pots)}
    counters = {c: n for n, c in enumerate(rules.containers) if kitchen.things[c] == COUNTER}
    pots_shown, counters_shown = (
        np.full((poses, len(numbered), 3), -1, np.int16) for numbered in (pots, counters)
    )
    for pose, visible in kitchen.shown.items():
        x, y, facing = pose
        at = 4 * (y * width + x) + facing
        for goal in kitchen.things:
            way = kitchen.way(pose, goal)
            if way is not None:
                there = goal[1] * width + goal[0]
                length[at, there] = len(way)
                first[at, there] = way[0] if way else NOOP
        ahead[at] = (y + DY[facing]) * width + x + DX[facing]
        serves[at] = kitchen.serves(pose)
        missing = lacking[kitchen.room[x, y]]
        lacks[at] = 2 if missing[-1] else any(missing)
        if shared:
            for (column, line), row, across in visible:
                shown[at, row * view.shape[1] + across] = line * width + column
        tour[at] = [kitchen.tour(pose, kitchen.sources[DISH], [pot])[0] for pot in rules.pots]
        for numbered, table in ((pots, pots_shown), (counters, counters_shown)):
            places = [(row, column, numbered[c]) for c, row, column in visible if c in numbered]
            table[at, : len(places)] = np.array(places, np.int16).reshape(-1, 3)
    return Routes(
        length=length,
        first=first,
        rank=np.arange(cells, dtype=np.int32).reshape(width, height).T.ravel(),
        ahead=ahead,
        containers=numbers(rules.containers),
        pots=numbers(rules.pots),
        hatches=numbers(kitchen.hatches),
        stock=np.array(rules.stock, np.int8),
        counters_shown=counters_shown,
        pots_shown=pots_shown,
        row=view.forward,
        column=view.left,
        width=width,
        serves=serves,
        tour=tour,
        lacks=lacks,
        passes=numbers(kitchen.passes),
        shared=shared,
        after=ways(kitchen.ground, STEPS).after if shared else np.zeros((0, 0), np.int32),
        shown=shown,
        capacity=rules.capacity,
        cooking=rules.cooking,
        pay=float(rules.pay),
    )


@lru_cache(maxsize=8)
def find_in_sight(rules: Rules) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which pots, bool[4·H·W, M], and which counters of all containers, bool[4·H·W, N], the window shows from a pose."""
    found = routes(rules)
    tables = (found.pots_shown, found.pots.size), (found.counters_shown, found.containers.size)
    pots, counters = ((shown[..., 2:] == np.arange(count)).any(axis=1) for shown, count in tables)
    return pots, counters
