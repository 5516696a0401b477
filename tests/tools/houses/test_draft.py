"""Drafted rooms keep what stands in them together when turned, moved or thinned."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tools.houses.draft import (
    Draft,
    Lying,
    Placed,
    has_top,
    moved,
    rectangle,
    rests_on,
    turned,
)

from otherminds.household.scenes.scene import Box
from tests.cases import for_each


def furnished() -> Draft:
    context = Placed("bench", Box((0.5, 0.25, 1.0), (0.4, 0.5, 1.6)))
    book = Lying("book", (0.2, 0.03, 0.1), (0.5, 0.515, 1.5), "on", context)
    return Draft("hallway", rectangle(4.0, 3.0), [context], [book])


def test_a_quarter_turn_takes_right_to_far() -> None:
    room = turned(furnished(), 1, mirrored=False)
    assert room.polygon == rectangle(3.0, 4.0)
    assert room.pieces[0].box == Box((2.0, 0.25, 0.5), (1.6, 0.5, 0.4))
    assert room.objects[0].at == (1.5, 0.515, 0.5)
    assert room.objects[0].size == (0.1, 0.03, 0.2)


def test_a_mirrored_room_keeps_its_sizes() -> None:
    room = turned(furnished(), 0, mirrored=True)
    assert room.pieces[0].box == Box((3.5, 0.25, 1.0), (0.4, 0.5, 1.6))


@given(st.integers(0, 3), st.booleans())
def test_turning_and_mirroring_back_restores_the_room(quarters: int, mirrored: bool) -> None:
    there = turned(furnished(), quarters, mirrored)
    back = turned(there, (4 - quarters) % 4, mirrored=False)
    back = turned(back, 0, mirrored)
    assert back.polygon == furnished().polygon
    assert back.pieces[0].box.centre == pytest.approx(furnished().pieces[0].box.centre)
    assert back.objects[0].at == pytest.approx(furnished().objects[0].at)


@given(st.integers(0, 3), st.booleans())
def test_an_object_stays_on_its_piece(quarters: int, mirrored: bool) -> None:
    room = moved(turned(furnished(), quarters, mirrored), 2.0, -1.0)
    assert room.objects[0].bearer is room.pieces[0]
    for axis in (0, 2):
        box = room.pieces[0].box
        assert abs(room.objects[0].at[axis] - box.centre[axis]) <= box.size[axis] / 2


def test_what_is_dropped_takes_along_what_it_bears() -> None:
    room = furnished()
    counter = Placed("counter", Box((2.0, 0.45, 2.7), (1.2, 0.9, 0.6)))
    microwave = Placed("microwave", Box((2.0, 1.05, 2.7), (0.5, 0.3, 0.4)))
    room.pieces += [counter, microwave]
    room.objects.append(Lying("egg", (0.1, 0.1, 0.1), (2.0, 1.0, 2.7), "within", microwave))
    assert rests_on(microwave, counter)
    room.drop(counter)
    assert [piece.kind for piece in room.pieces] == ["bench"]
    assert [one.kind for one in room.objects] == ["book"]


@for_each(
    ("kind", "low", "high", "expected"),
    [
        ("counter", 0.0, 0.9, True),
        ("cabinet", 0.0, 0.9, True),
        ("cabinet", 1.5, 2.2, False),
        ("cabinet", 0.0, 1.9, False),
        ("shelves", 0.0, 2.0, True),
        ("fridge", 0.0, 1.0, False),
        ("tv", 0.5, 1.0, False),
    ],
)
def test_a_top_is_what_a_hand_reaches(kind: str, low: float, high: float, expected: bool) -> None:
    piece = Placed(kind, Box((1.0, (low + high) / 2, 1.0), (0.6, high - low, 0.6)))
    assert has_top(piece, Draft("kitchen", rectangle(3, 3), [piece])) == expected


def test_a_cabinet_under_a_counter_has_no_top_and_the_counter_has() -> None:
    counter = Placed("counter", Box((1.0, 0.45, 0.3), (2.0, 0.9, 0.6)))
    cabinet = Placed("cabinet", Box((1.0, 0.42, 0.3), (0.6, 0.84, 0.5)))
    room = Draft("kitchen", rectangle(3, 3), [counter, cabinet])
    assert has_top(counter, room)
    assert not has_top(cabinet, room)
