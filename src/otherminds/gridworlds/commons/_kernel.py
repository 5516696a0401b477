"""The step of all substrates, compiled.

A step has the order of Melting Pot's engine: all decisions use the state before the step; apples of the orchard come; then
turns and moves happen in a random order, then beams, then avatars that were removed appear, then coins and the apples of the
commons come. What was taken, dirt that was cleaned and avatars that were hit go last: until then they are in the way, and can be
hit again.

A kernel works in place on world ``b`` of a :class:`~.rules.State`, or on all of them. It checks nothing:
callers ensure that actions are numbers of ``rules.actions`` and that arrays have the shapes of :func:`~.rules.empty`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from otherminds.gridworlds.commons import rules as columns
from otherminds.gridworlds.commons import views
from otherminds.gridworlds.commons._growth import clear, decide, sprout, take
from otherminds.gridworlds.commons.rules import (
    ALIVE,
    CLEAN,
    COIN,
    DIRT,
    FACING,
    NOTHING,
    RIVER,
    STEP,
    WALL,
    WASHING,
    ZAP,
    ZAPPING,
    Rules,
    X,
    Y,
)
from otherminds.gridworlds.commons.tables import CHANCE, CLEANNESS, DENSITY, UNITS, tables
from otherminds.gridworlds.grid import _kernel as grid
from otherminds.gridworlds.grid._kernel import Brush, brush, hold, inner, see
from otherminds.gridworlds.grid.pixels import Codes
from otherminds.gridworlds.grid.world import Kernel

THINGS, AVATARS, FACINGS, BEAMS = (
    UNITS[layer] for layer in (views.THING, views.AVATAR, views.FACING, views.BEAM)
)
SELF, OTHER = np.uint32(views.SELF), np.uint32(views.OTHER)
COLOURS = len(columns.COLOURS)

# Rows of ``plan``, int64[4, P]: what is decided or noted about each avatar within one step.
MOVERS, ZAPS, CLEANS, STRUCK = 0, 1, 2, 3


@inner
def reset(tables, state, b, seed, growing):
    """A new episode in world ``b`` under ``seed`` (uint64); ``growing`` (int64[N]) is room."""
    state.luck[b] = seed
    state.clock[b, :] = 0
    state.here[b, :] = 0
    state.beam[b, :] = 0
    state.rewards[b, :] = 0.0
    things, avatars = state.things[b], state.avatars[b]
    for cell in range(things.size):
        things[cell] = tables.fresh[cell]
        state.tide[b, cell] = 0
    for i in range(avatars.shape[0]):
        avatars[i, :] = 0
        avatars[i, ALIVE] = 1
    if tables.law == CHANCE:
        _draw_map(tables, state, b, growing)
        return
    for n in range(tables.places.size):
        state.rate[b, n] = -1
        state.near[b, n] = 0
        if tables.law == DENSITY:
            for m in tables.neighbours[n]:
                state.near[b, n] += m >= 0
    for cell in tables.banks:
        state.clock[b, columns.DIRTY] += things[cell] == DIRT
    for cell in tables.water:
        state.tide[b, cell] = grid.below(state.luck, b, views.FRAMES)
    for i in range(avatars.shape[0]):
        spawns = tables.inside if i < 2 and tables.inside.size else tables.spawns
        grid.appear_at(spawns, tables.width, state, b, i)


@inner
def _draw_map(tables, state, b, growing):
    """The size of the map, the two colours, and who begins in which corner."""
    clock, avatars, things = state.clock[b], state.avatars[b], state.things[b]
    sizes = tables.largest - tables.smallest + 1
    wide = tables.smallest + grid.below(state.luck, b, sizes)
    high = tables.smallest + grid.below(state.luck, b, sizes)
    clock[columns.WIDE], clock[columns.HIGH] = wide, high
    for y in range(high + 2):
        for x in range(wide + 2):
            rim = x == 0 or y == 0 or x == wide + 1 or y == high + 1
            things[y * tables.width + x] = WALL if rim else NOTHING
    first = grid.below(state.luck, b, COLOURS)
    second = grid.below(state.luck, b, COLOURS - 1)
    avatars[0, columns.COLOUR] = first
    avatars[1, columns.COLOUR] = second + (second >= first)
    north = grid.below(state.luck, b, 2)
    for i in range(2):
        avatars[i, X] = wide - 1 if i == north else 2
        avatars[i, Y] = 2 if i == north else high - 1
        avatars[i, FACING] = grid.below(state.luck, b, 4)
        state.here[b, avatars[i, Y] * tables.width + avatars[i, X]] = i + 1
    # The engine's own reset is a step in which coins may come.
    for n in range(decide(tables, state, b, growing)):
        things[tables.places[growing[n]]] = COIN + avatars[grid.below(state.luck, b, 2), columns.COLOUR]


@inner
def step(tables, state, b, actions, plan, growing, taken):
    """One step of world ``b`` by ``actions``; ``plan`` (int64[4, P]), ``growing`` (int64[N]) and ``taken`` (int64[8 P]) are room."""
    luck, avatars, clock, here = state.luck, state.avatars[b], state.clock[b], state.here[b]
    clock[STEP] += 1
    if clock[columns.BEAMS]:
        state.beam[b, :] = 0
        clock[columns.BEAMS] = 0
    cleaners = 0
    for i in range(avatars.shape[0]):
        cleaners += (avatars[i, columns.DID] & columns.CLEANED) > 0
    for i in range(avatars.shape[0]):
        state.rewards[b, i] = 0.0
        avatars[i, columns.HEARD] = cleaners - ((avatars[i, columns.DID] & columns.CLEANED) > 0)
        avatars[i, columns.DID] = 0
        plan[STRUCK, i] = 0
    # Decisions, from what was before.
    grid.shuffle(luck, b, plan[MOVERS])
    for i in range(avatars.shape[0]):
        plan[ZAPS, i] = _fires(
            avatars[i], actions[i] == ZAP, columns.COOLDOWN, tables.zap_length, tables.zap_cooldown
        )
        plan[CLEANS, i] = _fires(
            avatars[i], actions[i] == CLEAN, columns.CLEANING, tables.clean_length, tables.clean_cooldown
        )
    grown = decide(tables, state, b, growing)
    ending = grid.ends(tables, luck, b, clock[STEP])
    # Effects, in the engine's order.
    count = 0
    if tables.law == CLEANNESS:
        count = sprout(tables, state, b, growing[:grown], taken, count)
    for i in plan[MOVERS]:
        if avatars[i, ALIVE]:
            count = _move(tables, state, b, i, actions[i], taken, count)
    for i in range(avatars.shape[0]):
        if plan[ZAPS, i]:
            count = _fire(tables, state, b, i, tables.zap_length, ZAPPING, plan[STRUCK], taken, count)
        if plan[CLEANS, i]:
            count = _fire(tables, state, b, i, tables.clean_length, WASHING, plan[STRUCK], taken, count)
    for i in range(avatars.shape[0]):
        if not avatars[i, ALIVE] and clock[STEP] > avatars[i, columns.SINCE] + tables.respawn:
            avatars[i, ALIVE] = grid.appear_at(tables.spawns, tables.width, state, b, i)
    if tables.law != CLEANNESS:
        count = sprout(tables, state, b, growing[:grown], taken, count)
    clear(tables, state, b, taken[:count])
    for i in range(avatars.shape[0]):
        if plan[STRUCK, i]:
            avatars[i, ALIVE] = 0
            avatars[i, columns.SINCE] = clock[STEP]
            here[avatars[i, Y] * tables.width + avatars[i, X]] = 0
    clock[columns.OVER] = ending


@inner
def _fires(avatar, wants, column, length, cooldown):
    """A beam cools only while its avatar is there."""
    if not avatar[ALIVE]:
        return False
    if avatar[column]:
        avatar[column] -= 1
        return False
    if not wants or not length:
        return False
    avatar[column] = cooldown
    return True


@inner
def _move(tables, state, b, i, action, taken, count):
    """Turns, or moves one cell relative to the own orientation; into a wall or an avatar it enters its own cell again."""
    if action >= ZAP:
        return count
    avatars, here = state.avatars[b], state.here[b]
    avatars[i, FACING] = (avatars[i, FACING] + grid.TURN[action]) % 4
    if grid.HEADING[action] < 0:
        return count
    way = (avatars[i, FACING] + grid.HEADING[action]) % 4
    x, y = avatars[i, X] + grid.DX[way], avatars[i, Y] + grid.DY[way]
    target = y * tables.width + x
    own = avatars[i, Y] * tables.width + avatars[i, X]
    if state.things[b, target] == WALL or here[target]:
        return take(tables, state, b, i, own, taken, count)
    here[own] = 0
    here[target] = i + 1
    avatars[i, X] = x
    avatars[i, Y] = y
    return take(tables, state, b, i, target, taken, count)


@inner
def _fire(tables, state, b, i, length, kind, struck, taken, count):
    """Three columns ahead, each until something blocks it: a wall; an avatar, if it zaps; dirt, if it cleans."""
    avatar, things = state.avatars[b, i], state.things[b]
    start = avatar[Y] * tables.width + avatar[X]
    facing = avatar[FACING]
    right = (facing + 1) % 4
    ahead = grid.DY[facing] * tables.width + grid.DX[facing]
    aside = grid.DY[right] * tables.width + grid.DX[right]
    # The own column begins a cell further.
    for side, near in ((-1, 0), (1, 0), (0, 1)):
        for far in range(near, near + length):
            cell = start + side * aside + far * ahead
            if things[cell] == WALL:
                break
            other = state.here[b, cell] - 1
            if kind == ZAPPING and other >= 0:
                struck[other] = 1
                avatar[columns.DID] |= columns.ZAPPED
                break
            if kind == WASHING and things[cell] == DIRT:
                taken[count] = cell
                count += 1
                avatar[columns.DID] |= columns.CLEANED
                break
            state.beam[b, cell] |= kind
            state.clock[b, columns.BEAMS] = 1
    return count


@inner
def look(tables, state, b, canvas, spots, out):
    """What the avatars of world ``b`` see, as one number a cell, into ``out`` (uint32[P, rows · columns]).

    ``canvas`` (uint32[(H + 2m) · (W + 2m)], 0 in its margin) and ``spots`` (int64[2, P]) are room to work in.
    """
    avatars, things, beam = state.avatars[b], state.things[b], state.beam[b]
    margin, width = tables.margin, tables.width
    wide = width + 2 * margin
    for y in range(things.size // width):
        for x in range(width):
            canvas[(y + margin) * wide + x + margin] = np.uint32(things[y * width + x]) * THINGS
    if state.clock[b, columns.BEAMS]:
        for cell in range(beam.size):
            if beam[cell]:
                at = (cell // width + margin) * wide + cell % width + margin
                if beam[cell] & ZAPPING:
                    canvas[at] = np.uint32(ZAPPING) * BEAMS
                else:
                    canvas[at] += np.uint32(WASHING) * BEAMS
    for i in range(avatars.shape[0]):
        if avatars[i, ALIVE]:
            spots[0, i] = (avatars[i, Y] + margin) * wide + avatars[i, X] + margin
            spots[1, i] = canvas[spots[0, i]]
    for i in range(avatars.shape[0]):
        if not avatars[i, ALIVE]:
            out[i, :] = 0
            continue
        # The avatars, as they stand to this one, are painted over those that the last one saw.
        for j in range(avatars.shape[0]):
            if avatars[j, ALIVE] and not beam[avatars[j, Y] * width + avatars[j, X]] & ZAPPING:
                turned = np.uint32(1 + ((avatars[j, FACING] - avatars[i, FACING]) & 3))
                if tables.law == CHANCE:
                    code = OTHER + np.uint32(avatars[j, columns.COLOUR])
                else:
                    code = SELF if i == j else OTHER + np.uint32(j)
                canvas[spots[0, j]] = np.uint32(spots[1, j]) + code * AVATARS + turned * FACINGS
        corner = np.uint64(avatars[i, Y] * wide + avatars[i, X])
        gaze = tables.gaze[avatars[i, FACING]]
        for k in range(gaze.size):
            out[i, k] = canvas[corner + gaze[k]]


@inner
def feel(tables, state, b, out):
    """What the avatars of world ``b`` observe beside windows, into ``out`` (float[P, V]), in the order of :func:`~.world.list_vector`."""
    avatars = state.avatars[b]
    for i in range(out.shape[0]):
        if tables.law == CHANCE:
            out[i, 0] = avatars[i, columns.HEARD]
            continue
        out[i, 0] = avatars[i, ALIVE] * (1.0 - avatars[i, columns.COOLDOWN] / tables.zap_cooldown)
        if tables.law == CLEANNESS:
            out[i, 1] = avatars[i, columns.HEARD]


@inner
def locate(state, b, out):
    """Where the avatars of world ``b`` are, into ``out`` (int32[P, 3]): x and y, -1 while removed, and the orientation, 0 while removed."""
    avatars = state.avatars[b]
    for i in range(out.shape[0]):
        alive = avatars[i, ALIVE]
        out[i, 0] = avatars[i, X] if alive else -1
        out[i, 1] = avatars[i, Y] if alive else -1
        out[i, 2] = avatars[i, FACING] if alive else 0


class Scene(NamedTuple):
    """What pictures are made of: the arrays and numbers of a :class:`~.views.Palette`.

    ``codes`` is room to work in, so a scene serves one thread at a time.
    """

    brush: Brush
    grounds: NDArray[np.uint16]
    avatars: int
    own: int
    zapped: int
    codes: Codes


def scene(rules: Rules) -> Scene:
    """The scene of ``rules``."""
    palette = views.mix_palette(rules)
    painter = brush(palette.paint)
    return Scene(
        painter, palette.grounds, palette.avatars, palette.own, palette.zapped, painter.ground.copy()
    )


@inner
def draw(scene, state, b, out):
    """The windows of all players of world ``b`` into ``out`` (uint64[P, rows, 8, columns, 3])."""
    brush, codes, avatars = scene.brush, scene.codes, state.avatars[b]
    things, beam, tide = state.things[b], state.beam[b], state.tide[b]
    margin, width = brush.margin, brush.wide - 2 * brush.margin
    waves = state.clock[b, STEP] // views.LONGEST_WAVE
    for cell in range(things.size):
        ground = scene.grounds[cell, things[cell]]
        if things[cell] == RIVER or things[cell] == DIRT:
            ground += (tide[cell] + waves) % views.FRAMES
        code = ground * scene.avatars * 2 + (beam[cell] >> 1)
        if beam[cell] & ZAPPING:
            code = scene.zapped
        codes[(cell // width + margin) * brush.wide + cell % width + margin] = code
    for i in range(avatars.shape[0]):
        if avatars[i, ALIVE] and not beam[avatars[i, Y] * width + avatars[i, X]] & ZAPPING:
            at = (avatars[i, Y] + margin) * brush.wide + avatars[i, X] + margin
            kind = i if scene.own >= 0 else avatars[i, columns.COLOUR]
            codes[at] += 2 * (1 + 4 * kind + avatars[i, FACING])
    for i in range(avatars.shape[0]):
        if not avatars[i, ALIVE]:
            out[i] = 0
            continue
        at = (avatars[i, Y] + margin) * brush.wide + avatars[i, X] + margin
        before = codes[at]
        if scene.own >= 0 and before < scene.zapped:
            codes[at] += 8 * (scene.own - i)
        see(brush, codes, 0, avatars[i], out[i])
        codes[at] = before


@grid.compile_kernel
def draw_all(scene, state, out):
    """All windows of all worlds into ``out`` (uint64[B, P, rows, 8, columns, 3])."""
    for b in range(out.shape[0]):
        draw(scene, state, b, out[b])


@grid.compile_kernel
def reset_all(tables, state, seeds):
    """A new episode in every world. ``seeds`` uint64[B]."""
    growing = np.empty(tables.places.size, np.int64)
    for b in range(seeds.size):
        reset(tables, state, b, seeds[b], growing)


@grid.compile_kernel
def step_all(tables, state, actions):
    """One step of every world. ``actions`` int[B, P]."""
    plan = np.empty((4, actions.shape[1]), np.int64)
    growing = np.empty(tables.places.size, np.int64)
    taken = np.empty(8 * actions.shape[1], np.int64)
    for b in range(actions.shape[0]):
        step(tables, state, b, actions[b], plan, growing, taken)


@grid.compile_kernel
def advance(tables, state, episodes, actions, observations, scene):
    """One step of every world, in which one that ends begins anew, and what is then seen.

    ``episodes`` :class:`~otherminds.gridworlds.grid.learner.Episodes`; ``actions`` int64[B, P]; ``observations``
    :class:`~otherminds.gridworlds.grid.learner.Seen` of cells; ``scene`` None: no pictures.
    """
    plan = np.empty((4, actions.shape[1]), np.int64)
    growing = np.empty(tables.places.size, np.int64)
    taken = np.empty(8 * actions.shape[1], np.int64)
    canvas = _new_canvas(tables, state)
    spots = np.empty((2, actions.shape[1]), np.int64)
    for b in range(actions.shape[0]):
        step(tables, state, b, actions[b], plan, growing, taken)
        for i in range(actions.shape[1]):
            episodes.did[b, i] = state.avatars[b, i, columns.DID]
        if grid.account(episodes, state, b):
            look(tables, state, b, canvas, spots, observations.final_windows[b])
            feel(tables, state, b, observations.final_vectors[b])
            if scene is not None:
                draw(scene, state, b, observations.final_rgb[b])
            reset(tables, state, b, episodes.seeds[b], growing)
        look(tables, state, b, canvas, spots, observations.windows[b])
        feel(tables, state, b, observations.vectors[b])
        if scene is not None:
            draw(scene, state, b, observations.rgb[b])


@grid.compile_kernel
def _new_canvas(tables, state):
    wide = tables.width + 2 * tables.margin
    return np.zeros((state.things.shape[1] // tables.width + 2 * tables.margin) * wide, np.uint32)


@grid.compile_kernel
def look_all(tables, state, out):
    """All windows of all worlds into ``out`` (uint32[B, P, rows · columns])."""
    canvas = _new_canvas(tables, state)
    spots = np.empty((2, out.shape[1]), np.int64)
    for b in range(out.shape[0]):
        look(tables, state, b, canvas, spots, out[b])


@grid.compile_kernel
def feel_all(tables, state, out):
    """What all avatars observe beside their windows, into ``out`` (float[B, P, V])."""
    for b in range(out.shape[0]):
        feel(tables, state, b, out[b])


@grid.compile_kernel
def observe(handle):
    """Fills the windows, vectors and poses of a :class:`~otherminds.gridworlds.grid.world.Table`, held."""
    table = handle.parts
    look_all(table.tables, table.state, table.windows)
    feel_all(table.tables, table.state, table.vectors)
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
    tables, state, episodes, observations, scene = handle.parts
    advance(tables, state, episodes, actions, observations, scene)


KERNEL = Kernel(
    layers=views.LAYERS,
    empty=columns.empty,
    tables=tables,
    reset=reset_all,
    step=step_all,
    look=look_all,
    feel=feel_all,
    scene=scene,
    draw=draw_all,
    hold=hold,
    observe=observe,
    play=play,
    learn=learn,
    cells=lambda windows: windows.view(np.uint32).reshape(*windows.shape[:2], -1),
)
