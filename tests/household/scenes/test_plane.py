"""Plane geometry agrees with itself under turning and with plain sampling."""

from __future__ import annotations

from math import cos, hypot, pi, sin

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.household.scenes.plane import (
    area,
    aside,
    beside,
    centroid,
    crossings,
    edges,
    footprint,
    inside,
)
from otherminds.household.scenes.scene import Box, Point

ELL = ((0.0, 0.0), (4.0, 0.0), (4.0, 2.0), (2.0, 2.0), (2.0, 5.0), (0.0, 5.0))
numbers = st.floats(-6, 6)
points = st.tuples(numbers, numbers)


def boxes() -> st.SearchStrategy[Box]:
    sides = st.floats(0.1, 3)
    return st.builds(
        Box,
        st.tuples(numbers, st.just(0.5), numbers),
        st.tuples(sides, st.just(1.0), sides),
        st.floats(-pi, pi),
    )


def test_the_area_of_an_l_is_that_of_its_two_parts_and_turns_sign_with_the_direction() -> None:
    assert area(ELL) == 4 * 2 + 2 * 3
    assert area(ELL[::-1]) == -area(ELL)


def test_the_centre_of_mass_of_an_l_is_the_weighted_one_of_its_parts() -> None:
    assert centroid(ELL) == pytest.approx(((8 * 2 + 6 * 1) / 14, (8 * 1 + 6 * 3.5) / 14))


@given(points)
def test_inside_an_l_is_inside_one_of_its_two_rectangles(point: Point) -> None:
    x, z = point
    border = min(aside(point, side) for side in edges(ELL))
    if border > 1e-5:
        assert inside(point, ELL) == ((0 < x < 4 and 0 < z < 2) or (0 < x < 2 and 0 < z < 5))
        assert inside(point, ELL, slack=border + 0.01)
        assert not inside(point, ELL, slack=-border - 0.01)


@given(points, points, points)
def test_the_distance_to_a_segment_is_the_least_over_its_points(
    point: Point, one: Point, other: Point
) -> None:
    samples = [
        hypot(point[0] - one[0] - t * (other[0] - one[0]), point[1] - one[1] - t * (other[1] - one[1]))
        for t in (k / 50 for k in range(51))
    ]
    step = hypot(other[0] - one[0], other[1] - one[1]) / 50
    assert min(samples) - step - 1e-9 <= aside(point, (one, other)) <= min(samples) + 1e-9


@given(points, points, points, points)
def test_where_two_segments_cross_lies_on_both(a: Point, b: Point, c: Point, d: Point) -> None:
    for t in crossings((a, b), (c, d)):
        met = (a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]))
        assert aside(met, (c, d)) < 1e-3


def test_segments_along_one_line_meet_at_the_ends_of_what_they_share() -> None:
    assert sorted(crossings(((0, 0), (4, 0)), ((1, 0), (3, 0)))) == [0.25, 0.75]
    assert crossings(((0, 0), (4, 0)), ((0, 1), (4, 1))) == []


@given(boxes(), points)
def test_the_distance_to_a_box_is_that_to_its_outline_or_nothing_within(box: Box, point: Point) -> None:
    outline = footprint(box)
    border = min(aside(point, side) for side in edges(outline))
    expected = 0.0 if inside(point, outline) else border
    assert beside(point, box) == pytest.approx(expected, abs=1e-5)


@given(boxes(), points, st.floats(-pi, pi))
def test_turning_a_box_and_a_point_together_keeps_their_distance(box: Box, point: Point, turn: float) -> None:
    def turned(x: float, z: float) -> Point:
        return x * cos(turn) - z * sin(turn), x * sin(turn) + z * cos(turn)

    x, z = turned(box.centre[0], box.centre[2])
    other = Box((x, box.centre[1], z), box.size, box.yaw + turn)
    assert beside(turned(*point), other) == pytest.approx(beside(point, box), abs=1e-6)
