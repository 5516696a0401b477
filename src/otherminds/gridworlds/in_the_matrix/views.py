"""What a seat sees: its window in symbols, and as Melting Pot paints it.

A symbolic window is uint8[rows, columns, LAYERS] in the seat's own frame (see
:class:`~otherminds.gridworlds.grid.rules.View`). It shows what the official pixels show and no more: the
inventories of others are not seen, nor what lies outside the map. A removed avatar sees nothing."""

from __future__ import annotations

from functools import cache

import numpy as np

from otherminds.gridworlds.grid.pixels import TILE, Codes, Paint, Pixels, overlaid, paint, sprites
from otherminds.gridworlds.in_the_matrix import rules as columns
from otherminds.gridworlds.in_the_matrix.form import COLOURS
from otherminds.gridworlds.in_the_matrix.rules import Rules, State

# The layers of a window.
THING, AVATAR, FACING, MARK = range(4)
LAYERS = 4

NOTHING, WALL, RESOURCE = 0, 1, 2  # Codes of THING: a resource of class k is RESOURCE + k
NONE, SELF, OTHER = 0, 1, 2
"""Codes of AVATAR: another player is OTHER and its number (:attr:`.rules.Rules.numbers`)."""
# FACING: 0 no avatar, else 1 + the quarter turns clockwise from the seer's orientation to the avatar's.
UNREADY, READY, RESULT, BEAM = 0, 1, 2, 7
"""Codes of MARK: nothing, ready to duel, RESULT to RESULT + 4 the result of the duel that holds an avatar, from least
to greatest, BEAM: also where an avatar has just respawned into the beam of that step, which the pixels then hide."""


def codes(rules: Rules) -> tuple[int, ...]:
    """How many codes each layer of a window has, 0 among them."""
    return RESOURCE + len(rules.classes), OTHER + 1 + max(rules.numbers), 5, BEAM + 1


def ansi(rules: Rules, state: State, b: int) -> str:
    """The map in characters: walls ``#``, resources by their first letter, avatars as arrows, ``*`` beams."""
    width, height = rules.size
    canvas = [[" "] * width for _ in range(height)]
    for x, y in rules.walls:
        canvas[y][x] = "#"
    for n, (x, y) in enumerate(rules.places):
        kind, there, *_ = state.resources[b, n]
        if there:
            canvas[y][x] = rules.classes[kind][0]
    for n in np.flatnonzero(state.beam[b]):
        canvas[n // width][n % width] = "*"
    lines = []
    for i, avatar in enumerate(state.avatars[b]):
        counts = avatar[columns.COUNTS :].tolist()
        if avatar[columns.ALIVE]:
            canvas[avatar[columns.Y]][avatar[columns.X]] = "^>v<"[avatar[columns.FACING]]
        where = f"({avatar[columns.X]}, {avatar[columns.Y]})" if avatar[columns.ALIVE] else "removed"
        lines.append(f"player {i} {where} {dict(zip(rules.classes, counts, strict=True))}")
    return "\n".join(["".join(row) for row in canvas] + lines)


# Codes of what a cell shows.
BLACK, PAINTED_WALL, PAINTED_BEAM, PAINTED_RESOURCE = range(4)
"""A resource of class k is RESOURCE + k. After all K classes come the avatars: number i
facing f with mark m is RESOURCE + K + (i · 4 + f) · MARKS + m."""
MARKS = 7
BODIES = {"alike": "pair", "roles": "pair", "readable": "crowd", "palette": "palette"}
"""The sprites of avatars by how they look: the first is the own one, but where those in the row look like it."""


@cache
def mix_paint(rules: Rules) -> Paint:
    """The paint for ``rules``. It is mixed once and takes up to 1.6 MB (arena).

    Raises:
        ValueError: there are not enough sprites for the players, or none for a resource.
    """
    art = sprites()
    avatar = PAINTED_RESOURCE + len(rules.classes)
    block = 4 * MARKS
    tiles = np.zeros((rules.players + 1, 4, avatar + rules.players * block, TILE, TILE, 3), np.uint8)
    tiles[:, :, PAINTED_BEAM] = overlaid(art["beam"])
    for kind, colour in enumerate(rules.colours):
        tiles[:, :, PAINTED_RESOURCE + kind] = overlaid(art["resources"][COLOURS.index(colour)])
    bodies = art[BODIES[rules.looks]]
    if rules.distinct and rules.players >= len(bodies):
        most = len(bodies) - 1
        raise ValueError(f"{rules.name} has {rules.players} players, and there are sprites for {most}")
    marked = np.array([[[overlaid(way, mark) for mark in art["marks"]] for way in body] for body in bodies])
    for facing in range(4):
        tiles[:, facing, PAINTED_WALL] = overlaid(art["wall"][-facing % 4])
        for viewer in range(rules.players + 1):
            for i in range(rules.players):
                looks = marked[rules.sides[i] if rules.roles else 0 if viewer == i else 1 + rules.numbers[i]]
                start = avatar + i * block
                turned = np.roll(looks, facing, axis=0).reshape(block, TILE, TILE, 3)
                tiles[viewer, facing, start : start + block] = turned
    width, height = rules.size
    ground = np.full((height, width), BLACK, np.uint16)
    for x, y in rules.walls:
        ground[y, x] = PAINTED_WALL
    return paint(tiles, ground, rules.view)


def encode_map(rules: Rules, state: State, b: int) -> Codes:
    """The codes of world ``b`` with the margin of its :class:`~otherminds.gridworlds.grid.pixels.Paint`."""
    paint = mix_paint(rules)
    m = paint.margin
    codes = paint.ground.copy()
    for (x, y), (kind, there, *_) in zip(rules.places, state.resources[b].tolist(), strict=True):
        if there:
            codes[y + m, x + m] = PAINTED_RESOURCE + kind
    avatar = PAINTED_RESOURCE + len(rules.classes)
    for i, row in enumerate(state.avatars[b].tolist()):
        if row[columns.ALIVE]:
            looks = (i * 4 + row[columns.FACING]) * MARKS + row[columns.MARK]
            codes[row[columns.Y] + m, row[columns.X] + m] = avatar + looks
    width, _ = rules.size
    for n in np.flatnonzero(state.beam[b]).tolist():
        codes[n // width + m, n % width + m] = PAINTED_BEAM
    return codes


def world(rules: Rules, state: State, b: int, scale: int = 1) -> Pixels:
    """The whole map of world ``b``, for replays: uint8[H · 8 · scale, W · 8 · scale, 3].

    With ``scale`` 1 it is Melting Pot's WORLD.RGB.
    """
    return mix_paint(rules).whole(encode_map(rules, state, b), scale)
