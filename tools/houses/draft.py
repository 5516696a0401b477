"""A house in the making: rooms with placed furniture and lying objects, all in metres, boxes upright.

A real room is drafted in its own coordinates, a rectangle from (0, 0), and then turned and moved to its
place in the house; other rooms are drafted where they are. Boxes lie along the axes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal

from otherminds.household.scenes.plane import beside
from otherminds.household.scenes.scene import FURNITURE, Box, Point, Triple

# Above this nobody puts things down, and below it nothing is a hanging cabinet.
_HIGHEST_TOP = 1.6
_HANGS = 1.2
_COVER = 0.08


@dataclass(frozen=True, slots=True)
class Placed:
    """A piece of furniture of a kind of `kinds.FURNITURE`, where it stands."""

    kind: str
    box: Box

    @property
    def ends(self) -> tuple[float, float]:
        """The heights of its underside and its top."""
        y, high = self.box.centre[1], self.box.size[1]
        return y - high / 2, y + high / 2


@dataclass(frozen=True, slots=True)
class Lying:
    """An object: its type, size and middle, and how it lies on or in the room's piece ``bearer``."""

    kind: str
    size: Triple
    at: Triple
    relation: Literal["on", "within", "floor"]
    bearer: Placed | None


@dataclass(slots=True)
class Draft:
    """A room: its type, its outline, what stands and lies in it."""

    kind: str
    polygon: tuple[Point, ...]
    pieces: list[Placed] = field(default_factory=list)
    objects: list[Lying] = field(default_factory=list)

    def drop(self, piece: Placed) -> None:
        """Takes a piece out, with all that lies on or in it and every appliance that stood on its top."""
        gone = [piece, *(other for other in self.pieces if other is not piece and rests_on(other, piece))]
        self.pieces = [other for other in self.pieces if all(other is not one for one in gone)]
        self.objects = [one for one in self.objects if all(one.bearer is not other for other in gone)]


@dataclass(frozen=True, slots=True)
class Opening:
    """A door between the rooms of a house with these two indices, and its segment."""

    rooms: tuple[int, int]
    at: tuple[Point, Point]


@dataclass(slots=True)
class House:
    """The rooms of a house in one frame, the doors between them, and where its parts come from."""

    rooms: list[Draft]
    doors: list[Opening]
    source: str


def rests_on(piece: Placed, other: Placed) -> bool:
    """Whether a piece, such as a microwave, has its underside at the other's top and its middle above it."""
    middle = (piece.box.centre[0], piece.box.centre[2])
    return (
        piece.ends[0] > 0.3 and abs(piece.ends[0] - other.ends[1]) < 0.15 and beside(middle, other.box) == 0
    )


def has_top(piece: Placed, room: Draft) -> bool:
    """Whether things can lie on a piece: its kind has a top, at a hand's height, under nothing else.

    Shelves count as one top, however high: their levels are not told apart.
    """
    low, high = piece.ends
    if piece.kind == "shelves":
        return True
    if not FURNITURE[piece.kind].top or high > _HIGHEST_TOP or low > _HANGS:
        return False
    if not FURNITURE[piece.kind].articulated:
        return True
    middle = (piece.box.centre[0], piece.box.centre[2])
    return not any(
        FURNITURE[other.kind].top
        and other is not piece
        and high - _COVER <= other.ends[1]
        and other.ends[0] < high + _COVER
        and beside(middle, other.box) == 0
        for other in room.pieces
    )


def rectangle(width: float, depth: float) -> tuple[Point, ...]:
    """The outline from (0, 0) to (width, depth), counter-clockwise."""
    return ((0.0, 0.0), (width, 0.0), (width, depth), (0.0, depth))


def turned(room: Draft, quarters: int, mirrored: bool) -> Draft:
    """A room with a rectangular outline from (0, 0), mirrored in x if asked, then turned by quarters."""
    width, depth = room.polygon[2]

    def place(at: Triple) -> Triple:
        x, y, z = at
        x, far = (width - x if mirrored else x), (width, depth)
        for _ in range(quarters):
            x, z, far = far[1] - z, x, (far[1], far[0])
        return x, y, z

    odd = quarters % 2 == 1
    return _carried(room, rectangle(depth, width) if odd else rectangle(width, depth), place, odd)


def moved(room: Draft, dx: float, dz: float) -> Draft:
    """A room moved along the floor plan."""
    outline = tuple((x + dx, z + dz) for x, z in room.polygon)
    return _carried(room, outline, lambda at: (at[0] + dx, at[1], at[2] + dz), swapped=False)


def _carried(
    room: Draft, outline: tuple[Point, ...], place: Callable[[Triple], Triple], swapped: bool
) -> Draft:
    def size(s: Triple) -> Triple:
        return (s[2], s[1], s[0]) if swapped else s

    pieces = [Placed(piece.kind, Box(place(piece.box.centre), size(piece.box.size))) for piece in room.pieces]
    new = {id(old): piece for old, piece in zip(room.pieces, pieces, strict=True)}
    objects = [
        replace(
            one,
            size=size(one.size),
            at=place(one.at),
            bearer=None if one.bearer is None else new[id(one.bearer)],
        )
        for one in room.objects
    ]
    return Draft(room.kind, outline, pieces, objects)
