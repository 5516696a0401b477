"""Floor plans give every space its room, without gaps or overlaps, and doors that join them all."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tools.houses.draft import Draft
from tools.houses.plans import Space, floor_plan

from otherminds.household.scenes.plane import area, bounds, inside

FLAT = [
    Space("hallway", 8.0, 1.4),
    Space("kitchen", 14.0, 2.9),
    Space("living_room", 24.0, 3.6),
    Space("bedroom", 14.0, 2.9),
    Space("bathroom", 7.0, 2.1),
    Space("closet", 4.0, 1.8),
]
seeds = st.integers(0, 10**6)


def covered(rooms: list[Draft]) -> bool:
    """Whether the rooms fill their common rectangle, each place once (looked at every half metre)."""
    x0, z0, x1, z1 = bounds([corner for room in rooms for corner in room.polygon])
    places = [
        (x0 + 0.237 + 0.5 * i, z0 + 0.237 + 0.5 * k)
        for i in range(int((x1 - x0) * 2))
        for k in range(int((z1 - z0) * 2))
    ]
    return all(sum(inside(place, room.polygon, slack=0.0) for room in rooms) == 1 for place in places)


@settings(max_examples=10)
@given(seeds, st.booleans(), st.integers(0, 2))
def test_a_plan_is_filled_joined_and_about_as_large_as_wanted(seed: int, hall: bool, corners: int) -> None:
    spaces = FLAT if hall else FLAT[1:]
    rooms, doors = floor_plan(spaces, corners, Random(seed))
    assert [room.kind for room in rooms] == [space.kind for space in spaces]
    assert covered(rooms)
    joined = {0}
    for _ in rooms:
        joined |= {index for door in doors if joined & set(door.rooms) for index in door.rooms}
    assert joined == set(range(len(rooms)))
    if corners == 0:
        for space, room in zip(spaces, rooms, strict=True):
            if space.kind != "hallway":
                assert area(room.polygon) == pytest.approx(space.area, rel=0.35)


@given(seeds)
@settings(max_examples=5)
def test_most_doors_open_on_the_hallway(seed: int) -> None:
    rooms, doors = floor_plan(FLAT, 0, Random(seed))
    assert sum(0 in door.rooms for door in doors) >= len(rooms) - 2


def test_the_same_seed_draws_the_same_plan() -> None:
    assert floor_plan(FLAT, 1, Random(3)) == floor_plan(FLAT, 1, Random(3))
