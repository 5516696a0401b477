"""The compiled search for paths, called with all that it takes."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import NDArray

from otherminds.gridworlds.grid import _mersenne as mersenne
from otherminds.gridworlds.grid._paths import NO_WAY, find_path
from otherminds.gridworlds.grid.paths import STEPS, Cell, Gait, Ground, Pose, room, ways
from otherminds.gridworlds.grid.rules import UNREACHED

UNTOUCHED = 9  # In a plan: no action


def search(
    ground: Ground,
    start: Pose,
    goals: Collection[Pose],
    seed: int,
    gait: Gait = STEPS,
    dear: Mapping[Cell, float] | None = None,
    closed: Collection[Cell] = (),
) -> tuple[tuple[int, ...] | None, NDArray[np.uint32]]:
    """A cheapest path, ``None`` without a way, and the generator of ``seed`` after the search."""
    size, width = ground.width * ground.height, ground.width
    ends, bound = np.zeros(4 * size, np.uint8), np.full(size, UNREACHED, np.int32)
    for goal in goals:
        if goal[:2] in ground.open:
            ends[ground.number(goal)] = 1
            bound = np.minimum(bound, ground.far[goal[1] * width + goal[0]])
    extra, shut, plan = np.zeros(size), np.zeros(size, np.uint8), np.full(4 * size, UNTOUCHED, np.uint8)
    for (x, y), cost in (dear or {}).items():
        extra[y * width + x] = cost
    shut[[y * width + x for x, y in closed]] = 1
    stream = np.zeros((1, mersenne.SIZE), np.uint32)
    mersenne.seed_all(stream, np.array([seed], np.uint64))
    source = ground.number(start)
    length = find_path(ways(ground, gait), room(ground), source, ends, bound, extra, shut, stream[0], plan)
    assert set(plan[max(length, 0) :].tolist()) <= {UNTOUCHED}
    return None if length == NO_WAY else tuple(plan[:length][::-1].tolist()), stream[0]
