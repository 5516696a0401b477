"""What one seat knows of the map from what its window has shown, and how it goes where it wants.

Partners and skills use it. Ways are shortest over cells that are not known to be walls, around avatars in view.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping
from random import Random
from typing import Any

from otherminds.gridworlds.commons.rules import APPLE, DIRT, DRY_APPLE, FOOD, NOTHING, WALL, ZAPPING, Rules
from otherminds.gridworlds.commons.views import AVATAR, BEAM, OTHER, SELF, THING
from otherminds.gridworlds.grid.rules import (
    BACKWARD,
    DX,
    DY,
    FORWARD,
    NOOP,
    STEP_LEFT,
    STEP_RIGHT,
    TURN_LEFT,
    TURN_RIGHT,
)

Cell = tuple[int, int]
STEPPING = (FORWARD, STEP_RIGHT, BACKWARD, STEP_LEFT)
"""The action that moves so many quarter turns clockwise from the own orientation."""
TURNING = (NOOP, TURN_RIGHT, TURN_RIGHT, TURN_LEFT)
DISC = [(dx, dy) for dx in range(-2, 3) for dy in range(-2, 3) if 0 < dx * dx + dy * dy <= 4]
"""The cells within distance 2."""
SPARED = 2
"""Who spares apples takes one only if as many others are near it."""
FAR = 3
"""From this distance on it faces where it goes, so that it sees what is there."""


class Forager:
    """The knowledge of one seat in one episode: :meth:`see` takes its observations in.

    ``things``: what each cell last showed; ``others``: the cells of avatars in view; ``colour``: that of its own coins, -1 where there are none.
    """

    def __init__(self, rules: Rules, rng: Random) -> None:
        self.rules = rules
        self.rng = rng
        self.things: dict[Cell, int] = {}
        if rules.law != "chance":
            self.things = {(x, y): thing for y, row in enumerate(rules.fresh) for x, thing in enumerate(row)}
        self.others: set[Cell] = set()
        self.cell: Cell = (-1, -1)
        self.facing = 0
        self.colour = -1
        self._haunt: Cell | None = None

    @property
    def alive(self) -> bool:
        """Whether it is on the map."""
        return self.cell[0] >= 0

    def see(self, observation: Mapping[str, Any]) -> None:
        """Takes in what the seat observes."""
        x, y = observation["POSITION"].tolist()
        self.cell, self.facing = (x, y), int(observation["ORIENTATION"])
        self.others = set()
        if not self.alive:
            return
        window = observation["WINDOW"].tolist()
        width, height = self.rules.size
        for row, column, cell in self.rules.view.cells((x, y, self.facing)):
            code = window[row][column]
            if not (0 <= cell[0] < width and 0 <= cell[1] < height) or code[BEAM] & ZAPPING:
                continue
            self.things[cell] = code[THING]
            if cell == self.cell:
                if self.rules.law == "chance":
                    self.colour = code[AVATAR] - OTHER
            elif code[AVATAR] > SELF:
                self.others.add(cell)

    def list_food(self, accept: Callable[[Cell, int], bool] = lambda cell, thing: True) -> list[Cell]:
        """Cells known to have an apple or a coin that ``accept`` takes."""
        return [cell for cell, thing in self.things.items() if thing in FOOD and accept(cell, thing)]

    def list_spared(self, near: int) -> list[Cell]:
        """Cells known to have an apple with at least ``near`` others within distance 2."""
        return self.list_food(lambda cell, thing: self.count_near(cell) >= near)

    def list_dirt(self) -> list[Cell]:
        """Cells known to be dirty."""
        return [cell for cell, thing in self.things.items() if thing == DIRT]

    def count_near(self, cell: Cell) -> int:
        """The apples within distance 2 of ``cell``, as far as is known."""
        return sum(self.things.get((cell[0] + dx, cell[1] + dy)) in (APPLE, DRY_APPLE) for dx, dy in DISC)

    def approach(self, goals: Iterable[Cell], avoid: Collection[Cell] = ()) -> int | None:
        """The next action on a shortest way to one of ``goals`` around cells to ``avoid``, ``NOOP`` at one; ``None`` if there is no way."""
        wanted = set(goals)
        if not wanted:
            return None
        if self.cell in wanted:
            return NOOP
        width, height = self.rules.size
        queue: deque[tuple[Cell, int, int]] = deque([(self.cell, -1, 0)])
        seen = {self.cell, *avoid, *self.others}
        while queue:
            (x, y), first, length = queue.popleft()
            for way in self.rng.sample(range(4), 4) if first < 0 else range(4):
                cell = x + DX[way], y + DY[way]
                inside = 0 <= cell[0] < width and 0 <= cell[1] < height
                if cell in seen or not inside or self.things.get(cell) == WALL:
                    continue
                begun = way if first < 0 else first
                if cell in wanted:
                    turns = (begun - self.facing) % 4
                    return TURNING[turns] if turns and length >= FAR else STEPPING[turns]
                seen.add(cell)
                queue.append((cell, begun, length + 1))
        return None

    def wander(self, avoid: Collection[Cell] = ()) -> int:
        """The next action on the way to a place where things grow, another one whenever it gets there or cannot."""
        if self._haunt is None or self.cell == self._haunt:
            haunts = self._list_haunts()
            self._haunt = self.rng.choice(haunts) if haunts else None
        action = None if self._haunt is None else self.approach([self._haunt], avoid)
        if action is None:
            self._haunt = None
            return self.rng.choice((FORWARD, TURN_LEFT, TURN_RIGHT))
        return action

    def _list_haunts(self) -> list[Cell]:
        """Where things grow, as far as is known: in Coins, inside of the walls to the right and below, where they are known."""
        if self.rules.law != "chance":
            return list(self.rules.places)
        walls = [cell for cell, thing in self.things.items() if thing == WALL]
        wide, high = self.rules.size
        right = min((x for x, y in walls if x > self.cell[0] and y == self.cell[1]), default=wide)
        low = min((y for x, y in walls if y > self.cell[1] and x == self.cell[0]), default=high)
        return [(x, y) for x, y in self.things if 0 < x < right and 0 < y < low]

    def aim(self, targets: Iterable[Cell], length: int, blocked: int) -> int | None:
        """How to aim at one of ``targets``: ``NOOP`` if a beam fired now would reach one, else how to turn to one; ``None`` if none is near.

        The beam has three columns of ``length`` cells, which end at walls and at things ``blocked``.
        """
        wanted = set(targets)
        for turns in (0, 1, 3, 2):
            facing = (self.facing + turns) % 4
            if wanted & self._reach(facing, length, blocked):
                return TURNING[turns]
        return None

    def _reach(self, facing: int, length: int, blocked: int) -> set[Cell]:
        right = (facing + 1) % 4
        cells: set[Cell] = set()
        for aside, first in ((-1, 0), (1, 0), (0, 1)):
            for far in range(first, first + length):
                cell = (
                    self.cell[0] + far * DX[facing] + aside * DX[right],
                    self.cell[1] + far * DY[facing] + aside * DY[right],
                )
                thing = self.things.get(cell, WALL)
                if thing == WALL:
                    break
                cells.add(cell)
                if thing == blocked or (cell in self.others and blocked == NOTHING):
                    break
        return cells
