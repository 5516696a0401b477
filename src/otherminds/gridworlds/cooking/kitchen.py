"""A kitchen as its map shows it, and what one seat knows of the rest: what its window has shown, and when.

Items on counters, the contents of pots and what others hold are known from the window alone, and remembered
while out of sight. The compiled cooks (:mod:`._cooks`) look the map up in arrays, the :class:`Routes`; a
:class:`Kitchen` is the memory of one of them, for those who play a seat from Python.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from functools import lru_cache
from random import Random
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from otherminds.gridworlds.cooking import rules as columns
from otherminds.gridworlds.cooking.rules import (
    COUNTER,
    DISH,
    DISHES,
    EMPTY,
    FLOOR,
    HATCH,
    TOMATO,
    TOMATOES,
    Rules,
    empty,
)
from otherminds.gridworlds.cooking.views import AVATAR, BEAM, ITEM, LAYERS, OTHER
from otherminds.gridworlds.grid.paths import STEPS, Cell, Ground, PathSearch, Pose, moved
from otherminds.gridworlds.grid.rules import DX, DY, NOOP, UNREACHED

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


Role: TypeAlias = Literal["alone", "supply", "serve", "share"]
"""A division of labour.

``alone`` does everything, as if the partner did nothing. ``supply`` brings tomatoes and ``serve`` soups, and
nothing else. ``share`` does everything too, but from a room that is not for serving it leaves that to its
partner, as long as it is seen done.
"""
ROLES: tuple[Role, ...] = ("alone", "supply", "serve", "share")

OVERDUE = 12
"""Steps that soup may wait in a pot before the partner is no longer trusted to serve; a round takes it 9."""


class Routes(NamedTuple):
    """One map of H × W cells with N containers, M pots and T places of delivery.

    A cell is y · W + x, a pose 4 · cell + orientation. Rows of poses in closed cells are never looked up.

    ``length`` int32[4·H·W, H·W]: actions to face a closed cell, or to enter an open one, ``UNREACHED`` without a way;
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


@lru_cache(maxsize=8)
def routes(rules: Rules) -> Routes:
    """The routes of ``rules``; a search for each pose and each cell of the map."""
    kitchen = layout(rules)
    width, height = rules.size
    view = rules.view

    def numbers(places: Iterable[Cell]) -> NDArray[np.int32]:
        return np.array([y * width + x for x, y in places], np.int32)

    cells, poses = width * height, 4 * width * height
    length = np.full((poses, cells), UNREACHED, np.int32)
    first = np.full((poses, cells), NOOP, np.int8)
    ahead, serves = np.zeros(poses, np.int32), np.zeros(poses, np.bool_)
    tour = np.full((poses, len(rules.pots)), UNREACHED, np.int32)
    pots = {cell: n for n, cell in enumerate(rules.pots)}
    counters = {c: n for n, c in enumerate(rules.containers) if kitchen.things[c] == COUNTER}
    pots_shown, counters_shown = (
        np.full((poses, len(numbered), 3), -1, np.int16) for numbered in (pots, counters)
    )
    for pose, visible in kitchen.shown.items():
        x, y, facing = pose
        at = 4 * (y * width + x) + facing
        for goal in kitchen.things:
            way = kitchen.way(pose, goal)
            if way is not None:
                there = goal[1] * width + goal[0]
                length[at, there] = len(way)
                first[at, there] = way[0] if way else NOOP
        ahead[at] = (y + DY[facing]) * width + x + DX[facing]
        serves[at] = kitchen.serves(pose)
        tour[at] = [kitchen.tour(pose, kitchen.sources[DISH], [pot])[0] for pot in rules.pots]
        for numbered, table in ((pots, pots_shown), (counters, counters_shown)):
            places = [(row, column, numbered[c]) for c, row, column in visible if c in numbered]
            table[at, : len(places)] = np.array(places, np.int16).reshape(-1, 3)
    return Routes(
        length=length,
        first=first,
        rank=np.arange(cells, dtype=np.int32).reshape(width, height).T.ravel(),
        ahead=ahead,
        containers=numbers(rules.containers),
        pots=numbers(rules.pots),
        hatches=numbers(kitchen.hatches),
        stock=np.array(rules.stock, np.int8),
        counters_shown=counters_shown,
        pots_shown=pots_shown,
        row=view.forward,
        column=view.left,
        width=width,
        serves=serves,
        tour=tour,
        capacity=rules.capacity,
        cooking=rules.cooking,
        pay=float(rules.pay),
    )


@lru_cache(maxsize=8)
def find_in_sight(rules: Rules) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which pots, bool[4·H·W, M], and which counters of all containers, bool[4·H·W, N], the window shows from a pose."""
    found = routes(rules)
    tables = (found.pots_shown, found.pots.size), (found.counters_shown, found.containers.size)
    pots, counters = ((shown[..., 2:] == np.arange(count)).any(axis=1) for shown, count in tables)
    return pots, counters


class Kitchen:
    """The knowledge of player number ``player`` in one episode, and what it does next with it.

    :meth:`see` takes its observations in, :meth:`hear` its rewards; :meth:`act` does what is due for a cook, who does
    everything alone until :meth:`follow` says otherwise.

    ``pose`` is its own, ``held`` in its hands; ``charged`` says that its beam can be fired as far as is seen. Views of
    its memory, by the order in ``rules.pots`` and ``rules.containers``: ``tomatoes`` int32[M], and ``ready`` int32[M],
    the first step in which a beam should get soup from a pot that is full; ``items`` int8[N], what lies on counters.
    """

    def __init__(self, rules: Rules, player: int) -> None:
        from otherminds.gridworlds.cooking import _cooks

        self.rules = rules
        self.layout = layout(rules)
        self.routes = routes(rules)
        self._in_sight = find_in_sight(rules)
        self.player = player
        self._compiled = _cooks
        state = empty(rules, 1)
        windows = np.zeros((1, rules.players, *rules.view.shape, LAYERS), np.uint8)
        self._window = windows[0, player]
        self._news = _cooks.News(state.avatars, state.clock, state.rewards, windows)
        self._actions = np.zeros((1, rules.players), np.int64)
        self._keep(_cooks.empty(self.routes, 1, rules.players))
        self.follow("alone", "alone")
        _cooks.begin(self.routes, self._memory, np.ones(1, np.bool_), np.zeros((1, rules.players), np.uint64))
        self.place((0, 0, 0), EMPTY, charged=True, step=0)

    def follow(self, serving: Role, supplying: Role, idle: float = 0.0, noise: float = 0.0) -> None:
        """From now on plays ``serving`` in a room that is for serving, ``supplying`` in another.

        It stands still in a share of ``idle`` steps, and with probability ``noise`` makes a random movement.
        """
        memory, seat = self._memory, (0, self.player)
        memory.roles[seat] = ROLES.index(serving), ROLES.index(supplying)
        memory.idle[seat], memory.noise[seat] = idle, noise

    def set_stream(self, rng: Random) -> None:
        """Lets its draws go on from where ``rng`` is."""
        self._memory.draws[0, self.player] = rng.getstate()[1]

    def place(self, pose: Pose, held: int, charged: bool, step: int) -> None:
        """Says where it is in ``step``, and with what, in place of a window: for those who imagine the seat."""
        self.pose, self.held, self.charged, self.step = pose, held, charged, step
        self._now[:4] = self.layout.ground.number(pose), step, held, charged

    def see(self, observation: Mapping[str, Any], step: int, reward: float = 0.0) -> None:
        """Takes in what the seat observes in ``step``, and what the step before it paid: see :meth:`hear`."""
        news, now = self._news, self._now
        x, y = observation["POSITION"].tolist()
        facing = int(observation["ORIENTATION"])
        news.avatars[0, self.player, :3] = x, y, facing
        news.clock[0, columns.STEP] = step
        self._window[:] = observation["WINDOW"]
        news.rewards[0, self.player] = reward
        self._run(sees=True, hears=True)
        self.pose, self.step = (x, y, facing), step
        self.held, self.charged = int(now[self._compiled.HELD]), bool(now[self._compiled.CHARGED])

    def hear(self, reward: float) -> None:
        """Takes in what the last step paid, of a seat that is imagined: a soup that was not its own is the partner's."""
        self._news.rewards[0, self.player] = reward
        self._run(hears=True)

    def act(self) -> int:
        """The next action."""
        self._run(acts=True)
        return int(self._actions[0, self.player])

    def share(self, other: Kitchen) -> None:
        """Knows from now on of pots and counters what ``other`` sees of them now."""
        at, (pots, counters) = other._now[self._compiled.POSE], self._in_sight
        np.copyto(self.tomatoes, other.tomatoes, where=pots[at])
        np.copyto(self.ready, other.ready, where=pots[at])
        np.copyto(self.items, other.items, where=counters[at])

    def fork(self) -> Kitchen:
        """The same knowledge, which goes its own way from here."""
        fork = copy(self)
        fork._keep(self._memory._make(array.copy() for array in self._memory))
        return fork

    @property
    def trusted(self) -> bool:
        """Whether the partner is left to serve: at first, until a soup is overdue, and again once it has served one."""
        return bool(self._memory.trusted[0, self.player])

    @property
    def serves(self) -> bool:
        """Whether its room is one to serve from: see :meth:`KitchenLayout.serves`."""
        return bool(self.routes.serves[self._now[self._compiled.POSE]])

    @property
    def sure(self) -> bool:
        """Whether its beam can certainly be fired: that of a later player may hide it."""
        view = self.rules.view
        return int(self._window[view.forward - 1, view.left, BEAM]) <= self.player

    @property
    def hands(self) -> list[int]:
        """What the others in sight hold."""
        return self._window[self._window[..., AVATAR] >= OTHER][:, ITEM].tolist()

    def ahead(self) -> Cell:
        """The cell that the own beam would reach."""
        x, y, facing = self.pose
        return x + DX[facing], y + DY[facing]

    def steps_to(self, cell: Cell) -> int:
        """The actions until one faces ``cell``, or stands in it; ``UNREACHED`` if there is no way."""
        return int(self.routes.length[self._now[self._compiled.POSE], self._number(cell)])

    def use(self, cell: Cell) -> int:
        """The next action to face ``cell`` and fire at it; ``NOOP`` while the beam is not ready."""
        return int(self._compiled.use(self.routes, self._now, self._number(cell)))

    def done(self, pot: Cell) -> bool:
        """Whether a beam fired now should get soup from ``pot``."""
        n = self.rules.pots.index(pot)
        return bool(self.tomatoes[n] == self.rules.capacity and self.ready[n] <= self.step)

    def nearest(self, cells: NDArray[np.int32]) -> Cell | None:
        """The nearest of ``routes.pots`` or ``routes.hatches``; ``None`` if none can be reached."""
        return self._cell(self._compiled.nearest(self.routes, self._now, cells))

    def giving(self, item: int) -> Cell | None:
        """The nearest place from which ``item`` can be taken: its dispenser, or a counter with one on it.

        For ``EMPTY`` the nearest counter with nothing on it, as far as is known.
        """
        return self._cell(self._compiled.nearest_with(self.routes, self._now, self.items, item))

    def pot_to_fill(self) -> Cell | None:
        """The pot with room that has most tomatoes, the nearest of several; ``None`` if there is none."""
        n = self._compiled.pot_to_fill(self.routes, self._memory, self._now, 0, self.player)
        return None if n < 0 else self.rules.pots[n]

    def pot_to_serve(self) -> Cell | None:
        """The full pot from which soup can be had first, the nearest of several; ``None`` if none is full."""
        n = self._compiled.pot_to_serve(self.routes, self._memory, self._now, 0, self.player)
        return None if n < 0 else self.rules.pots[n]

    def _keep(self, memory: Any) -> None:
        from otherminds.gridworlds.grid._kernel import hold

        seat = 0, self.player
        self._memory, self._now = memory, memory.now[seat]
        self.tomatoes, self.ready, self.items = memory.tomatoes[seat], memory.ready[seat], memory.items[seat]
        self._held = hold((self.routes, memory, self._news))

    def _run(self, sees: bool = False, hears: bool = False, acts: bool = False) -> None:
        self._compiled.run(self._held, sees, hears, acts, self._actions)

    def _number(self, cell: Cell) -> int:
        return cell[1] * self.routes.width + cell[0]

    def _cell(self, number: int) -> Cell | None:
        return None if number < 0 else (int(number) % self.routes.width, int(number) // self.routes.width)
