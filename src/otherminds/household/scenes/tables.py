"""The tables of a scene, computed from its geometry: spots, walking distances, visibility and reach."""

from __future__ import annotations

from math import dist

from otherminds.household.scenes.grid import Cell, Mask, RoomGrid
from otherminds.household.scenes.plane import beside, centroid, clear, sees_box
from otherminds.household.scenes.scene import Box, HouseTables, Legs, Point, Scene, floor_of

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
