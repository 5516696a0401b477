"""A house as solids for 3-D pictures: walls with openings, and furniture as shells with hinged doors.

Boxes are as in scenes: centre and size as (x, y, z) in metres, y up, rotated by ``yaw``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import atan2, cos, hypot, sin

from msgspec import Struct

from otherminds.core.errors import TaskError
from otherminds.household.reports.fronts import Front, front
from otherminds.household.scenes.grid import solid
from otherminds.household.scenes.plane import area, edges
from otherminds.household.scenes.scene import Box, Point, Scene

HEIGHT, CUT, LINTEL = 2.5, 1.25, 2.05
"""Metres: the height of walls, the height at which the overview cuts them, and the height of openings."""
THICK, PANEL = 0.1, 0.02
"""Metres: walls, and the panels of furniture."""
WIDEST = 0.9
"""Metres: wider fronts have two doors."""
SHELF = 0.5
"""Metres: higher furniture has a shelf at half height, on which its contents are drawn."""


class Block(Struct, frozen=True):
    """A fixed box. ``of`` is the name of its furniture or room, or empty.

    Boxes ``over`` the cut of the overview are left out there.
    """

    of: str
    kind: str
    box: Box
    over: bool = False


class Leaf(Struct, frozen=True):
    """A closed door of furniture ``of``. ``hinge`` is a point of the plan; ``way`` is the sense of rotation.

    It extends ``width`` metres from the hinge in the direction ``yaw``; with ``way`` 1 it opens from x towards z.
    """

    of: str
    hinge: Point
    yaw: float
    width: float
    bottom: float
    top: float
    way: int


def walls(scene: Scene) -> Iterator[Block]:
    """All walls, once for each adjacent room, with openings, lintels and closed doors."""
    doors = scene.geometry.doors
    for room, shape in scene.geometry.rooms.items():
        for side in edges(shape.polygon):
            for start, end in solid(side, [door.at for door in doors]):
                yield Block(room, "wall", upright(start, end, 0.0, CUT))
                yield Block(room, "wall", upright(start, end, CUT, HEIGHT), over=True)
    for door in doors:
        yield Block("", "wall", upright(*door.at, LINTEL, HEIGHT), over=True)
        if door.closed:
            yield Block("", "door", upright(*door.at, 0.0, CUT))
            yield Block("", "door", upright(*door.at, CUT, LINTEL), over=True)


def upright(start: Point, end: Point, low: float, high: float) -> Box:
    """A wall between two points of the plan and two heights, extended by its thickness for the corners."""
    (ax, az), (bx, bz) = start, end
    centre = ((ax + bx) / 2, (low + high) / 2, (az + bz) / 2)
    return Box(centre, (hypot(bx - ax, bz - az) + THICK, high - low, THICK), atan2(bz - az, bx - ax))


def furniture(scene: Scene) -> Iterator[Block | Leaf]:
    """Furniture: shells with doors for pieces with an interior or a door, boxes for all others."""
    for name, piece in scene.geometry.furniture.items():
        if not (piece.interior or piece.articulated):
            yield Block(name, "piece", piece.box)
            continue
        side = front(scene, name)
        lidless = not (piece.top or piece.articulated)
        yield from _shell(name, piece.box, side, lidless=lidless)
        if piece.articulated:
            yield from _leaves(name, piece.box, side)


def _shell(name: str, box: Box, side: Front, *, lidless: bool) -> Iterator[Block]:
    """The panels round an interior: without a top if ``lidless``, else without a front, with a shelf."""
    (x, y, z), (ox, oz) = box.centre, side.outward
    high, wide = box.size[1], side.width
    yaw = atan2(side.right[1] - side.left[1], side.right[0] - side.left[0])
    deep = 2 * hypot(side.middle[0] - x, side.middle[1] - z)

    def panel(across: float, up: float, out: float, size: tuple[float, float, float]) -> Block:
        centre = (x + across * cos(yaw) + out * ox, y + up, z + across * sin(yaw) + out * oz)
        return Block(name, "shell", Box(centre, size, yaw))

    for way in (-1, 1):
        yield panel(way * (wide - PANEL) / 2, 0, 0, (PANEL, high, deep))
    yield panel(0, 0, (PANEL - deep) / 2, (wide, high, PANEL))
    yield panel(0, (PANEL - high) / 2, 0, (wide, PANEL, deep))
    if lidless:
        yield panel(0, 0, (deep - PANEL) / 2, (wide, high, PANEL))
        return
    yield panel(0, (high - PANEL) / 2, 0, (wide, PANEL, deep))
    if high > SHELF:
        yield panel(0, -PANEL / 2, -PANEL, (wide, PANEL, deep - 2 * PANEL))


def _leaves(name: str, box: Box, side: Front) -> Iterator[Leaf]:
    """One door hinged at the left end of the front, or two that meet in its middle."""
    low, high = box.centre[1] - box.size[1] / 2, box.centre[1] + box.size[1] / 2
    two = side.width > WIDEST
    width = side.width / 2 if two else side.width
    yaw = atan2(side.right[1] - side.left[1], side.right[0] - side.left[0])
    yield Leaf(name, side.left, yaw, width, low, high, 1)
    if two:
        back = atan2(side.left[1] - side.right[1], side.left[0] - side.right[0])
        yield Leaf(name, side.right, back, width, low, high, -1)


def triangles(polygon: Sequence[Point]) -> list[tuple[int, int, int]]:
    """The triangulation of a counter-clockwise polygon by ear clipping, as indices of corners.

    Raises:
        TaskError: there is no ear, because the polygon crosses itself or is clockwise.

    >>> triangles([(0, 0), (2, 0), (2, 2), (0, 2)])
    [(3, 0, 1), (1, 2, 3)]
    """
    remaining = list(range(len(polygon)))
    ears: list[tuple[int, int, int]] = []
    while len(remaining) > 3:
        for k in range(len(remaining)):
            ear = (remaining[k - 1], remaining[k], remaining[(k + 1) % len(remaining)])
            if _is_ear(polygon, ear, remaining):
                ears.append(ear)
                del remaining[k]
                break
        else:
            fault = f"an outline of {len(polygon)} corners crosses itself or runs clockwise"
            raise TaskError(f"{fault}; list its corners in order, counter-clockwise")
    return [*ears, (remaining[0], remaining[1], remaining[2])]


def _is_ear(polygon: Sequence[Point], ear: tuple[int, int, int], remaining: Sequence[int]) -> bool:
    """Whether a triangle is counter-clockwise and contains no other corner."""
    corners = [polygon[k] for k in ear]
    others = [polygon[k] for k in remaining if k not in ear]
    return area(corners) > 0 and not any(
        all(area((start, end, point)) >= 0 for start, end in edges(corners)) for point in others
    )
