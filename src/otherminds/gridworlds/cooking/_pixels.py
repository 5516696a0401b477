"""The compiled version of :mod:`.pixels`: the windows of all players of many worlds in one call."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from otherminds.gridworlds.cooking.pixels import AVATAR, BARS, LAID, POTS, painted
from otherminds.gridworlds.cooking.rules import EMPTY, ITEMS, Rules
from otherminds.gridworlds.cooking.state import BAR, BEAMS, FACING, HELD, INSIDE, X, Y
from otherminds.gridworlds.grid._kernel import Brush, brush, compiled, inner, see, spots
from otherminds.gridworlds.grid.pixels import Codes

HOLDS = len(ITEMS)


class Scene(NamedTuple):
    """What pictures are made of.

    ``counters`` int64[N]: the cells of the containers, -1 for dispensers. ``pots`` int64[M]: those of the pots.
    ``codes`` is room to work in, so a scene serves one thread at a time.
    """

    brush: Brush
    counters: NDArray[np.int64]
    pots: NDArray[np.int64]
    codes: Codes


def scene(rules: Rules) -> Scene:
    """The scene of ``rules``."""
    made = brush(painted(rules))
    counters = np.where(np.array(rules.stock) == EMPTY, spots(made, rules.containers), -1)
    return Scene(made, counters, spots(made, rules.pots), np.empty_like(made.ground))


@inner
def draw(scene, state, b, out):
    """The windows of all players of world ``b`` into ``out`` (uint64[P, rows, 8, columns, 3])."""
    brush, codes = scene.brush, scene.codes
    for at in range(codes.size):
        codes[at] = brush.ground[at]
    avatars, beam = state.avatars[b], state.beam[b]
    beams = avatars.shape[0] + 1
    for n in range(scene.counters.size):
        if scene.counters[n] >= 0:
            codes[scene.counters[n]] = (LAID + state.items[b, n]) * beams
    for n in range(scene.pots.size):
        codes[scene.pots[n]] = (POTS + state.pots[b, n, INSIDE] * BARS + state.pots[b, n, BAR]) * beams
    for i in range(avatars.shape[0]):
        at = (avatars[i, Y] + brush.margin) * brush.wide + avatars[i, X] + brush.margin
        codes[at] = (AVATAR + (i * 4 + avatars[i, FACING]) * HOLDS + avatars[i, HELD]) * beams
    if state.clock[b, BEAMS]:
        width = brush.wide - 2 * brush.margin
        for n in range(beam.size):
            codes[(n // width + brush.margin) * brush.wide + n % width + brush.margin] += beam[n]
    for i in range(avatars.shape[0]):
        see(brush, codes, i, avatars[i], out[i])


@compiled
def draw_all(scene, state, out):
    """All windows of all worlds into ``out`` (uint64[B, P, rows, 8, columns, 3])."""
    for b in range(out.shape[0]):
        draw(scene, state, b, out[b])
