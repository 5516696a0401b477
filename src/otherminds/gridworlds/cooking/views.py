"""What a seat sees of the kitchen: its window in symbols, and as Melting Pot paints it.

A symbolic window is uint8[rows, columns, LAYERS] in the seat's own frame (see
:class:`~otherminds.gridworlds.grid.rules.View`). It shows what the official pixels show and no more: others'
orientation and what they hold are seen, how full a pot is and its bar; a soup that has just become ready is
not, nor what lies outside the map."""

from __future__ import annotations

from functools import cache

import numpy as np

from otherminds.gridworlds.cooking import rules as columns
from otherminds.gridworlds.cooking.rules import (
    CHARACTERS,
    COUNTER,
    DISH,
    DISHES,
    EMPTY,
    HATCH,
    ITEMS,
    POT,
    TOMATO,
    TOMATOES,
    Rules,
    State,
)
from otherminds.gridworlds.grid.pixels import TILE, Codes, Paint, Pixels, overlaid, paint, sprites

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


# What a cell shows, under a beam. Its code is this number times P + 1, plus 1 + the player whose beam shows.
LAID = 1  # A counter with item n on it is LAID + n
OTHERS = LAID + len(ITEMS)  # The dispenser of tomatoes, that of dishes and the place of delivery
POTS = OTHERS + 3
BARS = 11  # A pot with n tomatoes, at most 3, and its bar filled to f is POTS + n · BARS + f
PAINTED_AVATAR = POTS + 4 * BARS  # Avatar i facing f with item n in its hands is AVATAR + (i · 4 + f) · 4 + n


@cache
def mix_paint(rules: Rules) -> Paint:
    """The paint for ``rules``. It is mixed once and takes about half a megabyte.

    Raises:
        ValueError: there are not enough sprites for the players, or for the capacity of a pot.
    """
    art = sprites()
    beams = rules.players + 1
    if beams > len(art["cooks"]) or rules.capacity >= len(art["pots"]) - 1:
        raise ValueError(f"{rules.name} has more players, or larger pots, than there are sprites for")
    frames = [np.zeros((TILE, TILE, 4), np.uint8), *art["touches"][: rules.players]]

    def frame_layers(*layers: Pixels) -> Pixels:
        return np.stack([overlaid(*layers, frame) for frame in frames])

    ground_tiles = np.concatenate([frame_layers(*layers) for layers in _things()])
    cooks = np.array(
        [[[frame_layers(way, load) for load in art["held"]] for way in cook] for cook in art["cooks"]]
    )
    block = 4 * len(ITEMS) * beams
    codes = PAINTED_AVATAR * beams + rules.players * block
    tiles = np.zeros((beams, 4, codes, TILE, TILE, 3), np.uint8)
    tiles[:, :, : len(ground_tiles)] = ground_tiles
    for viewer in range(beams):
        for i in range(rules.players):
            looks = cooks[0 if viewer == i else 1 + i]
            start = PAINTED_AVATAR * beams + i * block
            for facing in range(4):
                turned = np.roll(looks, facing, axis=0).reshape(block, TILE, TILE, 3)
                tiles[viewer, facing, start : start + block] = turned
    numbers = {COUNTER: LAID, TOMATOES: OTHERS, DISHES: OTHERS + 1, HATCH: OTHERS + 2, POT: POTS}
    ground = [[numbers.get(kind, 0) * beams for kind in line] for line in rules.things]
    return paint(tiles, np.array(ground, np.uint16), rules.view)


def _things() -> list[tuple[Pixels, ...]]:
    """The sprites of all that can stand in a cell but avatars, the lowest first, in the order of the numbers."""
    art = sprites()
    floor: tuple[Pixels, ...] = ()
    counters = [(art["counter"], item) for item in art["items"]]
    # A dispenser shows its item twice: painted on it, and lying on it.
    dispensers = [(art["dispensers"][n], art["items"][item]) for n, item in enumerate((TOMATO, DISH))]
    pots = [(pot, bar) for pot in art["pots"][:4] for bar in art["bars"]]
    return [floor, *counters, *dispensers, (art["delivery"],), *pots]


def encode_map(rules: Rules, state: State, b: int) -> Codes:
    """The codes of world ``b`` with the margin of its :class:`~otherminds.gridworlds.grid.pixels.Paint`."""
    paint = mix_paint(rules)
    m = paint.margin
    beams = rules.players + 1
    codes = paint.ground.copy()
    for (x, y), stock, item in zip(rules.containers, rules.stock, state.items[b].tolist(), strict=True):
        if not stock:
            codes[y + m, x + m] = (LAID + item) * beams
    for (x, y), pot in zip(rules.pots, state.pots[b].tolist(), strict=True):
        codes[y + m, x + m] = (POTS + pot[columns.INSIDE] * BARS + pot[columns.BAR]) * beams
    for i, row in enumerate(state.avatars[b].tolist()):
        number = PAINTED_AVATAR + (i * 4 + row[columns.FACING]) * len(ITEMS) + row[columns.HELD]
        codes[row[columns.Y] + m, row[columns.X] + m] = number * beams
    width, height = rules.size
    codes[m : m + height, m : m + width] += state.beam[b].reshape(height, width)
    return codes


def world(rules: Rules, state: State, b: int, scale: int = 1) -> Pixels:
    """The whole map of world ``b``, for replays: uint8[H · 8 · scale, W · 8 · scale, 3].

    With ``scale`` 1 it is Melting Pot's WORLD.RGB.
    """
    return mix_paint(rules).whole(encode_map(rules, state, b), scale)
