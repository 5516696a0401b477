"""Carving moves a part of a wall: two rectangles become two Ls on the same ground."""

from __future__ import annotations

from random import Random

import pytest
from tools.houses.corners import carve
from tools.houses.draft import Draft, moved, rectangle

from otherminds.household.scenes.plane import area
from tests.cases import for_each


@for_each(("dx", "dz"), [(5.0, 0.0), (-5.0, 0.0), (0.0, 5.0), (0.0, -5.0), (5.0, 0.5), (5.0, -0.5)])
def test_carving_two_neighbours_makes_two_ls_of_the_same_ground(dx: float, dz: float) -> None:
    one = Draft("bedroom", rectangle(5.0, 5.0))
    other = moved(Draft("living_room", rectangle(5.0, 5.0)), dx, dz)
    rooms = [one, other]
    aligned = 0.0 in (dx, dz)
    carve(rooms, frozenset(), Random(0))
    assert [len(room.polygon) for room in rooms] == ([6, 6] if aligned else [4, 4])
    assert sum(area(room.polygon) for room in rooms) == pytest.approx(50)
    assert all(area(room.polygon) > 0 for room in rooms)


def test_rooms_that_are_spared_or_small_keep_their_corners() -> None:
    bath = Draft("bathroom", rectangle(5.0, 5.0))
    living = moved(Draft("living_room", rectangle(5.0, 5.0)), 5.0, 0.0)
    small = moved(Draft("office", rectangle(2.0, 5.0)), 10.0, 0.0)
    for rooms in ([bath, living], [small, moved(Draft("bedroom", rectangle(2.0, 5.0)), 12.0, 0.0)]):
        carve(rooms, frozenset({"bathroom"}), Random(0))
        assert all(len(room.polygon) == 4 for room in rooms)
