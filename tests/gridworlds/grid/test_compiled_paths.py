"""The compiled search finds the paths of :mod:`otherminds.gridworlds.grid.paths`, by the same random draws."""

from __future__ import annotations

from random import Random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from otherminds.gridworlds.grid import _mersenne as mersenne
from otherminds.gridworlds.grid import _paths
from otherminds.gridworlds.grid._kernel import compiled
from otherminds.gridworlds.grid.maps import cells, rows
from otherminds.gridworlds.grid.paths import STEPS, UNREACHED, UPRIGHT, Cell, Gait, Ground, Pose
from otherminds.gridworlds.grid.ways import room, ways

WIDTH, HEIGHT = 8, 6
CELLS = st.tuples(st.integers(1, WIDTH - 2), st.integers(1, HEIGHT - 2))
POSES = st.tuples(st.integers(1, WIDTH - 2), st.integers(1, HEIGHT - 2), st.integers(0, 3))


@compiled
def search(ways, room, source, ends, bound, dear, shut, rng, plan):
    return _paths.search(ways, room, source, ends, bound, dear, shut, rng, plan)


def enclosed(inside: list[bool]) -> Ground:
    """A map with a wall around it, and inside where ``inside`` says."""
    drawn = "".join("W" if wall else " " for wall in inside)
    width = WIDTH - 2
    lines = [f"W{drawn[y * width : (y + 1) * width]}W" for y in range(HEIGHT - 2)]
    full = "\n".join(["W" * WIDTH, *lines, "W" * WIDTH])
    return Ground((WIDTH, HEIGHT), cells(rows(full), "W"))


@given(
    st.lists(st.integers(0, 3).map(lambda n: n == 0), min_size=24, max_size=24),
    POSES,
    st.frozensets(POSES, max_size=4),
    st.sampled_from([STEPS, UPRIGHT, Gait(1.0, 2.5, 1.1, 0.3)]),
    st.dictionaries(CELLS, st.sampled_from([4.0, 20.0, 30.0, 0.7]), max_size=6),
    st.frozensets(CELLS, max_size=4),
    st.integers(0, 2**64 - 1),
)
def test_paths_and_draws_are_those_of_the_readable_search(
    inside: list[bool],
    start: Pose,
    goals: frozenset[Pose],
    gait: Gait,
    dear: dict[Cell, float],
    closed: frozenset[Cell],
    seed: int,
) -> None:
    ground = enclosed(inside)
    if start[:2] not in ground.open:
        return
    rng = Random(seed)
    path = ground.path(start, goals, rng, gait, dear, closed)
    found = [ground.number(goal) for goal in goals if goal[:2] in ground.open]
    size = WIDTH * HEIGHT
    ends, bound = np.zeros(4 * size, np.uint8), np.full(size, UNREACHED, np.int32)
    ends[found] = 1
    for goal in found:
        bound = np.minimum(bound, ground.field(goal // 4))
    extra, shut, plan = np.zeros(size), np.zeros(size, np.uint8), np.full(4 * size, 9, np.uint8)
    for (x, y), cost in dear.items():
        extra[y * WIDTH + x] = cost
    shut[[y * WIDTH + x for x, y in closed]] = 1
    row = np.zeros((1, mersenne.SIZE), np.uint32)
    mersenne.seed_all(row, np.array([seed], np.uint64))
    length = search(
        ways(ground, gait), room(ground), ground.number(start), ends, bound, extra, shut, row[0], plan
    )
    assert length == (_paths.NO_WAY if path is None else len(path))
    if path:
        assert plan[:length][::-1].tolist() == list(path)
    assert set(plan[max(length, 0) :].tolist()) == {9}
    assert tuple(row[0].tolist()) == rng.getstate()[1]
