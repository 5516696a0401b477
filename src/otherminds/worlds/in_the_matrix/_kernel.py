"""The rules of :mod:`.plain`, compiled: the same draws in the same order, equal bit for bit.

A kernel works in place on world ``b`` of a :class:`~.state.State`, or on all of them. It checks nothing:
callers ensure that actions are 0 to 7 and that arrays have the shapes of :func:`~.state.empty`.
"""

from __future__ import annotations

import numpy as np

from otherminds.worlds.grid._kernel import (
    DX,
    DY,
    HEADING,
    TURN,
    account,
    appear,
    below,
    compiled,
    inner,
    shuffle,
    uniform,
)
from otherminds.worlds.grid.actions import INTERACT
from otherminds.worlds.grid.engine import Kernel, KernelEngine
from otherminds.worlds.in_the_matrix import views
from otherminds.worlds.in_the_matrix._pixels import Painter
from otherminds.worlds.in_the_matrix.plain import NOBODY, READY, RESULT, UNREADY
from otherminds.worlds.in_the_matrix.rules import Rules
from otherminds.worlds.in_the_matrix.state import (
    ALIVE,
    BEAMS,
    COOLDOWN,
    COUNTS,
    FACING,
    FOE,
    GONE,
    HEALTH,
    INDICATOR,
    KIND,
    LOCK,
    MARK,
    OVER,
    PENDING,
    SHOWN,
    SINCE,
    STEP,
    ZAPPER,
    X,
    Y,
    empty,
)
from otherminds.worlds.in_the_matrix.state import READY as COLLECTED
from otherminds.worlds.in_the_matrix.tables import OPEN, UNITS, WALL, tables

THINGS, AVATARS, FACINGS, MARKS = (
    UNITS[layer] for layer in (views.THING, views.AVATAR, views.FACING, views.MARK)
)
BEAM = np.uint32(views.BEAM) * MARKS
RESOURCE, SELF, OTHER = (np.uint32(code) for code in (views.RESOURCE, views.SELF, views.OTHER))

# Rows of ``plan``, int64[5, P]: what is decided or noted about each avatar within one step.
MOVERS, FIRERS = 0, 1
"""The avatars in the order in which they move, and in which they fire."""
FIRES, LEAVES, BUSY = 2, 3, 4
"""1 if it fires; if its duel takes effect; if it has taken part in a hit."""

# Rows of ``spots``, int64[2, P]: an avatar's place on the canvas, and the rest of the code there.
AT, CODE = 0, 1


@inner
def reset(tables, state, b, seed):
    """A new episode in world ``b`` under ``seed`` (uint64)."""
    state.luck[b] = seed
    state.clock[b, :] = 0
    state.here[b, :] = 0
    state.beam[b, :] = 0
    state.pay[b, :] = 0.0
    state.rewards[b, :] = 0.0
    state.met[b, :, :, :] = 0
    avatars, resources = state.avatars[b], state.resources[b]
    kinds = tables.game.shape[1]
    for n in range(resources.shape[0]):
        fixed = tables.places[n, 1]
        resources[n, KIND] = fixed if fixed >= 0 else below(state.luck, b, kinds)
        resources[n, SHOWN] = 1
        resources[n, HEALTH] = tables.health
        resources[n, GONE] = 0
    for i in range(avatars.shape[0]):
        avatars[i, :COUNTS] = 0
        avatars[i, COUNTS:] = 1
        avatars[i, PENDING] = -1
        avatars[i, FOE] = NOBODY
        avatars[i, ALIVE] = appear(tables, state, b, i)


@inner
def step(tables, state, b, actions, plan, growing):
    """One step of world ``b`` by ``actions`` (int[P]).

    ``plan`` (int64[5, P]) and ``growing`` (int64[N]) are room to work in.
    """
    luck, avatars, resources, clock = state.luck, state.avatars[b], state.resources[b], state.clock[b]
    clock[STEP] += 1
    if clock[BEAMS]:
        state.beam[b, :] = 0
        clock[BEAMS] = 0
    anyone = False
    for i in range(avatars.shape[0]):
        state.rewards[b, i] = 0.0
        for k in range(state.met.shape[3]):
            state.met[b, i, 0, k] = state.met[b, i, 1, k] = -1
        plan[BUSY, i] = 0
        if avatars[i, LOCK] > 0:
            avatars[i, LOCK] -= 1
        if avatars[i, ALIVE]:
            anyone = True
    # Decisions, from what was before.
    shuffle(luck, b, plan[MOVERS])
    shuffle(luck, b, plan[FIRERS])
    for i in range(avatars.shape[0]):
        plan[FIRES, i] = _fires(avatars, i, actions[i], tables.cooldown)
    grown = _regrowing(tables, state, b, growing, tables.refill and not anyone)
    late = clock[STEP] >= tables.minimum or clock[STEP] >= tables.maximum
    ending = _ends(tables, luck, b, clock[STEP]) if late else 0
    for i in range(avatars.shape[0]):
        pending = avatars[i, ALIVE] and avatars[i, PENDING] >= 0
        plan[LEAVES, i] = _settles(tables, state, b, i) if pending else 0
        avatars[i, MARK] = avatars[i, INDICATOR] if avatars[i, ALIVE] else UNREADY
    # Effects, in the engine's order. What goes in this step has GONE = STEP and is still SHOWN.
    for i in plan[MOVERS]:
        if avatars[i, ALIVE] and not avatars[i, LOCK]:
            _move(tables, state, b, i, actions[i])
    for i in plan[FIRERS]:
        if plan[FIRES, i]:
            _fire(tables, state, b, i, plan[BUSY])
    for i in range(avatars.shape[0]):
        if not avatars[i, ALIVE] and clock[STEP] > avatars[i, SINCE] + tables.respawn:
            avatars[i, ALIVE] = appear(tables, state, b, i)
    for n in growing[:grown]:
        resources[n, SHOWN] = 1
        under = state.here[b, tables.places[n, 0]]
        if under:
            _collect(state, b, under - 1, n)
    for i in range(avatars.shape[0]):
        if plan[LEAVES, i]:
            avatars[i, ALIVE] = 0
            avatars[i, SINCE] = clock[STEP]
            state.here[b, avatars[i, Y] * tables.width + avatars[i, X]] = 0
    for n in range(resources.shape[0]):
        if resources[n, GONE] == clock[STEP]:
            resources[n, SHOWN] = 0
    clock[OVER] = ending


@inner
def look(tables, state, b, canvas, spots, out):
    """What the avatars of world ``b`` see, as one number a cell, into ``out`` (uint32[P, rows · columns]).

    ``canvas`` (uint32, of the size of the tables' own) and ``spots`` (int64[2, P]) are room to work in.
    """
    avatars, resources = state.avatars[b], state.resources[b]
    margin = tables.margin
    wide = tables.width + 2 * margin
    for at in range(canvas.size):
        canvas[at] = tables.canvas[at]
    for n in range(resources.shape[0]):
        if resources[n, SHOWN]:
            canvas[tables.places[n, 2]] = (RESOURCE + np.uint32(resources[n, KIND])) * THINGS
    if state.clock[b, BEAMS]:
        for y in range(state.beam.shape[1] // tables.width):
            for x in range(tables.width):
                if state.beam[b, y * tables.width + x]:
                    canvas[(y + margin) * wide + x + margin] += BEAM
    for i in range(avatars.shape[0]):
        if avatars[i, ALIVE]:
            at = (avatars[i, Y] + margin) * wide + avatars[i, X] + margin
            spots[AT, i] = at
            spots[CODE, i] = canvas[at]
            if not state.beam[b, avatars[i, Y] * tables.width + avatars[i, X]]:
                spots[CODE, i] += avatars[i, MARK] * np.int64(MARKS)
    for i in range(avatars.shape[0]):
        if not avatars[i, ALIVE]:
            out[i, :] = 0
            continue
        # The avatars, as they stand to this one, are painted over those that the last one saw.
        for j in range(avatars.shape[0]):
            if avatars[j, ALIVE]:
                code = OTHER + np.uint32(j) if tables.distinct else OTHER
                turned = np.uint32(1 + ((avatars[j, FACING] - avatars[i, FACING]) & 3))
                code = (SELF if i == j else code) * AVATARS + turned * FACINGS
                canvas[spots[AT, j]] = np.uint32(spots[CODE, j]) + code
        corner, gaze = np.uint64(avatars[i, Y] * wide + avatars[i, X]), tables.gaze[avatars[i, FACING]]
        for k in range(gaze.size):
            out[i, k] = canvas[corner + gaze[k]]


@compiled
def reset_all(tables, state, seeds):
    """A new episode in every world. ``seeds`` uint64[B]."""
    for b in range(seeds.size):
        reset(tables, state, b, seeds[b])


@compiled
def step_all(tables, state, actions):
    """One step of every world. ``actions`` int[B, P]."""
    plan = np.empty((5, actions.shape[1]), np.int64)
    growing = np.empty(tables.places.shape[0], np.int64)
    for b in range(actions.shape[0]):
        step(tables, state, b, actions[b], plan, growing)


@compiled
def advance(tables, state, episodes, actions, out):
    """One step of every world, in which one that ends begins anew, and what is then seen.

    ``actions`` int64[B, P]; ``out`` uint32[B, P, rows · columns].
    """
    plan = np.empty((5, actions.shape[1]), np.int64)
    growing = np.empty(tables.places.shape[0], np.int64)
    canvas = np.empty_like(tables.canvas)
    spots = np.empty((2, actions.shape[1]), np.int64)
    for b in range(actions.shape[0]):
        step(tables, state, b, actions[b], plan, growing)
        for i in range(actions.shape[1]):
            for k in range(state.met.shape[3]):
                episodes.met[b, i, 0, k] = state.met[b, i, 0, k]
                episodes.met[b, i, 1, k] = state.met[b, i, 1, k]
        if account(episodes, state, b):
            reset(tables, state, b, episodes.seeds[b])
        look(tables, state, b, canvas, spots, out[b])


@compiled
def look_all(tables, state, out):
    """All windows of all worlds into ``out`` (uint32[B, P, rows · columns])."""
    canvas = np.empty_like(tables.canvas)
    spots = np.empty((2, out.shape[1]), np.int64)
    for b in range(out.shape[0]):
        look(tables, state, b, canvas, spots, out[b])


@inner
def _fires(avatars, i, action, cooldown):
    if not avatars[i, ALIVE] or avatars[i, LOCK]:
        return False
    if avatars[i, COOLDOWN]:
        avatars[i, COOLDOWN] -= 1
        return False
    if action != INTERACT:
        return False
    avatars[i, COOLDOWN] = cooldown
    return True


@inner
def _regrowing(tables, state, b, growing, refill):
    """Lists in ``growing`` the resources that come back; how many."""
    resources, now = state.resources[b], state.clock[b, STEP]
    count = 0
    for n in range(resources.shape[0]):
        if resources[n, SHOWN]:
            continue
        back = refill
        if now > resources[n, GONE] + tables.delay:
            lucky = uniform(state.luck, b) < tables.regrowth
            back = back or (lucky and not state.here[b, tables.places[n, 0]])
        if back:
            growing[count] = n
            count += 1
    return count


@inner
def _ends(tables, luck, b, now):
    if now >= tables.minimum and (now + 1) % tables.interval == 0 and uniform(luck, b) < tables.ending:
        return 1
    return 2 if now >= tables.maximum else 0


@inner
def _settles(tables, state, b, i):
    """The pending duel of avatar ``i`` draws nearer; whether it takes effect."""
    avatars = state.avatars
    avatars[b, i, PENDING] -= 1
    if avatars[b, i, PENDING] >= 0:
        colour = 0
        for limit in tables.bounds:
            if state.pay[b, i] >= limit:
                colour += 1
        avatars[b, i, INDICATOR] = RESULT + colour
        return False
    state.rewards[b, i] = state.pay[b, i]
    avatars[b, i, COUNTS:] = 1
    avatars[b, i, COLLECTED] = 0
    avatars[b, i, INDICATOR] = UNREADY
    return True


@inner
def _move(tables, state, b, i, action):
    avatars, here = state.avatars[b], state.here[b]
    avatars[i, FACING] = (avatars[i, FACING] + TURN[action]) % 4
    if HEADING[action] < 0:
        return
    way = (avatars[i, FACING] + HEADING[action]) % 4
    x, y = avatars[i, X] + DX[way], avatars[i, Y] + DY[way]
    target = y * tables.width + x
    if tables.ground[target] == WALL or here[target]:
        return
    here[avatars[i, Y] * tables.width + avatars[i, X]] = 0
    here[target] = i + 1
    avatars[i, X] = x
    avatars[i, Y] = y
    n = tables.ground[target] - 1
    if n >= 0 and state.resources[b, n, SHOWN]:
        _collect(state, b, i, n)


@inner
def _collect(state, b, i, n):
    avatars, resources = state.avatars[b], state.resources[b]
    avatars[i, COUNTS + resources[n, KIND]] += 1
    avatars[i, COLLECTED] = 1
    if avatars[i, INDICATOR] == UNREADY:
        avatars[i, INDICATOR] = READY
    resources[n, GONE] = state.clock[b, STEP]


@inner
def _fire(tables, state, b, i, busy):
    avatar = state.avatars[b, i]
    start = avatar[Y] * tables.width + avatar[X]
    facing = avatar[FACING]
    right = (facing + 1) % 4
    ahead = DY[facing] * tables.width + DX[facing]
    aside = DY[right] * tables.width + DX[right]
    # Three columns ahead: left, right, then the own one, which begins a cell further.
    for side, near in ((-1, 0), (1, 0), (0, 1)):
        for far in range(near, near + 3):
            cell = start + side * aside + far * ahead
            open_ground = tables.ground[cell] == OPEN and not state.here[b, cell]
            if not open_ground and _hit(tables, state, b, i, cell, busy):
                break
            state.beam[b, cell] = 1
            state.clock[b, BEAMS] = 1


@inner
def _hit(tables, state, b, i, cell, busy):
    ground = tables.ground[cell]
    blocked = ground == WALL
    other = state.here[b, cell] - 1
    if other >= 0:
        _zap(tables, state, b, i, other, busy)
        blocked = True
    if ground > OPEN:
        resource = state.resources[b, ground - 1]
        if resource[SHOWN]:
            resource[HEALTH] -= 1
            if resource[HEALTH]:
                blocked = True
            else:
                resource[HEALTH] = tables.health
                resource[GONE] = state.clock[b, STEP]
    return blocked


@inner
def _zap(tables, state, b, i, j, busy):
    avatars = state.avatars[b]
    if busy[j]:
        return
    busy[j] = 1
    if busy[i]:
        return
    busy[i] = 1
    if avatars[j, PENDING] < 0 and avatars[i, COLLECTED] and avatars[j, COLLECTED]:
        _duel(tables, state, b, i, j)


@inner
def _duel(tables, state, b, i, j):
    row, column = state.avatars[b, i], state.avatars[b, j]
    state.pay[b, i] = _payoff(tables.game[0], row, column)
    state.pay[b, j] = _payoff(tables.game[1], row, column)
    met = state.met[b]
    for k in range(met.shape[2]):
        met[i, 0, k] = met[j, 1, k] = row[COUNTS + k]
        met[i, 1, k] = met[j, 0, k] = column[COUNTS + k]
    row[FOE], column[FOE] = j, i
    row[ZAPPER], column[ZAPPER] = 1, 0
    row[PENDING] = column[PENDING] = tables.freeze
    row[LOCK] = column[LOCK] = tables.freeze + 2
    if state.pay[b, i] >= state.pay[b, j]:
        row[COUNTS:] = 1
        row[COLLECTED] = 0


@inner
def _payoff(matrix, row, column):
    """In floating point and in the order of the plain version, because ties depend on it."""
    ours, theirs = row[COUNTS:].sum(), column[COUNTS:].sum()
    total = 0.0
    for j in range(matrix.shape[1]):
        inner = 0.0
        for i in range(matrix.shape[0]):
            inner += row[COUNTS + i] / ours * matrix[i, j]
        total += inner * (column[COUNTS + j] / theirs)
    return total


KERNEL = Kernel(
    views.LAYERS,
    empty,
    tables,
    reset_all,
    step_all,
    look_all,
    advance,
    Painter,
    lambda windows: windows.view(np.uint32).reshape(*windows.shape[:2], -1),
)


class CompiledEngine(KernelEngine):
    """One world by the kernel, as :class:`~otherminds.worlds.grid.engine.GridEngine` has it.

    Raises:
        ValueError: the map is not enclosed by walls, or too small.
    """

    def __init__(self, rules: Rules) -> None:
        super().__init__(rules, KERNEL)
