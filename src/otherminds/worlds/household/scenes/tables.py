"""The tables of a scene, worked out from its geometry: where to stand, how far, what is seen and reached."""

from __future__ import annotations

from math import dist

from otherminds.worlds.household.scenes.grid import Cell, Mask, RoomGrid
from otherminds.worlds.household.scenes.plane import beside, centroid, clear, sees_box
from otherminds.worlds.household.scenes.scene import HouseTables, Legs, Point, Scene, floor_of

# How far an agent's hand reaches, on the plan (PARTNR's skills over Habitat use the same 2.0 m).
REACH = 2.0
_THRESHOLD = 0.3


def tables(scene: Scene) -> HouseTables:
    """All tables of a scene; those it already has are not looked at.

    A spot that cannot be had (furniture out of reach, a room without a free cell) and a door that nobody
    gets to are left out; `check.faults` names them.
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
        centre = spots[f"centre:{room}"]
        pieces = [
            (name, scene.geometry.furniture[name].box) for name in scene.furniture_in_rooms.get(room, ())
        ]
        seen = [(name, beside(eye, box)) for name, box in pieces if sees_box(outline, eye, box)]
        if clear(outline, eye, centre):
            seen.append((floor_of(room), dist(eye, centre)))
        sees[spot] = tuple(name for name, _ in seen)
        reaches[spot] = tuple(name for name, metres in seen if metres <= REACH)
        meets[spot] = tuple(
            other for other in spots if rooms[other] == room and clear(outline, eye, spots[other])
        )
    return HouseTables(spots, rooms, legs, sees, meets, reaches)


class _RoomTables:
    """The spots of one room, all in the part of it that its doors lead to, and the legs between them."""

    def __init__(self, scene: Scene, room: str) -> None:
        self._scene = scene
        self._outline = scene.geometry.rooms[room].polygon
        names = scene.furniture_in_rooms.get(room, ())
        doors = {
            f"door:{i}:{room}": door.at for i, door in enumerate(scene.geometry.doors) if room in door.rooms
        }
        boxes = [scene.geometry.furniture[name].box for name in names]
        self._grid = RoomGrid(self._outline, list(doors.values()), boxes)
        self._cells: dict[str, Cell] = {}
        self._ahead: dict[str, float] = {}
        self.spots: dict[str, Point] = {}
        middles = {side: ((ax + bx) / 2, (az + bz) / 2) for side, ((ax, az), (bx, bz)) in doors.items()}
        open_to = self._open_to(list(middles.values()) or [centroid(self._outline)])
        self._keep(f"centre:{room}", self._grid.nearest(centroid(self._outline), open_to))
        for name in names:
            self._keep(f"stand:{name}", self._stand(name, open_to))
        for agent, spawn in scene.agent_spawns.items():
            if spawn.room == room:
                place = (spawn.position[0], spawn.position[2])
                self._keep(f"spawn:{agent}", self._grid.nearest(place, open_to))
        for side, middle in middles.items():
            cell = self._threshold(middle, open_to)
            if cell:
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
        """The free cells that can be walked to from the first door with a threshold."""
        for middle in middles:
            cell = self._grid.nearest(middle, self._grid.free)
            if cell:
                return self._grid.reach(cell)
        return self._grid.free

    def _threshold(self, middle: Point, open_to: Mask) -> Cell | None:
        cell = self._grid.nearest(middle, open_to)
        return cell if cell and dist(middle, self._grid.point(cell)) <= _THRESHOLD else None

    def _stand(self, name: str, open_to: Mask) -> Cell | None:
        box = self._scene.geometry.furniture[name].box
        for metres, cell in self._grid.beside(box, open_to):
            if metres > REACH:
                return None
            if sees_box(self._outline, self._grid.point(cell), box):
                return cell
        return None
