"""Windows and maps in colour, pixel for pixel as Melting Pot draws them.

A cell shows a wall, a resource, an avatar with its marker, or a beam, which hides the
rest; floor and the outside of the map are black. Walls and avatars are drawn in their
orientation relative to the viewer, so a picture shows which way others face and, by the
pattern of the walls, where north is. A removed avatar sees black.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from otherminds.gridworlds.grid.pixels import TILE, Codes, Paint, Pixels, overlaid, paint, sprites
from otherminds.gridworlds.in_the_matrix import state as columns
from otherminds.gridworlds.in_the_matrix.rules import Rules
from otherminds.gridworlds.in_the_matrix.state import State

# Codes of what a cell shows.
BLACK, WALL, BEAM, RESOURCE = range(4)
"""A resource of class k is RESOURCE + k. After all K classes come the avatars: number i
facing f with mark m is RESOURCE + K + (i · 4 + f) · MARKS + m."""
MARKS = 7
COLOURS = ("yellow", "purple", "blue", "green", "red")
"""The resources in the order of their sprites."""


@cache
def mix_paint(rules: Rules) -> Paint:
    """The paint for ``rules``. It is mixed once and takes up to 1.6 MB (arena).

    Raises:
        ValueError: there are not enough sprites for the players, or none for a resource.
    """
    art = sprites()
    avatar = RESOURCE + len(rules.classes)
    block = 4 * MARKS
    tiles = np.zeros((rules.players + 1, 4, avatar + rules.players * block, TILE, TILE, 3), np.uint8)
    tiles[:, :, BEAM] = overlaid(art["beam"])
    for kind, colour in enumerate(rules.colours):
        tiles[:, :, RESOURCE + kind] = overlaid(art["resources"][COLOURS.index(colour)])
    bodies = art["crowd" if rules.distinct else "pair"]
    if rules.distinct and rules.players >= len(bodies):
        most = len(bodies) - 1
        raise ValueError(f"{rules.name} has {rules.players} players, and there are sprites for {most}")
    marked = np.array([[[overlaid(way, mark) for mark in art["marks"]] for way in body] for body in bodies])
    for facing in range(4):
        tiles[:, facing, WALL] = overlaid(art["wall"][-facing % 4])
        for viewer in range(rules.players + 1):
            for i in range(rules.players):
                looks = marked[0 if viewer == i else 1 + i if rules.distinct else 1]
                start = avatar + i * block
                turned = np.roll(looks, facing, axis=0).reshape(block, TILE, TILE, 3)
                tiles[viewer, facing, start : start + block] = turned
    width, height = rules.size
    ground = np.full((height, width), BLACK, np.uint16)
    for x, y in rules.walls:
        ground[y, x] = WALL
    return paint(tiles, ground, rules.view)


def encode_map(rules: Rules, state: State, b: int) -> Codes:
    """The codes of world ``b`` with the margin of its :class:`~otherminds.gridworlds.grid.pixels.Paint`."""
    paint = mix_paint(rules)
    m = paint.margin
    codes = paint.ground.copy()
    for (x, y), (kind, there, *_) in zip(rules.places, state.resources[b].tolist(), strict=True):
        if there:
            codes[y + m, x + m] = RESOURCE + kind
    avatar = RESOURCE + len(rules.classes)
    for i, row in enumerate(state.avatars[b].tolist()):
        if row[columns.ALIVE]:
            looks = (i * 4 + row[columns.FACING]) * MARKS + row[columns.MARK]
            codes[row[columns.Y] + m, row[columns.X] + m] = avatar + looks
    width, _ = rules.size
    for n in np.flatnonzero(state.beam[b]).tolist():
        codes[n // width + m, n % width + m] = BEAM
    return codes


def world(rules: Rules, state: State, b: int, scale: int = 1) -> Pixels:
    """The whole map of world ``b``, for replays: uint8[H · 8 · scale, W · 8 · scale, 3].

    With ``scale`` 1 it is Melting Pot's WORLD.RGB.
    """
    return mix_paint(rules).whole(encode_map(rules, state, b), scale)
