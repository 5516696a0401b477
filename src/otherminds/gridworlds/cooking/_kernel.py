"""The rules, step by step, compiled.

A step has the order of Melting Pot's engine: pots cook and their bars are drawn (in a random half of the episodes in
reverse order, so bars lag a step behind); then turns and moves in a random order, then beams in another. A beam
reaches the one cell ahead of its avatar and acts on the thing there.

A kernel works in place on world ``b`` of a :class:`~.state.State`, or on all of them. It checks nothing:
callers ensure that actions are 0 to 7 and that arrays have the shapes of :func:`~.state.empty`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from otherminds.gridworlds.cooking import rules as columns
from otherminds.gridworlds.cooking import views
from otherminds.gridworlds.cooking.rules import (
    BAR,
    BEAMS,
    COUNTER,
    DISH,
    EMPTY,
    FACING,
    FLOOR,
    HATCH,
    HELD,
    INSIDE,
    ITEMS,
    POT,
    SOUP,
    TOMATO,
    Rules,
    X,
    Y,
)
from otherminds.gridworlds.cooking.views import BARS, LAID, PAINTED_AVATAR, POTS, mix_paint
from otherminds.gridworlds.grid import _kernel as grid
from otherminds.gridworlds.grid._kernel import Brush, brush, compile_kernel, hold, inner, see, spots
from otherminds.gridworlds.grid.pixels import Codes
from otherminds.gridworlds.grid.rules import INTERACT
from otherminds.gridworlds.grid.world import Kernel


class Tables(NamedTuple):
    """One substrate of P avatars, N containers, M pots on a map of H × W cells; a cell is y · W + x.

    ``ground`` int32[H·W]: what stands in each cell, by the numbers of :mod:`.rules`;
    ``slot`` int32[H·W]: which container or pot that is, by number. ``stock``
    int32[N]: what a dispenser gives, 0 for a counter. ``spawns`` int32[S, 2]: x and y.

    ``canvas`` uint8[(H + 2m) · (W + 2m), 6] is the empty map as windows show it, in a ``margin`` of m cells
    of nothing; ``counters`` int32[N] and ``stoves`` int32[M] are the containers' and the pots' places on it;
    ``gaze`` uint32[4, rows · columns] is where on the canvas an avatar of each orientation sees each cell of
    its window, from the place m columns left and m rows above its own (so that no number is negative, for
    which kernels would have to look), and ``own`` the number of its own cell in the window. The other numbers
    are those of :class:`~.rules.Rules`.
    """

    ground: NDArray[np.int32]
    slot: NDArray[np.int32]
    stock: NDArray[np.int32]
    spawns: NDArray[np.int32]
    canvas: NDArray[np.uint8]
    counters: NDArray[np.int32]
    stoves: NDArray[np.int32]
    gaze: NDArray[np.uint32]
    own: int
    margin: int
    width: int
    cooking: int
    capacity: int
    cooldown: int
    maximum: int
    pay: float


def tables(rules: Rules) -> Tables:
    """The tables of ``rules``.

    Raises:
        ValueError: an avatar could leave the map, or there are fewer spawn points than avatars.
    """
    width, height = rules.size
    rules.check(rules.closed)
    view = rules.view
    margin = view.margin
    wide = width + 2 * margin
    canvas = np.zeros((height + 2 * margin, wide, views.LAYERS), np.uint8)
    canvas[margin : margin + height, margin : margin + width, views.THING] = np.array(rules.things)
    slot = np.full(height * width, -1, np.int32)
    for places in (rules.containers, rules.pots):
        for n, (x, y) in enumerate(places):
            slot[y * width + x] = n
    counters, stoves = (
        np.array([(y + margin) * wide + x + margin for x, y in places], np.int32)
        for places in (rules.containers, rules.pots)
    )
    return Tables(
        ground=np.array(rules.things, np.int32).ravel(),
        slot=slot,
        stock=np.array(rules.stock, np.int32),
        spawns=np.array(rules.spawns, np.int32),
        canvas=canvas.reshape(-1, views.LAYERS),
        counters=counters,
        stoves=stoves,
        gaze=view.reach(wide),
        own=view.forward * view.shape[1] + view.left,
        margin=margin,
        width=width,
        cooking=rules.cooking,
        capacity=rules.capacity,
        cooldown=rules.cooldown,
        maximum=rules.maximum,
        pay=float(rules.pay),
    )


HOLDS = len(ITEMS)


class Scene(NamedTuple):
    """What pictures are made of.

    ``counters`` int64[N]: the cells of the containers, -1 for dispensers. ``pots`` int64[M]: those of the pots.
    ``codes`` is room to work in, so a scene serves one thread at a time.
    """

    brush: Brush
    counters: NDArray[np.int64]
    pots: NDArray[np.int64]
    codes: Codes


def scene(rules: Rules) -> Scene:
    """The scene of ``rules``."""
    painter = brush(mix_paint(rules))
    counters = np.where(np.array(rules.stock) == EMPTY, spots(painter, rules.containers), -1)
    return Scene(painter, counters, spots(painter, rules.pots), np.empty_like(painter.ground))


@inner
def draw(scene, state, b, out):
    """The windows of all players of world ``b`` into ``out`` (uint64[P, rows, 8, columns, 3])."""
    brush, codes = scene.brush, scene.codes
    for at in range(codes.size):
        codes[at] = brush.ground[at]
    avatars, beam = state.avatars[b], state.beam[b]
    beams = avatars.shape[0] + 1
    for n in range(scene.counters.size):
        if scene.counters[n] >= 0:
            codes[scene.counters[n]] = (LAID + state.items[b, n]) * beams
    for n in range(scene.pots.size):
        codes[scene.pots[n]] = (POTS + state.pots[b, n, INSIDE] * BARS + state.pots[b, n, BAR]) * beams
    for i in range(avatars.shape[0]):
        at = (avatars[i, Y] + brush.margin) * brush.wide + avatars[i, X] + brush.margin
        codes[at] = (PAINTED_AVATAR + (i * 4 + avatars[i, FACING]) * HOLDS + avatars[i, HELD]) * beams
    if state.clock[b, BEAMS]:
        width = brush.wide - 2 * brush.margin
        for n in range(beam.size):
            codes[(n // width + brush.margin) * brush.wide + n % width + brush.margin] += beam[n]
    for i in range(avatars.shape[0]):
        see(brush, codes, i, avatars[i], out[i])


@compile_kernel
def draw_all(scene, state, out):
    """All windows of all worlds into ``out`` (uint64[B, P, rows, 8, columns, 3])."""
    for b in range(out.shape[0]):
        draw(scene, state, b, out[b])


# Rows of ``plan``, int64[4, P]: what is decided or noted within one step.
MOVERS, FIRERS = 0, 1  # The avatars in the order in which they move, and in which they fire
FIRES = 2  # 1 if an avatar fires
USED = 3  # The containers that were used, -1 for the rest


@grid.inner
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
        grid.appear(tables, state, b, i)
    state.clock[b, columns.LAGGING] = grid.below(state.luck, b, 2)


@grid.inner
def step(tables, state, b, actions, plan):
    """One step of world ``b`` by ``actions`` (int[P]). ``plan`` (int64[4, P]) is room to work in."""
    luck, avatars, pots, clock = state.luck, state.avatars[b], state.pots[b], state.clock[b]
    clock[columns.STEP] += 1
    if clock[columns.BEAMS]:
        state.beam[b, :] = 0
        clock[columns.BEAMS] = 0
    grid.shuffle(luck, b, plan[MOVERS])
    grid.shuffle(luck, b, plan[FIRERS])
    for i in range(avatars.shape[0]):
        state.rewards[b, i] = 0.0
        avatars[i, columns.DID] = columns.NOTHING
        plan[USED, i] = -1
        plan[FIRES, i] = _fires(tables, avatars, i, actions[i])
    for n in range(pots.shape[0]):
        before = pots[n, columns.TIME]
        if pots[n, columns.INSIDE] == tables.capacity and not pots[n, columns.COOKED]:
            pots[n, columns.COOKED] = pots[n, columns.TIME] == tables.cooking
            pots[n, columns.TIME] += 1
        timer = before if clock[columns.LAGGING] else pots[n, columns.TIME]
        pots[n, columns.BAR] = timer * 10 // tables.cooking
    for i in plan[MOVERS]:
        _move(tables, state, b, i, actions[i])
    for i in plan[FIRERS]:
        if plan[FIRES, i]:
            _fire(tables, state, b, i, plan[USED])
    clock[columns.OVER] = 2 if clock[columns.STEP] >= tables.maximum else 0


@grid.inner
def look(tables, state, b, canvas, out):
    """What the avatars of world ``b`` see, into ``out`` (uint8[P, rows · columns, 6]).

    ``canvas`` (uint8, of the shape of the tables' own) is room to work in.
    """
    avatars, pots, items = state.avatars[b], state.pots[b], state.items[b]
    margin = tables.margin
    wide = tables.width + 2 * margin
    for at in range(canvas.shape[0]):
        for layer in range(views.LAYERS):
            canvas[at, layer] = tables.canvas[at, layer]
    for n in range(items.size):
        if not tables.stock[n]:
            canvas[tables.counters[n], views.ITEM] = items[n]
    for n in range(pots.shape[0]):
        canvas[tables.stoves[n], views.THING] = POT + pots[n, columns.INSIDE]
        canvas[tables.stoves[n], views.BAR] = pots[n, columns.BAR]
    if state.clock[b, columns.BEAMS]:
        for y in range(state.beam.shape[1] // tables.width):
            for x in range(tables.width):
                canvas[(y + margin) * wide + x + margin, views.BEAM] = state.beam[b, y * tables.width + x]
    for i in range(avatars.shape[0]):
        at = (avatars[i, columns.Y] + margin) * wide + avatars[i, columns.X] + margin
        canvas[at, views.ITEM] = avatars[i, columns.HELD]
        canvas[at, views.AVATAR] = views.OTHER + i
    for i in range(avatars.shape[0]):
        for j in range(avatars.shape[0]):
            at = (avatars[j, columns.Y] + margin) * wide + avatars[j, columns.X] + margin
            canvas[at, views.FACING] = 1 + (avatars[j, columns.FACING] - avatars[i, columns.FACING]) % 4
        corner = np.uint64(avatars[i, columns.Y] * wide + avatars[i, columns.X])
        gaze = tables.gaze[avatars[i, columns.FACING]]
        for k in range(gaze.size):
            for layer in range(views.LAYERS):
                out[i, k, layer] = canvas[corner + gaze[k], layer]
        out[i, tables.own, views.AVATAR] = views.SELF


@grid.inner
def locate(state, b, out):
    """Where the avatars of world ``b`` are, into ``out`` (int32[P, 3]): x and y, and the orientation."""
    avatars = state.avatars[b]
    for i in range(out.shape[0]):
        out[i, 0], out[i, 1] = avatars[i, columns.X], avatars[i, columns.Y]
        out[i, 2] = avatars[i, columns.FACING]


@grid.compile_kernel
def reset_all(tables, state, seeds):
    """A new episode in every world. ``seeds`` uint64[B]."""
    for b in range(seeds.size):
        reset(tables, state, b, seeds[b])


@grid.compile_kernel
def step_all(tables, state, actions):
    """One step of every world. ``actions`` int[B, P]."""
    plan = np.empty((4, actions.shape[1]), np.int64)
    for b in range(actions.shape[0]):
        step(tables, state, b, actions[b], plan)


@grid.compile_kernel
def advance(tables, state, episodes, actions, observations, scene):
    """One step of every world, in which one that ends begins anew, and what is then seen.

    ``episodes`` :class:`~otherminds.gridworlds.grid.learner.Episodes`; ``actions`` int64[B, P]; ``observations``
    :class:`~otherminds.gridworlds.grid.learner.Seen` of cells; ``scene`` None: no pictures.
    """
    plan = np.empty((4, actions.shape[1]), np.int64)
    canvas = np.empty_like(tables.canvas)
    for b in range(actions.shape[0]):
        step(tables, state, b, actions[b], plan)
        for i in range(actions.shape[1]):
            episodes.did[b, i] = state.avatars[b, i, columns.DID]
        if grid.account(episodes, state, b):
            look(tables, state, b, canvas, observations.final_windows[b])
            if scene is not None:
                draw(scene, state, b, observations.final_rgb[b])
            reset(tables, state, b, episodes.seeds[b])
        look(tables, state, b, canvas, observations.windows[b])
        if scene is not None:
            draw(scene, state, b, observations.rgb[b])


@grid.compile_kernel
def look_all(tables, state, out):
    """All windows of all worlds into ``out`` (uint8[B, P, rows · columns, 6])."""
    canvas = np.empty_like(tables.canvas)
    for b in range(out.shape[0]):
        look(tables, state, b, canvas, out[b])


def feel_nothing(tables, state, out):
    """There is nothing to observe beside the window: ``out`` is float[B, P, 0]."""


@grid.compile_kernel
def observe(handle):
    """Fills the windows and poses of a :class:`~otherminds.gridworlds.grid.world.Table`, held."""
    table = handle.parts
    look_all(table.tables, table.state, table.windows)
    for b in range(table.poses.shape[0]):
        locate(table.state, b, table.poses[b])


@grid.compile_kernel
def play(handle):
    """One step by the actions of a :class:`~otherminds.gridworlds.grid.world.Table`, held, and what is then seen."""
    table = handle.parts
    step_all(table.tables, table.state, table.actions)
    observe(handle)


@grid.compile_kernel
def learn(handle, actions):
    """:func:`advance` with the arguments that ``handle`` holds: all but ``actions``, int64[B, P]."""
    # Only of an argument does the compiler know that it is None, and leave out the pictures: two functions.
    tables, state, episodes, observations, scene = handle.parts
    advance(tables, state, episodes, actions, observations, scene)


@grid.inner
def _fires(tables, avatars, i, action):
    """A step in which the beam cools is a step without a beam."""
    if avatars[i, columns.COOLDOWN]:
        avatars[i, columns.COOLDOWN] -= 1
        return False
    if action != INTERACT:
        return False
    avatars[i, columns.COOLDOWN] = tables.cooldown
    return True


@grid.inner
def _move(tables, state, b, i, action):
    """Turns, or moves one cell relative to the own orientation; into a thing or an avatar it stays."""
    avatars, here = state.avatars[b], state.here[b]
    avatars[i, columns.FACING] = (avatars[i, columns.FACING] + grid.TURN[action]) % 4
    if grid.HEADING[action] < 0:
        return
    way = (avatars[i, columns.FACING] + grid.HEADING[action]) % 4
    x, y = avatars[i, columns.X] + grid.DX[way], avatars[i, columns.Y] + grid.DY[way]
    target = y * tables.width + x
    if tables.ground[target] != FLOOR or here[target]:
        return
    here[avatars[i, columns.Y] * tables.width + avatars[i, columns.X]] = 0
    here[target] = i + 1
    avatars[i, columns.X] = x
    avatars[i, columns.Y] = y


@grid.inner
def _fire(tables, state, b, i, used_slots):
    """The beam reaches and shows in exactly one cell."""
    avatar = state.avatars[b, i]
    facing = avatar[columns.FACING]
    cell = (avatar[columns.Y] + grid.DY[facing]) * tables.width + avatar[columns.X] + grid.DX[facing]
    state.beam[b, cell] = max(state.beam[b, cell], i + 1)
    state.clock[b, columns.BEAMS] = 1
    tile, n = tables.ground[cell], tables.slot[cell]
    if tile == POT:
        _tend(tables, avatar, state.pots[b, n])
    elif tile == HATCH:
        _deliver(tables, state, b, avatar)
    elif tile >= COUNTER:
        _use(tables, state.items[b], avatar, n, used_slots)


@grid.inner
def _use(tables, items, avatar, n, used_slots):
    """Takes what is there with an empty hand, or puts on an empty counter what is in hand; once a step."""
    for k in range(used_slots.size):
        if used_slots[k] == n:
            return
        if used_slots[k] < 0:
            used_slots[k] = n
            break
    if items[n] != EMPTY and avatar[columns.HELD] == EMPTY:
        avatar[columns.HELD] = items[n]
        avatar[columns.DID] = columns.TOOK + items[n]
        items[n] = tables.stock[n]
    elif items[n] == EMPTY and avatar[columns.HELD] != EMPTY:
        items[n] = avatar[columns.HELD]
        avatar[columns.DID] = columns.PUT + items[n]
        avatar[columns.HELD] = EMPTY


@grid.inner
def _tend(tables, avatar, pot):
    """Adds a tomato while there is room, or fills a dish once the soup is cooked."""
    if avatar[columns.HELD] == TOMATO and pot[columns.INSIDE] < tables.capacity:
        pot[columns.INSIDE] += 1
        avatar[columns.HELD] = EMPTY
        avatar[columns.DID] = columns.FILLED
    elif avatar[columns.HELD] == DISH and pot[columns.COOKED]:
        pot[columns.INSIDE] = pot[columns.TIME] = pot[columns.COOKED] = 0
        avatar[columns.HELD] = SOUP
        avatar[columns.DID] = columns.SERVED


@grid.inner
def _deliver(tables, state, b, avatar):
    """A soup rewards every player."""
    if avatar[columns.HELD] != SOUP:
        return
    avatar[columns.HELD] = EMPTY
    avatar[columns.DID] = columns.DELIVERED
    for i in range(state.rewards.shape[1]):
        state.rewards[b, i] += tables.pay


KERNEL = Kernel(
    layers=views.LAYERS,
    empty=columns.empty,
    tables=tables,
    reset=reset_all,
    step=step_all,
    look=look_all,
    feel=feel_nothing,
    scene=scene,
    draw=draw_all,
    hold=hold,
    observe=observe,
    play=play,
    learn=learn,
    cells=lambda windows: windows.reshape(*windows.shape[:2], -1, views.LAYERS),
)
