"""The rules, step by step, in plain Python: slow and readable.

They are written apart from the compiled kernel, which has to be equal to them bit for bit. A step has the
order of Melting Pot's engine: all decisions use the state before the step; then turns and moves happen in a
random order, then beams in another, then avatars and resources appear, then avatars whose duel is over
disappear. The effects of moves and beams come last.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from otherminds.gridworlds.grid.pixels import TILE, Pixels
from otherminds.gridworlds.grid.rules import DX, DY, HEADING, INTERACT, TURN, Luck
from otherminds.gridworlds.in_the_matrix import rules as columns
from otherminds.gridworlds.in_the_matrix.rules import Rules, State, empty
from otherminds.gridworlds.in_the_matrix.views import (
    AVATAR,
    BEAM,
    FACING,
    LAYERS,
    MARK,
    OTHER,
    RESOURCE,
    SELF,
    THING,
    WALL,
    encode_map,
    mix_paint,
)
from otherminds.gridworlds.in_the_matrix.world import InTheMatrixWorld
from tests.gridworlds.grid.plain_engine import PlainEngine, cut, cut_picture

Cell = tuple[int, int]
NOBODY = -1
UNREADY, READY, RESULT = 0, 1, 2
"""What a marker shows: nothing, ready, or from here on the colour of a result."""


@dataclass(slots=True)
class Avatar:
    """One avatar; see :mod:`.state` for the meaning of each number."""

    cell: Cell
    facing: int
    inventory: list[int]
    alive: bool = True
    cooldown: int = 0
    lock: int = 0
    pending: int = -1
    pay: float = 0.0
    ready: bool = False
    removed: int = 0
    foe: int = NOBODY
    in_row: bool = False
    indicator: int = UNREADY
    mark: int = UNREADY
    reward: float = 0.0
    met: tuple[list[int], list[int]] | None = None
    busy: bool = False  # Whether it has taken part in a hit this step: a second one does nothing


@dataclass(slots=True)
class Resource:
    """One place where a resource of class ``kind`` grows."""

    cell: Cell
    kind: int
    health: int
    shown: bool = True
    gone: int = 0


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened in a step: ``kind`` names it, ``who`` are the avatars concerned.

    ``collected`` and ``destroyed`` (what: class), ``zapped`` an avatar with an
    ``outcome`` in ``what`` (``busy``, ``frozen``, ``unready``, ``same role``, ``duel``, ``tie``),
    ``paid``, ``respawned``, ``regrown``, ``blocked`` (a move into a wall or avatar),
    ``fired``, ``scratched`` (a resource hit but not destroyed), ``under`` (a resource that appeared under an avatar).
    """

    kind: str
    who: tuple[int, ...] = ()
    what: int | str = ""


@dataclass
class Plain:
    """One world under ``rules``, from its ``reset``."""

    rules: Rules
    avatars: list[Avatar] = field(default_factory=list[Avatar])
    resources: list[Resource] = field(default_factory=list[Resource])
    beam: set[Cell] = field(default_factory=set[Cell])
    events: list[Event] = field(default_factory=list[Event])
    step_number: int = 0
    over: int = 0

    def reset(self, seed: int) -> None:
        """A new episode. Draws the classes left to chance, then a place and an orientation for each avatar."""
        rules = self.rules
        kinds = len(rules.classes)
        self.luck = Luck(seed)
        self.walls = set(rules.walls)
        self.step_number = self.over = 0
        self.beam = set()
        self.events = []
        self.resources = [
            Resource(cell, fixed if fixed >= 0 else self.luck.below(kinds), rules.health)
            for cell, fixed in zip(rules.places, rules.fixed, strict=True)
        ]
        self.growing = {resource.cell: resource for resource in self.resources}
        free = list(rules.spawns)
        self.avatars = []
        for _ in range(rules.players):
            cell = free.pop(self.luck.below(len(free)))
            self.avatars.append(Avatar(cell, self.luck.below(4), [1] * kinds))
        for avatar in self.avatars:
            avatar.met = ([0] * kinds, [0] * kinds)
        self.standing = {avatar.cell: i for i, avatar in enumerate(self.avatars)}

    def step(self, actions: list[int]) -> None:
        """One action for each avatar: numbers of :mod:`otherminds.gridworlds.grid.rules`."""
        rules = self.rules
        self.step_number += 1
        self.beam, self.events = set(), []
        self._begin()
        # Decisions, from what was before.
        moving = [i for i in self._shuffled() if self.avatars[i].alive and not self.avatars[i].lock]
        firing = [i for i in self._shuffled() if self._fires(i, actions[i])]
        returning = [i for i, a in enumerate(self.avatars) if self._returns(a)]
        regrowing = [resource for resource in self.resources if self._regrows(resource)]
        over = self.rules.one_shot and any(
            not avatar.alive and avatar.removed == self.step_number - 1 for avatar in self.avatars
        )
        ending = self._ends()
        if rules.refill and not any(avatar.alive for avatar in self.avatars):
            regrowing = [resource for resource in self.resources if not resource.shown]
        leaving = [i for i in range(rules.players) if self._settles(i)]
        for avatar in self.avatars:
            avatar.mark = avatar.indicator if avatar.alive else UNREADY
        # Effects, in the engine's order.
        taken: list[Resource] = []
        for i in moving:
            self._move(i, actions[i], taken)
        for i in firing:
            self._fire(i, taken)
        for i in returning:
            self._respawn(i)
        for resource in regrowing:
            resource.shown = True
            self.events.append(Event("regrown", what=resource.kind))
            if resource.cell in self.standing:
                self.events.append(Event("under", (self.standing[resource.cell],), resource.kind))
                self._collect(self.standing[resource.cell], resource, taken)
        for i in leaving:
            avatar = self.avatars[i]
            avatar.alive = False
            avatar.removed = self.step_number
            del self.standing[avatar.cell]
        for resource in taken:
            resource.shown = False
            resource.gone = self.step_number
        self.over = 1 if over else ending

    def _begin(self) -> None:
        for avatar in self.avatars:
            avatar.reward = 0.0
            avatar.met = None
            avatar.busy = False
            avatar.lock = max(avatar.lock - 1, 0)

    def _shuffled(self) -> list[int]:
        order = list(range(self.rules.players))
        self.luck.shuffle(order)
        return order

    def _fires(self, i: int, action: int) -> bool:
        """The beam cools only while its avatar is alive and free to move."""
        avatar = self.avatars[i]
        if not avatar.alive or avatar.lock:
            return False
        if avatar.cooldown:
            avatar.cooldown -= 1
            return False
        if action != INTERACT:
            return False
        avatar.cooldown = self.rules.cooldown
        return True

    def _returns(self, avatar: Avatar) -> bool:
        return not avatar.alive and self.step_number > avatar.removed + self.rules.respawn

    def _regrows(self, resource: Resource) -> bool:
        """A draw for every resource that has waited long enough; under an avatar it is lost."""
        if resource.shown or self.step_number <= resource.gone + self.rules.delay:
            return False
        return self.luck.uniform() < self.rules.regrowth and resource.cell not in self.standing

    def _ends(self) -> int:
        rules, t = self.rules, self.step_number
        if t >= rules.minimum and (t + 1) % rules.interval == 0 and self.luck.uniform() < rules.ending:
            return 1
        return 2 if t >= rules.maximum else 0

    def _settles(self, i: int) -> bool:
        """A pending duel draws nearer; when it takes effect it pays, and its avatars leave."""
        avatar = self.avatars[i]
        if not avatar.alive or avatar.pending < 0:
            return False
        avatar.pending -= 1
        if avatar.pending >= 0:
            colour = sum(avatar.pay >= limit for limit in self.rules.bounds)
            avatar.indicator = RESULT + colour
            return False
        avatar.reward = avatar.pay
        avatar.inventory = [1] * len(avatar.inventory)
        avatar.ready = False
        avatar.indicator = UNREADY
        self.events.append(Event("paid", (i, avatar.foe)))
        return True

    def _move(self, i: int, action: int, taken: list[Resource]) -> None:
        """Turns, or moves one cell relative to the own orientation; into a wall or an avatar it stays."""
        avatar = self.avatars[i]
        if TURN[action]:
            avatar.facing = (avatar.facing + TURN[action]) % 4
        if HEADING[action] < 0:
            return
        way = (avatar.facing + HEADING[action]) % 4
        target = (avatar.cell[0] + DX[way], avatar.cell[1] + DY[way])
        if target in self.walls or target in self.standing:
            self.events.append(Event("blocked", (i,)))
            return
        del self.standing[avatar.cell]
        self.standing[target] = i
        avatar.cell = target
        resource = self.growing.get(target)
        if resource is not None and resource.shown:
            self._collect(i, resource, taken)

    def _collect(self, i: int, resource: Resource, taken: list[Resource]) -> None:
        """A collected resource stays on the map, where beams hit it, until the end of the step."""
        avatar = self.avatars[i]
        avatar.inventory[resource.kind] += 1
        avatar.ready = True
        if avatar.indicator == UNREADY:
            avatar.indicator = READY
        taken.append(resource)
        self.events.append(Event("collected", (i,), resource.kind))

    def _fire(self, i: int, taken: list[Resource]) -> None:
        """Three columns ahead, each until something blocks it: left, right, then the own one."""
        avatar = self.avatars[i]
        self.events.append(Event("fired", (i,)))
        x, y = avatar.cell
        ahead = (DX[avatar.facing], DY[avatar.facing])
        right = (DX[(avatar.facing + 1) % 4], DY[(avatar.facing + 1) % 4])
        for side, reach in ((-1, (0, 1, 2)), (1, (0, 1, 2)), (0, (1, 2, 3))):
            for far in reach:
                cell = (x + side * right[0] + far * ahead[0], y + side * right[1] + far * ahead[1])
                if self._hit(i, cell, taken):
                    break
                self.beam.add(cell)

    def _hit(self, i: int, cell: Cell, taken: list[Resource]) -> bool:
        """The beam of avatar ``i`` reaches ``cell``. Everything there is hit; whether anything blocks it."""
        blocked = cell in self.walls
        if cell in self.standing:
            self._zap(i, self.standing[cell])
            blocked = True
        resource = self.growing.get(cell)
        if resource is not None and resource.shown:
            resource.health -= 1
            if resource.health:
                self.events.append(Event("scratched", (i,), resource.kind))
                blocked = True
            else:
                resource.health = self.rules.health
                taken.append(resource)
                self.events.append(Event("destroyed", (i,), resource.kind))
        return blocked

    def _zap(self, i: int, j: int) -> None:
        """Avatar ``i`` hits avatar ``j``. Both count as busy even if no duel follows."""
        hitter, target, rules = self.avatars[i], self.avatars[j], self.rules
        if target.busy:
            self.events.append(Event("zapped", (i, j), "busy"))
            return
        target.busy = True
        if hitter.busy:
            self.events.append(Event("zapped", (i, j), "busy"))
            return
        hitter.busy = True
        if target.pending >= 0:
            self.events.append(Event("zapped", (i, j), "frozen"))
        elif not (hitter.ready and target.ready):
            self.events.append(Event("zapped", (i, j), "unready"))
        elif not rules.roles:
            self._duel(i, j)
        elif rules.roles[i] == rules.roles[j]:
            self.events.append(Event("zapped", (i, j), "same role"))
        elif rules.roles[i] == "row":
            self._duel(i, j)
        else:
            self._duel(j, i)

    def _duel(self, i: int, j: int) -> None:
        """Resolves the game between row player ``i`` and column player ``j``. Paid when the freeze is over."""
        row, column = self.avatars[i], self.avatars[j]
        row.pay = payoff(self.rules.row, row.inventory, column.inventory)
        column.pay = payoff(self.rules.column, row.inventory, column.inventory)
        self.events.append(Event("zapped", (i, j), "tie" if row.pay == column.pay else "duel"))
        row.met = (list(row.inventory), list(column.inventory))
        column.met = (list(column.inventory), list(row.inventory))
        for avatar, foe in ((row, j), (column, i)):
            avatar.pending = self.rules.freeze
            avatar.lock = self.rules.freeze + 2
            avatar.foe = foe
            avatar.in_row = avatar is row
        if row.pay > column.pay or (row.pay == column.pay and self._wins_tie(i)):
            # The engine resets a winning row player's inventory at once, all others at the end.
            row.inventory = [1] * len(row.inventory)
            row.ready = False

    def _wins_tie(self, i: int) -> bool:
        """Whether row player ``i`` wins a duel in which both get the same."""
        return not self.rules.random_ties or self.luck.uniform() < 0.5

    def _respawn(self, i: int) -> None:
        """At a random free spawn point in a random orientation; if none is free, later."""
        free = [cell for cell in self.rules.spawns if cell not in self.standing]
        if not free:
            return
        avatar = self.avatars[i]
        avatar.cell = free[self.luck.below(len(free))]
        avatar.facing = self.luck.below(4)
        avatar.alive = True
        self.standing[avatar.cell] = i
        self.events.append(Event("respawned", (i,)))

    def write(self, state: State, b: int = 0) -> None:
        """Writes this world into row ``b`` of ``state``."""
        width, _ = self.rules.size
        for i, a in enumerate(self.avatars):
            row = state.avatars[b, i]
            row[: columns.READY] = (*a.cell, a.facing, a.alive, a.cooldown, a.lock, a.pending)
            row[columns.READY : columns.COUNTS] = (a.ready, a.removed, a.foe, a.indicator, a.mark, a.in_row)
            row[columns.COUNTS :] = a.inventory
            state.pay[b, i] = a.pay
            state.rewards[b, i] = a.reward
            state.met[b, i] = -1 if a.met is None else a.met
        for n, r in enumerate(self.resources):
            state.resources[b, n] = (r.kind, r.shown, r.health, r.gone)
        state.clock[b] = (self.step_number, self.over, bool(self.beam))
        state.luck[b] = self.luck.state
        state.here[b] = 0
        for (x, y), i in self.standing.items():
            state.here[b, y * width + x] = i + 1
        state.beam[b] = 0
        for x, y in self.beam:
            state.beam[b, y * width + x] = 1


def payoff(matrix: tuple[tuple[float, ...], ...], row: list[int], column: list[int]) -> float:
    """What the game of ``matrix`` pays for two inventories: profiles times matrix, then times the other.

    In floating point and in this order, because ties between payoffs depend on it.
    """
    p = [count / sum(row) for count in row]
    q = [count / sum(column) for count in column]
    total = 0.0
    for j in range(len(q)):
        inner = 0.0
        for i in range(len(p)):
            inner += p[i] * matrix[i][j]
        total += inner * q[j]
    return total


def window(rules: Rules, state: State, b: int, player: int) -> NDArray[np.uint8]:
    """The window of ``player`` in world ``b``."""
    own = state.avatars[b, player]
    if not own[columns.ALIVE]:
        return np.zeros((*rules.view.shape, LAYERS), np.uint8)
    width, height = rules.size
    whole = np.zeros((height, width, LAYERS), np.uint8)
    for x, y in rules.walls:
        whole[y, x, THING] = WALL
    for (x, y), resource in zip(rules.places, state.resources[b], strict=True):
        if resource[columns.SHOWN]:
            whole[y, x, THING] = RESOURCE + resource[columns.KIND]
    for i, avatar in enumerate(state.avatars[b]):
        if avatar[columns.ALIVE]:
            cell = whole[avatar[columns.Y], avatar[columns.X]]
            cell[AVATAR] = SELF if i == player else OTHER + rules.numbers[i]
            cell[FACING] = 1 + (avatar[columns.FACING] - own[columns.FACING]) % 4
            cell[MARK] = avatar[columns.MARK]
    whole[state.beam[b].reshape(height, width) > 0, MARK] = BEAM
    x, y, facing = own[: columns.ALIVE].tolist()
    return cut(rules.view, whole, (x, y, facing))


def vector(rules: Rules, state: State, b: int, player: int) -> list[float]:
    """The inventory of ``player`` in world ``b``, and 1 when its beam can be fired, less while it cools."""
    avatar = state.avatars[b, player].tolist()
    return [*map(float, avatar[columns.COUNTS :]), 1.0 - avatar[columns.COOLDOWN] / (rules.cooldown or 1)]


def pose(state: State, b: int, player: int) -> list[int]:
    """Where ``player`` is in world ``b``: x, y, orientation; -1, -1, 0 while removed."""
    avatar = state.avatars[b, player].tolist()
    return avatar[: columns.ALIVE] if avatar[columns.ALIVE] else [-1, -1, 0]


def observe(rules: Rules, state: State, b: int, player: int) -> Pixels:
    """The window of ``player`` in world ``b``: uint8[rows · 8, columns · 8, 3], Melting Pot's RGB."""
    row = state.avatars[b, player].tolist()
    if not row[columns.ALIVE]:
        rows, across = rules.view.shape
        return np.zeros((rows * TILE, across * TILE, 3), np.uint8)
    place = row[columns.X], row[columns.Y], row[columns.FACING]
    return cut_picture(mix_paint(rules), encode_map(rules, state, b), player, *place)


def plain_engine(rules: Rules) -> PlainEngine[Plain]:
    """The engine of the plain rules."""
    return PlainEngine(Plain(rules), empty(rules, 1), window, vector, pose, observe)


def plain_world(rules: Rules, *, rgb: bool = False, render_mode: str | None = None) -> InTheMatrixWorld:
    """A world that the plain rules play."""
    world = InTheMatrixWorld(rules, rgb=rgb, render_mode=render_mode)
    world.engine = plain_engine(rules)
    return world
