"""Windows and maps in colour, pixel for pixel as Melting Pot draws them.

A cell shows a thing with the item on it or the progress of its soup, or an avatar with
what it holds; the frame of a beam is drawn on top. Avatars are drawn in their orientation
relative to the viewer, all else looks the same from every side; floor and the outside of
the map are black. A seat sees itself in blue and each other seat in a colour of its own.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from otherminds.gridworlds.cooking import state as columns
from otherminds.gridworlds.cooking.rules import (
    COUNTER,
    DISH,
    DISHES,
    HATCH,
    ITEMS,
    POT,
    TOMATO,
    TOMATOES,
    Rules,
)
from otherminds.gridworlds.cooking.state import State
from otherminds.gridworlds.grid.pixels import TILE, Codes, Paint, Pixels, overlaid, paint, sprites

# What a cell shows, under a beam. Its code is this number times P + 1, plus 1 + the player whose beam shows.
LAID = 1  # A counter with item n on it is LAID + n
OTHERS = LAID + len(ITEMS)  # The dispenser of tomatoes, that of dishes and the place of delivery
POTS = OTHERS + 3
BARS = 11  # A pot with n tomatoes, at most 3, and its bar filled to f is POTS + n · BARS + f
AVATAR = POTS + 4 * BARS  # Avatar i facing f with item n in its hands is AVATAR + (i · 4 + f) · 4 + n


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
    codes = AVATAR * beams + rules.players * block
    tiles = np.zeros((beams, 4, codes, TILE, TILE, 3), np.uint8)
    tiles[:, :, : len(ground_tiles)] = ground_tiles
    for viewer in range(beams):
        for i in range(rules.players):
            looks = cooks[0 if viewer == i else 1 + i]
            start = AVATAR * beams + i * block
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
        number = AVATAR + (i * 4 + row[columns.FACING]) * len(ITEMS) + row[columns.HELD]
        codes[row[columns.Y] + m, row[columns.X] + m] = number * beams
    width, height = rules.size
    codes[m : m + height, m : m + width] += state.beam[b].reshape(height, width)
    return codes


def world(rules: Rules, state: State, b: int, scale: int = 1) -> Pixels:
    """The whole map of world ``b``, for replays: uint8[H · 8 · scale, W · 8 · scale, 3].

    With ``scale`` 1 it is Melting Pot's WORLD.RGB.
    """
    return mix_paint(rules).whole(encode_map(rules, state, b), scale)
