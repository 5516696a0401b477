"""What compiled cooks look up: the ways, sights and tours of a :class:`~.kitchen.KitchenLayout` as arrays.

All entries are computed by the layout that the scripted cooks of Python walk by, so both take the same one of
equally short ways.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from otherminds.gridworlds.cooking.kitchen import layout
from otherminds.gridworlds.cooking.rules import COUNTER, DISH, Rules
from otherminds.gridworlds.grid.actions import DX, DY, NOOP
from otherminds.gridworlds.grid.paths import UNREACHED, Cell


class Routes(NamedTuple):
    """One map of H × W cells with N containers, M pots and T places of delivery.

    A cell is y · W + x, a pose 4 · cell + orientation. Rows of poses in closed cells are never looked up.

    ``length`` int32[4·H·W, H·W]: actions to face a closed cell, ``UNREACHED`` without a way;
    ``first`` int8[4·H·W, H·W]: the first of them, ``NOOP`` if there is none. ``rank`` int32[H·W]: the
    order of cells by x, then y, which decides among equally near ones. ``ahead`` int32[4·H·W]: the cell that
    the beam reaches. ``containers`` int32[N], ``pots`` int32[M], ``hatches`` int32[T]: their cells.
    ``stock`` int8[N]: what a dispenser gives, ``EMPTY`` for a counter.

    ``counters_shown`` int16[4·H·W, counters, 3] and ``pots_shown`` int16[4·H·W, M, 3]: the counters and pots
    in the window, each as its row and column there and its number; -1 after the last one. ``row`` and
    ``column`` are where the seat sees itself.

    ``serves`` bool[4·H·W]: whether the room is one to serve from. ``tour`` int32[4·H·W, M]: actions to use a
    dispenser of dishes and then a pot. The other numbers are those of :class:`~.rules.Rules`.
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
    capacity: int
    cooking: int
    pay: float


@lru_cache(maxsize=8)
def routes(rules: Rules) -> Routes:
    """The routes of ``rules``; a search for each pose and each thing on the map."""
    found = layout(rules)
    width, height = rules.size
    view = rules.view

    def numbers(places: Iterable[Cell]) -> NDArray[np.int32]:
        return np.array([y * width + x for x, y in places], np.int32)

    cells, poses = width * height, 4 * width * height
    length = np.full((poses, cells), UNREACHED, np.int32)
    first = np.full((poses, cells), NOOP, np.int8)
    ahead, serves = np.zeros(poses, np.int32), np.zeros(poses, np.bool_)
    tour = np.full((poses, len(rules.pots)), UNREACHED, np.int32)
    pots = {cell: n for n, cell in enumerate(rules.pots)}
    counters = {c: n for n, c in enumerate(rules.containers) if found.things[c] == COUNTER}
    pots_shown, counters_shown = (
        np.full((poses, len(numbered), 3), -1, np.int16) for numbered in (pots, counters)
    )
    for pose, seen in found.shown.items():
        x, y, facing = pose
        at = 4 * (y * width + x) + facing
        for goal in (*rules.containers, *rules.pots, *found.hatches):
            way = found.way(pose, goal)
            if way is not None:
                there = goal[1] * width + goal[0]
                length[at, there] = len(way)
                first[at, there] = way[0] if way else NOOP
        ahead[at] = (y + DY[facing]) * width + x + DX[facing]
        serves[at] = found.serves(pose)
        tour[at] = [found.tour(pose, found.sources[DISH], [pot])[0] for pot in rules.pots]
        for numbered, shown in ((pots, pots_shown), (counters, counters_shown)):
            places = [(row, column, numbered[c]) for c, row, column in seen if c in numbered]
            shown[at, : len(places)] = np.array(places, np.int16).reshape(-1, 3)
    return Routes(
        length=length,
        first=first,
        rank=np.arange(cells, dtype=np.int32).reshape(width, height).T.ravel(),
        ahead=ahead,
        containers=numbers(rules.containers),
        pots=numbers(rules.pots),
        hatches=numbers(found.hatches),
        stock=np.array(rules.stock, np.int8),
        counters_shown=counters_shown,
        pots_shown=pots_shown,
        row=view.forward,
        column=view.left,
        width=width,
        serves=serves,
        tour=tour,
        capacity=rules.capacity,
        cooking=rules.cooking,
        pay=float(rules.pay),
    )
