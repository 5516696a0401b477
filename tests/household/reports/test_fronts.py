"""The front of furniture looks into the room, and doors that hang there open outwards."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.household.reports.chart import front, sides
from otherminds.household.scenes.load import load_scene, shipped_scenes
from otherminds.household.scenes.plane import aside, edges, footprint, inside
from otherminds.household.scenes.scene import Box
from tests.cases import for_each


@for_each("name", shipped_scenes()[::7])
def test_what_stands_at_one_wall_turns_its_back_to_it(name: str) -> None:
    scene = load_scene(name)
    found = 0
    for room, names in scene.furniture_in_rooms.items():
        outline = scene.geometry.rooms[room].polygon
        for f in names:
            every = sides(scene.geometry.furniture[f].box)
            away = [min(aside(side.middle, wall) for wall in edges(outline)) for side in every]
            near = [k for k, metres in enumerate(away) if metres < 0.3]
            if len(near) == 1 and away[near[0]] < 0.1 and inside(every[near[0] ^ 1].beyond(0.3), outline):
                found += 1
                assert front(scene, f) == every[near[0] ^ 1]
    assert found


@for_each("name", shipped_scenes()[::7])
def test_a_front_is_in_the_room(name: str) -> None:
    scene = load_scene(name)
    for room, names in scene.furniture_in_rooms.items():
        for f in names:
            assert inside(front(scene, f).beyond(0.05), scene.geometry.rooms[room].polygon, slack=0.1)


@given(st.floats(0.2, 3), st.floats(0.2, 3), st.floats(-4, 4))
def test_sides_are_those_of_the_box_and_turn_left_to_right(wide: float, deep: float, yaw: float) -> None:
    box = Box((1.0, 0.5, 2.0), (wide, 1.0, deep), yaw)
    corners = footprint(box)
    for side in sides(box):
        (ax, az), (bx, bz), (ox, oz) = side.left, side.right, side.outward
        for end in (side.left, side.right):
            assert min(abs(end[0] - cx) + abs(end[1] - cz) for cx, cz in corners) < 1e-6
        assert (bx - ax) * oz - (bz - az) * ox > 0
        assert side.beyond(1.0) == pytest.approx((side.middle[0] + ox, side.middle[1] + oz))
