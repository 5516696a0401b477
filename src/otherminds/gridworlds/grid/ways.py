"""What the compiled search for paths looks up, and the room that it works in: :mod:`.paths` as arrays.

A map of C = H · W cells; a cell is y · W + x, a pose 4 · cell + facing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from otherminds.gridworlds.grid.actions import ACTIONS
from otherminds.gridworlds.grid.paths import Gait, Ground, moved


class Ways(NamedTuple):
    """A :class:`~.paths.Ground` under a gait.

    ``after`` int32[4C, 8]: the pose to which each action leads, -1 where a wall is. ``far`` int32[C, C]:
    ``far[goal, start]`` is the fewest moves between two cells on the empty map. ``price`` float64[7]: what each
    action up to ``TURN_RIGHT`` costs.
    """

    after: NDArray[np.int32]
    far: NDArray[np.int32]
    price: NDArray[np.float64]


class Room(NamedTuple):
    """Arrays that a search overwrites.

    ``cost`` float64[4C], ``done`` uint8[4C], ``came`` int32[4C] and ``by`` uint8[4C]: the cheapest way to a
    pose so far, whether it is final, and the pose and the action that it ends with. ``heap`` float64[24C + 1, 4]:
    the frontier, a binary heap; a row is what Python's search keeps in a tuple.
    """

    cost: NDArray[np.float64]
    done: NDArray[np.uint8]
    came: NDArray[np.int32]
    by: NDArray[np.uint8]
    heap: NDArray[np.float64]


def ways(ground: Ground, gait: Gait) -> Ways:
    """The ways over ``ground``."""
    cells = ground.width * ground.height
    after = np.full((4 * cells, len(ACTIONS)), -1, np.int32)
    far = np.array([ground.field(cell) for cell in range(cells)], np.int32)
    for x, y in ground.open:
        for facing in range(4):
            for action in range(len(ACTIONS)):
                end = moved((x, y, facing), action)
                if end[:2] in ground.open:
                    after[ground.number((x, y, facing)), action] = ground.number(end)
    return Ways(after, far, np.array(gait.prices))


def room(ground: Ground) -> Room:
    """Room for searches on ``ground``. A pose is followed once, so that each of its six moves enters the heap once at most."""
    poses = 4 * ground.width * ground.height
    return Room(
        cost=np.zeros(poses),
        done=np.zeros(poses, np.uint8),
        came=np.zeros(poses, np.int32),
        by=np.zeros(poses, np.uint8),
        heap=np.zeros((6 * poses + 1, 4)),
    )
