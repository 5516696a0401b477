"""The front side of furniture, opposite its wall, where maps and 3-D pictures show its doors."""

from __future__ import annotations

from math import cos, dist, sin

from msgspec import Struct

from otherminds.household.scenes.plane import aside, edges, inside
from otherminds.household.scenes.scene import Box, Point, Scene

AT_WALL, FREE = 0.15, 0.3
"""Metres: the largest distance of a back from its wall, and the free floor in front of a front."""


class Front(Struct, frozen=True):
    """A side of a box on the plan: its ends, and the outward unit normal."""

    left: Point
    right: Point
    outward: Point

    @property
    def width(self) -> float:
        """Metres."""
        return dist(self.left, self.right)

    @property
    def middle(self) -> Point:
        """The midpoint of the ends."""
        return (self.left[0] + self.right[0]) / 2, (self.left[1] + self.right[1]) / 2

    def beyond(self, metres: float) -> Point:
        """The point at a (signed) distance in front of the middle."""
        (x, z), (ox, oz) = self.middle, self.outward
        return x + metres * ox, z + metres * oz


def front(scene: Scene, name: str) -> Front:
    """The side of furniture ``name`` with a wall behind it and floor in front of it.

    If several sides or none qualify, the one whose outward direction points most to the spot ``stand:NAME``.
    """
    piece = scene.geometry.furniture[name]
    room = next(room for room, names in scene.furniture_in_rooms.items() if name in names)
    outline = scene.geometry.rooms[room].polygon
    all_sides = sides(piece.box)
    backed = [
        side
        for k, side in enumerate(all_sides)
        if min(aside(all_sides[k ^ 1].middle, wall) for wall in edges(outline)) < AT_WALL
    ] or all_sides
    free = [side for side in backed if inside(side.beyond(FREE), outline)] or backed
    x, z = scene.tables.spots[f"stand:{name}"]
    return max(
        free, key=lambda side: (x - side.middle[0]) * side.outward[0] + (z - side.middle[1]) * side.outward[1]
    )


def sides(box: Box) -> list[Front]:
    """The four sides of a box, opposite ones next to each other."""
    x, _, z = box.centre
    c, s = cos(box.yaw), sin(box.yaw)
    fronts: list[Front] = []
    for (ux, uz), deep, half in (
        ((c, s), box.size[0] / 2, box.size[2] / 2),
        ((-s, c), box.size[2] / 2, box.size[0] / 2),
    ):
        for way in (1, -1):
            ox, oz = ux * way, uz * way
            mx, mz = x + ox * deep, z + oz * deep
            fronts.append(Front((mx - oz * half, mz + ox * half), (mx + oz * half, mz - ox * half), (ox, oz)))
    return fronts
