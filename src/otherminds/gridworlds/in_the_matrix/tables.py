"""What the compiled kernel looks up: a substrate's rules as arrays and numbers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from otherminds.gridworlds.in_the_matrix import views
from otherminds.gridworlds.in_the_matrix.rules import Rules

WALL, OPEN = -1, 0  # Codes of ``ground``; n + 1 is where resource n grows
UNITS: NDArray[np.uint32] = np.eye(views.LAYERS, dtype=np.uint8).view(np.uint32)[:, 0]
"""One in each of the layers of a window's cell, the cell read as one number."""


class Tables(NamedTuple):
    """One substrate of P avatars, N resources, K classes on a map of H × W cells; a cell is y · W + x.

    ``ground`` int32[H·W]: codes above. ``places`` int32[N, 3]: the cell where each
    resource grows, its class (-1: chance draws it) and its place on the canvas.
    ``spawns`` int32[S, 2]: x and y. ``game`` float64[2, K, K]: what the row player
    gets, and the column player. ``bounds`` float64[C]: between the colours of a result.
    ``sides`` int64[P] and ``numbers`` uint32[P]: see :class:`~.rules.Rules`.

    ``canvas`` uint32[(H + 2m) · (W + 2m)] is the empty map as windows show it (one cell one number), in a
    ``margin`` of m cells of nothing; ``gaze`` uint32[4, rows · columns] is where on the canvas an avatar of
    each orientation sees each cell of its window, from the place m columns left and m rows above its own (so
    that no number is negative, for which kernels would have to look). The other numbers are those of
    :class:`~.rules.Rules`.
    """

    ground: NDArray[np.int32]
    places: NDArray[np.int32]
    spawns: NDArray[np.int32]
    game: NDArray[np.float64]
    bounds: NDArray[np.float64]
    sides: NDArray[np.int64]
    numbers: NDArray[np.uint32]
    canvas: NDArray[np.uint32]
    gaze: NDArray[np.uint32]
    margin: int
    width: int
    refill: bool
    random_ties: bool
    one_shot: bool
    regrowth: float
    ending: float
    delay: int
    respawn: int
    minimum: int
    interval: int
    maximum: int
    freeze: int
    cooldown: int
    health: int


def tables(rules: Rules) -> Tables:
    """The tables of ``rules``.

    Raises:
        ValueError: walls do not enclose the map, or there are fewer spawn points than avatars.
    """
    width, height = rules.size
    rules.check(rules.walls)
    view = rules.view
    margin = view.margin
    wide = width + 2 * margin
    ground = np.full(height * width, OPEN, np.int32)
    canvas = np.zeros((height + 2 * margin) * wide, np.uint32)
    for x, y in rules.walls:
        ground[y * width + x] = WALL
        canvas[(y + margin) * wide + x + margin] = views.WALL * UNITS[views.THING]
    places = np.zeros((len(rules.places), 3), np.int32)
    for n, ((x, y), kind) in enumerate(zip(rules.places, rules.fixed, strict=True)):
        ground[y * width + x] = n + 1
        places[n] = y * width + x, kind, (y + margin) * wide + x + margin
    return Tables(
        ground=ground,
        places=places,
        spawns=np.array(rules.spawns, np.int32),
        game=np.array([rules.row, rules.column], np.float64),
        bounds=np.array(rules.bounds, np.float64),
        sides=np.array(rules.sides, np.int64),
        numbers=np.array(rules.numbers, np.uint32),
        canvas=canvas,
        gaze=view.reach(wide),
        margin=margin,
        width=width,
        refill=rules.refill,
        random_ties=rules.random_ties,
        one_shot=rules.one_shot,
        regrowth=float(rules.regrowth),
        ending=float(rules.ending),
        delay=rules.delay,
        respawn=rules.respawn,
        minimum=rules.minimum,
        interval=rules.interval,
        maximum=rules.maximum,
        freeze=rules.freeze,
        cooldown=rules.cooldown,
        health=rules.health,
    )
