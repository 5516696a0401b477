"""The symbolic windows of seats, and the codes in them.

A window is uint8[rows, columns, LAYERS] in the seat's own frame (see
:class:`~otherminds.gridworlds.grid.maps.View`). It shows what the official pixels show and no more: others'
orientation and what they hold are seen, how full a pot is and its bar; a soup that has just become ready is
not, nor what lies outside the map.
"""

from __future__ import annotations

import numpy as np

from otherminds.gridworlds.cooking import state as columns
from otherminds.gridworlds.cooking.rules import CHARACTERS, EMPTY, ITEMS, POT, Rules
from otherminds.gridworlds.cooking.state import State

# The layers of a window.
THING, ITEM, AVATAR, FACING, BAR, BEAM = range(6)
LAYERS = 6

# THING: 0 floor or outside, else as numbered in ``rules``; a pot with n tomatoes is POT + n.
# ITEM: what lies on a counter, or what the avatar there holds, as numbered in ``rules``.
NONE, SELF, OTHER = 0, 1, 2
"""Codes of AVATAR: player i is OTHER + i to other players, since each has its own colour."""
# FACING: 0 no avatar, else 1 + the quarter turns clockwise from the seer's orientation to the avatar's.
# BAR: how far a pot's bar is filled, 0 to 10. BEAM: 1 + the player whose beam shows.


def codes(rules: Rules) -> tuple[int, ...]:
    """How many codes each layer of a window has, 0 among them."""
    fullest = (
        (rules.cooking + 1) * 10 // rules.cooking
    )  # A pot is counted for one step after its soup is ready
    return POT + rules.capacity + 1, len(ITEMS), OTHER + rules.players, 5, fullest + 1, 1 + rules.players


def ansi(rules: Rules, state: State, b: int) -> str:
    """The map as it is drawn, avatars as arrows, ``*`` beams; then a line for each avatar, counter and pot."""
    width, _ = rules.size
    canvas = [[CHARACTERS[tile] for tile in line] for line in rules.things]
    for n in np.flatnonzero(state.beam[b]):
        canvas[n // width][n % width] = "*"
    lines: list[str] = []
    for i, avatar in enumerate(state.avatars[b]):
        x, y = avatar[columns.X], avatar[columns.Y]
        canvas[y][x] = "^>v<"[avatar[columns.FACING]]
        lines.append(f"player {i} ({x}, {y}) holds {ITEMS[avatar[columns.HELD]]}")
    for (x, y), stock, item in zip(rules.containers, rules.stock, state.items[b], strict=True):
        if stock == EMPTY and item:
            lines.append(f"counter ({x}, {y}) has {ITEMS[item]}")
    for (x, y), pot in zip(rules.pots, state.pots[b], strict=True):
        cooked = ", cooked" if pot[columns.COOKED] else ""
        lines.append(f"pot ({x}, {y}) {pot[columns.INSIDE]} tomatoes, bar {pot[columns.BAR]}{cooked}")
    return "\n".join(["".join(row) for row in canvas] + lines)
