"""The compiled search finds the paths of the plain one, by the same random draws."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from otherminds.gridworlds.grid.paths import STEPS, UPRIGHT, Cell, Gait, PathSearch, Pose
from otherminds.gridworlds.grid.rules import cells, rows
from tests.gridworlds.grid.plain_paths import PlainGround
from tests.gridworlds.grid.searching import search

WIDTH, HEIGHT = 8, 6
CELLS = st.tuples(st.integers(1, WIDTH - 2), st.integers(1, HEIGHT - 2))
POSES = st.tuples(st.integers(1, WIDTH - 2), st.integers(1, HEIGHT - 2), st.integers(0, 3))


def enclosed(inside: list[bool]) -> PlainGround:
    """A map with a wall around it, and inside where ``inside`` says."""
    drawn = "".join("W" if wall else " " for wall in inside)
    width = WIDTH - 2
    lines = [f"W{drawn[y * width : (y + 1) * width]}W" for y in range(HEIGHT - 2)]
    full = "\n".join(["W" * WIDTH, *lines, "W" * WIDTH])
    return PlainGround((WIDTH, HEIGHT), cells(rows(full), "W"))


@given(
    st.lists(st.integers(0, 3).map(lambda n: n == 0), min_size=24, max_size=24),
    POSES,
    st.frozensets(POSES, max_size=4),
    st.sampled_from([STEPS, UPRIGHT, Gait(1.0, 2.5, 1.1, 0.3)]),
    st.dictionaries(CELLS, st.sampled_from([4.0, 20.0, 30.0, 0.7]), max_size=6),
    st.frozensets(CELLS, max_size=4),
    st.integers(0, 2**64 - 1),
)
def test_paths_and_draws_are_those_of_the_plain_search(
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
    path = ground.search(start, goals, rng, gait, dear, closed)
    found, stream = search(ground, start, goals, seed, gait, dear, closed)
    assert found == path
    assert tuple(stream.tolist()) == rng.getstate()[1]
    if not dear and not closed:
        assert PathSearch(ground, gait).path(start, goals, seed) == path


@given(st.lists(st.booleans(), min_size=24, max_size=24))
def test_distances_are_those_of_a_search_from_each_cell(inside: list[bool]) -> None:
    ground = enclosed(inside)
    assert ground.far.tolist() == [ground.field(cell).tolist() for cell in range(WIDTH * HEIGHT)]
