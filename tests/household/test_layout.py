"""Where objects lie, and what next to means: at most 0.5 m apart, on one level to within 0.1 m."""

from __future__ import annotations

import msgspec
import pytest

from otherminds.household.house import House
from otherminds.household.layout import LEVEL, NEAR, HouseLayout
from otherminds.household.scenes.scene import Triple
from tests.cases import for_each
from tests.household import small_house as small

SIZE = 0.1
"""Metres: the edge of every object of the small house."""


def with_objects(**at: Triple) -> HouseLayout:
    """The small house with some objects put elsewhere by hand."""
    scene = small.scene()
    items = {
        o: msgspec.structs.replace(item, at=at.get(o, item.at)) for o, item in scene.geometry.objects.items()
    }
    geometry = msgspec.structs.replace(scene.geometry, objects=items)
    return House(small.task(), msgspec.structs.replace(scene, geometry=geometry)).layout


@for_each(
    ("dx", "dy", "dz", "near"),
    [
        (SIZE + NEAR - 0.001, 0.0, 0.0, True),
        (SIZE + NEAR + 0.001, 0.0, 0.0, False),
        (0.0, 0.0, -(SIZE + NEAR - 0.001), True),
        (0.0, SIZE + LEVEL - 0.001, 0.0, True),
        (0.0, SIZE + LEVEL + 0.001, 0.0, False),
        (SIZE + 0.29, 0.0, SIZE + 0.39, True),
        (SIZE + 0.31, 0.0, SIZE + 0.41, False),
        (0.0, 0.0, 0.0, True),
    ],
)
def test_boxes_are_next_to_each_other_by_the_gap_between_them(
    dx: float, dy: float, dz: float, near: bool
) -> None:
    layout = with_objects(bowl_0=(1.0, 1.0, 1.0), plate_0=(1.0 + dx, 1.0 + dy, 1.0 + dz))
    assert layout.next_to("bowl_0", "plate_0") == near
    assert layout.next_to("plate_0", "bowl_0") == near


def test_nothing_is_next_to_itself_or_to_what_is_in_a_hand() -> None:
    layout = with_objects(bowl_0=(1.0, 1.0, 1.0), plate_0=(1.1, 1.0, 1.0))
    assert not layout.next_to("bowl_0", "bowl_0")
    assert layout.next_to("bowl_0", "plate_0")
    layout.lift("plate_0")
    assert not layout.next_to("bowl_0", "plate_0")


@for_each(
    ("how", "f", "height"),
    [
        ("on", "stove_4", small.HEIGHT),
        ("within", "fridge_3", small.HEIGHT / 2),
        ("floor", "floor_store_1", 0.0),
    ],
)
def test_what_is_put_down_rests_where_it_was_put(how: str, f: str, height: float) -> None:
    layout = with_objects()
    layout.lift("bowl_0")
    layout.put("bowl_0", how, f, "")
    x, y, z = layout.at["bowl_0"]
    assert y == pytest.approx(height + SIZE / 2)
    house = small.house()
    box = house.scene.geometry.furniture[f].box if f in house.scene.furniture else None
    middle = (box.centre[0], box.centre[2]) if box else house.scene.tables.spots["centre:store_1"]
    assert abs(x - middle[0]) <= 0.25
    assert abs(z - middle[1]) <= 0.25


def test_what_is_put_beside_something_is_next_to_it_and_not_in_it() -> None:
    layout = with_objects()
    layout.lift("bowl_0")
    layout.put("bowl_0", "on", "table_5", "book_0")
    assert layout.next_to("bowl_0", "book_0")
    assert layout.at["bowl_0"][0] - layout.at["book_0"][0] >= SIZE


def test_the_same_acts_put_things_in_the_same_places() -> None:
    places = []
    for _ in range(2):
        layout = with_objects()
        for o, f in (("bowl_0", "bed_9"), ("plate_0", "bed_9"), ("cup_1", "bed_9")):
            layout.lift(o)
            layout.put(o, "on", f, "")
        places.append(dict(layout.at))
    assert places[0] == places[1]
    assert len({places[0][o] for o in ("bowl_0", "plate_0", "cup_1", "lamp_0")}) == 4


def test_a_task_that_moves_an_object_moves_its_box() -> None:
    starts = {"bowl_0": {"is_on_top": "bed_9"}, "key_0": {"is_inside": "chest_11"}}
    layout = small.house(initial_states=starts).layout
    bed = small.scene().geometry.furniture["bed_9"].box.centre
    assert abs(layout.at["bowl_0"][0] - bed[0]) <= 0.25
    assert layout.next_to("bowl_0", "lamp_0")
    assert not layout.next_to("bowl_0", "plate_0")
    chest = small.scene().geometry.furniture["chest_11"].box.centre
    assert abs(layout.at["key_0"][2] - chest[2]) <= 0.25


def test_no_two_objects_ever_rest_in_the_same_place() -> None:
    layout = with_objects()
    objects = [o for o in small.OBJECTS if o != "book_0"]
    bed = small.scene().geometry.furniture["bed_9"].box.centre
    for o in objects * 5:
        layout.lift(o)
        layout.put(o, "on", "bed_9", "")
        assert max(abs(layout.at[o][0] - bed[0]), abs(layout.at[o][2] - bed[2])) <= 0.3
        assert len(set(layout.at.values())) == len(layout.at)
    for o in objects:
        layout.lift(o)
        layout.put(o, "on", "table_5", "book_0")
        assert layout.next_to(o, "book_0")
        assert len(set(layout.at.values())) == len(layout.at)
