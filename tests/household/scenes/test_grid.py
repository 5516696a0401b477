"""An agent walks where it fits, and no farther than it must."""

from __future__ import annotations

from heapq import heappop, heappush
from math import hypot, inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otherminds.household.scenes.plane import aside, beside, edges
from otherminds.household.scenes.scene import Box
from otherminds.household.scenes.tables import CELL, RADIUS, Cell, RoomGrid

ROOM = ((0.0, 0.0), (3.0, 0.0), (3.0, 2.0), (0.0, 2.0))


def standing() -> st.SearchStrategy[list[Box]]:
    side = st.floats(0.1, 1.2)
    box = st.builds(
        Box,
        st.tuples(st.floats(0, 3), st.just(0.5), st.floats(0, 2)),
        st.tuples(side, st.just(1.0), side),
        st.floats(-2, 2),
    )
    return st.lists(box, max_size=4)


def dijkstra(grid: RoomGrid, start: Cell) -> dict[Cell, float]:
    """Textbook shortest paths over the free cells."""
    free = grid.free
    found: dict[Cell, float] = {}
    waiting = [(0.0, start)] if free[start] else []
    while waiting:
        metres, (i, j) = heappop(waiting)
        if (i, j) in found:
            continue
        found[i, j] = metres
        for di in (-1, 0, 1):
            for dj in (-1, 0, 1):
                k, m = i + di, j + dj
                if not (0 <= k < free.shape[0] and 0 <= m < free.shape[1]) or (k, m) in found:
                    continue
                if free[k, m] and free[k, j] and free[i, m]:
                    heappush(waiting, (metres + CELL * hypot(di, dj), (k, m)))
    return found


def test_a_bare_room_is_free_but_for_an_agents_radius_along_its_walls() -> None:
    grid = RoomGrid(ROOM, [], [])
    assert grid.free.shape == (30, 20)
    assert grid.free[2:-2, 2:-2].all()
    assert grid.free.sum() == 26 * 16


def test_a_doorway_opens_the_wall_as_wide_as_an_agent_needs() -> None:
    grid = RoomGrid(ROOM, [((1.0, 0.0), (1.9, 0.0))], [])
    assert [i for i in range(30) if grid.free[i, 0]] == [12, 13, 14, 15, 16]


@given(standing())
def test_free_cells_keep_the_radius_from_walls_and_boxes_and_no_others_are_lost(boxes: list[Box]) -> None:
    grid = RoomGrid(ROOM, [], boxes)
    for cell in np.ndindex(grid.free.shape):
        point = grid.point((cell[0], cell[1]))
        room = min(aside(point, side) for side in edges(ROOM))
        room = min([room, *(beside(point, box) for box in boxes)])
        assert grid.free[cell] == (room >= RADIUS - 1e-6)


def test_what_hangs_over_the_head_is_passed_under_and_what_hangs_lower_is_not() -> None:
    high, low = (Box((1.5, y, 1.0), (1.0, 0.6, 2.0)) for y in (1.9, 1.5))
    assert RoomGrid(ROOM, [], [high]).free[15, 10]
    assert not RoomGrid(ROOM, [], [low]).free[15, 10]


@settings(max_examples=30)
@given(standing(), st.integers(0, 29), st.integers(0, 19))
def test_walking_distances_are_those_of_dijkstra(boxes: list[Box], i: int, j: int) -> None:
    grid = RoomGrid(ROOM, [], boxes)
    expected = dijkstra(grid, (i, j))
    walked = grid.walk([(i, j)])[0]
    reached = grid.reach((i, j))
    for cell in np.ndindex(walked.shape):
        assert walked[cell] == pytest.approx(expected.get((cell[0], cell[1]), inf))
        assert reached[cell] == ((cell[0], cell[1]) in expected)


def test_nobody_squeezes_between_boxes_that_touch_at_a_corner() -> None:
    one, other = Box((0.75, 0.5, 0.5), (1.5, 1.0, 1.0)), Box((2.25, 0.5, 1.5), (1.5, 1.0, 1.0))
    grid = RoomGrid(ROOM, [], [one, other])
    here = grid.nearest((0.5, 1.5), grid.free)
    there = grid.nearest((2.5, 0.5), grid.free)
    assert here is not None
    assert there is not None
    assert grid.walk([here])[0][there] == inf


def test_the_nearest_cell_lies_where_asked_and_there_is_none_in_an_empty_mask() -> None:
    grid = RoomGrid(ROOM, [], [])
    assert grid.nearest((1.04, 0.96), grid.free) == (10, 9)
    assert grid.nearest((1.0, 1.0), np.zeros_like(grid.free)) is None


def test_cells_beside_a_box_come_nearest_first_and_before_its_middle() -> None:
    box = Box((1.5, 0.5, 0.3), (1.0, 1.0, 0.6))
    grid = RoomGrid(ROOM, [], [box])
    cells = grid.beside(box, grid.free)
    assert len(cells) == grid.free.sum()
    assert cells[0][0] == pytest.approx(0.25)
    assert abs(grid.point(cells[0][1])[0] - 1.5) <= 0.05 + 1e-9
    bins = [int(metres / CELL + 1e-6) for metres, _ in cells]
    assert bins == sorted(bins)
