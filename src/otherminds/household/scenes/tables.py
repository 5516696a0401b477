"""The tables of a scene, computed from its geometry: spots, walking distances, visibility and reach.

Distances are walked on the navigation grid of each room. Cells are squares of 0.1 m whose middles lie at odd multiples of
0.05 m, in every room of a house alike. A cell is free if an agent (a disc of radius 0.2 m) fits there between walls and
furniture. Steps go to the eight neighbours, never between two cells that touch at a blocked corner."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, cos, dist, floor, hypot, sin
from typing import Any

import numpy as np
from numpy.typing import NDArray

from otherminds.household.scenes.plane import Segment, beside, bounds, centroid, clear, edges, sees_box
from otherminds.household.scenes.scene import Box, HouseTables, Legs, Point, Scene, floor_of

CELL = 0.1
RADIUS = 0.2
# Furniture above this height, such as a wall cabinet, does not block the way.
HEADROOM = 1.5
_SLACK = 1e-6

Mask = NDArray[np.bool_]
Metres = NDArray[np.floating[Any]]
Cell = tuple[int, int]


class RoomGrid:
    """The grid of a room: ``free`` has shape (cells in x, cells in z).

    Args:
        polygon: the room's outline.
        openings: the segments of its doors, which are gaps in the walls.
        boxes: its furniture; pieces above ``HEADROOM`` are ignored.
    """

    def __init__(self, polygon: Sequence[Point], openings: Sequence[Segment], boxes: Sequence[Box]) -> None:
        x0, z0, x1, z1 = bounds(polygon)
        self._first = (floor(x0 / CELL + _SLACK), floor(z0 / CELL + _SLACK))
        last = (ceil(x1 / CELL - _SLACK), ceil(z1 / CELL - _SLACK))
        x = (np.arange(self._first[0], last[0]) + 0.5)[:, None] * CELL
        z = (np.arange(self._first[1], last[1]) + 0.5)[None, :] * CELL
        free = _within(x, z, polygon)
        for side in edges(polygon):
            for wall in solid(side, openings):
                free &= _from_segment(x, z, wall) >= RADIUS - _SLACK
        for box in boxes:
            if box.centre[1] - box.size[1] / 2 < HEADROOM:
                free &= _from_box(x, z, box) >= RADIUS - _SLACK
        self.free: Mask = free

    def point(self, cell: Cell) -> Point:
        """The middle of a cell in metres, which is exact to the centimetre."""
        x, z = (round((first + k + 0.5) * CELL, 2) for first, k in zip(self._first, cell, strict=True))
        return x, z

    def nearest(self, place: Point, among: Mask) -> Cell | None:
        """The cell of a mask nearest to a place, the first in (x, z) order among equals; None if empty."""
        cells = np.argwhere(among)
        if not len(cells):
            return None
        middles = (cells + self._first + 0.5) * CELL
        squares = np.round(((middles - place) ** 2).sum(axis=1), 6)
        i, j = cells[int(squares.argmin())]
        return int(i), int(j)

    def beside(self, box: Box, among: Mask) -> list[tuple[float, Cell]]:
        """The cells of a mask with their distance in metres to a box, nearest first.

        Ties (to the size of a cell) are broken by the distance to the middle of the box.
        """
        cells = np.argwhere(among)
        x, z = ((cells + self._first + 0.5) * CELL).T
        away = _from_box(x, z, box)
        middle = np.hypot(x - box.centre[0], z - box.centre[2])
        order = np.lexsort((np.round(middle, 6), np.floor(away / CELL + _SLACK)))
        return [(float(away[k]), (int(cells[k, 0]), int(cells[k, 1]))) for k in order]

    def reach(self, start: Cell) -> Mask:
        """The free cells that are reachable from a cell."""
        free = np.pad(self.free, 1)
        reached = np.zeros_like(free)
        middle = reached[1:-1, 1:-1]
        middle[start] = self.free[start]
        passes = [(*step, _passes(free, *step)) for step in _STEPS]
        while True:
            before = int(middle.sum())
            for dx, dz, mask in passes:
                middle |= _shift_grid(reached, dx, dz) & mask
            if int(middle.sum()) == before:
                return middle.copy()

    def walk(self, sources: Sequence[Cell]) -> Metres:
        """Walking distances from each source to every cell, shape (sources, *free.shape); inf if cut off."""
        free = np.pad(self.free, 1)
        metres = np.full((len(sources), *free.shape), np.inf)
        for k, (i, j) in enumerate(sources):
            metres[k, i + 1, j + 1] = 0.0 if self.free[i, j] else np.inf
        middle = metres[:, 1:-1, 1:-1]
        passes = [(*step, np.where(_passes(free, *step), CELL * hypot(*step), np.inf)) for step in _STEPS]
        while True:
            before = middle.copy()
            for dx, dz, cost in passes:
                np.minimum(middle, _shift_grid(metres, dx, dz) + cost, out=middle)
            if np.array_equal(before, middle):
                return before


_STEPS = [(dx, dz) for dx in (-1, 0, 1) for dz in (-1, 0, 1) if dx or dz]


def _shift_grid(padded: NDArray[Any], dx: int, dz: int) -> NDArray[Any]:
    """The values at the neighbour (dx, dz) of every cell inside the padding."""
    height, width = padded.shape[-2:]
    return padded[..., 1 + dx : height - 1 + dx, 1 + dz : width - 1 + dz]


def _passes(free: Mask, dx: int, dz: int) -> Mask:
    """The cells that can be entered from their neighbour (dx, dz); ``free`` is padded."""
    return (
        _shift_grid(free, 0, 0)
        & _shift_grid(free, dx, dz)
        & _shift_grid(free, dx, 0)
        & _shift_grid(free, 0, dz)
    )


def _within(x: Metres, z: Metres, polygon: Sequence[Point]) -> Mask:
    mask = np.zeros(np.broadcast_shapes(x.shape, z.shape), dtype=np.bool_)
    for (ax, az), (bx, bz) in edges(polygon):
        if az != bz:
            mask ^= ((az > z) != (bz > z)) & (x < ax + (z - az) * (bx - ax) / (bz - az))
    return mask


def _from_segment(x: Metres, z: Metres, segment: Segment) -> Metres:
    (ax, az), (bx, bz) = segment
    dx, dz = bx - ax, bz - az
    along = np.clip(((x - ax) * dx + (z - az) * dz) / (dx * dx + dz * dz), 0.0, 1.0)
    return np.hypot(x - ax - along * dx, z - az - along * dz)


def _from_box(x: Metres, z: Metres, box: Box) -> Metres:
    dx, dz = x - box.centre[0], z - box.centre[2]
    c, s = cos(box.yaw), sin(box.yaw)
    past_x = np.abs(dx * c + dz * s) - box.size[0] / 2
    past_z = np.abs(dz * c - dx * s) - box.size[2] / 2
    return np.hypot(np.maximum(past_x, 0.0), np.maximum(past_z, 0.0))


def solid(side: Segment, openings: Sequence[Segment]) -> list[Segment]:
    """The segments of a wall without its openings."""
    (ax, az), (bx, bz) = side
    length = hypot(bx - ax, bz - az)
    ux, uz = (bx - ax) / length, (bz - az) / length
    cuts = sorted(
        sorted((x - ax) * ux + (z - az) * uz for x, z in opening)
        for opening in openings
        if all(abs((x - ax) * uz - (z - az) * ux) < 0.01 for x, z in opening)
    )
    walls: list[Segment] = []
    start = 0.0
    for begin, end in [*cuts, [length, length]]:
        stop = min(begin, length)
        if stop - start > 1e-6:
            walls.append(((ax + start * ux, az + start * uz), (ax + stop * ux, az + stop * uz)))
        start = max(start, end)
    return walls


# The reach of an agent on the plan (PARTNR's skills over Habitat use the same 2.0 m).
REACH = 2.0
_THRESHOLD = 0.3


def tables(scene: Scene) -> HouseTables:
    """All tables of a scene; existing tables are ignored.

    Impossible spots (furniture out of reach, a room without a free cell) and unreachable doors are left out;
    `check.faults` reports them.
    """
    spots: dict[str, Point] = {}
    rooms: dict[str, str] = {}
    legs: dict[str, Legs] = {}
    for room in scene.rooms:
        own = _RoomTables(scene, room)
        spots |= own.spots
        rooms |= dict.fromkeys(own.spots, room)
        legs[room] = own.legs()
    sees, meets, reaches = {}, {}, {}
    for spot, eye in spots.items():
        room = rooms[spot]
        outline = scene.geometry.rooms[room].polygon
        boxes = {name: scene.geometry.furniture[name].box for name in scene.furniture_in_rooms.get(room, ())}
        away = {name: beside(eye, box) for name, box in boxes.items() if sees_box(outline, eye, box)}
        meets[spot] = tuple(
            other for other in spots if rooms[other] == room and clear(outline, eye, spots[other])
        )
        centre = f"centre:{room}"
        if centre in meets[spot]:
            away[floor_of(room)] = dist(eye, spots[centre])
        sees[spot] = tuple(away)
        reaches[spot] = tuple(name for name, metres in away.items() if metres <= REACH)
    return HouseTables(spots, rooms, legs, sees, meets, reaches)


class _RoomTables:
    """The spots of one room, all in the part that is reachable from its doors, and the legs between them."""

    def __init__(self, scene: Scene, room: str) -> None:
        outline = self._outline = scene.geometry.rooms[room].polygon
        boxes = {name: scene.geometry.furniture[name].box for name in scene.furniture_in_rooms.get(room, ())}
        near = [
            (f"door:{i}:{room}", door) for i, door in enumerate(scene.geometry.doors) if room in door.rooms
        ]
        self._grid = RoomGrid(outline, [door.at for _, door in near], list(boxes.values()))
        self._cells: dict[str, Cell] = {}
        self._ahead: dict[str, float] = {}
        self.spots: dict[str, Point] = {}
        middles = {side: _middle(*door.at) for side, door in near}
        open_to = self._open_to(list(middles.values()) or [centroid(outline)])
        self._keep(f"centre:{room}", self._grid.nearest(centroid(outline), open_to))
        for name, box in boxes.items():
            self._keep(f"stand:{name}", self._stand(box, open_to))
        for agent, spawn in scene.agent_spawns.items():
            if spawn.room == room:
                place = (spawn.position[0], spawn.position[2])
                self._keep(f"spawn:{agent}", self._grid.nearest(place, open_to))
        for side, middle in middles.items():
            cell = self._grid.nearest(middle, open_to)
            if cell and dist(middle, self._grid.point(cell)) <= _THRESHOLD:
                self._cells[side] = cell
                self._ahead[side] = dist(middle, self._grid.point(cell))

    def legs(self) -> Legs:
        """The walking distances between the room's spots and doors, to the centimetre."""
        names = tuple(self._cells)
        walked = self._grid.walk(list(self._cells.values()))
        ahead = [self._ahead.get(name, 0.0) for name in names]
        metres = [
            tuple(
                0.0 if i == j else round(float(walked[i][cell]) + ahead[i] + ahead[j], 2)
                for j, cell in enumerate(self._cells.values())
            )
            for i in range(len(names))
        ]
        return Legs(names, tuple(metres))

    def _keep(self, spot: str, cell: Cell | None) -> None:
        if cell:
            self._cells[spot] = cell
            self.spots[spot] = self._grid.point(cell)

    def _open_to(self, middles: list[Point]) -> Mask:
        """The free cells that are reachable from the first door with a threshold."""
        for middle in middles:
            cell = self._grid.nearest(middle, self._grid.free)
            if cell:
                return self._grid.reach(cell)
        return self._grid.free

    def _stand(self, box: Box, open_to: Mask) -> Cell | None:
        for metres, cell in self._grid.beside(box, open_to):
            if metres > REACH:
                return None
            if sees_box(self._outline, self._grid.point(cell), box):
                return cell
        return None


def _middle(point: Point, other: Point) -> Point:
    return (point[0] + other[0]) / 2, (point[1] + other[1]) / 2
