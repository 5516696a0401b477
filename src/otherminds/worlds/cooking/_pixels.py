"""The compiled version of :mod:`.pixels`: the windows of all players of many worlds in one call."""

from __future__ import annotations

import numpy as np

from otherminds.worlds.cooking.pixels import AVATAR, BARS, LAID, POTS, painted
from otherminds.worlds.cooking.rules import EMPTY, ITEMS, Rules
from otherminds.worlds.cooking.state import BAR, BEAMS, FACING, HELD, INSIDE, State, X, Y
from otherminds.worlds.grid._kernel import GridPainter, compiled, inner, see
from otherminds.worlds.grid.pixels import Pixels

HOLDS = len(ITEMS)


@inner
def show(brush, state, b, counters, pots, codes):
    """The codes of world ``b`` into ``codes``.

    ``counters`` int64[N]: the cells of the containers, -1 for dispensers. ``pots`` int64[M]: those of the pots.
    """
    for at in range(codes.size):
        codes[at] = brush.ground[at]
    avatars, beam = state.avatars[b], state.beam[b]
    beams = avatars.shape[0] + 1
    for n in range(counters.size):
        if counters[n] >= 0:
            codes[counters[n]] = (LAID + state.items[b, n]) * beams
    for n in range(pots.size):
        codes[pots[n]] = (POTS + state.pots[b, n, INSIDE] * BARS + state.pots[b, n, BAR]) * beams
    for i in range(avatars.shape[0]):
        at = (avatars[i, Y] + brush.margin) * brush.wide + avatars[i, X] + brush.margin
        codes[at] = (AVATAR + (i * 4 + avatars[i, FACING]) * HOLDS + avatars[i, HELD]) * beams
    if state.clock[b, BEAMS]:
        width = brush.wide - 2 * brush.margin
        for n in range(beam.size):
            codes[(n // width + brush.margin) * brush.wide + n % width + brush.margin] += beam[n]


@compiled
def observe_all(brush, state, counters, pots, out):
    """All windows of all worlds into ``out`` (uint64[B, P, rows, 8, columns, 3])."""
    codes = np.empty_like(brush.ground)
    for b in range(out.shape[0]):
        show(brush, state, b, counters, pots, codes)
        for i in range(out.shape[1]):
            see(brush, codes, i, state.avatars[b, i], out[b, i])


class Painter(GridPainter):
    """Paints the windows of all players of ``worlds`` worlds under ``rules``."""

    def __init__(self, rules: Rules, worlds: int) -> None:
        super().__init__(painted(rules), worlds)
        counters = [
            self.cell(*place) if stock == EMPTY else -1
            for place, stock in zip(rules.containers, rules.stock, strict=True)
        ]
        self._counters = np.array(counters, np.int64)
        self._pots = np.array([self.cell(*place) for place in rules.pots], np.int64)

    def observe(self, state: State) -> Pixels:
        """uint8[B, P, rows · 8, columns · 8, 3], Melting Pot's RGB; the next call overwrites it."""
        observe_all(self._brush, state, self._counters, self._pots, self._words)
        return self._pictures
