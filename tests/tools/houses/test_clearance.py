"""Rooms are repaired until every door and piece can be walked to, and no further."""

from __future__ import annotations

from tools.houses.clearance import repair, trouble
from tools.houses.draft import Draft, Placed

from otherminds.household.scenes.scene import Box

ELL = ((0.0, 0.0), (5.0, 0.0), (5.0, 2.5), (2.5, 2.5), (2.5, 5.0), (0.0, 5.0))
DOORS = [((1.0, 0.0), (1.9, 0.0)), ((5.0, 1.0), (5.0, 1.9))]


def test_trouble_names_the_piece_that_is_out_of_reach() -> None:
    corner = Placed("stand", Box((0.3, 0.4, 4.7), (0.5, 0.8, 0.5)))
    fence = Placed("couch", Box((1.25, 0.4, 3.2), (2.5, 0.8, 0.9)))
    found = trouble(Draft("kitchen", ELL, [corner, fence]), DOORS)
    assert found.any
    assert (found.doors, found.pieces) == (False, (corner,))


def test_repair_takes_out_what_bars_a_door_and_what_is_out_of_reach() -> None:
    bar = Placed("counter", Box((1.45, 0.45, 0.35), (2.7, 0.9, 0.6)))
    corner = Placed("stand", Box((0.3, 0.4, 4.7), (0.5, 0.8, 0.5)))
    fence = Placed("couch", Box((1.25, 0.4, 3.2), (2.5, 0.8, 0.9)))
    room = Draft("kitchen", ELL, [bar])
    repair(room, DOORS)
    assert room.pieces == []
    room = Draft("kitchen", ELL, [corner, fence])
    repair(room, DOORS)
    assert room.pieces == [fence]


def test_repair_leaves_a_sound_room_alone() -> None:
    couch = Placed("couch", Box((0.5, 0.4, 3.5), (0.9, 0.8, 2.0)))
    room = Draft("living_room", ELL, [couch])
    repair(room, DOORS)
    assert room.pieces == [couch]
