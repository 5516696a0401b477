"""What the compiled kernel looks up: a substrate's rules as arrays and numbers."""

from __future__ import annotations

from typing import NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from otherminds.gridworlds.commons import views
from otherminds.gridworlds.commons.rules import Beam, Law, Rules
from otherminds.gridworlds.grid.rules import cells

CHANCE, DENSITY, CLEANNESS = range(3)
"""The laws of growth, by number."""
RADIUS = 2
"""How far an apple counts as near."""
MOST = 12
"""The most places within that distance, beside the own one."""
UNITS: NDArray[np.uint32] = np.eye(views.LAYERS, dtype=np.uint8).view(np.uint32)[:, 0]
"""One in each of the layers of a window's cell, the cell read as one number."""


class Tables(NamedTuple):
    """One substrate of P avatars, N places where something grows, on a map of H × W cells; a cell is y · W + x.

    ``fresh`` uint8[H·W]: what each cell shows at the start. ``places`` int32[N]: cells. ``place_of`` int32[H·W]: the number of the place
    in a cell, -1 for none. ``under`` uint8[N]: what is left where something was taken. ``neighbours`` int32[N, 12]: places within distance 2, -1 after the last. ``water``
    int32[R]: cells of the river, and ``banks`` int32[K] those that can be dirty. ``spawns``, ``inside`` int32[S, 2]: x and y of spawn points, and of those at which the first two avatars
    begin, where there are any. ``gaze`` uint32[4, rows · columns]: as in
    :meth:`~otherminds.gridworlds.grid.rules.View.reach`, on a canvas with a ``margin``. The other numbers are those of
    :class:`~.rules.Rules`; a beam of length 0 cannot be fired.
    """

    law: int
    fresh: NDArray[np.uint8]
    places: NDArray[np.int32]
    place_of: NDArray[np.int32]
    under: NDArray[np.uint8]
    neighbours: NDArray[np.int32]
    water: NDArray[np.int32]
    banks: NDArray[np.int32]
    spawns: NDArray[np.int32]
    inside: NDArray[np.int32]
    rates: NDArray[np.float64]
    gaze: NDArray[np.uint32]
    margin: int
    width: int
    smallest: int
    largest: int
    zap_length: int
    zap_cooldown: int
    respawn: int
    clean_length: int
    clean_cooldown: int
    harm: float
    depletion: float
    fouling: float
    delay: int
    ending: float
    minimum: int
    interval: int
    maximum: int


def tables(rules: Rules) -> Tables:
    """The tables of ``rules``.

    Raises:
        ValueError: walls do not enclose the map, or there are fewer spawn points than avatars.
    """
    law = get_args(Law).index(rules.law)
    if law != CHANCE:
        rules.check(rules.walls)
    width, height = rules.size
    view = rules.view
    numbers = [y * width + x for x, y in rules.places]
    place_of = np.full(height * width, -1, np.int32)
    place_of[numbers] = range(len(numbers))
    neighbours = np.full((len(numbers), MOST), -1, np.int32)
    if law == DENSITY:
        for n, place in enumerate(rules.places):
            near = [m for m, other in enumerate(rules.places) if other != place and _is_near(place, other)]
            neighbours[n, : len(near)] = near
    zap, cleaner = rules.zap or Beam(0, 1), rules.cleaner or Beam(0, 1)
    return Tables(
        law=law,
        fresh=np.array(rules.fresh, np.uint8).ravel(),
        places=np.array(numbers, np.int32),
        place_of=place_of,
        under=np.array(rules.under, np.uint8),
        neighbours=neighbours,
        water=np.array([y * width + x for x, y in cells(rules.drawn, rules.river)], np.int32),
        banks=np.array([y * width + x for x, y in cells(rules.drawn, rules.banks)], np.int32),
        spawns=np.array(rules.spawns, np.int32).reshape(-1, 2),
        inside=np.array(cells(rules.drawn, rules.inside), np.int32).reshape(-1, 2),
        rates=np.array(rules.rates, np.float64),
        gaze=view.reach(width + 2 * view.margin),
        margin=view.margin,
        width=width,
        smallest=rules.smallest,
        largest=width - 2,
        zap_length=zap.length,
        zap_cooldown=zap.cooldown,
        respawn=rules.respawn,
        clean_length=cleaner.length,
        clean_cooldown=cleaner.cooldown,
        harm=float(rules.harm),
        depletion=float(rules.depletion),
        fouling=float(rules.fouling),
        delay=rules.delay,
        ending=float(rules.ending),
        minimum=rules.minimum,
        interval=rules.interval,
        maximum=rules.maximum,
    )


def _is_near(place: tuple[int, int], other: tuple[int, int]) -> bool:
    return (place[0] - other[0]) ** 2 + (place[1] - other[1]) ** 2 <= RADIUS**2
