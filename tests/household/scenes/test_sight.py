"""Walls hide, furniture does not; sight goes both ways; round the corner of an L nothing is seen."""

from __future__ import annotations

from hypothesis import assume, example, given
from hypothesis import strategies as st

from otherminds.household.scenes.plane import area, aside, clear, edges, inside, overlook, sees_box
from otherminds.household.scenes.scene import Box, Point

ELL = ((0.0, 0.0), (6.0, 0.0), (6.0, 2.0), (2.0, 2.0), (2.0, 6.0), (0.0, 6.0))
SQUARE = ((0.0, 0.0), (6.0, 0.0), (6.0, 6.0), (0.0, 6.0))


def within(outline: tuple[Point, ...]) -> st.SearchStrategy[Point]:
    numbers = st.floats(0.05, 5.95)
    return st.tuples(numbers, numbers).filter(lambda point: inside(point, outline, slack=-0.01))


@given(within(ELL), within(ELL))
def test_who_is_seen_sees(one: Point, other: Point) -> None:
    assert clear(ELL, one, other) == clear(ELL, other, one)


@given(within(SQUARE), within(SQUARE))
def test_in_a_room_without_an_inner_corner_everything_is_in_sight(one: Point, other: Point) -> None:
    assert clear(SQUARE, one, other)


@given(within(ELL), within(ELL))
def test_a_line_is_clear_where_a_walk_along_it_stays_in_the_room(one: Point, other: Point) -> None:
    walk = [
        (one[0] + t * (other[0] - one[0]), one[1] + t * (other[1] - one[1]))
        for t in (k / 400 for k in range(401))
    ]
    outside = max(
        (0.0 if inside(point, ELL) else min(aside(point, side) for side in edges(ELL))) for point in walk
    )
    if outside > 1e-4:
        assert not clear(ELL, one, other)
    elif all(inside(point, ELL, slack=-1e-4) for point in walk):
        assert clear(ELL, one, other)


def test_the_far_arm_of_an_l_is_hidden_and_its_elbow_is_not() -> None:
    in_one_arm, in_the_other, in_the_elbow = (5.0, 1.0), (1.0, 5.0), (1.0, 1.0)
    assert not clear(ELL, in_one_arm, in_the_other)
    assert clear(ELL, in_one_arm, in_the_elbow)
    assert clear(ELL, in_the_elbow, in_the_other)


def test_a_box_is_seen_as_soon_as_one_end_of_it_is() -> None:
    eye = (5.0, 1.5)
    hidden = Box((1.0, 0.5, 5.0), (0.6, 1.0, 0.6))
    reaching_round = Box((1.0, 0.5, 3.4), (0.6, 1.0, 4.0))
    assert not sees_box(ELL, eye, hidden)
    assert sees_box(ELL, eye, reaching_round)


def test_a_box_that_dips_into_its_wall_is_seen() -> None:
    assert sees_box(SQUARE, (3.0, 3.0), Box((5.9, 0.5, 3.0), (0.3, 1.0, 1.0)))


@example(eye=(1.0, 5.0), other=(2.375, 1.0))
@example(eye=(1.0, 3.0), other=(2.25, 1.875))
@given(eye=within(ELL), other=within(ELL))
def test_the_overlooked_part_holds_just_what_is_in_clear_sight(eye: Point, other: Point) -> None:
    assume(min(aside(eye, side) for side in edges(ELL)) > 0.1)  # nobody stands in a wall
    seen = overlook(ELL, eye)
    assume(min(aside(other, side) for side in edges(seen)) > 0.01)
    assert inside(other, seen) == clear(ELL, eye, other)


@given(within(SQUARE))
def test_all_of_a_square_is_overlooked_from_anywhere_in_it(eye: Point) -> None:
    assume(min(aside(eye, side) for side in edges(SQUARE)) > 0.1)
    assert abs(area(overlook(SQUARE, eye)) - 36) < 0.05
