"""What a seat sees: its window in symbols, and as Melting Pot paints it.

A symbolic window is uint8[rows, columns, LAYERS] in the seat's own frame (see
:class:`~otherminds.gridworlds.grid.rules.View`). It shows what the official pixels show, and no more, but for the waves of water. A removed
avatar sees nothing."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from otherminds.gridworlds.commons import rules as columns
from otherminds.gridworlds.commons.rules import (
    APPLE,
    COIN,
    COLOURS,
    DIRT,
    DRY,
    DRY_APPLE,
    GRASS,
    NOTHING,
    RIVER,
    WALL,
    Rules,
    State,
)
from otherminds.gridworlds.grid.pixels import TILE, Codes, Paint, Pixels, overlaid, paint

# The layers of a window.
THING, AVATAR, FACING, BEAM = range(4)
LAYERS = 4
# THING: as in ``rules``.
NONE, SELF, OTHER = 0, 1, 2
"""Codes of AVATAR: another player i is OTHER + i. In Coins every avatar, the own one too, is OTHER + the colour of its coins."""
# FACING: 0 no avatar, else 1 + the quarter turns clockwise from the seer's orientation to the avatar's.
# BEAM: the bits ``ZAPPING`` and ``WASHING``. Nothing else is seen in a cell that has a beam that zaps.


def codes(rules: Rules) -> tuple[int, ...]:
    """How many codes each layer of a window has, 0 among them."""
    things = COIN + len(COLOURS) if rules.law == "chance" else DIRT + 1
    return things, OTHER + count_looks(rules), 5, 3


def count_looks(rules: Rules) -> int:
    """How many different avatars can be seen: by colour in Coins, by player elsewhere."""
    return len(COLOURS) if rules.law == "chance" else rules.players


def ansi(rules: Rules, state: State, b: int) -> str:
    """The map in characters: walls ``#``, apples ``a``, dirt ``d``, water ``~``, coins by the first letter of their colour, avatars as arrows, ``*`` beams."""
    width, height = rules.size
    looks = " #  .~aad" + "".join(colour[0] for colour in COLOURS)
    canvas = [[looks[thing] for thing in row] for row in state.things[b].reshape(height, width).tolist()]
    for n in np.flatnonzero(state.beam[b]):
        canvas[n // width][n % width] = "*"
    lines: list[str] = []
    for i, avatar in enumerate(state.avatars[b].tolist()):
        if avatar[columns.ALIVE]:
            canvas[avatar[columns.Y]][avatar[columns.X]] = "^>v<"[avatar[columns.FACING]]
        where = f"({avatar[columns.X]}, {avatar[columns.Y]})" if avatar[columns.ALIVE] else "removed"
        coins = f" {COLOURS[avatar[columns.COLOUR]]}" if rules.law == "chance" else ""
        lines.append(f"player {i} {where}{coins}")
    return "\n".join(["".join(row) for row in canvas] + lines)


STACKS: dict[str, dict[str, tuple[str, ...]]] = {
    "chance": {},
    "density": {"": ("floor",)},
    "cleanness": {
        "": ("sand",),
        "B": ("lawn",),
        "s": ("lawn", "shadow_n"),
        "+": ("sand", "shadow_e", "shadow_n"),
        "f": ("sand", "shadow_w", "shadow_n"),
        ";": ("sand", "edge", "shadow_e"),
        ",": ("sand", "edge", "shadow_w"),
        "^": ("sand", "edge"),
        "T": ("sand", "edge"),
        "=": ("sand", "shadow_n"),
        ">": ("sand", "shadow_w"),
        "<": ("sand", "shadow_e"),
        "~": ("water", "shadow_w"),
        "S": ("water",),
        "H": ("water",),
        "F": ("water",),
    },
}
"""By law and character of the map, the sprites of a cell from below; the empty character stands for all others."""
BODIES = {"chance": "coloured", "density": "harvesters", "cleanness": "cleaners"}
"""By law, the sprites of avatars."""
FRAMES = 4
"""How many pictures water has."""
LONGEST_WAVE = 3
"""Steps for which each of them is shown."""


@cache
def sprites() -> dict[str, Pixels]:
    """All sprites by name, read-only, uint8[n, 4, 8, 8, 4]: of n kinds in the orientations N, E, S, W; red, green, blue, opacity.

    Source and licence: ``sprites.md``.
    """
    with np.load(Path(__file__).with_name("sprites.npz")) as file:
        images = {name: file[name] for name in file.files}
    for sprite in images.values():
        sprite.flags.writeable = False
    return images


@dataclass(frozen=True)
class Palette:
    """The paint of one substrate, and how codes are made from what a cell shows.

    Ground g with avatar a on it, 0 for none, else 1 + 4 · look + orientation, has the code (g · ``avatars`` + a) · 2, plus 1 under a beam that
    cleans. ``grounds`` uint16[H·W, things]: the ground by cell and thing. ``own``: the look of the own avatar, -1 where it is no
    other than to the others. ``zapped``: the code of a beam that zaps, which hides all else.
    """

    paint: Paint
    grounds: NDArray[np.uint16]
    avatars: int
    own: int
    zapped: int

    def see_oneself(self, look: int) -> NDArray[np.intp]:
        """intp[codes]: the code that each one is to a player whose avatar has ``look``."""
        seen = np.arange(self.zapped + 1)
        if self.own >= 0:
            shown = seen[: self.zapped] // 2 % self.avatars - 1  # 4 · look + orientation, -1 for nobody
            seen[: self.zapped] += (shown // 4 == look) * 8 * (self.own - look)
        return seen


@cache
def mix_palette(rules: Rules) -> Palette:
    """The palette for ``rules``, mixed once.

    Raises:
        ValueError: there are not enough sprites for the players.
    """
    art = sprites()
    stacks: dict[tuple[tuple[str, int], ...], int] = {(): 0}
    things = codes(rules)[THING]
    width, height = rules.size
    grounds = np.zeros((height * width, things), np.uint16)
    for y, line in enumerate(rules.drawn):
        for x, char in enumerate(line):
            for thing in range(things):
                layers = _stack(rules, char, thing)
                number = stacks.setdefault(tuple(layers), len(stacks))
                if any(name == "water" for name, _ in layers):
                    # The other pictures of water follow the first.
                    for frame in range(1, FRAMES):
                        waves = tuple((name, frame if name == "water" else k) for name, k in layers)
                        stacks.setdefault(waves, len(stacks))
                grounds[y * width + x, thing] = number
    bodies = art[BODIES[rules.law]]
    if rules.law != "chance":
        if rules.players >= len(bodies):
            raise ValueError(
                f"{rules.name} has {rules.players} players, and there are sprites for {len(bodies) - 1}"
            )
        bodies = np.concatenate([bodies[: rules.players], bodies[-1:]])  # The last looks as oneself does
    avatars = 1 + 4 * len(bodies)
    zapped = len(stacks) * avatars * 2
    tiles = np.zeros((1, 4, zapped + 1, TILE, TILE, 3), np.uint8)
    clear = np.zeros((1, TILE, TILE, 4), np.uint8)
    beams = np.stack([clear[0], np.broadcast_to(art["beams"][1, 0], (TILE, TILE, 4))])
    for facing in range(4):
        ground = np.full((len(stacks), TILE, TILE, 4), 255, np.uint8)
        for layers, number in stacks.items():
            ground[number, ..., :3] = overlaid(*(art[name][k, -facing % 4] for name, k in layers))
        looks = np.roll(bodies, facing, axis=1).reshape(-1, TILE, TILE, 4)
        over = np.concatenate([clear, looks])
        mixed = overlaid(ground[:, None, None], over[None, :, None], beams[None, None])
        tiles[0, facing, :zapped] = mixed.reshape(zapped, TILE, TILE, 3)
        tiles[0, facing, zapped] = overlaid(art["beams"][0, 0])
    ground_codes = np.zeros((height, width), np.uint16)
    own = -1 if rules.law == "chance" else rules.players
    return Palette(paint(tiles, ground_codes, rules.view), grounds, avatars, own, zapped)


def _stack(rules: Rules, char: str, thing: int) -> list[tuple[str, int]]:
    """The sprites of a cell drawn as ``char`` that shows ``thing``, from below, with the number of each."""
    if thing >= COIN:
        return [("coins", thing - COIN)]
    if thing in (NOTHING, WALL):
        wall = "upright_wall" if rules.law == "chance" else "wall"
        return [(wall, 0)] if thing == WALL else []
    if rules.law == "density":
        dry = [("floor", 0), ("apple", 0)]
        stacks = {GRASS: [("grass", 0)], APPLE: [("grass", 0), ("apple", 0)], DRY: dry[:1], DRY_APPLE: dry}
        if thing in stacks:
            return stacks[thing]
    shown = STACKS[rules.law]
    layers = [(name, 0) for name in shown.get(char, shown.get("", ()))]
    return layers + {APPLE: [("fruit", 0)], DIRT: [("dirt", 0)]}.get(thing, [])


def encode_map(rules: Rules, state: State, b: int) -> Codes:
    """The codes of world ``b`` with the margin of its :class:`~otherminds.gridworlds.grid.pixels.Paint`, as a spectator sees it."""
    palette = mix_palette(rules)
    width, height = rules.size
    things = state.things[b].astype(np.intp)
    ground = palette.grounds[np.arange(height * width), things].astype(np.int64)
    wet = (things == RIVER) | (things == DIRT)
    ground += wet * ((state.tide[b] + count_waves(int(state.clock[b, columns.STEP]))) % FRAMES)
    flat = ground * palette.avatars
    for i, row in enumerate(state.avatars[b].tolist()):
        if row[columns.ALIVE]:
            look = row[columns.COLOUR] if rules.law == "chance" else i
            flat[row[columns.Y] * width + row[columns.X]] += 1 + 4 * look + row[columns.FACING]
    beam = state.beam[b]
    washing = (beam & columns.WASHING) > 0
    flat = flat * 2 + washing
    flat = np.where(beam & columns.ZAPPING, palette.zapped, flat)
    m = palette.paint.margin
    codes = palette.paint.ground.copy()
    codes[m : m + height, m : m + width] = flat.reshape(height, width)
    return codes


def count_waves(step: int) -> int:
    """How often the picture of water has changed by ``step``."""
    return step // LONGEST_WAVE % FRAMES


def world(rules: Rules, state: State, b: int, scale: int = 1) -> Pixels:
    """The whole map of world ``b``, for replays: uint8[H · 8 · scale, W · 8 · scale, 3].

    With ``scale`` 1 it is Melting Pot's WORLD.RGB.
    """
    return mix_palette(rules).paint.whole(encode_map(rules, state, b), scale)
