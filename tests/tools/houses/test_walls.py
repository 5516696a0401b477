"""Doors come where two rooms share enough wall and no furniture stands before them."""

from __future__ import annotations

from random import Random

from tools.houses.draft import Draft, Placed, moved, rectangle
from tools.houses.walls import door_in, free_places, overlap, shared_walls, threshold

from otherminds.household.scenes.scene import Box


def neighbours() -> list[Draft]:
    left = Draft("kitchen", rectangle(3.0, 4.0))
    right = moved(Draft("living_room", rectangle(3.0, 4.0)), 3.0, 2.0)
    below = moved(Draft("closet", rectangle(2.0, 2.0)), 5.5, 0.0)
    return [left, right, below]


def test_walls_are_shared_only_where_they_run_along_each_other_for_a_metre() -> None:
    walls = shared_walls(neighbours())
    assert walls == {(0, 1): [((3.0, 2.0), (3.0, 4.0))]}


def test_a_door_stands_in_the_shared_wall_clear_of_its_ends() -> None:
    rooms = neighbours()
    for seed in range(30):
        door = door_in(rooms, (0, 1), shared_walls(rooms)[0, 1], 0.9, Random(seed))
        assert door is not None
        (x0, low), (x1, high) = door.at
        assert (x0, x1) == (3.0, 3.0)
        assert abs(high - low - 0.9) < 1e-6
        assert low >= 2.1
        assert high <= 3.9


def test_furniture_before_the_wall_on_either_side_pushes_the_door_aside() -> None:
    for side in (0, 1):
        rooms = neighbours()
        rooms[side].pieces.append(
            Placed("bench", Box((3.0 + 0.3 * (2 * side - 1), 0.3, 2.4), (0.4, 0.6, 0.8)))
        )
        for seed in range(20):
            door = door_in(rooms, (0, 1), shared_walls(rooms)[0, 1], 0.9, Random(seed))
            assert door is not None
            assert door.at[0][1] >= 2.8 - 0.03


def test_there_is_no_door_in_a_wall_that_is_full_or_too_short() -> None:
    rooms = neighbours()
    rooms[0].pieces.append(Placed("couch", Box((2.6, 0.4, 3.0), (0.8, 0.8, 2.0))))
    assert door_in(rooms, (0, 1), shared_walls(rooms)[0, 1], 0.9, Random(0)) is None
    assert door_in(neighbours(), (0, 1), [((3.0, 2.0), (3.0, 3.0))], 0.9, Random(0)) is None
    assert free_places(rooms[1], ((3.0, 2.0), (3.0, 4.0)), 0.9)


def test_a_threshold_reaches_into_both_rooms() -> None:
    zone = threshold(((3.0, 2.0), (3.0, 2.9)))
    assert zone.centre[0] == 3.0
    assert zone.size[0] > 1.0
    assert abs(zone.size[2] - 0.9) < 1e-9


def test_boxes_that_touch_do_not_overlap() -> None:
    one = Box((0.0, 0.5, 0.0), (1.0, 1.0, 1.0))
    assert not overlap(one, Box((1.0, 0.5, 0.0), (1.0, 1.0, 1.0)))
    assert overlap(one, Box((0.9, 0.5, 0.0), (1.0, 1.0, 1.0)))
    assert not overlap(one, Box((0.0, 1.5, 0.0), (1.0, 1.0, 1.0)))
