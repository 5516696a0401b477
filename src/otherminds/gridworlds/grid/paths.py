"""The way from one pose to another: A* over place and orientation.

A pose is ``(x, y, facing)``. One action moves an avatar one cell in any of four directions, whatever it
faces, or turns it by a quarter (Hart, Nilsson and Raphael 1968). Distances on the empty map, from a
breadth-first search of each goal, bound what is still to go. The search is compiled: :mod:`._paths`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from otherminds.gridworlds.grid.rules import (
    ACTIONS,
    DX,
    DY,
    HEADING,
    TURN,
    UNREACHED,
)

Cell: TypeAlias = tuple[int, int]
Pose: TypeAlias = tuple[int, int, int]


class Gait(NamedTuple):
    """What an action costs: 1 or more for those that move, more than 0 for a turn."""

    forward: float = 1.0
    backward: float = 1.0
    sideways: float = 1.0
    turn: float = 1.0

    @property
    def prices(self) -> tuple[float, ...]:
        """What each action from ``NOOP`` to ``TURN_RIGHT`` costs; no path contains ``NOOP``."""
        return 0.0, self.forward, self.backward, self.sideways, self.sideways, self.turn, self.turn


STEPS = Gait()  # Every action costs 1: the cost of a path is its number of actions
UPRIGHT = Gait(1.0, 1.5, 1.25, 1.0)  # For avatars that look where they go: longer ways are walked forward


class Ground:
    """The cells of a map that avatars can enter: all but ``walls``."""

    def __init__(self, size: tuple[int, int], walls: Iterable[Cell]) -> None:
        self.width, self.height = size
        solid = set(walls)
        self.open = frozenset(
            (x, y) for x in range(self.width) for y in range(self.height) if (x, y) not in solid
        )

    @cached_property
    def far(self) -> NDArray[np.int32]:
        """The fewest moves between two cells on the empty map, int32[H·W, H·W], goal first; ``UNREACHED`` without a way."""
        size = self.width * self.height
        far = np.full((size, size), UNREACHED, np.int32)
        np.fill_diagonal(far, 0)
        beside = np.full((4, size), -1)
        for x, y in self.open:
            for k in range(4):
                neighbour = x + DX[k], y + DY[k]
                if neighbour in self.open:
                    beside[k, y * self.width + x] = neighbour[1] * self.width + neighbour[0]
        # One breadth-first search of each goal, all of them at once: pairs of a goal and a cell on its frontier.
        goals = cells = np.array(sorted(y * self.width + x for x, y in self.open), np.int64)
        moves = 0
        while len(cells):
            moves += 1
            entered: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
            for neighbours in beside:
                ahead = neighbours[cells]
                new = (ahead >= 0) & (far[goals, ahead] == UNREACHED)
                entered.append((goals[new], ahead[new]))
                far[entered[-1]] = moves
            goals, cells = (np.concatenate(ends) for ends in zip(*entered, strict=True))
        return far

    def stands(self, cell: Cell) -> frozenset[Pose]:
        """The four poses in ``cell``; none in a wall."""
        return frozenset((*cell, facing) for facing in range(4)) if cell in self.open else frozenset()

    def distance(self, start: Cell, goal: Cell) -> int:
        """The fewest moves from ``start`` to ``goal`` on the empty map; ``UNREACHED`` if there is no way."""
        return int(self.far[goal[1] * self.width + goal[0], start[1] * self.width + start[0]])

    def number(self, pose: Pose) -> int:
        """The number of ``pose``: 4 · cell + facing, where the cell is y · width + x."""
        return 4 * (pose[1] * self.width + pose[0]) + pose[2]


class Ways(NamedTuple):
    """A :class:`Ground` of C = H · W cells under a gait, as kernels look it up.

    A cell is y · W + x, a pose 4 · cell + facing. ``after`` int32[4C, 8]: the pose to which each action leads, -1
    where a wall is. ``far`` int32[C, C]: see :attr:`Ground.far`. ``price`` float64[7]: what each action up to
    ``TURN_RIGHT`` costs.
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
    after = np.full((4 * ground.width * ground.height, len(ACTIONS)), -1, np.int32)
    for x, y in ground.open:
        for facing in range(4):
            for action in range(len(ACTIONS)):
                end = moved((x, y, facing), action)
                if end[:2] in ground.open:
                    after[ground.number((x, y, facing)), action] = ground.number(end)
    return Ways(after, ground.far, np.array(gait.prices))


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


class PathSearch:
    """Searches for the cheapest paths over ``ground`` at ``gait``, by compiled code."""

    def __init__(self, ground: Ground, gait: Gait) -> None:
        poses = 4 * ground.width * ground.height
        self.ground = ground
        self._ways = ways(ground, gait)
        self._room = room(ground)
        self._plan = np.zeros(poses, np.uint8)
        self._nothing = np.zeros(poses // 4), np.zeros(poses // 4, np.uint8)

    def path(self, start: Pose, goals: Collection[Pose], seed: int) -> tuple[int, ...] | None:
        """The cheapest actions from ``start`` to one of ``goals``; ``None`` if there is no way.

        ``seed`` decides among equally cheap paths.
        """
        from otherminds.gridworlds.grid import _mersenne as mersenne
        from otherminds.gridworlds.grid._paths import NO_WAY, find_path

        numbers = [self.ground.number(goal) for goal in goals if goal[:2] in self.ground.open]
        if not numbers:
            return None
        ends = np.zeros(len(self._plan), np.uint8)
        ends[numbers] = 1
        bound = self.ground.far[np.unique(numbers) // 4].min(axis=0)
        stream = np.zeros((1, mersenne.SIZE), np.uint32)
        mersenne.seed_all(stream, np.array([seed], np.uint64))
        source = self.ground.number(start)
        length = find_path(self._ways, self._room, source, ends, bound, *self._nothing, stream[0], self._plan)
        return None if length == NO_WAY else tuple(self._plan[:length][::-1].tolist())


def moved(pose: Pose, action: int) -> Pose:
    """Where ``action`` leads from ``pose`` if nothing is in the way.

    >>> from otherminds.gridworlds.grid.rules import FORWARD, TURN_RIGHT
    >>> moved((3, 3, 1), FORWARD), moved((3, 3, 1), TURN_RIGHT)
    ((4, 3, 1), (3, 3, 2))
    """
    x, y, facing = pose
    if HEADING[action] < 0:
        return x, y, (facing + TURN[action]) % 4
    way = (facing + HEADING[action]) % 4
    return x + DX[way], y + DY[way], facing
