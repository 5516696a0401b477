"""The search for paths in plain Python, written apart from the compiled one."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping
from heapq import heappop, heappush
from random import Random

import numpy as np
from numpy.typing import NDArray

from otherminds.gridworlds.grid.paths import STEPS, Cell, Gait, Ground, Pose, moved
from otherminds.gridworlds.grid.rules import MOVES, STEP_RIGHT, UNREACHED


class PlainGround(Ground):
    """A ground that is searched in plain Python."""

    def __init__(self, size: tuple[int, int], walls: Collection[Cell]) -> None:
        super().__init__(size, walls)
        self._ways: list[tuple[tuple[int, int], ...]] = [()] * (4 * self.width * self.height)
        for x, y in self.open:
            for facing in range(4):
                self._ways[self.number((x, y, facing))] = tuple(
                    (action, self.number(after))
                    for action in MOVES
                    if (after := moved((x, y, facing), action))[:2] in self.open
                )
        self._fields: dict[int, NDArray[np.int32]] = {}

    def distance(self, start: Cell, goal: Cell) -> int:
        return int(self.field(goal[1] * self.width + goal[0])[start[1] * self.width + start[0]])

    def search(
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
