"""Geometry of the floor plan: points, segments, polygons and boxes in (x, z), in metres; and lines of sight inside a room.

Polygons are simple and given by their corners in order. Two places closer than ``NEAR`` count as one. Walls block sight
and furniture does not. Sight is limited to one room: nothing is seen through a door. Hence in a room without a corner
that points inwards everything is seen from everywhere, and in an L-shaped room it is not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import atan2, cos, hypot, pi, sin

from otherminds.household.scenes.scene import Box, Point

NEAR = 1e-6
Segment = tuple[Point, Point]


def edges(polygon: Sequence[Point]) -> Iterator[Segment]:
    """The sides of a polygon in order, the closing one last."""
    for i, corner in enumerate(polygon):
        yield corner, polygon[(i + 1) % len(polygon)]


def area(polygon: Sequence[Point]) -> float:
    """The area in square metres, positive for a counter-clockwise outline.

    >>> area([(0, 0), (2, 0), (2, 3), (0, 3)])
    6.0
    """
    return sum(ax * bz - bx * az for (ax, az), (bx, bz) in edges(polygon)) / 2


def centroid(polygon: Sequence[Point]) -> Point:
    """The centre of mass; in an L-shape it may lie outside."""
    twice = 2 * area(polygon)
    x = z = 0.0
    for (ax, az), (bx, bz) in edges(polygon):
        cross = ax * bz - bx * az
        x += (ax + bx) * cross
        z += (az + bz) * cross
    return x / (3 * twice), z / (3 * twice)


def bounds(points: Sequence[Point]) -> tuple[float, float, float, float]:
    """The least and greatest x and z: ``(x0, z0, x1, z1)``."""
    xs, zs = zip(*points, strict=True)
    return min(xs), min(zs), max(xs), max(zs)


def aside(point: Point, segment: Segment) -> float:
    """The distance in metres from a point to a segment.

    >>> aside((1, 2), ((0, 0), (4, 0)))
    2.0
    """
    (px, pz), ((ax, az), (bx, bz)) = point, segment
    dx, dz = bx - ax, bz - az
    square = dx * dx + dz * dz
    along = 0.0 if square == 0 else max(0.0, min(1.0, ((px - ax) * dx + (pz - az) * dz) / square))
    return hypot(px - ax - along * dx, pz - az - along * dz)


def inside(point: Point, polygon: Sequence[Point], slack: float = NEAR) -> bool:
    """Whether a point lies in a polygon or at most ``slack`` metres outside its outline.

    A negative slack asks for a point at least that deep inside.

    >>> square = [(0, 0), (2, 0), (2, 2), (0, 2)]
    >>> inside((1, 1), square), inside((3, 1), square), inside((2, 1), square, slack=-0.1)
    (True, False, False)
    """
    px, pz = point
    within = False
    for (ax, az), (bx, bz) in edges(polygon):
        if (az > pz) != (bz > pz) and px < ax + (pz - az) * (bx - ax) / (bz - az):
            within = not within
    if within == (slack < 0):
        border = min(aside(point, side) for side in edges(polygon))
        return border >= -slack if slack < 0 else border <= slack
    return within


def crossings(segment: Segment, other: Segment) -> list[float]:
    """The parameters (0 to 1) along ``segment`` at which it meets ``other``: none, one, or two on a shared line."""
    (ax, az), (bx, bz) = segment
    (cx, cz), (dx, dz) = other
    ux, uz, vx, vz = bx - ax, bz - az, dx - cx, dz - cz
    wx, wz = cx - ax, cz - az
    turn = ux * vz - uz * vx
    square = ux * ux + uz * uz
    if abs(turn) > NEAR * NEAR:
        t = (wx * vz - wz * vx) / turn
        s = (wx * uz - wz * ux) / turn
        return [t] if -NEAR <= t <= 1 + NEAR and -NEAR <= s <= 1 + NEAR else []
    if square == 0 or abs(wx * uz - wz * ux) > NEAR * square**0.5:
        return []
    along = (((x - ax) * ux + (z - az) * uz) / square for x, z in other)
    return [t for t in along if 0 <= t <= 1]


def footprint(box: Box, drawn_in: float = 0.0) -> tuple[Point, Point, Point, Point]:
    """The four corners of a box on the floor plan, each side ``drawn_in`` metres inwards."""
    x, _, z = box.centre
    half_x = max(box.size[0] / 2 - drawn_in, 0.0)
    half_z = max(box.size[2] / 2 - drawn_in, 0.0)
    c, s = cos(box.yaw), sin(box.yaw)

    def corner(i: int, j: int) -> Point:
        return x + i * half_x * c - j * half_z * s, z + i * half_x * s + j * half_z * c

    return corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)


def beside(point: Point, box: Box) -> float:
    """The distance in metres on the floor plan from a point to a box, 0 inside it."""
    x, z = point[0] - box.centre[0], point[1] - box.centre[2]
    c, s = cos(box.yaw), sin(box.yaw)
    past_x = abs(x * c + z * s) - box.size[0] / 2
    past_z = abs(z * c - x * s) - box.size[2] / 2
    return hypot(max(past_x, 0.0), max(past_z, 0.0))


# A box may dip into its wall; only the part within the room counts.
_DRAWN_IN = 0.02
_ASIDE = 1e-4
_FAR = 1e3


def clear(polygon: Sequence[Point], point: Point, other: Point) -> bool:
    """Whether the line of sight between two points of a room stays inside its outline.

    A line that grazes a corner or runs along a wall is clear.

    >>> room = [(0, 0), (4, 0), (4, 2), (2, 2), (2, 4), (0, 4)]
    >>> clear(room, (1, 3), (3, 1)), clear(room, (1, 3), (3.5, 1.9)), clear(room, (1, 3), (1, 1))
    (True, False, True)
    """
    along = sorted({0.0, 1.0, *(t for side in edges(polygon) for t in crossings((point, other), side))})
    (ax, az), (bx, bz) = point, other
    middles = ((before + after) / 2 for before, after in pairwise(along))
    return all(inside((ax + t * (bx - ax), az + t * (bz - az)), polygon) for t in middles)


def sees_box(polygon: Sequence[Point], eye: Point, box: Box) -> bool:
    """Whether any of nine points of a box (its middle, corners, middles of sides) is visible."""
    corners = footprint(box, _DRAWN_IN)
    middles = (((ax + bx) / 2, (az + bz) / 2) for (ax, az), (bx, bz) in edges(corners))
    points = ((box.centre[0], box.centre[2]), *corners, *middles)
    return any(clear(polygon, eye, point) for point in points)


def overlook(polygon: Sequence[Point], eye: Point) -> tuple[Point, ...]:
    """The outline of the part of a room visible from a point inside it, counter-clockwise (for drawings).

    Rays pass each corner closely on both sides, so that they hit walls and not corners.
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
