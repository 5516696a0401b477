"""A plain house: rectangular rooms on both sides of a corridor, with furniture along the walls opposite the doors.

For tasks whose scene is not at hand: the names, and what stands where, are given; only sizes and positions are made up.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from msgspec import Struct

from otherminds.core.errors import TaskError
from otherminds.household.scenes.load import of_data
from otherminds.household.scenes.scene import (
    Box,
    Door,
    Geometry,
    Item,
    Names,
    Piece,
    RoomShape,
    Scene,
    Spawn,
    floor_of,
)

SOURCE = "made by otherminds tasks convert --house --out from the names in a task file; positions and sizes are made up"
DEPTH, CORRIDOR = 4.0, 1.6
"""Metres: the depth of a room, and the width of the corridor."""
NARROWEST, STEP, DOOR = 3.0, 1.1, 1.0
"""Metres: the least width of a room, the width for each piece of furniture, and that of a door."""
WIDE, DEEP, HIGH = 0.8, 0.5, 0.8
"""Metres: the size of each piece of furniture."""
SMALL = 0.1
"""Metres: the size of each object."""
LONGEST = 50.0
"""Metres: the largest length of a side of a house."""


class PlainPiece(Struct, frozen=True):
    """A piece of furniture in a room, and what it can do (see :class:`~.scene.Piece`)."""

    room: str
    articulated: bool = False
    interior: bool = False
    top: bool = True
    switch: bool = False


class PlainItem(Struct, frozen=True):
    """An object on or in ``bearer``, or on the floor of a room, and what it can be (see :class:`~.scene.Item`)."""

    bearer: str
    inside: bool = False
    dirtyable: bool = False
    fillable: bool = False
    switch: bool = False


class PlainHouse(Struct, frozen=True):
    """The content of a house. ``corridor`` is the name of the corridor, and ``starts`` the room of each agent."""

    scene_id: str
    rooms: Names
    corridor: str
    furniture: Mapping[str, PlainPiece]
    objects: Mapping[str, PlainItem]
    starts: Mapping[str, str]


def plain_scene(house: PlainHouse) -> Scene:
    """The scene of a house, with its tables.

    Raises:
        TaskError: it would be longer than :data:`LONGEST`, or its names do not fit together.
    """
    inside = {
        room: tuple(f for f, piece in house.furniture.items() if piece.room == room) for room in house.rooms
    }
    near, far = house.rooms[::2], house.rooms[1::2]
    length = max(_length(near, inside), _length(far, inside))
    if length > LONGEST:
        raise TaskError(
            f"a plain house for {len(house.rooms)} rooms and {len(house.furniture)} pieces of furniture would be "
            f"{length:.0f} m long, and {LONGEST:.0f} m is the most; give a scene file"
        )
    rooms = {house.corridor: _rectangle(0.0, length, DEPTH, DEPTH + CORRIDOR)}
    doors: list[Door] = []
    pieces: dict[str, Piece] = {}
    for side, names in enumerate((near, far)):
        left_edge = 0.0
        for room in names:
            width = _width(len(inside[room]))
            front = DEPTH + side * CORRIDOR
            back = front + (DEPTH if side else -DEPTH)
            rooms[room] = _rectangle(left_edge, left_edge + width, min(front, back), max(front, back))
            middle = left_edge + width / 2
            ends = (_point(middle - DOOR / 2, front), _point(middle + DOOR / 2, front))
            doors.append(Door((house.corridor, room), ends))
            wall = back + (-DEEP / 2 if side else DEEP / 2)
            for k, f in enumerate(inside[room]):
                x = left_edge + width / 2 + (k - (len(inside[room]) - 1) / 2) * STEP
                pieces[f] = _piece(house.furniture[f], round(x, 2), round(wall, 2))
            left_edge += width
    items, borne = _items(house, rooms, pieces)
    scene = Scene(
        scene_id=house.scene_id,
        episode_id="",
        rooms=(*house.rooms, house.corridor),
        furniture=tuple(pieces),
        objects=tuple(items),
        articulated_furniture=tuple(f for f, piece in pieces.items() if piece.articulated),
        furniture_in_rooms={**inside, house.corridor: ()},
        objects_on_furniture={f: tuple(objects) for f, objects in borne.items()},
        agent_spawns={
            agent: _spawn(rooms[room], room, k) for k, (agent, room) in enumerate(house.starts.items())
        },
        source=SOURCE,
        geometry=Geometry(rooms, tuple(doors), pieces, items),
    )
    return of_data(msgspec.to_builtins(scene), house.scene_id)


def _width(pieces: int) -> float:
    return max(NARROWEST, round(STEP * pieces + 0.4, 2))


def _length(rooms: Names, inside: Mapping[str, Names]) -> float:
    return round(sum(_width(len(inside[room])) for room in rooms), 2)


def _point(x: float, z: float) -> tuple[float, float]:
    return round(x, 2), round(z, 2)


def _rectangle(x0: float, x1: float, z0: float, z1: float) -> RoomShape:
    return RoomShape((_point(x0, z0), _point(x1, z0), _point(x1, z1), _point(x0, z1)))


def _piece(piece: PlainPiece, x: float, z: float) -> Piece:
    box = Box((x, HIGH / 2, z), (WIDE, HIGH, DEEP))
    return Piece(box, piece.articulated, piece.interior, piece.top, piece.switch)


def _items(
    house: PlainHouse, rooms: Mapping[str, RoomShape], pieces: Mapping[str, Piece]
) -> tuple[dict[str, Item], dict[str, list[str]]]:
    """The objects, side by side on what bears them, and the objects of each piece of furniture."""
    floors = {floor_of(room): room for room in rooms}
    items: dict[str, Item] = {}
    borne: dict[str, list[str]] = {}
    counted: dict[str, int] = {}
    for name, plain_object in house.objects.items():
        k = counted[plain_object.bearer] = counted.get(plain_object.bearer, -1) + 1
        aside = round(((k + 1) // 2) * (SMALL + 0.02) * (-1 if k % 2 else 1), 3)
        if plain_object.bearer in floors:
            (x0, z0), _, (x1, z1), _ = rooms[floors[plain_object.bearer]].polygon
            at, relation = (round((x0 + x1) / 2 + aside, 3), SMALL / 2, round((z0 + z1) / 2, 3)), "floor"
        else:
            x, y, z = pieces[plain_object.bearer].box.centre
            high = y if plain_object.inside else HIGH + SMALL / 2
            at, relation = (round(x + aside, 3), round(high, 3), z), "within" if plain_object.inside else "on"
            borne.setdefault(plain_object.bearer, []).append(name)
        size = (SMALL, SMALL, SMALL)
        items[name] = Item(
            size, at, relation, plain_object.dirtyable, plain_object.fillable, plain_object.switch
        )
    return items, borne


def _spawn(shape: RoomShape, room: str, number: int) -> Spawn:
    """A start near the middle of a room; agents in the same room stand apart."""
    (x0, z0), _, (x1, z1), _ = shape.polygon
    aside = 0.2 * ((number + 1) // 2) * (-1 if number % 2 else 1)
    return Spawn((round((x0 + x1) / 2 + aside, 2), 0.0, round((z0 + z1) / 2, 2)), room)
