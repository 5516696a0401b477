"""What is seen from where inside a room: lines of sight, and the part of the room that a pose overlooks.

Walls block sight, furniture does not, and the room is the unit of sight: nothing is seen through a door.
So in a room without a corner that points inwards everything is seen from everywhere; round the corner of
an L-shape it is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import atan2, cos, pi, sin

from otherminds.worlds.household.scenes.plane import crossings, edges, footprint, inside
from otherminds.worlds.household.scenes.scene import Box, Point

# A box stands against its wall and may dip into it; what counts is the part within the room.
_DRAWN_IN = 0.02
_ASIDE = 1e-4
_FAR = 1e3


def clear(polygon: Sequence[Point], one: Point, other: Point) -> bool:
    """Whether the line of sight between two points of a room stays inside its outline.

    To graze a corner or run along a wall is to see.

    >>> room = [(0, 0), (4, 0), (4, 2), (2, 2), (2, 4), (0, 4)]
    >>> clear(room, (1, 3), (3, 1)), clear(room, (1, 3), (3.5, 1.9)), clear(room, (1, 3), (1, 1))
    (True, False, True)
    """
    along = sorted({0.0, 1.0, *(t for side in edges(polygon) for t in crossings((one, other), side))})
    (ax, az), (bx, bz) = one, other
    for before, after in pairwise(along):
        middle = (before + after) / 2
        if not inside((ax + middle * (bx - ax), az + middle * (bz - az)), polygon):
            return False
    return True


def sees_box(polygon: Sequence[Point], eye: Point, box: Box) -> bool:
    """Whether any of nine points of a box (its middle, corners, middles of sides) is in clear sight."""
    corners = footprint(box, _DRAWN_IN)
    middles = (((ax + bx) / 2, (az + bz) / 2) for (ax, az), (bx, bz) in edges(corners))
    points = ((box.centre[0], box.centre[2]), *corners, *middles)
    return any(clear(polygon, eye, point) for point in points)


def overlook(polygon: Sequence[Point], eye: Point) -> tuple[Point, ...]:
    """The outline of what is seen of a room from a point inside it, counter-clockwise (for drawings).

    Rays pass every corner closely on both sides, and so meet walls and no corner.
    """
    angles = sorted(
        (atan2(z - eye[1], x - eye[0]) + turn + 2 * pi) % (2 * pi)
        for x, z in polygon
        for turn in (-_ASIDE, _ASIDE)
    )
    outline: list[Point] = []
    for angle in angles:
        far = (eye[0] + _FAR * cos(angle), eye[1] + _FAR * sin(angle))
        stop = min((t for side in edges(polygon) for t in crossings((eye, far), side)), default=0.0)
        outline.append((eye[0] + stop * (far[0] - eye[0]), eye[1] + stop * (far[1] - eye[1])))
    return tuple(outline)
