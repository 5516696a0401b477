"""The symbolic windows of seats, and the codes in them.

A window is uint8[rows, columns, LAYERS] in the seat's own frame (see
:class:`~otherminds.gridworlds.grid.maps.View`). It shows what the official pixels show and no more: the
inventories of others are not seen, nor what lies outside the map. A removed avatar sees nothing.
"""

from __future__ import annotations

import numpy as np

from otherminds.gridworlds.in_the_matrix import state as columns
from otherminds.gridworlds.in_the_matrix.rules import Rules
from otherminds.gridworlds.in_the_matrix.state import State

# The layers of a window.
THING, AVATAR, FACING, MARK = range(4)
LAYERS = 4

NOTHING, WALL, RESOURCE = 0, 1, 2  # Codes of THING: a resource of class k is RESOURCE + k
NONE, SELF, OTHER = 0, 1, 2
"""Codes of AVATAR: where avatars look different, player i is OTHER + i, else each other one is OTHER."""
# FACING: 0 no avatar, else 1 + the quarter turns clockwise from the seer's orientation to the avatar's.
UNREADY, READY, RESULT, BEAM = 0, 1, 2, 7
"""Codes of MARK: nothing, ready to duel, RESULT to RESULT + 4 the result of the duel that holds an avatar, from least
to greatest, BEAM: also where an avatar has just respawned into the beam of that step, which the pixels then hide."""


def codes(rules: Rules) -> tuple[int, ...]:
    """How many codes each layer of a window has, 0 among them."""
    return RESOURCE + len(rules.classes), OTHER + (rules.players if rules.distinct else 1), 5, BEAM + 1


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
