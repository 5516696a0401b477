"""Stitched houses keep every room's size, join each to the hallway, and hide one arm where it bends."""

from __future__ import annotations

from itertools import combinations
from random import Random

import pytest
from tools.houses.clearance import trouble
from tools.houses.draft import Draft, House, Placed, rectangle
from tools.houses.placing import Wish
from tools.houses.stitching import stitched_house

from otherminds.core.errors import InternalError
from otherminds.household.scenes.plane import area, bounds
from otherminds.household.scenes.scene import Box
from tools.houses import stitching

HALL = [Wish("stand", 0.8, 0.35, 0.8)]


def rooms() -> list[Draft]:
    couch = Placed("couch", Box((2.0, 0.4, 0.5), (2.0, 0.8, 0.9)))
    bed = Placed("bed", Box((1.0, 0.3, 3.0), (1.6, 0.6, 2.0)))
    return [
        Draft("living_room", rectangle(5.0, 6.0), [couch]),
        Draft("bedroom", rectangle(4.0, 4.0), [bed]),
        Draft("kitchen", rectangle(3.0, 5.0)),
        Draft("bathroom", rectangle(2.5, 3.0)),
    ]


def house(seed: int, bend: bool) -> House:
    return stitched_house(rooms(), HALL, bend, "drawn", Random(seed))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("bend", [False, True])
def test_rooms_keep_their_size_and_lie_apart_along_the_hallway(seed: int, bend: bool) -> None:
    built = house(seed, bend)
    assert [room.kind for room in built.rooms] == ["living_room", "bedroom", "kitchen", "bathroom", "hallway"]
    assert [round(area(room.polygon), 6) for room in built.rooms[:-1]] == [30, 16, 15, 7.5]
    assert len(built.rooms[-1].polygon) == (6 if bend else 4)
    for one, other in combinations(built.rooms[:-1], 2):
        x0, z0, x1, z1 = bounds(one.polygon)
        x2, z2, x3, z3 = bounds(other.polygon)
        assert min(x1, x3) - max(x0, x2) < 1e-6 or min(z1, z3) - max(z0, z2) < 1e-6
    assert {door.rooms for door in built.doors if 4 in door.rooms} == {(0, 4), (1, 4), (2, 4), (3, 4)}
    for index, room in enumerate(built.rooms):
        assert not trouble(room, [door.at for door in built.doors if index in door.rooms]).any


def test_the_hallway_is_furnished_where_that_leaves_a_way() -> None:
    assert [piece.kind for piece in house(0, bend=False).rooms[-1].pieces] == ["stand"]


def test_the_same_seed_builds_the_same_house() -> None:
    assert house(5, bend=True) == house(5, bend=True)


def test_a_room_that_no_door_fits_into_is_said_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stitching, "_TRIES", 3)
    full = Draft("closet", rectangle(2.0, 2.0), [Placed("wardrobe", Box((1.0, 1.0, 1.0), (1.9, 2.0, 1.9)))])
    with pytest.raises(InternalError, match="closet"):
        stitched_house([*rooms(), full], [], bend=False, source="drawn", rng=Random(0))
