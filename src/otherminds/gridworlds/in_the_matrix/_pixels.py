"""The compiled version of :mod:`.pixels`: the windows of all players of many worlds in one call."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from otherminds.gridworlds.grid._kernel import Brush, brush, compiled, inner, see, spots
from otherminds.gridworlds.grid.pixels import Codes
from otherminds.gridworlds.in_the_matrix.pixels import BEAM, MARKS, RESOURCE, painted
from otherminds.gridworlds.in_the_matrix.rules import Rules
from otherminds.gridworlds.in_the_matrix.state import ALIVE, BEAMS, FACING, KIND, MARK, SHOWN, X, Y


class Scene(NamedTuple):
    """What pictures are made of.

    ``places`` int64[N]: the cells where resources grow. ``avatar``: the first code of avatars. ``codes`` is room
    to work in, so a scene serves one thread at a time.
    """

    brush: Brush
    places: NDArray[np.int64]
    avatar: int
    codes: Codes


def scene(rules: Rules) -> Scene:
    """The scene of ``rules``."""
    made = brush(painted(rules))
    return Scene(made, spots(made, rules.places), RESOURCE + len(rules.classes), np.empty_like(made.ground))


@inner
def draw(scene, state, b, out):
    """The windows of all players of world ``b`` into ``out`` (uint64[P, rows, 8, columns, 3])."""
    brush, codes = scene.brush, scene.codes
    for at in range(codes.size):
        codes[at] = brush.ground[at]
    resources, avatars, beam = state.resources[b], state.avatars[b], state.beam[b]
    for n in range(scene.places.size):
        if resources[n, SHOWN]:
            codes[scene.places[n]] = RESOURCE + resources[n, KIND]
    for i in range(avatars.shape[0]):
        if avatars[i, ALIVE]:
            at = (avatars[i, Y] + brush.margin) * brush.wide + avatars[i, X] + brush.margin
            codes[at] = scene.avatar + (i * 4 + avatars[i, FACING]) * MARKS + avatars[i, MARK]
    if state.clock[b, BEAMS]:
        width = brush.wide - 2 * brush.margin
        for n in range(beam.size):
            if beam[n]:
                codes[(n // width + brush.margin) * brush.wide + n % width + brush.margin] = BEAM
    for i in range(avatars.shape[0]):
        if avatars[i, ALIVE]:
            see(brush, codes, i, avatars[i], out[i])
        else:
            out[i] = 0


@compiled
def draw_all(scene, state, out):
    """All windows of all worlds into ``out`` (uint64[B, P, rows, 8, columns, 3])."""
    for b in range(out.shape[0]):
        draw(scene, state, b, out[b])
