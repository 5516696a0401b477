"""L-shaped rooms, made of two rectangular neighbours by moving a part of the wall between them."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from random import Random

from tools.houses.draft import Draft

from otherminds.household.scenes.scene import Point

# No arm of an L is narrower than this, nor is a room made into one that is small to begin with (metres).
_ARM = 1.6
_BIG = 3.2
_NARROWEST = 1.3


@dataclass(frozen=True, slots=True)
class Rect:
    """A rectangle of the floor plan, in metres."""

    x0: float
    z0: float
    x1: float
    z1: float

    @property
    def sides(self) -> tuple[float, float]:
        """Its extent in x and in z."""
        return self.x1 - self.x0, self.z1 - self.z0

    @property
    def outline(self) -> tuple[Point, ...]:
        """Its corners, counter-clockwise."""
        return ((self.x0, self.z0), (self.x1, self.z0), (self.x1, self.z1), (self.x0, self.z1))


def carve(rooms: Sequence[Draft], spared: Container[str], rng: Random) -> None:
    """Makes one pair of rooms L-shaped, drawn among the rectangles whose kind is not spared, if any pair fits.

    Two neighbours with a common corner do: one gives the other a part of itself at that corner.
    """
    pairs = [(i, k) for i in range(len(rooms)) for k in range(len(rooms)) if i != k]
    for taker, giver in rng.sample(pairs, len(pairs)):
        shapes = rooms[taker].polygon, rooms[giver].polygon
        if any(
            len(shape) != 4 or rooms[i].kind in spared
            for i, shape in zip((taker, giver), shapes, strict=True)
        ):
            continue
        cut = _corner(Rect(*shapes[0][0], *shapes[0][2]), Rect(*shapes[1][0], *shapes[1][2]))
        if cut:
            rooms[taker].polygon, rooms[giver].polygon = cut
            return


def _corner(taker: Rect, giver: Rect) -> tuple[tuple[Point, ...], tuple[Point, ...]] | None:
    """The outlines after the taker got a corner of the giver on its right, or None where that does not do.

    Looked at from all four sides, as they are and mirrored, by turning both.
    """
    for quarters in range(4):
        for mirrored in (False, True):
            one, other = (_seen(rect, quarters, mirrored) for rect in (taker, giver))
            high = min(one.sides[1], other.sides[1])
            if (
                (one.x1, one.z0) != (other.x0, other.z0)
                or min(*other.sides, high) < _BIG
                or one.sides[0] < _NARROWEST
            ):
                continue
            x, z = round(one.x1 + other.sides[0] * 0.4, 1), round(one.z0 + high * 0.45, 1)
            if min(x - one.x1, z - one.z0, other.x1 - x, other.z1 - z, one.z1 - z) < _ARM:
                continue
            ells = (
                ((one.x0, one.z0), (x, one.z0), (x, z), (one.x1, z), (one.x1, one.z1), (one.x0, one.z1)),
                (
                    (x, other.z0),
                    (other.x1, other.z0),
                    (other.x1, other.z1),
                    (other.x0, other.z1),
                    (other.x0, z),
                    (x, z),
                ),
            )
            first, second = (tuple(_back(point, quarters, mirrored) for point in ell) for ell in ells)
            return (first[::-1], second[::-1]) if mirrored else (first, second)
    return None


def _seen(rect: Rect, quarters: int, mirrored: bool) -> Rect:
    x, z = zip(
        *(_turn(point, quarters, mirrored) for point in (rect.outline[0], rect.outline[2])), strict=True
    )
    return Rect(min(x), min(z), max(x), max(z))


def _turn(point: Point, quarters: int, mirrored: bool) -> Point:
    x, z = point
    for _ in range(quarters):
        x, z = -z, x
    return (-x if mirrored else x), z


def _back(point: Point, quarters: int, mirrored: bool) -> Point:
    return _turn((-point[0] if mirrored else point[0], point[1]), (4 - quarters) % 4, mirrored=False)
