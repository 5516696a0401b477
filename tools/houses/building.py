"""A drafted house as a scene: everything named, rounded, checked, and with its tables."""

from __future__ import annotations

from collections import Counter
from random import Random

import msgspec
from tools.houses.draft import House, Lying, Placed, has_top
from tools.houses.object_placement import spawns

from otherminds.household.scenes.load import faults
from otherminds.household.scenes.plane import bounds
from otherminds.household.scenes.scene import (
    DIRTYABLE,
    FILLABLE,
    FURNITURE,
    SWITCHED,
    Box,
    Door,
    Geometry,
    HouseTables,
    Item,
    Piece,
    Point,
    RoomShape,
    Scene,
    Spawn,
    Triple,
)
from otherminds.household.scenes.tables import tables

_AGENTS = 4
_LEAST_OBJECTS, _LEAST_ARTICULATED, _LEAST_ROOMS_WITH_ARTICULATED = 12, 5, 3
_LEAST_FURNITURE, _MOST_FURNITURE, _LEAST_ROOMS, _LEAST_STOWED = 18, 72, 4, 2


def scene_of(house: House, name: str, episode: str, rng: Random) -> Scene:
    """The scene of a house, four spawns drawn, with tables; `shortcomings` says whether it is any good."""
    rooms = _numbered([room.kind for room in house.rooms], first=1)
    corner_x, corner_z, _, _ = bounds([point for room in house.rooms for point in room.polygon])

    def flat(point: Point) -> Point:
        return _round(point[0] - corner_x, 2), _round(point[1] - corner_z, 2)

    def solid(at: Triple, digits: int) -> Triple:
        return _round(at[0] - corner_x, digits), _round(at[1], digits), _round(at[2] - corner_z, digits)

    furniture: dict[str, Piece] = {}
    in_rooms: dict[str, tuple[str, ...]] = {}
    names: dict[int, str] = {}
    for room, draft in zip(rooms, house.rooms, strict=True):
        for piece in draft.pieces:
            names[id(piece)] = f"{piece.kind}_{len(furniture)}"
            box = Box(solid(piece.box.centre, 2), _sized(piece.box.size, 2))
            furniture[names[id(piece)]] = _piece(piece, box, has_top(piece, draft))
        in_rooms[room] = tuple(names[id(piece)] for piece in draft.pieces)
    lying = [one for draft in house.rooms for one in draft.objects]
    objects: dict[str, Item] = {}
    borne: dict[str, list[str]] = {}
    for label, one in zip(_numbered([one.kind for one in lying], first=0), lying, strict=True):
        objects[label] = _item(one, solid(one.at, 3))
        if one.bearer is not None:
            borne.setdefault(names[id(one.bearer)], []).append(label)
    starts = {
        f"agent_{number}": Spawn((*flat(place)[:1], 0.0, *flat(place)[1:]), rooms[index])
        for number, (index, place) in enumerate(spawns(house, _AGENTS, rng))
    }
    geometry = Geometry(
        {
            room: RoomShape(tuple(map(flat, draft.polygon)))
            for room, draft in zip(rooms, house.rooms, strict=True)
        },
        tuple(
            Door((rooms[door.rooms[0]], rooms[door.rooms[1]]), (flat(door.at[0]), flat(door.at[1])))
            for door in house.doors
        ),
        furniture,
        objects,
    )
    scene = Scene(
        scene_id=name,
        episode_id=episode,
        rooms=tuple(rooms),
        furniture=tuple(furniture),
        objects=tuple(objects),
        articulated_furniture=tuple(label for label, piece in furniture.items() if piece.articulated),
        furniture_in_rooms=in_rooms,
        objects_on_furniture={label: tuple(held) for label, held in borne.items()},
        agent_spawns=starts,
        source=house.source,
        geometry=geometry,
    )
    made = tables(scene)
    # Rounding the furniture may have taken a cell that was free: the file says where one really starts.
    return msgspec.structs.replace(scene, tables=made, agent_spawns=_starts(starts, made))


def shortcomings(scene: Scene) -> list[str]:
    """Why a sound scene would still make a poor place for tasks, and its faults; none for a good one."""
    articulated = set(scene.articulated_furniture)
    opening = [room for room, names in scene.furniture_in_rooms.items() if articulated & set(names)]
    stowed = [item for item in scene.geometry.objects.values() if item.relation == "within"]
    spawn_rooms = {spawn.room for spawn in scene.agent_spawns.values()}
    checks = {
        f"{len(scene.rooms)} rooms": len(scene.rooms) >= _LEAST_ROOMS,
        f"{len(scene.furniture)} pieces": _LEAST_FURNITURE <= len(scene.furniture) <= _MOST_FURNITURE,
        f"{len(scene.objects)} objects": len(scene.objects) >= _LEAST_OBJECTS,
        f"{len(articulated)} articulated": len(articulated) >= _LEAST_ARTICULATED,
        f"articulated in {len(opening)} rooms": len(opening) >= _LEAST_ROOMS_WITH_ARTICULATED,
        f"{len(stowed)} objects within": len(stowed) >= _LEAST_STOWED,
        f"spawns in {len(spawn_rooms)} rooms": len(spawn_rooms) >= _AGENTS - 1,
        "a room without furniture": all(scene.furniture_in_rooms[room] for room in scene.rooms),
    }
    return [*faults(scene), *(text for text, good in checks.items() if not good)]


def _starts(drawn: dict[str, Spawn], made: HouseTables) -> dict[str, Spawn]:
    found: dict[str, Spawn] = {}
    for agent, spawn in drawn.items():
        x, z = made.spots.get(f"spawn:{agent}", (spawn.position[0], spawn.position[2]))
        found[agent] = Spawn((x, 0.0, z), spawn.room)
    return found


def _numbered(kinds: list[str], first: int) -> list[str]:
    counts: Counter[str] = Counter()
    names: list[str] = []
    for kind in kinds:
        names.append(f"{kind}_{counts[kind] + first}")
        counts[kind] += 1
    return names


def _piece(piece: Placed, box: Box, top: bool) -> Piece:
    kind = FURNITURE[piece.kind]
    return Piece(box, kind.articulated, kind.interior, top, kind.switch, kind.faucet)


def _item(one: Lying, at: Triple) -> Item:
    return Item(
        _sized(one.size, 3),
        at,
        one.relation,
        one.kind in DIRTYABLE,
        one.kind in FILLABLE,
        one.kind in SWITCHED,
    )


def _sized(size: Triple, digits: int) -> Triple:
    least = 10.0**-digits
    return (
        max(_round(size[0], digits), least),
        max(_round(size[1], digits), least),
        max(_round(size[2], digits), least),
    )


def _round(metres: float, digits: int) -> float:
    # Adding zero turns -0.0 into 0.0.
    return round(metres, digits) + 0.0
