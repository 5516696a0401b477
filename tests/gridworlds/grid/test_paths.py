"""Paths are the cheapest there are, whatever the ties, and the same under the same seed."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping
from heapq import heappop, heappush
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from otherminds.gridworlds.grid.paths import STEPS, UPRIGHT, Cell, Gait, Ground, Pose, moved
from otherminds.gridworlds.grid.rules import FORWARD, MOVES, STEP_RIGHT, TURN_RIGHT, cells, rows
from tests.gridworlds.grid.searching import search

WIDTH, HEIGHT = 5, 4


def path(ground: Ground, start: Pose, goals: Collection[Pose], seed: int, *costs: Any, **more: Any) -> Any:
    """A cheapest path: see :func:`search`."""
    return search(ground, start, goals, seed, *costs, **more)[0]


def shortest(ground: Ground, start: Pose, goals: Collection[Pose], closed: Collection[Cell]) -> int | None:
    """Plain breadth-first search over poses."""
    far = {start: 0}
    frontier = deque([start])
    while frontier:
        pose = frontier.popleft()
        if pose in goals:
            return far[pose]
        for action in MOVES:
            after = moved(pose, action)
            entered = after[:2] != pose[:2]
            if after[:2] in ground.open and not (entered and after[:2] in closed) and after not in far:
                far[after] = far[pose] + 1
                frontier.append(after)
    return None


def cheapest(
    ground: Ground, start: Pose, goals: Collection[Pose], gait: Gait, dear: Mapping[Cell, float]
) -> float | None:
    """Dijkstra's algorithm, without any bound."""
    frontier, done = [(0.0, start)], set[Pose]()
    while frontier:
        cost, pose = heappop(frontier)
        if pose in goals:
            return cost
        if pose not in done:
            done.add(pose)
            for action in MOVES:
                after = moved(pose, action)
                if after[:2] in ground.open:
                    heappush(frontier, (cost + price(pose, action, gait, dear), after))
    return None


def price(pose: Pose, action: int, gait: Gait, dear: Mapping[Cell, float]) -> float:
    of = dict(zip(MOVES, (gait[0], gait[1], gait[2], gait[2], gait[3], gait[3]), strict=True))
    after = moved(pose, action)
    return of[action] + (dear.get(after[:2], 0.0) if after[:2] != pose[:2] else 0.0)


def walked(start: Pose, actions: tuple[int, ...]) -> list[Pose]:
    poses = [start]
    for action in actions:
        poses.append(moved(poses[-1], action))
    return poses


some_cells = st.sets(st.tuples(st.integers(0, WIDTH - 1), st.integers(0, HEIGHT - 1)), max_size=8)
some_poses = st.tuples(st.integers(0, WIDTH - 1), st.integers(0, HEIGHT - 1), st.integers(0, 3))


@example(set(), {(0, 0)}, (0, 0, 0), {(0, 0, 1)}, 0)
@given(some_cells, some_cells, some_poses, st.sets(some_poses, max_size=4), st.integers(0, 99))
@settings(deadline=None)
def test_a_path_has_as_few_actions_as_breadth_first_search_finds(
    walls: set[Cell], closed: set[Cell], start: Pose, goals: set[Pose], seed: int
) -> None:
    walls.discard(start[:2])
    ground = Ground((WIDTH, HEIGHT), walls)
    found = path(ground, start, goals, seed, closed=closed)
    best = shortest(ground, start, goals, closed)
    assert (found is None) == (best is None)
    if found is not None:
        poses = walked(start, found)
        assert len(found) == best
        assert poses[-1] in goals
        assert all(pose[:2] in ground.open for pose in poses)
        assert not any(a[:2] != b[:2] and b[:2] in closed for a, b in pairwise(poses))


@given(
    some_cells,
    st.dictionaries(
        st.tuples(st.integers(0, WIDTH - 1), st.integers(0, HEIGHT - 1)), st.sampled_from([0.5, 3.0, 20.0])
    ),
    some_poses,
    st.sets(some_poses, max_size=4),
    st.sampled_from([STEPS, UPRIGHT]),
)
@settings(deadline=None)
def test_a_path_costs_as_little_as_dijkstras_algorithm_finds(
    walls: set[Cell], dear: dict[Cell, float], start: Pose, goals: set[Pose], gait: Gait
) -> None:
    walls.discard(start[:2])
    ground = Ground((WIDTH, HEIGHT), walls)
    found = path(ground, start, goals, 0, gait, dear)
    best = cheapest(ground, start, goals, gait, dear)
    assert (found is None) == (best is None)
    if found is not None:
        poses = walked(start, found)
        assert sum(price(p, a, gait, dear) for p, a in zip(poses, found, strict=False)) == pytest.approx(best)


ROOM = Ground((4, 4), ())


def test_standing_at_the_goal_needs_no_action() -> None:
    assert path(ROOM, (1, 1, 0), {(1, 1, 0)}, 0) == ()


def test_a_goal_in_a_wall_is_not_reached() -> None:
    drawn = rows("WWWW\nW WW\nW  W\nWWWW")
    ground = Ground((4, 4), cells(drawn, "W"))
    assert path(ground, (1, 1, 0), {(2, 1, 0)}, 0) is None
    assert path(ground, (1, 1, 0), (), 0) is None
    assert ground.stands((2, 1)) == frozenset()


def test_ties_hang_on_the_generator_alone() -> None:
    def drawn(seed: int) -> tuple[int, ...] | None:
        return path(ROOM, (0, 0, 2), ROOM.stands((3, 3)), seed)

    assert all(drawn(seed) == drawn(seed) for seed in range(5))
    assert len({drawn(seed) for seed in range(20)}) > 3


def test_who_walks_upright_turns_for_a_long_way_and_steps_aside_for_a_short_one() -> None:
    lane = Ground((9, 1), ())
    assert path(lane, (0, 0, 0), lane.stands((8, 0)), 0, UPRIGHT) == (TURN_RIGHT, *(FORWARD,) * 8)
    assert path(lane, (0, 0, 0), lane.stands((2, 0)), 0, UPRIGHT) == (STEP_RIGHT, STEP_RIGHT)


def test_a_dear_cell_is_walked_round_only_if_that_is_cheaper() -> None:
    start, goals = (0, 1, 1), ROOM.stands((2, 1))
    assert path(ROOM, start, goals, 0, dear={(1, 1): 1.5}) == (FORWARD, FORWARD)
    assert len(path(ROOM, start, goals, 0, dear={(1, 1): 2.5}) or ()) == 4


def test_distances_count_moves_on_the_empty_map() -> None:
    drawn = rows("  W \n W  \n    ")
    ground = Ground((4, 3), cells(drawn, "W"))
    assert ground.distance((0, 0), (3, 0)) == 7
    assert Ground((3, 1), [(1, 0)]).distance((0, 0), (2, 0)) > 100
