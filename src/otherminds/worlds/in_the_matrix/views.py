"""The symbolic windows of seats, and the codes in them.

A window is uint8[rows, columns, LAYERS] in the seat's own frame (see
:class:`~otherminds.worlds.grid.maps.View`). It shows what the official pixels
show and no more: the inventories of others are not seen, nor what lies outside
the map. A removed avatar sees nothing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from otherminds.worlds.in_the_matrix import state as columns
from otherminds.worlds.in_the_matrix.rules import Rules
from otherminds.worlds.in_the_matrix.state import State

# The layers of a window.
THING, AVATAR, FACING, MARK = range(4)
LAYERS = 4

NOTHING, WALL, RESOURCE = 0, 1, 2
"""Codes of THING: a resource of class k is RESOURCE + k."""
NONE, SELF, OTHER = 0, 1, 2
"""Codes of AVATAR: where avatars look different, player i is OTHER + i, else each other one is OTHER."""
# FACING: 0 no avatar, else 1 + the quarter turns clockwise from the seer's orientation to the avatar's.
BEAM = 7
"""Codes of MARK: 0 nothing, 1 ready, 2 to 6 the result of a duel from least to greatest, BEAM: also where an
avatar has just respawned into the beam of that step, which the pixels then hide."""


def window(rules: Rules, state: State, b: int, player: int) -> NDArray[np.uint8]:
    """The window of ``player`` in world ``b``: the plain version of the kernel's."""
    view = rules.view
    shown = np.zeros((*view.shape, LAYERS), np.uint8)
    avatar = state.avatars[b, player]
    if not avatar[columns.ALIVE]:
        return shown
    width, height = rules.size
    walls = set(rules.walls)
    growing = {cell: n for n, cell in enumerate(rules.places)}
    facing = int(avatar[columns.FACING])
    for row, column, (x, y) in view.cells((int(avatar[columns.X]), int(avatar[columns.Y]), facing)):
        if not (0 <= x < width and 0 <= y < height):
            continue
        cell = shown[row, column]
        if (x, y) in walls:
            cell[THING] = WALL
        elif (x, y) in growing:
            kind, there, *_ = state.resources[b, growing[x, y]]
            cell[THING] = RESOURCE + kind if there else NOTHING
        other = int(state.here[b, y * width + x]) - 1
        if other >= 0:
            cell[AVATAR] = SELF if other == player else OTHER + (other if rules.distinct else 0)
            cell[FACING] = 1 + (state.avatars[b, other, columns.FACING] - facing) % 4
            cell[MARK] = state.avatars[b, other, columns.MARK]
        if state.beam[b, y * width + x]:
            cell[MARK] = BEAM
    return shown


def ansi(rules: Rules, state: State, b: int) -> str:
    """The map in characters: walls ``#``, resources by their first letter, avatars as arrows, ``*`` beams."""
    width, height = rules.size
    shown = [[" "] * width for _ in range(height)]
    for x, y in rules.walls:
        shown[y][x] = "#"
    for n, (x, y) in enumerate(rules.places):
        kind, there, *_ = state.resources[b, n]
        if there:
            shown[y][x] = rules.classes[kind][0]
    for n in np.flatnonzero(state.beam[b]):
        shown[n // width][n % width] = "*"
    lines = []
    for i, avatar in enumerate(state.avatars[b]):
        counts = avatar[columns.COUNTS :].tolist()
        if avatar[columns.ALIVE]:
            shown[avatar[columns.Y]][avatar[columns.X]] = "^>v<"[avatar[columns.FACING]]
        where = f"({avatar[columns.X]}, {avatar[columns.Y]})" if avatar[columns.ALIVE] else "removed"
        lines.append(f"player {i} {where} {dict(zip(rules.classes, counts, strict=True))}")
    return "\n".join(["".join(row) for row in shown] + lines)
