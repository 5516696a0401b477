"""Objects lie on tops, in what opens and on open floor, apart from each other."""

from __future__ import annotations

from itertools import combinations
from random import Random

import pytest
from tools.houses.clearance import open_floor
from tools.houses.draft import Draft, House, Lying, Opening, Placed, rectangle
from tools.houses.object_placement import CATEGORIES, drop_to_floor, settle, spawns, stow, strew, thin
from tools.houses.walls import overlap

from otherminds.core.errors import InternalError
from otherminds.household.scenes.scene import Box
from tests.cases import for_each

DOOR = ((1.0, 0.0), (1.9, 0.0))
KNOWN = {category: [(0.12, 0.1, 0.08)] for category in CATEGORIES}


def room() -> Draft:
    table = Placed("table", Box((2.0, 0.4, 2.0), (1.4, 0.8, 0.9)))
    chest = Placed("chest_of_drawers", Box((0.3, 0.4, 3.0), (0.5, 0.8, 1.0)))
    fridge = Placed("fridge", Box((3.6, 0.9, 3.6), (0.7, 1.8, 0.7)))
    counter = Placed("counter", Box((3.0, 0.45, 0.3), (1.5, 0.9, 0.6)))
    return Draft("kitchen", rectangle(4.0, 4.0), [table, chest, fridge, counter])


@for_each("seed", range(10))
def test_strewn_objects_rest_on_tops_apart(seed: int) -> None:
    kitchen = room()
    strew(kitchen, [("vase", (0.2, 0.2, 0.3)), ("door", (1.0, 0.1, 2.0))], KNOWN, Random(seed))
    assert len(kitchen.objects) == 5
    assert len({one.kind for one in kitchen.objects}) == 5
    assert kitchen.objects[0].kind == "vase"
    for one in kitchen.objects:
        assert one.bearer is not None
        assert one.bearer.kind != "fridge"
        assert one.at[1] - one.size[1] / 2 == pytest.approx(one.bearer.ends[1], abs=1e-3)
    boxes = [Box(one.at, one.size) for one in kitchen.objects]
    assert not any(overlap(a, b, 0.0) for a, b in combinations(boxes, 2))


def test_what_is_too_large_for_any_top_is_left_out() -> None:
    bare = Draft("kitchen", rectangle(3.0, 3.0), [Placed("stool", Box((1.0, 0.2, 1.0), (0.3, 0.4, 0.3)))])
    strew(bare, [("tray", (0.5, 0.5, 0.02))], {}, Random(0))
    assert bare.objects == []


def test_stowing_moves_objects_into_furniture_that_opens_where_they_fit() -> None:
    moved = 0
    for seed in range(20):
        kitchen = room()
        strew(kitchen, [], KNOWN, Random(seed))
        stow(kitchen, Random(seed))
        for one in kitchen.objects:
            if one.relation == "within":
                moved += 1
                assert one.bearer is not None
                assert one.bearer.kind in ("chest_of_drawers", "fridge")
                for axis in range(3):
                    spare = (one.bearer.box.size[axis] - one.size[axis]) / 2
                    assert abs(one.at[axis] - one.bearer.box.centre[axis]) <= spare
    assert moved > 10


def test_what_falls_lies_on_open_floor() -> None:
    fallen = 0
    for seed in range(40):
        kitchen = room()
        strew(kitchen, [], KNOWN, Random(seed))
        drop_to_floor(kitchen, [DOOR], Random(seed))
        grid, reached = open_floor(kitchen, [DOOR])
        for one in (one for one in kitchen.objects if one.relation == "floor"):
            fallen += 1
            assert one.bearer is None
            assert one.at[1] == one.size[1] / 2
            cell = grid.nearest((one.at[0], one.at[2]), reached)
            assert cell is not None
            assert grid.point(cell) == (one.at[0], one.at[2])
    assert fallen > 3


def test_thinning_keeps_each_kind_once_and_what_is_stowed_first() -> None:
    bedroom = room()
    bedroom.kind = "bedroom"
    table, chest = bedroom.pieces[:2]
    size = (0.1, 0.1, 0.1)
    bedroom.objects = [Lying(f"thing{i % 9}", size, (2, 0.9, 2), "on", table) for i in range(18)]
    bedroom.objects.append(Lying("ring", size, (0.3, 0.4, 3.0), "within", chest))
    bedroom.objects.append(Lying("rug", (2.0, 0.1, 1.0), (2, 0.9, 2), "within", chest))
    thin(bedroom, Random(0))
    kinds = [one.kind for one in bedroom.objects]
    assert len(kinds) == len(set(kinds)) == 6
    assert "ring" in kinds
    assert "rug" not in kinds


def test_agents_start_in_different_rooms_on_open_floor() -> None:
    rooms = [room() for _ in range(4)]
    house = House(rooms, [Opening((i, (i + 1) % 4), DOOR) for i in range(4)], "drawn")
    for seed in range(10):
        found = spawns(house, 4, Random(seed))
        assert len(found) == 4
        assert len({index for index, _ in found[:3]}) == 3
        for index, place in found:
            grid, reached = open_floor(rooms[index], [DOOR])
            cell = grid.nearest(place, reached)
            assert cell is not None
            assert grid.point(cell) == place


def on_floor(kind: str, at: tuple[float, float, float]) -> Lying:
    return Lying(kind, (0.2, 0.4, 0.2), at, "floor", None)


def test_settling_moves_only_what_is_in_the_way() -> None:
    kitchen = room()
    good = on_floor("vase", (1.0, 0.2, 1.5))
    kitchen.objects = [
        good,
        on_floor("plunger", (3.6, 0.2, 3.6)),  # in the fridge
        on_floor("cushion", (1.0, 0.7, 3.5)),  # in the air
        on_floor("basket", (1.4, 0.2, 0.2)),  # in the doorway
        on_floor("hat", (1.05, 0.2, 1.5)),  # in the vase
    ]
    settle(kitchen, [DOOR])
    vase, plunger, cushion, basket, hat = kitchen.objects
    assert vase == good
    assert cushion.at == (1.0, 0.2, 3.5)
    for one in (plunger, basket, hat):
        box = Box(one.at, one.size)
        assert not any(overlap(box, piece.box, 0.0) for piece in kitchen.pieces)
        assert one.at[1] == 0.2
    assert not overlap(Box(hat.at, hat.size), Box(vase.at, vase.size), 0.0)
    assert basket.at[2] >= 0.4 or not 0.6 <= basket.at[0] <= 2.3


def test_an_object_without_a_place_is_an_error() -> None:
    full = Draft("hallway", rectangle(1.0, 1.0), [Placed("bed", Box((0.5, 0.2, 0.5), (1.0, 0.4, 1.0)))])
    full.objects = [on_floor("vase", (0.5, 0.2, 0.5))]
    with pytest.raises(InternalError, match="no place on the floor of the hallway for the vase"):
        settle(full, [])
