"""Pictures made of tiles of 8 × 8 pixels: the sprites, how they lie over each other, where a seat looks.

The sprites are Melting Pot's (``sprites.npz``; see ``sprites.md`` for source and licence). A world lists all
that a cell can show, each in a code of its own; what a code looks like is worked out once, for every viewer
and every way to look at it, so that a picture is a single look-up of tiles.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from otherminds.gridworlds.grid.rules import View

TILE = 8  # Pixels along the side of a cell
WORDS = TILE * 3 // 8  # One row of a tile, in words of 8 bytes

Pixels = NDArray[np.uint8]
Codes = NDArray[np.uint16]  # What each cell shows, as a number of the world's own; 0 is black


@cache
def sprites() -> dict[str, Pixels]:
    """All sprites by name, read-only, uint8[..., 8, 8, 4]: red, green, blue, opacity.

    A sprite that turns has an axis of four orientations (N, E, S, W) before its
    pixels: ``wall``, ``pair``, ``crowd`` and ``cooks``.
    """
    with np.load(Path(__file__).with_name("sprites.npz")) as file:
        images = {name: file[name] for name in file.files}
    for sprite in images.values():
        sprite.flags.writeable = False
    return images


def overlaid(*layers: Pixels) -> Pixels:
    """The tile, uint8[8, 8, 3], that shows ``layers`` of sprites, the lowest first, on black.

    Half-transparent pixels are mixed in whole numbers and rounded to the nearest.
    """
    tile = np.zeros((TILE, TILE, 3), np.int64)
    for layer in layers:
        opacity = layer[..., 3:].astype(np.int64)
        tile = (layer[..., :3] * opacity + tile * (255 - opacity) + 127) // 255
    return tile.astype(np.uint8)


@dataclass(frozen=True)
class Paint:
    """What the pictures of one substrate are made of, on a map of H × W cells.

    ``tiles`` uint8[P + 1, 4, codes, 8, 8, 3]: how a code looks to player i facing N, E, S or W; the last
    viewer is the spectator, who looks north. ``ground`` uint16[H + 2m, W + 2m]: the codes of the map with
    nobody on it, in a ``margin`` of m cells of nothing. ``gaze`` int32[4, 2, rows, columns]: how far down and
    to the right of itself a player of each orientation sees each cell of its window.
    """

    tiles: Pixels
    ground: Codes
    margin: int
    gaze: NDArray[np.int32]

    def whole(self, codes: Codes, scale: int) -> Pixels:
        """The map without its margin, each pixel ``scale`` times as large: uint8[H · 8 · scale, W · 8 · scale, 3]."""
        bottom, right = (length - self.margin for length in codes.shape)
        small = picture(self.tiles[-1, 0], codes[self.margin : bottom, self.margin : right])
        return small.repeat(scale, axis=0).repeat(scale, axis=1)


def paint(tiles: Pixels, ground: Codes, view: View) -> Paint:
    """The paint of ``tiles`` for a map of ``ground``, uint16[H, W], seen through windows of ``view``."""
    tiles.flags.writeable = False
    return Paint(tiles, np.pad(ground, view.margin), view.margin, view.gaze)


def picture(tiles: Pixels, codes: Codes) -> Pixels:
    """The tiles uint8[n, 8, 8, 3] that ``codes`` [rows, columns] ask for, as one picture."""
    rows, columns = codes.shape
    return tiles[codes].swapaxes(1, 2).reshape(rows * TILE, columns * TILE, 3)


def words(pictures: Pixels) -> NDArray[np.uint64]:
    """A view of ``pictures`` for kernels: uint64[..., rows, 8, columns, 3] of uint8[..., rows · 8, columns · 8, 3]."""
    *most, high, wide, colours = pictures.shape
    lines = pictures.reshape(*most, high // TILE, TILE, wide * colours).view(np.uint64)
    return lines.reshape(*most, high // TILE, TILE, wide // TILE, WORDS)
