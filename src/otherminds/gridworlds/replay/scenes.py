"""What a replay needs of a world with a map: its stage, its frames, its happenings.

A world with a map becomes replayable by one module that registers a :class:`Scenery` for it, found by the entry points
``otherminds.sceneries``. A frame is
a grid of codes, one a cell; the stage says which tile a code is to each seat, whichever way it faces. So one
grid a step holds the whole map and every seat's own window, pixel for pixel.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from otherminds.core.errors import StudyError
from otherminds.core.registry import Registry
from otherminds.core.world import World
from otherminds.gridworlds.grid.actions import ACTIONS
from otherminds.gridworlds.grid.maps import GridRules, View
from otherminds.gridworlds.grid.pixels import Codes, Paint, Pixels, picture
from otherminds.reports.replay.replays import Happening


@dataclass(frozen=True)
class HeldThing:
    """Something that a seat can hold, with the colour (``#rrggbb``) that it is shown in."""

    name: str
    colour: str


@dataclass(frozen=True)
class Stage:
    """What is constant in an episode of P seats.

    ``size`` is the map's width and height in cells; ``view`` and ``gaze`` (see
    :class:`~otherminds.gridworlds.grid.pixels.Paint`) say what of it a seat sees. ``tiles`` uint8[n, 8, 8, 3] are
    all tiles there are; ``looks`` uint16[P + 1, 4, codes] says which of them a code is to each seat facing N,
    E, S, W; the last viewer is the spectator, who looks north. Code 0 is what lies outside the map.
    ``colours`` (``#rrggbb``) are the colours of the seats. ``things`` are counted in inventories; a bar is
    full at ``most``, or at the greatest count of the episode. ``states`` name what may keep a seat from
    acting, the first being nothing. ``stop`` names the happenings that a spectator jumps between.
    """

    size: tuple[int, int]
    view: View
    gaze: NDArray[np.int32]
    tiles: Pixels
    looks: NDArray[np.uint16]
    colours: tuple[str, ...]
    things: tuple[HeldThing, ...]
    most: int
    states: tuple[str, ...]
    actions: tuple[str, ...]
    stop: str

    def window(self, codes: Codes, stand: Sequence[int], seat: int) -> NDArray[np.uint16]:
        """The tiles [rows, columns] that ``seat`` sees in its window from ``stand``; see :class:`Frame`."""
        x, y, facing = stand
        if x < 0:
            return np.full(self.view.shape, self.looks[seat, 0, 0])
        width, height = self.size
        dy, dx = self.gaze[facing]
        rows, columns = y + dy, x + dx
        inside = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
        visible = np.where(inside, codes[rows.clip(0, height - 1), columns.clip(0, width - 1)], 0)
        return self.looks[seat, facing, visible]

    def whole(self, codes: Codes) -> NDArray[np.uint16]:
        """The tiles [height, width] that the spectator sees."""
        return self.looks[-1, 0, codes]


@dataclass(frozen=True)
class Frame:
    """A world at one moment: ``codes`` uint16[height, width], and for each of P seats a row.

    ``stands`` int16[P, 3] are x, y and orientation, x = -1 for a seat that is not
    on the map; ``counts`` int16[P, K] its inventory; ``states`` uint8[P] numbers of
    ``Stage.states``; ``beams`` uint8[P] how far its beam is charged, in per cent.
    """

    codes: Codes
    stands: NDArray[np.int16]
    counts: NDArray[np.int16]
    states: NDArray[np.uint8]
    beams: NDArray[np.uint8]

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All of these, by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


class Scenery(Protocol):
    """How the worlds of one class are shown."""

    @property
    def world(self) -> type[World]: ...

    def stage(self, world: Any) -> Stage:
        """The stage of the episode that ``world`` was just reset to."""
        ...

    def frame(self, world: Any) -> Frame:
        """``world`` as it is now."""
        ...

    def happened(self, world: Any, before: Frame, after: Frame, step: int) -> list[Happening]:
        """What the last step, number ``step`` from 1, brought about."""
        ...


sceneries: Registry[Scenery] = Registry("scenery", plural="sceneries")


def find_scenery(world: World) -> Scenery | None:
    """How ``world`` is shown; ``None`` if it has no map."""
    candidates = map(sceneries.get, sceneries)
    return next((candidate for candidate in candidates if isinstance(world, candidate.world)), None)


def scenery(world: World, scenario: str) -> Scenery:
    """How ``world`` is shown.

    Raises:
        StudyError: it has no map.
    """
    if fitting := find_scenery(world):
        return fitting
    raise StudyError(
        f"a page or a film is for worlds with a map, and {scenario!r} has none; it replays as text"
    )


def grid_stage(
    rules: GridRules,
    paint: Paint,
    colours: Iterable[str],
    holdings: Iterable[HeldThing],
    most: int,
    states: tuple[str, ...],
    stop: str,
) -> Stage:
    """The stage of a gridworld with the eight actions; the codes are those of ``paint``."""
    viewers, ways, codes, *shape = paint.tiles.shape
    flat, numbers = np.unique(paint.tiles.reshape(viewers * ways * codes, -1), axis=0, return_inverse=True)
    tiles, looks = flat.reshape(-1, *shape), numbers.reshape(viewers, ways, codes).astype(np.uint16)
    details = tuple(colours), tuple(holdings), most, states, ACTIONS, stop
    return Stage(rules.size, rules.view, paint.gaze, tiles, looks, *details)


def measure_charge(cooldown: NDArray[np.integer], longest: int) -> NDArray[np.uint8]:
    """How far beams are charged, in per cent, when ``cooldown`` of at most ``longest`` steps are left."""
    return (100 - 100 * cooldown // longest).astype(np.uint8)


def inside(paint: Paint, codes: Codes) -> Codes:
    """``codes`` without the margin of ``paint``."""
    within = slice(paint.margin, -paint.margin)
    return codes[within, within]


def hue(tile: Pixels) -> str:
    """The colour, ``#rrggbb``, that a tile uint8[8, 8, 3] has most of, apart from black."""
    lit = tile[tile.any(axis=2)]
    shades, counts = np.unique(lit, axis=0, return_counts=True)
    return f"#{bytes(shades[counts.argmax()]).hex()}"


TILE_ROW = 32
"""Tiles in a row of a sheet."""


def sheet(tiles: Pixels) -> Pixels:
    """Tiles uint8[n, 8, 8, 3] as one picture, ``TILE_ROW`` a row; black where there are no more."""
    rows = -(-len(tiles) // TILE_ROW)
    padded = np.zeros((rows * TILE_ROW, *tiles.shape[1:]), np.uint8)
    padded[: len(tiles)] = tiles
    return picture(padded, np.arange(rows * TILE_ROW, dtype=np.uint16).reshape(rows, TILE_ROW))
