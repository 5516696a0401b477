"""What a map is drawn with: outlines, discs and words in pixels, each of a kind that the palette styles."""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot
from typing import Literal, TypeAlias

from msgspec import Struct

from otherminds.worlds.household.scenes.plane import bounds
from otherminds.worlds.household.scenes.scene import Point, Scene

NOBODY = -1


class Outline(Struct, frozen=True):
    """A line or, if ``closed``, an area. ``wide`` in pixels, where the palette's width does not count.

    ``agent`` is the number of the agent in whose colour it is; ``title`` shows under the pointer.
    """

    kind: str
    points: tuple[Point, ...]
    closed: bool = True
    agent: int = NOBODY
    title: str = ""
    wide: float = 0.0


class Disc(Struct, frozen=True):
    """A circle, ``radius`` in pixels."""

    kind: str
    at: Point
    radius: float
    agent: int = NOBODY
    title: str = ""


class TextLine(Struct, frozen=True):
    """A line of text, in the middle of whose height ``at`` lies."""

    kind: str
    at: Point
    text: str
    anchor: Literal["start", "middle", "end"] = "middle"
    agent: int = NOBODY


Mark: TypeAlias = Outline | Disc | TextLine

MARGIN = 14
"""Pixels round the house."""
LONGEST = 1180
"""Pixels: how wide or high the house is drawn, within the limits of ``SCALES``."""
SCALES = (56.0, 110.0)
"""Pixels a metre."""


class PlanView(Struct, frozen=True):
    """From the plan to the picture: ``scale`` in pixels a metre; ``size`` of the picture in pixels.

    One looks down: x to the right, z downwards, north wherever z falls.
    """

    scale: float
    left: float
    top: float
    size: tuple[int, int]

    def at(self, point: Sequence[float]) -> Point:
        """A place (x, z) in pixels, to a tenth."""
        x, z = point
        return round((x - self.left) * self.scale + MARGIN, 1), round((z - self.top) * self.scale + MARGIN, 1)

    def outline(self, points: Sequence[Point]) -> tuple[Point, ...]:
        """A polygon in pixels."""
        return tuple(self.at(point) for point in points)


def view_of(scene: Scene) -> PlanView:
    """The view that shows the whole house, as large as there is room."""
    corners = [point for shape in scene.geometry.rooms.values() for point in shape.polygon]
    x0, z0, x1, z1 = bounds(corners)
    scale = min(max(LONGEST / max(x1 - x0, z1 - z0), SCALES[0]), SCALES[1])
    size = (round((x1 - x0) * scale) + 2 * MARGIN, round((z1 - z0) * scale) + 2 * MARGIN)
    return PlanView(scale, x0, z0, size)


def shortened(one: Point, other: Point, by: float) -> tuple[Point, Point]:
    """A line between two points that stops ``by`` pixels before each; both ends in the middle if it is too short."""
    long = hypot(other[0] - one[0], other[1] - one[1])
    part = min(by / long, 0.5) if long else 0.5
    dx, dy = (other[0] - one[0]) * part, (other[1] - one[1]) * part
    return (round(one[0] + dx, 1), round(one[1] + dy, 1)), (round(other[0] - dx, 1), round(other[1] - dy, 1))
