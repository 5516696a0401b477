"""Inventories become rooms to plan: named as ours, furnished within bounds, the hallway first."""

from __future__ import annotations

from random import Random

from tools.houses.data import Inventories
from tools.houses.inventories import homes, planned_rooms, sizes

BBOX = {
    "bed": (2.0, 1.6, 0.6),
    "top": (0.3, 0.6, 0.5),
    "bas": (0.4, 0.5, 0.8),
    "cnt": (1.5, 0.6, 0.03),
    "cha": (0.5, 0.45, 0.9),
    "tab": (0.8, 1.2, 0.7),
    "vas": (0.2, 0.2, 0.3),
    "war": (0.6, 1.2, 2.8),
    "poo": (3.5, 7.0, 1.0),
}
HOUSE = {
    "kitchen_0": {
        "countertop-cnt": 5,
        "top_cabinet-top": 2,
        "bottom_cabinet-bas": 1,
        "vase-vas": 2,
        "door-x": 1,
    },
    "bedroom_0": {"bed-bed": 1, "bottom_cabinet-bas": 1, "countertop-cnt": 1},
    "dining_room_0": {"breakfast_table-tab": 1, "straight_chair-cha": 9},
    "corridor_0": {"floors-y": 1},
    "closet_0": {"door-x": 1},
    "staircase_0": {"bed-bed": 1},
    "garden_0": {"bed-bed": 4},
    "playroom_0": {"bar-poo": 1},
}
EVERYTHING = {
    "shop_0": {
        "wardrobe-war": 1,
        "bookcase-top": 1,
        "console_table-bas": 1,
        "bench-cha": 1,
    }
}
DATA = Inventories(
    {"Cottage_0_int": HOUSE, "Cottage_0_garden": HOUSE, "house_tall": HOUSE, "school_gym": EVERYTHING}, BBOX
)


def test_homes_are_told_from_other_scenes_and_from_their_gardens() -> None:
    assert homes(DATA) == ("Cottage_0_int", "house_tall")


def test_rooms_are_ours_the_hallway_first_and_what_has_no_name_or_furniture_is_left_out() -> None:
    kinds = [room.space.kind for room in planned_rooms(DATA, "Cottage_0_int", 9, Random(0))]
    assert kinds[0] == "hallway"
    assert sorted(kinds) == ["bedroom", "closet", "dining_room", "hallway", "kitchen"]


def test_at_most_as_many_rooms_as_asked_the_best_furnished() -> None:
    kinds = [room.space.kind for room in planned_rooms(DATA, "Cottage_0_int", 3, Random(0))]
    assert kinds == ["hallway", "dining_room", "kitchen"]


def test_furniture_is_named_by_its_room_bounded_in_number_and_measured_across() -> None:
    rooms = {room.space.kind: room for room in planned_rooms(DATA, "Cottage_0_int", 9, Random(0))}
    kitchen = [wish.kind for wish in rooms["kitchen"].wishes]
    assert kitchen == ["counter", "counter", "counter", "cabinet", "cabinet", "cabinet"]
    assert [wish.hangs for wish in rooms["kitchen"].wishes] == [0, 0, 0, 0, 1.5, 1.5]
    counter = rooms["kitchen"].wishes[0]
    assert (counter.width, counter.depth, counter.height) == (1.5, 0.6, 0.9)
    assert [wish.kind for wish in rooms["bedroom"].wishes] == ["bed", "chest_of_drawers"]
    assert [wish.kind for wish in rooms["dining_room"].wishes] == ["table"] + ["chair"] * 6
    assert all(wish.height <= 2.4 for room in rooms.values() for wish in room.wishes)


def test_empty_closets_and_corridors_get_cupboards_of_the_data() -> None:
    rooms = {room.space.kind: room for room in planned_rooms(DATA, "Cottage_0_int", 9, Random(0))}
    assert {wish.kind for wish in rooms["closet"].wishes} == {"wardrobe", "chest_of_drawers", "shelves"}
    assert rooms["hallway"].wishes


def test_small_things_are_objects_once_each_with_their_sizes() -> None:
    rooms = {room.space.kind: room for room in planned_rooms(DATA, "Cottage_0_int", 9, Random(0))}
    assert rooms["kitchen"].objects == (("vase", (0.2, 0.2, 0.3)),)


def test_sizes_go_by_category_and_lie_across_the_wall_first() -> None:
    assert sizes(DATA)["bed"] == [(1.6, 2.0, 0.6)]
