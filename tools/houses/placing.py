"""Furniture placed in a room: along its walls with room to stand before it, tables with their chairs, tops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import dist
from random import Random

from tools.houses.clearance import trouble
from tools.houses.draft import Draft, Placed, has_top
from tools.houses.walls import overlap, threshold

from otherminds.household.scenes.plane import Segment, bounds, centroid, edges, inside
from otherminds.household.scenes.scene import Box, Point

_STEP = 0.1
_OFF_WALL = 0.02
_FRONT = 0.6
_TRIES = 12
_UNDER_HANGING = 1.5
_TABLE_WALK = 0.75
_COUCH_TABLE = 0.4
# Kinds that stand side by side, as in a fitted kitchen.
_FITTED = frozenset({"counter", "cabinet", "fridge", "oven", "dishwasher", "stove", "sink"})
_COMPANIONS = {"stand": "bed", "chair": "desk", "stool": "couch", "floor_lamp": "couch"}
_ON_TOPS = {
    "microwave": frozenset({"counter", "cabinet", "chest_of_drawers"}),
    "tv": frozenset({"stand", "chest_of_drawers", "table"}),
}


@dataclass(frozen=True, slots=True)
class Wish:
    """A piece to be placed: its kind, its width along the wall, depth and height in metres.

    ``hangs`` is the height of its underside above the floor, where it hangs.
    """

    kind: str
    width: float
    depth: float
    height: float
    hangs: float = 0.0


@dataclass(frozen=True, slots=True)
class _Spot:
    """A place for a piece: where it would be, the floor before it, and its cost (less is better)."""

    piece: Placed
    front: Box | None
    cost: float


class Placer:
    """Places one piece after another in a room; what fits nowhere is left out.

    Args:
        room: the draft that is filled.
        openings: the room's doors, whose thresholds stay clear.
        rng: what draws among places that are as good.
    """

    def __init__(self, room: Draft, openings: Sequence[Segment], rng: Random) -> None:
        self._room = room
        self._openings = list(openings)
        self._rng = rng
        self._kept = [threshold(opening) for opening in openings]
        self._fronts: list[Box] = []

    def place(self, wish: Wish) -> bool:
        """Places one piece if it fits somewhere with every door and piece still in reach."""
        for spot in sorted(self._spots(wish), key=lambda spot: spot.cost)[:_TRIES]:
            self._room.pieces.append(spot.piece)
            if not trouble(self._room, self._openings).any:
                if spot.front:
                    self._fronts.append(spot.front)
                return True
            self._room.pieces.pop()
        return False

    def _spots(self, wish: Wish) -> Iterator[_Spot]:
        if wish.kind in _ON_TOPS and not wish.hangs:
            yield from self._on_tops(wish)
            if wish.kind == "microwave":
                return
        if wish.kind == "table":
            yield from self._amid(wish)
        if wish.kind == "chair":
            yield from self._at_tables(wish)
        yield from self._at_walls(wish)

    def _at_walls(self, wish: Wish) -> Iterator[_Spot]:
        y = wish.hangs + wish.height / 2
        for (ax, az), (bx, bz) in edges(self._room.polygon):
            length = dist((ax, az), (bx, bz))
            ux, uz = (bx - ax) / length, (bz - az) / length
            size = (
                abs(ux) * wish.width + abs(uz) * wish.depth,
                wish.height,
                abs(uz) * wish.width + abs(ux) * wish.depth,
            )
            off = wish.depth / 2 + _OFF_WALL
            for k in range(int((length - wish.width - 2 * _OFF_WALL) / _STEP) + 1):
                along = wish.width / 2 + _OFF_WALL + k * _STEP
                x, z = ax + along * ux - off * uz, az + along * uz + off * ux
                box = Box((x, y, z), size)
                ahead = off + (wish.depth + _FRONT) / 2
                front = _front(box, (ax + along * ux - ahead * uz, az + along * uz + ahead * ux), bool(uz))
                if wish.hangs >= _UNDER_HANGING:
                    front = None
                if self._fits(box, wish, front):
                    end = min(along, length - along) - wish.width / 2
                    yield _Spot(Placed(wish.kind, box), front, self._cost(wish, box, end))

    def _amid(self, wish: Wish) -> Iterator[_Spot]:
        """A table in the open: a low one before a couch, any other with a walk all round it."""
        x0, z0, x1, z1 = bounds(self._room.polygon)
        couches = [piece.box for piece in self._room.pieces if piece.kind == "couch"]
        low = wish.height < 0.55 and bool(couches)
        heart = centroid(self._room.polygon)
        walk = _COUCH_TABLE if low else _TABLE_WALK
        for width, depth in ((wish.width, wish.depth), (wish.depth, wish.width)):
            for i in range(int((x1 - x0) / (2 * _STEP))):
                for k in range(int((z1 - z0) / (2 * _STEP))):
                    x, z = x0 + 2 * _STEP * i, z0 + 2 * _STEP * k
                    box = Box((x, wish.height / 2, z), (width, wish.height, depth))
                    wide = Box(box.centre, (width + 2 * walk, 2.0, depth + 2 * walk))
                    if self._fits(wide, wish, None):
                        cost = min(_gap(couch, box) for couch in couches) if low else dist(heart, (x, z)) / 4
                        yield _Spot(Placed("table", box), None, cost - 2.0)

    def _at_tables(self, wish: Wish) -> Iterator[_Spot]:
        """A chair on a side of a table or desk, turned to it."""
        for table in self._room.pieces:
            if table.kind not in ("table", "desk") or table.box.size[1] < 0.4:
                continue
            (x, _, z), (sx, _, sz) = table.box.centre, table.box.size
            for sign in (-1, 1):
                for share in (-0.25, 0.0, 0.25):
                    out = wish.depth / 2 + 0.02
                    for box in (
                        Box(
                            (x + share * sx, wish.height / 2, z + sign * (sz / 2 + out)),
                            (wish.width, wish.height, wish.depth),
                        ),
                        Box(
                            (x + sign * (sx / 2 + out), wish.height / 2, z + share * sz),
                            (wish.depth, wish.height, wish.width),
                        ),
                    ):
                        if self._fits(box, wish, None):
                            yield _Spot(Placed("chair", box), None, abs(share) - 3.0 + self._rng.random() / 4)

    def _on_tops(self, wish: Wish) -> Iterator[_Spot]:
        """On a piece with a top at a fitting height, turned as the piece is."""
        for under in self._room.pieces:
            (x, _, z), (sx, _, sz), top = under.box.centre, under.box.size, under.ends[1]
            if under.kind not in _ON_TOPS[wish.kind] or not (0.3 < top < 1.1 and has_top(under, self._room)):
                continue
            size = (wish.width, wish.height, wish.depth)
            if sz > sx:
                size = (wish.depth, wish.height, wish.width)
            if size[0] <= sx + 0.25 and size[2] <= sz + 0.02:
                box = Box((x, top + wish.height / 2, z), size)
                if self._fits(box, wish, None):
                    yield _Spot(Placed(wish.kind, box), None, self._rng.random() - 2.0)

    def _fits(self, box: Box, wish: Wish, front: Box | None) -> bool:
        (x, _, z), (sx, _, sz) = box.centre, box.size
        outline = self._room.polygon
        corners = [(x + i * sx / 2, z + k * sz / 2) for i in (-1, 1) for k in (-1, 1)]
        if not all(inside(corner, outline) for corner in corners):
            return False
        if any(abs(px - x) < sx / 2 - 0.01 and abs(pz - z) < sz / 2 - 0.01 for px, pz in outline):
            return False
        others = [piece.box for piece in self._room.pieces]
        if any(overlap(box, other, 0.0) for other in (*others, *self._kept)):
            return False
        if wish.hangs < _UNDER_HANGING and wish.kind != "chair":
            standing = box if wish.hangs == 0 else Box((x, 1.0, z), (sx, 2.0, sz))
            if any(overlap(standing, other) for other in self._fronts):
                return False
        if front is None:
            return True
        return inside((front.centre[0], front.centre[2]), outline) and not any(
            overlap(front, other) for other in others
        )

    def _cost(self, wish: Wish, box: Box, end: float) -> float:
        """Where a piece is wanted: fitted ones side by side, companions together, the rest apart."""
        cost = self._rng.random() * 0.6
        pieces = self._room.pieces
        if wish.hangs >= _UNDER_HANGING:
            under = [p.box for p in pieces if p.kind in _FITTED and p.ends[1] < 1.2]
            return cost + min((_gap(box, other) for other in under), default=0.0) * 3
        if wish.kind in _FITTED and self._room.kind in ("kitchen", "laundryroom"):
            fitted = [p.box for p in pieces if p.kind in _FITTED]
            return cost / 2 + 3 * min((_gap(box, other) for other in fitted), default=end)
        beside = [p.box for p in pieces if p.kind == _COMPANIONS.get(wish.kind)]
        if beside:
            return cost + 2 * min(_gap(box, other) for other in beside)
        if wish.kind == "tv":
            facing = [p.box for p in pieces if p.kind == "couch"]
            return cost - min((_gap(box, other) for other in facing), default=0.0)
        crowd = sum(1 / (0.5 + _gap(box, piece.box)) for piece in pieces)
        return cost + 0.4 * crowd + 0.3 * min(end, 1.0)


def _front(box: Box, middle: Point, sideways: bool) -> Box:
    size = (_FRONT, 2.0, box.size[2]) if sideways else (box.size[0], 2.0, _FRONT)
    return Box((middle[0], 1.0, middle[1]), size)


def _gap(one: Box, other: Box) -> float:
    """The distance between two boxes along the axes on the floor plan."""
    gaps = (abs(one.centre[i] - other.centre[i]) - (one.size[i] + other.size[i]) / 2 for i in (0, 2))
    return sum(max(gap, 0.0) ** 2 for gap in gaps) ** 0.5
