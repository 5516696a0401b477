"""The compiled version of :mod:`.pixels`: tiles are copied 8 bytes at a time, many windows in one call."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from otherminds.worlds.grid._compile import inner
from otherminds.worlds.grid.pixels import TILE, Codes, Paint, Pixels

WORDS = TILE * 3 // 8
"""One row of a tile, in words of 8 bytes."""


class Brush(NamedTuple):
    """A :class:`~.pixels.Paint` as kernels take it; a cell is y · ``wide`` + x on the map with its margin.

    ``tiles`` uint64[P + 1, 4, codes, 8, 3]: three colours of eight pixels are three
    words. ``ground`` uint16[cells]. ``gaze`` int64[4, rows, columns]: from the own
    cell to each cell of the window.
    """

    tiles: NDArray[np.uint64]
    ground: Codes
    gaze: NDArray[np.int64]
    margin: int
    wide: int


def brush(paint: Paint) -> Brush:
    """The brush for ``paint``."""
    wide = paint.ground.shape[1]
    gaze = paint.gaze.astype(np.int64)
    tiles = paint.tiles.reshape(*paint.tiles.shape[:4], TILE * 3).view(np.uint64)
    return Brush(tiles, paint.ground.ravel(), gaze[:, 0] * wide + gaze[:, 1], paint.margin, wide)


def frames(paint: Paint, worlds: int) -> tuple[Pixels, NDArray[np.uint64]]:
    """Room for the windows of all players: uint8[B, P, rows · 8, columns · 8, 3], and the same in words."""
    rows, columns = paint.gaze.shape[2:]
    players = len(paint.tiles) - 1
    pictures = np.zeros((worlds, players, rows * TILE, columns * TILE, 3), np.uint8)
    words = pictures.reshape(worlds, players, rows, TILE, columns * TILE * 3).view(np.uint64)
    return pictures, words.reshape(worlds, players, rows, TILE, columns, WORDS)


@inner
def see(brush, codes, player, x, y, facing, out):
    """The window of ``player`` at (x, y) into ``out`` (uint64[rows, 8, columns, 3])."""
    tiles, gaze = brush.tiles[player, facing], brush.gaze[facing]
    own = (y + brush.margin) * brush.wide + x + brush.margin
    for row in range(gaze.shape[0]):
        for column in range(gaze.shape[1]):
            tile = tiles[codes[own + gaze[row, column]]]
            for line in range(TILE):
                for word in range(WORDS):
                    out[row, line, column, word] = tile[line, word]
