"""The compiled version of :mod:`.pixels`: the windows of all players of many worlds in one call."""

from __future__ import annotations

import numpy as np

from otherminds.worlds.grid._kernel import GridPainter, compiled, inner, see
from otherminds.worlds.grid.pixels import Pixels
from otherminds.worlds.in_the_matrix.pixels import BEAM, MARKS, RESOURCE, painted
from otherminds.worlds.in_the_matrix.rules import Rules
from otherminds.worlds.in_the_matrix.state import ALIVE, BEAMS, FACING, KIND, MARK, SHOWN, State, X, Y


@inner
def show(brush, state, b, places, avatar, codes):
    """The codes of world ``b`` into ``codes``. ``places`` int64[N]: the cells where resources grow."""
    for at in range(codes.size):
        codes[at] = brush.ground[at]
    resources, avatars, beam = state.resources[b], state.avatars[b], state.beam[b]
    for n in range(places.size):
        if resources[n, SHOWN]:
            codes[places[n]] = RESOURCE + resources[n, KIND]
    for i in range(avatars.shape[0]):
        if avatars[i, ALIVE]:
            at = (avatars[i, Y] + brush.margin) * brush.wide + avatars[i, X] + brush.margin
            codes[at] = avatar + (i * 4 + avatars[i, FACING]) * MARKS + avatars[i, MARK]
    if state.clock[b, BEAMS]:
        width = brush.wide - 2 * brush.margin
        for n in range(beam.size):
            if beam[n]:
                codes[(n // width + brush.margin) * brush.wide + n % width + brush.margin] = BEAM


@compiled
def observe_all(brush, state, places, avatar, out):
    """All windows of all worlds into ``out`` (uint64[B, P, rows, 8, columns, 3])."""
    codes = np.empty_like(brush.ground)
    for b in range(out.shape[0]):
        show(brush, state, b, places, avatar, codes)
        for i in range(out.shape[1]):
            if state.avatars[b, i, ALIVE]:
                see(brush, codes, i, state.avatars[b, i], out[b, i])
            else:
                out[b, i] = 0


class Painter(GridPainter):
    """Paints the windows of all players of ``worlds`` worlds under ``rules``."""

    def __init__(self, rules: Rules, worlds: int) -> None:
        super().__init__(painted(rules), worlds)
        self._places = np.array([self.cell(*place) for place in rules.places], np.int64)
        self._avatar = RESOURCE + len(rules.classes)

    def observe(self, state: State) -> Pixels:
        """uint8[B, P, rows · 8, columns · 8, 3], Melting Pot's RGB; the next call overwrites it."""
        observe_all(self._brush, state, self._places, self._avatar, self._words)
        return self._pictures
