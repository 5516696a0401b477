"""The way from one pose to another: A* over place and orientation.

A pose is ``(x, y, facing)``. One action moves an avatar one cell in any of four directions, whatever it
faces, or turns it by a quarter (Hart, Nilsson and Raphael 1968). Distances on the empty map, from a
breadth-first search of each goal that is kept, bound what is still to go.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Mapping
from heapq import heappop, heappush
from random import Random
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from otherminds.gridworlds.grid.actions import DX, DY, FORWARD, HEADING, STEP_RIGHT, TURN, TURN_RIGHT

Cell: TypeAlias = tuple[int, int]
Pose: TypeAlias = tuple[int, int, int]

MOVES = tuple(range(FORWARD, TURN_RIGHT + 1))
UNREACHED = 1 << 20  # More than any distance


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
        # Poses and cells as numbers: cell = y * width + x, pose = 4 * cell + facing.
        self._ways: list[tuple[tuple[int, int], ...]] = [()] * (4 * self.width * self.height)
        for x, y in self.open:
            for facing in range(4):
                self._ways[self.number((x, y, facing))] = tuple(
                    (action, self.number(after))
                    for action in MOVES
                    if (after := moved((x, y, facing), action))[:2] in self.open
                )
        self._fields: dict[int, NDArray[np.int32]] = {}

    def stands(self, cell: Cell) -> frozenset[Pose]:
        """The four poses in ``cell``; none in a wall."""
        return frozenset((*cell, facing) for facing in range(4)) if cell in self.open else frozenset()

    def distance(self, start: Cell, goal: Cell) -> int:
        """The fewest moves from ``start`` to ``goal`` on the empty map; ``UNREACHED`` if there is no way."""
        return int(self.field(goal[1] * self.width + goal[0])[start[1] * self.width + start[0]])

    def path(
        self,
        start: Pose,
        goals: Collection[Pose],
        rng: Random,
        gait: Gait = STEPS,
        dear: Mapping[Cell, float] | None = None,
        closed: Collection[Cell] = (),
    ) -> tuple[int, ...] | None:
        """The cheapest actions from ``start`` to one of ``goals``; ``None`` if there is no way.

        Entering a cell of ``dear`` costs that much more; cells of ``closed`` are not
        entered. ``rng`` decides among equally cheap paths.
        """
        source, ends = self.number(start), {self.number(goal) for goal in goals if goal[:2] in self.open}
        if source in ends:
            return ()
        if not ends:
            return None
        width = self.width
        shut = {y * width + x for x, y in closed}
        extra = {y * width + x: cost for (x, y), cost in (dear or {}).items()}
        price = gait.prices
        bound = np.minimum.reduce([self.field(cell) for cell in {end // 4 for end in ends}]).tolist()
        least = bound[source // 4]
        if least >= UNREACHED:
            return None
        cost = {source: 0.0}
        came: dict[int, tuple[int, int]] = {}
        done: set[int] = set()
        # Of equal sums, what is farther on the way is followed first, then chance decides.
        frontier: list[tuple[float, int, float, int]] = [(least, least, 0.0, source)]
        while frontier:
            _, _, _, pose = heappop(frontier)
            if pose in ends:
                actions: list[int] = []
                while pose != source:
                    pose, action = came[pose]
                    actions.append(action)
                return tuple(reversed(actions))
            if pose in done:
                continue
            done.add(pose)
            spent = cost[pose]
            for action, after in self._ways[pose]:
                cell = after // 4
                entered = action <= STEP_RIGHT
                if after in done or (entered and cell in shut):
                    continue
                total = spent + price[action]
                if entered and cell in extra:
                    total += extra[cell]
                if total < cost.get(after, UNREACHED):
                    cost[after] = total
                    came[after] = (pose, action)
                    left = bound[cell]
                    heappush(frontier, (total + left, left, rng.random(), after))
        return None

    def number(self, pose: Pose) -> int:
        """The number of ``pose``: 4 · cell + facing, where the cell is y · width + x."""
        return 4 * (pose[1] * self.width + pose[0]) + pose[2]

    def field(self, goal: int) -> NDArray[np.int32]:
        """The fewest moves from every cell to cell number ``goal``, int32[H·W]."""
        if goal not in self._fields:
            field = [UNREACHED] * (self.width * self.height)
            field[goal] = 0
            frontier = deque([goal])
            while frontier:
                cell = frontier.popleft()
                for action, after in self._ways[4 * cell]:
                    if action <= STEP_RIGHT and field[after // 4] == UNREACHED:
                        field[after // 4] = field[cell] + 1
                        frontier.append(after // 4)
            self._fields[goal] = np.array(field, np.int32)
        return self._fields[goal]


def moved(pose: Pose, action: int) -> Pose:
    """Where ``action`` leads from ``pose`` if nothing is in the way.

    >>> moved((3, 3, 1), FORWARD), moved((3, 3, 1), TURN_RIGHT)
    ((4, 3, 1), (3, 3, 2))
    """
    x, y, facing = pose
    if HEADING[action] < 0:
        return x, y, (facing + TURN[action]) % 4
    way = (facing + HEADING[action]) % 4
    return x + DX[way], y + DY[way], facing
