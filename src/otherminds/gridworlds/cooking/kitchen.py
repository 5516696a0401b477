"""What one seat knows of its kitchen (the drawn map, what its window has shown it, and when), and what to do next with it.

The map is known. Items on counters, the contents of pots and what others hold are
known from the window alone, and remembered while out of sight.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from otherminds.gridworlds.cooking.rules import (
    COUNTER,
    DISH,
    DISHES,
    EMPTY,
    FLOOR,
    HATCH,
    POT,
    SOUP,
    TOMATO,
    TOMATOES,
    Rules,
)
from otherminds.gridworlds.cooking.views import AVATAR, BAR, BEAM, ITEM, OTHER, THING
from otherminds.gridworlds.grid.actions import DX, DY, INTERACT, NOOP, UNREACHED
from otherminds.gridworlds.grid.paths import STEPS, Cell, Ground, PathSearch, Pose, moved

FULL_BAR = 10


class KitchenLayout:
    """What follows from the map alone; cached by :func:`layout`.

    Cooks of different rooms cannot block each other, so each way is searched once.
    """

    def __init__(self, rules: Rules) -> None:
        width, height = rules.size
        self.rules = rules
        self.things = {(x, y): rules.things[y][x] for y in range(height) for x in range(width)}
        self.ground = Ground(rules.size, (cell for cell, tile in self.things.items() if tile != FLOOR))
        self._search = PathSearch(self.ground, STEPS)
        self.sources = {TOMATO: self._all(TOMATOES), DISH: self._all(DISHES)}
        self.hatches = self._all(HATCH)
        self.counters = self._all(COUNTER)
        poses = [(x, y, facing) for x, y in self.ground.open for facing in range(4)]
        self.shown = {pose: self._window(pose) for pose in poses}
        self._ways: dict[tuple[Pose, Cell], tuple[int, ...] | None] = {}
        self._serves: dict[Pose, bool] = {}

    def way(self, pose: Pose, cell: Cell) -> tuple[int, ...] | None:
        """The fewest actions to reach ``cell``, or to face it if it is closed; ``None`` if there is no way."""
        if (pose, cell) not in self._ways:
            x, y = cell
            goals = self.ground.stands(cell) or {(x - DX[way], y - DY[way], way) for way in range(4)}
            # A fixed choice among equally short ways, since the result is cached for all cooks.
            self._ways[pose, cell] = self._search.path(pose, goals, seed=0)
        return self._ways[pose, cell]

    def nearest(self, pose: Pose, cells: Iterable[Cell]) -> Cell | None:
        """The one of ``cells`` that is reached in the fewest actions; ``None`` if none can be."""
        ways = [(len(way), cell) for cell in cells if (way := self.way(pose, cell)) is not None]
        return min(ways)[1] if ways else None

    def tour(self, pose: Pose, *stops: Iterable[Cell]) -> tuple[int, Pose]:
        """The steps to use the nearest cell of each of ``stops`` in turn, and the pose at the end.

        A stop that cannot be reached costs more than any tour.
        """
        steps = 0
        for cells in stops:
            cell = self.nearest(pose, cells)
            if cell is None:
                return UNREACHED, pose
            for action in self.way(pose, cell) or ():
                pose = moved(pose, action)
                steps += 1
            steps += 1
        return steps, pose

    def serves(self, pose: Pose) -> bool:
        """Whether in the room of ``pose`` the round of serving is shorter than that of one tomato.

        Such a room is the one to serve from; another to supply tomatoes from.
        """
        if pose not in self._serves:
            pots, dishes, tomatoes = self.rules.pots, self.sources[DISH], self.sources[TOMATO]
            serving, _ = self.tour(self.tour(pose, dishes)[1], pots, self.hatches, dishes)
            supplying, _ = self.tour(self.tour(pose, tomatoes)[1], pots, tomatoes)
            self._serves[pose] = serving < supplying
        return self._serves[pose]

    def _all(self, tile: int) -> tuple[Cell, ...]:
        return tuple(cell for cell, there in self.things.items() if there == tile)

    def _window(self, pose: Pose) -> tuple[tuple[Cell, int, int], ...]:
        """What a window shows from ``pose``: (cell, row, column)."""
        cells = self.rules.view.cells(pose)
        return tuple((cell, row, column) for row, column, cell in cells if cell in self.things)


@lru_cache(maxsize=32)
def layout(rules: Rules) -> KitchenLayout:
    """The layout of ``rules``."""
    return KitchenLayout(rules)


class PotSeen(NamedTuple):
    """A pot as it was last seen, in step ``seen``.

    ``ready`` is the first step in which a beam should get soup from it, where it is full.
    """

    tomatoes: int = 0
    ready: int = 0
    seen: int = 0


class Kitchen:
    """The knowledge of player number ``player`` in one episode; :meth:`see` takes its observations in.

    ``pose`` is its own, ``held`` in its hands. ``charged`` says that its beam can be fired as far as is seen,
    ``sure`` that it certainly can. ``pots`` and ``items`` (what lies on counters) are as last seen;
    ``others`` says where others are in sight, and what they hold.
    """

    def __init__(self, rules: Rules, player: int) -> None:
        self.rules = rules
        self.layout = layout(rules)
        self.player = player
        self.step = 0
        self.pose: Pose = (0, 0, 0)
        self.held = EMPTY
        self.charged = True
        self.sure = True
        self.pots = dict.fromkeys(rules.pots, PotSeen())
        self.items = dict.fromkeys(self.layout.counters, EMPTY)
        self.others: dict[Cell, int] = {}

    def see(self, observation: Mapping[str, Any], step: int) -> None:
        """Takes in what the seat observes in ``step``."""
        x, y = observation["POSITION"].tolist()
        self.step = step
        self.pose = pose = (x, y, int(observation["ORIENTATION"]))
        window = observation["WINDOW"].tolist()
        view, tiles = self.rules.view, self.layout.things
        self.held = window[view.forward][view.left][ITEM]
        # After the own beam, seen in the cell ahead, a step must pass. That of a later player may hide it.
        beam = window[view.forward - 1][view.left][BEAM]
        self.charged = beam != 1 + self.player
        self.sure = beam <= self.player
        self.others = {}
        for cell, row, column in self.layout.shown[pose]:
            tile, entry = tiles[cell], window[row][column]
            if tile == POT:
                self.pots[cell] = self._update_pot(self.pots[cell], entry[THING] - POT, entry[BAR])
            elif tile == COUNTER:
                self.items[cell] = entry[ITEM]
            elif entry[AVATAR] >= OTHER:
                self.others[cell] = entry[ITEM]

    def ahead(self) -> Cell:
        """The cell that the own beam would reach."""
        x, y, facing = self.pose
        return x + DX[facing], y + DY[facing]

    def steps_to(self, cell: Cell) -> int:
        """The actions until one faces ``cell``; ``UNREACHED`` if there is no way."""
        way = self.layout.way(self.pose, cell)
        return UNREACHED if way is None else len(way)

    def use(self, cell: Cell) -> int:
        """The next action to face ``cell`` and fire at it; ``NOOP`` while the beam is not ready."""
        way = self.layout.way(self.pose, cell)
        if way:
            return way[0]
        return INTERACT if way is not None and self.charged and self.ahead() == cell else NOOP

    def done(self, pot: Cell) -> bool:
        """Whether a beam fired now should get soup from ``pot``."""
        sighting = self.pots[pot]
        return sighting.tomatoes == self.rules.capacity and sighting.ready <= self.step

    def giving(self, item: int) -> Cell | None:
        """The nearest place from which ``item`` can be taken: its dispenser, or a counter with one on it."""
        lying = [cell for cell, there in self.items.items() if there == item]
        return self.layout.nearest(self.pose, (*self.layout.sources.get(item, ()), *lying))

    def free_counter(self) -> Cell | None:
        """The nearest counter with nothing on it, as far as is known."""
        return self.layout.nearest(self.pose, [cell for cell, there in self.items.items() if there == EMPTY])

    def pot_to_fill(self) -> Cell | None:
        """The pot with room that has most tomatoes, the nearest of several; ``None`` if there is none."""
        capacity = self.rules.capacity
        most = max((pot.tomatoes for pot in self.pots.values() if pot.tomatoes < capacity), default=-1)
        return self.layout.nearest(self.pose, [c for c, pot in self.pots.items() if pot.tomatoes == most])

    def pot_to_serve(self) -> Cell | None:
        """The full pot from which soup can be had first, the nearest of several; ``None`` if none is full."""
        full = [cell for cell, pot in self.pots.items() if pot.tomatoes == self.rules.capacity]
        return min(full, key=self.first_soup, default=None)

    def first_soup(self, pot: Cell) -> tuple[int, int]:
        """The first step in which one could take soup from a full ``pot``, and the actions to get there."""
        far = self.steps_to(pot)
        return max(self.pots[pot].ready, self.step + far), far

    def _update_pot(self, before: PotSeen, tomatoes: int, bar: int) -> PotSeen:
        """A pot in sight. Its bar gives its time to within two steps; memory may be more exact.

        A bar of b (of 10) shows that at least 2b and at most 2b + 2 of 20 steps have passed.
        """
        if tomatoes < self.rules.capacity:
            return PotSeen(tomatoes, 0, self.step)
        latest = self.step + self.rules.cooking * (FULL_BAR - bar) // FULL_BAR
        earliest = latest - self.rules.cooking // FULL_BAR if bar < FULL_BAR else 0
        was_full = before.tomatoes == tomatoes
        ready = before.ready if was_full else latest
        return PotSeen(tomatoes, min(max(ready, earliest), latest), self.step)


Role: TypeAlias = Literal["alone", "supply", "serve", "share"]
"""A division of labour.

``alone`` does everything, as if the partner did nothing. ``supply`` brings tomatoes and ``serve`` soups, and
nothing else. ``share`` does everything too, but from a room that is not for serving it leaves that to its
partner, as long as it is seen done.
"""
ROLES: tuple[Role, ...] = ("alone", "supply", "serve", "share")

OVERDUE = 12
"""Steps that soup may wait in a pot before the partner is no longer trusted to serve; a round takes it 9."""


class Work:
    """Decides and walks with what ``kitchen`` knows; :meth:`hear` follows each of its steps.

    ``trusted`` says whether the partner is left to serve: at first, until a soup is
    overdue, and again once it has served one.
    """

    def __init__(self, kitchen: Kitchen) -> None:
        self.kitchen = kitchen
        self.trusted = True
        self._held = EMPTY

    def hear(self, reward: float) -> None:
        """Takes in what the last step paid: a soup that was not the own one is the partner's."""
        kitchen = self.kitchen
        own = self._held == SOUP and kitchen.held == EMPTY and kitchen.ahead() in kitchen.layout.hatches
        if reward > own * kitchen.rules.pay:
            self.trusted = True
        elif self._overdue():
            self.trusted = False
        self._held = kitchen.held

    def act(self, role: Role) -> int:
        """The next action in ``role``."""
        kitchen, role = self.kitchen, self.meant(role)
        if kitchen.held == SOUP:
            return self._use(kitchen.layout.nearest(kitchen.pose, kitchen.layout.hatches))
        if kitchen.held == TOMATO:
            return self._fill(role)
        if kitchen.held == DISH:
            return self._serve(role)
        return self._use(kitchen.giving(DISH if self.turns_to_serving(role) else TOMATO))

    def meant(self, role: Role) -> Role:
        """The role that is played now: ``share`` means ``supply`` or ``alone``."""
        if role != "share":
            return role
        return "supply" if self.trusted and not self.kitchen.layout.serves(self.kitchen.pose) else "alone"

    def turns_to_serving(self, role: Role) -> bool:
        """Whether empty hands go for a dish: the soup will be done by then, or no pot has room."""
        if role != "alone":
            return role == "serve"
        kitchen = self.kitchen
        pot = kitchen.pot_to_serve()
        if pot is None or kitchen.pot_to_fill() is None:
            return pot is not None
        steps, _ = kitchen.layout.tour(kitchen.pose, kitchen.layout.sources[DISH], [pot])
        return kitchen.pots[pot].ready < kitchen.step + steps

    def _fill(self, role: Role) -> int:
        """With a tomato: to a pot with room. Where there is none, who only supplies waits for one."""
        kitchen = self.kitchen
        pot = kitchen.pot_to_fill()
        if pot is not None:
            return kitchen.use(pot)
        return self._watch(kitchen.pot_to_serve()) if role == "supply" else self._use(kitchen.free_counter())

    def _serve(self, role: Role) -> int:
        """With a dish: to the soup that is done first. Where none cooks, who only serves waits for one."""
        kitchen = self.kitchen
        pot = kitchen.pot_to_serve()
        if role == "supply" or (pot is None and role == "alone"):
            return self._use(kitchen.free_counter())
        if pot is None:
            return self._watch(kitchen.pot_to_fill())
        return kitchen.use(pot) if kitchen.done(pot) else self._watch(pot)

    def _use(self, cell: Cell | None) -> int:
        return NOOP if cell is None else self.kitchen.use(cell)

    def _watch(self, cell: Cell | None) -> int:
        return NOOP if cell is None or self.kitchen.ahead() == cell else self.kitchen.use(cell)

    def _overdue(self) -> bool:
        kitchen = self.kitchen
        pot = kitchen.pot_to_serve()
        return pot is not None and kitchen.pots[pot].ready + OVERDUE < kitchen.step


class Routes(NamedTuple):
    """One map of H × W cells with N containers, M pots and T places of delivery.

    A cell is y · W + x, a pose 4 · cell + orientation. Rows of poses in closed cells are never looked up.

    ``length`` int32[4·H·W, H·W]: actions to face a closed cell, ``UNREACHED`` without a way;
    ``first`` int8[4·H·W, H·W]: the first of them, ``NOOP`` if there is none. ``rank`` int32[H·W]: the
    order of cells by x, then y, which decides among equally near ones. ``ahead`` int32[4·H·W]: the cell that
    the beam reaches. ``containers`` int32[N], ``pots`` int32[M], ``hatches`` int32[T]: their cells.
    ``stock`` int8[N]: what a dispenser gives, ``EMPTY`` for a counter.

    ``counters_shown`` int16[4·H·W, counters, 3] and ``pots_shown`` int16[4·H·W, M, 3]: the counters and pots
    in the window, each as its row and column there and its number; -1 after the last one. ``row`` and
    ``column`` are where the seat sees itself.

    ``serves`` bool[4·H·W]: whether the room is one to serve from. ``tour`` int32[4·H·W, M]: actions to use a
    dispenser of dishes and then a pot. The other numbers are those of :class:`~.rules.Rules`.
    """

    length: NDArray[np.int32]
    first: NDArray[np.int8]
    rank: NDArray[np.int32]
    ahead: NDArray[np.int32]
    containers: NDArray[np.int32]
    pots: NDArray[np.int32]
    hatches: NDArray[np.int32]
    stock: NDArray[np.int8]
    counters_shown: NDArray[np.int16]
    pots_shown: NDArray[np.int16]
    row: int
    column: int
    width: int
    serves: NDArray[np.bool_]
    tour: NDArray[np.int32]
    capacity: int
    cooking: int
    pay: float
