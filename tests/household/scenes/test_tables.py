"""The tables say where to stand, what is seen and what is in reach, as the drawn house has it."""

from __future__ import annotations

import msgspec
import pytest

from otherminds.household.scenes.plane import beside, inside
from otherminds.household.scenes.scene import Box, Door, Piece, Scene
from otherminds.household.scenes.tables import REACH, tables


def with_piece(scene: Scene, room: str, name: str, piece: Piece) -> Scene:
    return msgspec.structs.replace(
        scene,
        furniture=(*scene.furniture, name),
        furniture_in_rooms=scene.furniture_in_rooms | {room: (*scene.furniture_in_rooms[room], name)},
        geometry=msgspec.structs.replace(scene.geometry, furniture=scene.geometry.furniture | {name: piece}),
    )


def test_every_room_piece_and_agent_has_a_spot_in_its_room(house: Scene) -> None:
    spots = house.tables.spots
    assert spots.keys() == house.tables.rooms.keys()
    assert set(spots) == {
        *(f"centre:{room}" for room in house.rooms),
        *(f"stand:{name}" for name in house.furniture),
        *(f"spawn:{agent}" for agent in house.agent_spawns),
    }
    for spot, room in house.tables.rooms.items():
        assert inside(spots[spot], house.geometry.rooms[room].polygon, slack=-0.15)


def test_from_its_stand_furniture_is_seen_and_in_reach(house: Scene) -> None:
    for name, piece in house.geometry.furniture.items():
        stand = f"stand:{name}"
        assert name in house.tables.sees[stand]
        assert name in house.tables.reaches[stand]
        assert beside(house.tables.spots[stand], piece.box) <= REACH


def test_spawns_on_a_free_cell_stay_there(house: Scene) -> None:
    assert house.tables.spots["spawn:agent_0"] == (0.55, 3.05)


def test_round_the_corner_neither_furniture_nor_agents_nor_the_floor_are_seen(house: Scene) -> None:
    in_the_arm, in_the_hall = "stand:stand_0", "stand:bench_1"
    assert "bench_1" not in house.tables.sees[in_the_arm]
    assert "stand_0" not in house.tables.sees[in_the_hall]
    assert in_the_hall not in house.tables.meets[in_the_arm]
    assert "floor_hallway_1" not in house.tables.sees[in_the_arm]
    assert in_the_arm in house.tables.meets["spawn:agent_0"]
    assert "stand_0" in house.tables.sees["spawn:agent_0"]


def test_nothing_of_another_room_is_seen_through_its_door(house: Scene) -> None:
    for spot, room in house.tables.rooms.items():
        assert set(house.tables.sees[spot]) <= {*house.furniture_in_rooms[room], f"floor_{room}"}
        assert {house.tables.rooms[other] for other in house.tables.meets[spot]} == {room}


def test_the_floor_is_seen_with_the_centre_and_reached_within_two_metres_of_it(house: Scene) -> None:
    spots = house.tables.spots
    for spot, room in house.tables.rooms.items():
        centre = spots[f"centre:{room}"]
        away = ((spots[spot][0] - centre[0]) ** 2 + (spots[spot][1] - centre[1]) ** 2) ** 0.5
        floor, seen = f"floor_{room}", f"centre:{room}" in house.tables.meets[spot]
        assert (floor in house.tables.sees[spot]) == seen
        assert (floor in house.tables.reaches[spot]) == (seen and away <= REACH)


def test_what_is_reached_is_seen_and_near_and_the_rest_is_not(house: Scene) -> None:
    for spot, seen in house.tables.sees.items():
        near = [
            name
            for name in seen
            if name in house.geometry.furniture
            and beside(house.tables.spots[spot], house.geometry.furniture[name].box) <= REACH
        ]
        assert [name for name in house.tables.reaches[spot] if name in house.furniture] == near


def test_legs_are_symmetric_metric_and_at_least_the_straight_line(house: Scene) -> None:
    for legs in house.tables.legs.values():
        count = range(len(legs.points))
        for i in count:
            assert legs.metres[i][i] == 0
            for j in count:
                assert legs.metres[i][j] == legs.metres[j][i]
                assert all(legs.metres[i][j] <= legs.metres[i][k] + legs.metres[k][j] + 0.02 for k in count)
        spots = house.tables.spots
        for i, one in enumerate(legs.points):
            for j, other in enumerate(legs.points):
                if one in spots and other in spots:
                    (ax, az), (bx, bz) = spots[one], spots[other]
                    straight = ((ax - bx) ** 2 + (az - bz) ** 2) ** 0.5
                    assert straight - 0.01 <= legs.metres[i][j]


def test_a_walk_to_the_door_ahead_is_about_as_long_as_the_line_to_it(house: Scene) -> None:
    legs = house.tables.legs["hallway_1"]
    metres = legs.metres[legs.points.index("spawn:agent_1")][legs.points.index("door:2:hallway_1")]
    assert metres == pytest.approx(0.95, abs=0.1)


def test_furniture_that_is_walled_in_by_other_furniture_has_no_stand(bare: Scene) -> None:
    wall = Piece(Box((3.0, 0.5, 3.2), (1.9, 1.0, 0.3)))
    beside_it = Piece(Box((4.2, 0.5, 3.9), (0.4, 1.0, 2.1)))
    other_side = Piece(Box((2.15, 0.5, 3.9), (0.25, 1.0, 2.1)))
    scene = with_piece(bare, "kitchen_1", "shelves_6", wall)
    scene = with_piece(scene, "kitchen_1", "shelves_7", beside_it)
    scene = with_piece(scene, "kitchen_1", "shelves_8", other_side)
    far = with_piece(scene, "kitchen_1", "tv_9", Piece(Box((2.45, 0.5, 4.8), (0.2, 0.4, 0.2))))
    assert "stand:shelves_6" in tables(far).spots
    assert "stand:tv_9" in tables(far).spots
    assert tables(far).spots["stand:tv_9"][1] < 3.2


def test_a_door_behind_furniture_has_no_leg(bare: Scene) -> None:
    blocked = with_piece(bare, "bedroom_1", "wardrobe_6", Piece(Box((6.3, 1.0, 3.5), (0.5, 2.0, 1.4))))
    points = tables(blocked).legs["bedroom_1"].points
    assert "door:1:bedroom_1" not in points
    assert "door:2:bedroom_1" in points


def test_a_room_filled_to_the_walls_has_no_spot_at_all(bare: Scene) -> None:
    full = with_piece(bare, "kitchen_1", "table_6", Piece(Box((4.0, 0.5, 3.5), (3.9, 1.0, 2.9))))
    found = tables(full)
    assert "kitchen_1" not in found.rooms.values()
    assert found.legs["kitchen_1"].points == ()


def test_a_room_without_doors_is_walked_from_its_middle(bare: Scene) -> None:
    doors: tuple[Door, ...] = ()
    alone = msgspec.structs.replace(bare, geometry=msgspec.structs.replace(bare.geometry, doors=doors))
    assert tables(alone).spots.keys() == tables(bare).spots.keys()


def test_the_tables_do_not_look_at_those_that_are_there(house: Scene, bare: Scene) -> None:
    assert tables(house) == tables(bare) == house.tables
