"""Placed furniture stands in the room, apart, with a way to each piece and to every door."""

from __future__ import annotations

from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tools.houses.clearance import trouble
from tools.houses.draft import Draft, rectangle
from tools.houses.placing import Placer, Wish
from tools.houses.walls import overlap, threshold

from otherminds.household.scenes.plane import footprint, inside
from tests.cases import for_each

ELL = ((0.0, 0.0), (5.0, 0.0), (5.0, 2.5), (2.5, 2.5), (2.5, 5.0), (0.0, 5.0))
DOORS = [((1.0, 0.0), (1.9, 0.0)), ((5.0, 1.0), (5.0, 1.9))]
WISHES = [
    Wish("couch", 2.0, 0.9, 0.8),
    Wish("counter", 1.2, 0.6, 0.9),
    Wish("table", 1.2, 0.8, 0.75),
    Wish("stand", 1.1, 0.4, 0.5),
    Wish("tv", 0.9, 0.2, 0.6),
    Wish("microwave", 0.5, 0.35, 0.3),
    Wish("chair", 0.45, 0.45, 0.9),
    Wish("cabinet", 0.6, 0.35, 0.7, hangs=1.5),
]


def filled(seed: int, *wishes: Wish) -> Draft:
    room = Draft("kitchen", ELL)
    placer = Placer(room, DOORS, Random(seed))
    for wish in wishes:
        placer.place(wish)
    return room


@settings(max_examples=15)
@given(st.integers(0, 10**6))
def test_everything_placed_stands_inside_apart_and_in_reach(seed: int) -> None:
    room = filled(seed, *WISHES)
    assert len(room.pieces) >= 5
    for piece in room.pieces:
        assert all(inside(corner, ELL) for corner in footprint(piece.box))
        assert not any(overlap(piece.box, threshold(door)) for door in DOORS)
    assert not any(overlap(a.box, b.box) for a, b in combinations(room.pieces, 2))
    assert not trouble(room, DOORS).any


def test_a_wish_too_large_for_the_room_is_left_out() -> None:
    room = Draft("bedroom", rectangle(3.0, 3.0))
    placer = Placer(room, [((1.0, 0.0), (1.9, 0.0))], Random(0))
    assert not placer.place(Wish("bed", 3.2, 2.0, 0.6))
    assert placer.place(Wish("bed", 1.6, 2.0, 0.6))
    assert [piece.kind for piece in room.pieces] == ["bed"]


@for_each("seed", range(5))
def test_a_microwave_needs_a_counter_and_stands_on_it(seed: int) -> None:
    assert filled(seed, Wish("microwave", 0.5, 0.35, 0.3)).pieces == []
    counter, microwave = filled(seed, WISHES[1], Wish("microwave", 0.5, 0.35, 0.3)).pieces
    assert microwave.ends[0] == pytest.approx(counter.ends[1])


@for_each("seed", range(5))
def test_a_hanging_cabinet_hangs_above_the_counter(seed: int) -> None:
    counter, cabinet = filled(seed, WISHES[1], WISHES[-1]).pieces
    assert cabinet.ends[0] == pytest.approx(1.5)
    assert abs(cabinet.box.centre[0] - counter.box.centre[0]) <= 1.3
    assert abs(cabinet.box.centre[2] - counter.box.centre[2]) <= 1.3


@for_each("seed", range(5))
def test_a_chair_goes_to_the_table(seed: int) -> None:
    table, chair = filled(seed, WISHES[2], WISHES[6]).pieces
    gaps = [
        abs(table.box.centre[i] - chair.box.centre[i]) - (table.box.size[i] + chair.box.size[i]) / 2
        for i in (0, 2)
    ]
    assert max(gaps) < 0.05


def test_the_same_seed_places_alike() -> None:
    assert filled(7, *WISHES).pieces == filled(7, *WISHES).pieces
