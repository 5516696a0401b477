"""A scene as plain data: the rooms, furniture and objects of a house, the tables computed from them, and what each kind can do.

The top-level fields are those of the task generator's ``current_scene.json`` (Juneja et al. 2026, appendix F);
``source``, ``geometry`` and ``tables`` are additions. Lengths are in metres, angles in radians. y is up; the floor plan is
(x, z), and a ``Point`` is ``(x, z)``. The names of kinds follow the scenes that the paper shows (``cabinet``, ``couch``,
``stand``, ``chest_of_drawers``, ``washer_dryer``, ...).

The floor ``floor_r`` of a room ``r`` is a receptacle, but not in the list of furniture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import msgspec

Point = tuple[float, float]
Triple = tuple[float, float, float]
Names = tuple[str, ...]


class Box(msgspec.Struct, frozen=True):
    """An upright box: its centre and size as (x, y, z), turned by ``yaw`` about the y axis.

    ``yaw`` takes the box's own x axis to ``(cos yaw, sin yaw)`` in (x, z).
    """

    centre: Triple
    size: Triple
    yaw: float = 0.0


class RoomShape(msgspec.Struct, frozen=True):
    """A room's outline in (x, z), counter-clockwise, without a repeated last point."""

    polygon: tuple[Point, ...]


class Door(msgspec.Struct, frozen=True):
    """An opening in the wall that two rooms share, at least 0.8 m wide; a closed door cannot be passed."""

    rooms: tuple[str, str]
    at: tuple[Point, Point]
    closed: bool = False


class Piece(msgspec.Struct, frozen=True):
    """A piece of furniture: its box, and whether it opens, holds things inside or on top, and has a switch or a faucet."""

    box: Box
    articulated: bool = False
    interior: bool = False
    top: bool = False
    switch: bool = False
    faucet: bool = False


class Item(msgspec.Struct, frozen=True):
    """An object: the size of its box, the centre of the box ``at`` the start, and how it rests there."""

    size: Triple
    at: Triple
    relation: Literal["on", "within", "floor"]
    dirtyable: bool = False
    fillable: bool = False
    switch: bool = False


class Geometry(msgspec.Struct, frozen=True):
    """The shapes of rooms, doors, furniture and objects, by name."""

    rooms: dict[str, RoomShape]
    doors: tuple[Door, ...]
    furniture: dict[str, Piece]
    objects: dict[str, Item]


class Spawn(msgspec.Struct, frozen=True):
    """The start of an agent: (x, y, z) and its room."""

    position: Triple
    room: str


class Legs(msgspec.Struct, frozen=True):
    """Walking distances inside one room, in metres: ``metres[i][j]`` from ``points[i]`` to ``points[j]``.

    The points are the room's spots and, for each door ``i`` of the scene in its wall, the middle of the opening,
    ``door:i:ROOM``.
    """

    points: Names
    metres: tuple[tuple[float, ...], ...]


class HouseTables(msgspec.Struct, frozen=True):
    """Look-up tables for the simulator, computed from the geometry by `tables.tables`.

    A *spot* is a position of an agent: ``centre:ROOM``, ``stand:FURNITURE`` or ``spawn:agent_i``.

    - ``spots``: the coordinates (x, z) of each spot; ``rooms``: its room.
    - ``legs``: walking distances inside each room.
    - ``sees``: the furniture visible from each spot, including the floor ``floor_ROOM``.
    - ``meets``: the spots visible from each spot, including itself.
    - ``reaches``: the furniture and the floor that are visible and within 2.0 m.
    """

    spots: dict[str, Point] = {}
    rooms: dict[str, str] = {}
    legs: dict[str, Legs] = {}
    sees: dict[str, Names] = {}
    meets: dict[str, Names] = {}
    reaches: dict[str, Names] = {}


class Scene(msgspec.Struct, frozen=True):
    """One house. A loaded scene always has its tables; a file may omit them."""

    scene_id: str
    episode_id: str
    rooms: Names
    furniture: Names
    objects: Names
    articulated_furniture: Names
    furniture_in_rooms: dict[str, Names]
    objects_on_furniture: dict[str, Names]
    agent_spawns: dict[str, Spawn]
    source: str
    geometry: Geometry
    tables: HouseTables = HouseTables()


def floor_of(room: str) -> str:
    """The name of a room's floor as a receptacle.

    >>> floor_of("kitchen_1")
    'floor_kitchen_1'
    """
    return f"floor_{room}"


def kind_of(name: str) -> str:
    """The kind of a thing or a room: its name without its number.

    >>> kind_of("floor_lamp_18"), kind_of("table")
    ('floor_lamp', 'table')
    """
    kind, _, number = name.rpartition("_")
    return kind if number.isdecimal() else name


@dataclass(frozen=True, slots=True)
class Kind:
    """What a kind of furniture can do.

    ``top``: things can lie on it; whether they can in one place also depends on its height and on what
    covers it.
    """

    articulated: bool = False
    interior: bool = False
    top: bool = False
    switch: bool = False
    faucet: bool = False


_OPENS = Kind(articulated=True, interior=True)
_CHEST = Kind(articulated=True, interior=True, top=True)
_FLAT = Kind(top=True)

FURNITURE: dict[str, Kind] = {
    "bathtub": Kind(interior=True, faucet=True),
    "bed": _FLAT,
    "bench": _FLAT,
    "cabinet": _CHEST,
    "chair": _FLAT,
    "chest": _CHEST,
    "chest_of_drawers": _CHEST,
    "couch": _FLAT,
    "counter": _FLAT,
    "desk": _FLAT,
    "dishwasher": Kind(articulated=True, interior=True, top=True, switch=True),
    "floor_lamp": Kind(switch=True),
    "fridge": _OPENS,
    "hamper": _CHEST,
    "microwave": Kind(articulated=True, interior=True, switch=True),
    "oven": Kind(articulated=True, interior=True, top=True, switch=True),
    "piano": _FLAT,
    "safe": _OPENS,
    "shelves": _FLAT,
    "shower": Kind(faucet=True),
    "sink": Kind(top=True, faucet=True),
    "stand": _CHEST,
    "stool": _FLAT,
    "stove": Kind(top=True, switch=True),
    "table": _FLAT,
    "toilet": Kind(),
    "trashcan": Kind(interior=True),
    "tv": Kind(switch=True),
    "wardrobe": _OPENS,
    "washer_dryer": Kind(articulated=True, interior=True, top=True, switch=True),
}
FILLABLE = frozenset(
    [
        "bottle",
        "bowl",
        "cup",
        "kettle",
        "mug",
        "pitcher",
        "pot",
        "teapot",
        "vase",
        "watering_can",
        "wine_bottle",
        "glass",
    ]
)
DIRTYABLE = frozenset(
    [
        "bowl",
        "cup",
        "glass",
        "mug",
        "pan",
        "plate",
        "pot",
        "spoon",
        "fork",
        "knife",
        "butter_knife",
        "towel",
        "cloth",
        "tray",
        "ladle",
        "spatula",
        "pillow",
        "blanket",
        "teapot",
    ]
)
SWITCHED = frozenset(
    ["lamp", "laptop", "toaster", "coffee_machine", "radio", "hair_dryer", "blender", "iron"]
)
