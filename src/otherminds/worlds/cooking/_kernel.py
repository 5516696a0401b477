"""The rules of :mod:`.plain`, compiled: the same draws in the same order, equal bit for bit.

A kernel works in place on world ``b`` of a :class:`~.state.State`, or on all of them. It checks nothing:
callers ensure that actions are 0 to 7 and that arrays have the shapes of :func:`~.state.empty`.
"""

from __future__ import annotations

import numpy as np

from otherminds.worlds.cooking._pixels import Painter
from otherminds.worlds.cooking.rules import COUNTER, DISH, EMPTY, FLOOR, HATCH, POT, SOUP, TOMATO, Rules
from otherminds.worlds.cooking.state import (
    BAR,
    BEAMS,
    COOKED,
    COOLDOWN,
    DELIVERED,
    DID,
    FACING,
    FILLED,
    HELD,
    INSIDE,
    LAGGING,
    NOTHING,
    OVER,
    PUT,
    SERVED,
    STEP,
    TIME,
    TOOK,
    X,
    Y,
    empty,
)
from otherminds.worlds.cooking.tables import tables
from otherminds.worlds.cooking.views import AVATAR, BEAM, ITEM, LAYERS, OTHER, SELF, THING
from otherminds.worlds.cooking.views import BAR as BARS
from otherminds.worlds.cooking.views import FACING as WAYS
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
)
from otherminds.worlds.grid.actions import INTERACT
from otherminds.worlds.grid.engine import Kernel, KernelEngine

# Rows of ``plan``, int64[4, P]: what is decided or noted within one step.
MOVERS, FIRERS = 0, 1
"""The avatars in the order in which they move, and in which they fire."""
FIRES = 2
"""1 if an avatar fires."""
USED = 3
"""The containers that were used, -1 for the rest."""


@inner
def reset(tables, state, b, seed):
    """A new episode in world ``b`` under ``seed`` (uint64)."""
    state.luck[b] = seed
    state.clock[b, :] = 0
    state.here[b, :] = 0
    state.beam[b, :] = 0
    state.rewards[b, :] = 0.0
    state.pots[b, :, :] = 0
    for n in range(tables.stock.size):
        state.items[b, n] = tables.stock[n]
    state.avatars[b, :, :] = 0
    for i in range(state.avatars.shape[1]):
        appear(tables, state, b, i)
    state.clock[b, LAGGING] = below(state.luck, b, 2)


@inner
def step(tables, state, b, actions, plan):
    """One step of world ``b`` by ``actions`` (int[P]).

    ``plan`` (int64[4, P]) is room to work in.
    """
    luck, avatars, pots, clock = state.luck, state.avatars[b], state.pots[b], state.clock[b]
    clock[STEP] += 1
    if clock[BEAMS]:
        state.beam[b, :] = 0
        clock[BEAMS] = 0
    shuffle(luck, b, plan[MOVERS])
    shuffle(luck, b, plan[FIRERS])
    for i in range(avatars.shape[0]):
        state.rewards[b, i] = 0.0
        avatars[i, DID] = NOTHING
        plan[USED, i] = -1
        plan[FIRES, i] = _fires(tables, avatars, i, actions[i])
    for n in range(pots.shape[0]):
        before = pots[n, TIME]
        if pots[n, INSIDE] == tables.capacity and not pots[n, COOKED]:
            pots[n, COOKED] = pots[n, TIME] == tables.cooking
            pots[n, TIME] += 1
        pots[n, BAR] = (before if clock[LAGGING] else pots[n, TIME]) * 10 // tables.cooking
    for i in plan[MOVERS]:
        _move(tables, state, b, i, actions[i])
    for i in plan[FIRERS]:
        if plan[FIRES, i]:
            _fire(tables, state, b, i, plan[USED])
    clock[OVER] = 2 if clock[STEP] >= tables.maximum else 0


@inner
def look(tables, state, b, canvas, out):
    """What the avatars of world ``b`` see, into ``out`` (uint8[P, rows · columns, 6]).

    ``canvas`` (uint8, of the shape of the tables' own) is room to work in.
    """
    avatars, pots, items = state.avatars[b], state.pots[b], state.items[b]
    margin = tables.margin
    wide = tables.width + 2 * margin
    for at in range(canvas.shape[0]):
        for layer in range(LAYERS):
            canvas[at, layer] = tables.canvas[at, layer]
    for n in range(items.size):
        if not tables.stock[n]:
            canvas[tables.counters[n], ITEM] = items[n]
    for n in range(pots.shape[0]):
        canvas[tables.stoves[n], THING] = POT + pots[n, INSIDE]
        canvas[tables.stoves[n], BARS] = pots[n, BAR]
    if state.clock[b, BEAMS]:
        for y in range(state.beam.shape[1] // tables.width):
            for x in range(tables.width):
                canvas[(y + margin) * wide + x + margin, BEAM] = state.beam[b, y * tables.width + x]
    for i in range(avatars.shape[0]):
        at = (avatars[i, Y] + margin) * wide + avatars[i, X] + margin
        canvas[at, ITEM] = avatars[i, HELD]
        canvas[at, AVATAR] = OTHER + i
    for i in range(avatars.shape[0]):
        for j in range(avatars.shape[0]):
            at = (avatars[j, Y] + margin) * wide + avatars[j, X] + margin
            canvas[at, WAYS] = 1 + (avatars[j, FACING] - avatars[i, FACING]) % 4
        corner, gaze = np.uint64(avatars[i, Y] * wide + avatars[i, X]), tables.gaze[avatars[i, FACING]]
        for k in range(gaze.size):
            for layer in range(LAYERS):
                out[i, k, layer] = canvas[corner + gaze[k], layer]
        out[i, tables.own, AVATAR] = SELF


@compiled
def reset_all(tables, state, seeds):
    """A new episode in every world. ``seeds`` uint64[B]."""
    for b in range(seeds.size):
        reset(tables, state, b, seeds[b])


@compiled
def step_all(tables, state, actions):
    """One step of every world. ``actions`` int[B, P]."""
    plan = np.empty((4, actions.shape[1]), np.int64)
    for b in range(actions.shape[0]):
        step(tables, state, b, actions[b], plan)


@compiled
def advance(tables, state, episodes, actions, out):
    """One step of every world, in which one that ends begins anew, and what is then seen.

    ``actions`` int64[B, P]; ``out`` uint8[B, P, rows · columns, 6].
    """
    plan = np.empty((4, actions.shape[1]), np.int64)
    canvas = np.empty_like(tables.canvas)
    for b in range(actions.shape[0]):
        step(tables, state, b, actions[b], plan)
        if account(episodes, state, b):
            reset(tables, state, b, episodes.seeds[b])
        look(tables, state, b, canvas, out[b])


@compiled
def look_all(tables, state, out):
    """All windows of all worlds into ``out`` (uint8[B, P, rows · columns, 6])."""
    canvas = np.empty_like(tables.canvas)
    for b in range(out.shape[0]):
        look(tables, state, b, canvas, out[b])


@inner
def _fires(tables, avatars, i, action):
    if avatars[i, COOLDOWN]:
        avatars[i, COOLDOWN] -= 1
        return False
    if action != INTERACT:
        return False
    avatars[i, COOLDOWN] = tables.cooldown
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
    if tables.ground[target] != FLOOR or here[target]:
        return
    here[avatars[i, Y] * tables.width + avatars[i, X]] = 0
    here[target] = i + 1
    avatars[i, X] = x
    avatars[i, Y] = y


@inner
def _fire(tables, state, b, i, used):
    avatar = state.avatars[b, i]
    facing = avatar[FACING]
    cell = (avatar[Y] + DY[facing]) * tables.width + avatar[X] + DX[facing]
    state.beam[b, cell] = max(state.beam[b, cell], i + 1)
    state.clock[b, BEAMS] = 1
    thing, n = tables.ground[cell], tables.slot[cell]
    if thing == POT:
        _tend(tables, avatar, state.pots[b, n])
    elif thing == HATCH:
        _deliver(tables, state, b, avatar)
    elif thing >= COUNTER:
        _use(tables, state.items[b], avatar, n, used)


@inner
def _use(tables, items, avatar, n, used):
    for k in range(used.size):
        if used[k] == n:
            return
        if used[k] < 0:
            used[k] = n
            break
    if items[n] != EMPTY and avatar[HELD] == EMPTY:
        avatar[HELD] = items[n]
        avatar[DID] = TOOK + items[n]
        items[n] = tables.stock[n]
    elif items[n] == EMPTY and avatar[HELD] != EMPTY:
        items[n] = avatar[HELD]
        avatar[DID] = PUT + items[n]
        avatar[HELD] = EMPTY


@inner
def _tend(tables, avatar, pot):
    if avatar[HELD] == TOMATO and pot[INSIDE] < tables.capacity:
        pot[INSIDE] += 1
        avatar[HELD] = EMPTY
        avatar[DID] = FILLED
    elif avatar[HELD] == DISH and pot[COOKED]:
        pot[INSIDE] = pot[TIME] = pot[COOKED] = 0
        avatar[HELD] = SOUP
        avatar[DID] = SERVED


@inner
def _deliver(tables, state, b, avatar):
    if avatar[HELD] != SOUP:
        return
    avatar[HELD] = EMPTY
    avatar[DID] = DELIVERED
    for i in range(state.rewards.shape[1]):
        state.rewards[b, i] += tables.pay


KERNEL = Kernel(
    LAYERS,
    empty,
    tables,
    reset_all,
    step_all,
    look_all,
    advance,
    Painter,
    lambda windows: windows.reshape(*windows.shape[:2], -1, LAYERS),
)


class CompiledEngine(KernelEngine):
    """One world by the kernel, as :class:`~otherminds.worlds.grid.engine.GridEngine` has it.

    Raises:
        ValueError: the map is not enclosed, or too small.
    """

    def __init__(self, rules: Rules) -> None:
        super().__init__(rules, KERNEL)
