"""Every fault of a scene is found and named with its place; a sound scene has none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from otherminds.household.scenes.load import faults
from otherminds.household.scenes.scene import (
    Box,
    Door,
    Geometry,
    HouseTables,
    Item,
    Piece,
    RoomShape,
    Scene,
    Spawn,
)

change: Callable[..., Any] = msgspec.structs.replace


def shaped(scene: Scene, **fields: Any) -> Scene:
    geometry: Geometry = change(scene.geometry, **fields)
    return change(scene, geometry=geometry)


def with_room(scene: Scene, *corners: tuple[float, float]) -> Scene:
    return shaped(scene, rooms=scene.geometry.rooms | {"bedroom_1": RoomShape(corners)})


def with_furniture(scene: Scene, name: str, **fields: Any) -> Scene:
    piece: Piece = change(scene.geometry.furniture[name], **fields)
    return shaped(scene, furniture=scene.geometry.furniture | {name: piece})


def with_object(scene: Scene, name: str, **fields: Any) -> Scene:
    item: Item = change(scene.geometry.objects[name], **fields)
    return shaped(scene, objects=scene.geometry.objects | {name: item})


def with_tables(scene: Scene, **fields: Any) -> Scene:
    tables: HouseTables = change(scene.tables, **fields)
    return change(scene, tables=tables)


BROKEN: list[tuple[str, Callable[[Scene], Scene], str]] = [
    ("a name twice", lambda s: change(s, rooms=(*s.rooms, "bedroom_1")), "bedroom_1: named 2 times"),
    (
        "one name for two things",
        lambda s: change(s, objects=("bed_4", *s.objects)),
        "bed_4: named 2 times",
    ),
    ("no room", lambda s: change(s, rooms=()), "there is none"),
    (
        "furniture without a shape",
        lambda s: shaped(s, furniture={n: p for n, p in s.geometry.furniture.items() if n != "bed_4"}),
        "geometry.furniture: bed_4 is missing",
    ),
    (
        "a shape without a name",
        lambda s: change(s, objects=s.objects[1:]),
        "geometry.objects: vase_0 is in no list",
    ),
    (
        "furniture in no room",
        lambda s: change(s, furniture_in_rooms=s.furniture_in_rooms | {"bedroom_1": ("bed_4",)}),
        "furniture_in_rooms: lamp_stand_5 stands in no room",
    ),
    (
        "furniture in two rooms",
        lambda s: change(s, furniture_in_rooms=s.furniture_in_rooms | {"kitchen_1": ("counter_2", "bed_4")}),
        "furniture_in_rooms: bed_4 is listed 2 times",
    ),
    (
        "furniture in an unknown room",
        lambda s: change(s, furniture_in_rooms=s.furniture_in_rooms | {"attic_1": ()}),
        "furniture_in_rooms: unknown name attic_1",
    ),
    (
        "an unknown object on furniture",
        lambda s: change(s, objects_on_furniture={"stand_0": ("vase_0", "vase_9"), "cabinet_3": ("cup_0",)}),
        "objects_on_furniture: unknown name vase_9",
    ),
    (
        "articulated in one place only",
        lambda s: change(s, articulated_furniture=("stand_0",)),
        "articulated_furniture: cabinet_3 disagrees",
    ),
    (
        "a door to nowhere",
        lambda s: shaped(s, doors=(*s.geometry.doors, Door(("attic_1", "bedroom_1"), ((9, 1), (9, 2))))),
        "doors[3]: unknown room attic_1",
    ),
    (
        "a door from a room to itself",
        lambda s: shaped(s, doors=(*s.geometry.doors, Door(("bedroom_1", "bedroom_1"), ((9, 1), (9, 2))))),
        "doors[3]: leads from bedroom_1 to itself",
    ),
    (
        "a spawn in an unknown room",
        lambda s: change(s, agent_spawns={"agent_0": Spawn((1, 0, 1), "attic_1")}),
        "agent_spawns.agent_0: unknown room attic_1",
    ),
    (
        "a clockwise room",
        lambda s: with_room(s, (6, 0), (6, 5), (9, 5), (9, 0)),
        "geometry.rooms.bedroom_1: not a counter-clockwise outline",
    ),
    ("a room without corners", with_room, "geometry.rooms.bedroom_1: not a counter-clockwise"),
    (
        "a corner twice",
        lambda s: with_room(s, (6, 0), (9, 0), (9, 0), (9, 5), (6, 5)),
        "two corners in a row are one",
    ),
    (
        "a room in centimetres",
        lambda s: with_room(s, (6, 0), (900, 0), (900, 5), (6, 5)),
        "more than 50 m long",
    ),
    (
        "a size of nothing",
        lambda s: with_furniture(s, "bed_4", box=Box((8, 0.3, 4), (1.8, 0.0, 1.8))),
        "geometry.furniture.bed_4: size",
    ),
    (
        "rooms that overlap",
        lambda s: with_room(s, (5, 0), (9, 0), (9, 5), (5, 5)),
        "hallway_1 and bedroom_1 overlap",
    ),
    (
        "a room without a door",
        lambda s: shaped(s, doors=s.geometry.doors[:1]),
        "bedroom_1 is not connected with hallway_1",
    ),
    (
        "a narrow door",
        lambda s: shaped(
            s, doors=(Door(("hallway_1", "kitchen_1"), ((4, 2), (4.5, 2))), *s.geometry.doors[1:])
        ),
        "doors[0] (hallway_1 to kitchen_1): 0.50 m wide",
    ),
    (
        "a door off the wall",
        lambda s: shaped(
            s, doors=(Door(("hallway_1", "kitchen_1"), ((4, 3), (5, 3))), *s.geometry.doors[1:])
        ),
        "doors[0]: not in a wall of hallway_1",
    ),
    (
        "furniture outside its room",
        lambda s: with_furniture(s, "bed_4", box=Box((9.0, 0.3, 4.0), (1.8, 0.6, 1.8))),
        "geometry.furniture.bed_4: stands outside its room bedroom_1",
    ),
    (
        "furniture round an inner corner",
        lambda s: with_furniture(s, "bench_1", box=Box((2.0, 0.25, 2.0), (3.0, 0.5, 3.0))),
        "geometry.furniture.bench_1: stands outside its room hallway_1",
    ),
    (
        "an object on nothing",
        lambda s: change(s, objects_on_furniture={"cabinet_3": ("cup_0",)}),
        "geometry.objects.vase_0: relation 'on', but no list",
    ),
    (
        "an object beside what bears it",
        lambda s: with_object(s, "vase_0", at=(2.5, 0.95, 1.0)),
        "geometry.objects.vase_0: lies",
    ),
    (
        "an object on furniture without a top",
        lambda s: with_object(s, "cup_0", relation="on"),
        "geometry.objects.cup_0: on cabinet_3, which has no top",
    ),
    (
        "an object within furniture without an interior",
        lambda s: with_furniture(s, "cabinet_3", interior=False),
        "geometry.objects.cup_0: within cabinet_3, which has no interior",
    ),
    (
        "an object on the floor and on furniture",
        lambda s: with_object(s, "vase_0", relation="floor"),
        "geometry.objects.vase_0: lies on the floor and on stand_0",
    ),
    (
        "an object on no floor",
        lambda s: with_object(s, "teddy_bear_0", at=(20.0, 0.15, 1.0)),
        "geometry.objects.teddy_bear_0: lies on no room's floor",
    ),
    (
        "a spawn outside its room",
        lambda s: change(s, agent_spawns={"agent_0": Spawn((8.0, 0.0, 1.0), "hallway_1")}),
        "agent_spawns.agent_0: its position is outside hallway_1",
    ),
    (
        "a spot that is missing",
        lambda s: with_tables(s, spots={k: v for k, v in s.tables.spots.items() if k != "stand:bed_4"}),
        "tables.spots: no stand:bed_4",
    ),
    (
        "a spot too many",
        lambda s: with_tables(s, spots=s.tables.spots | {"stand:tv_9": (1.0, 1.0)}),
        "tables.spots: unknown spot stand:tv_9",
    ),
    (
        "sight of an unknown thing",
        lambda s: with_tables(s, sees=s.tables.sees | {"stand:bed_4": ("tv_9",)}),
        "tables.sees: does not fit",
    ),
    (
        "a matrix with a row too few",
        lambda s: with_tables(
            s,
            legs=s.tables.legs
            | {"kitchen_1": change(s.tables.legs["kitchen_1"], metres=s.tables.legs["kitchen_1"].metres[1:])},
        ),
        "tables.legs.kitchen_1: does not fit",
    ),
    (
        "a room without legs",
        lambda s: with_tables(s, legs={room: s.tables.legs[room] for room in s.rooms[:-1]}),
        "tables.legs.bedroom_1: does not fit",
    ),
]


def test_a_sound_scene_has_no_fault_with_and_without_tables(bare: Scene, house: Scene) -> None:
    assert faults(bare) == []
    assert faults(house) == []


@pytest.mark.parametrize(("spoil", "text"), [pytest.param(*case[1:], id=case[0]) for case in BROKEN])
def test_a_broken_scene_says_where_and_what(house: Scene, spoil: Callable[[Scene], Scene], text: str) -> None:
    broken = spoil(house)
    found = faults(broken)
    assert any(text in fault for fault in found), found


def test_faults_are_reported_together(bare: Scene) -> None:
    broken = with_object(
        with_furniture(bare, "bed_4", box=Box((20, 0, 20), (1, 1, 1))), "cup_0", relation="on"
    )
    assert len(faults(broken)) == 2


def test_a_door_behind_furniture_is_a_fault(house: Scene) -> None:
    legs = house.tables.legs["bedroom_1"]
    kept = [i for i, point in enumerate(legs.points) if point != "door:1:bedroom_1"]
    cut = change(
        legs,
        points=tuple(legs.points[i] for i in kept),
        metres=tuple(tuple(legs.metres[i][j] for j in kept) for i in kept),
    )
    found = faults(with_tables(house, legs=house.tables.legs | {"bedroom_1": cut}))
    assert found == ["doors[1]: furniture blocks it in bedroom_1; clear its threshold"]
