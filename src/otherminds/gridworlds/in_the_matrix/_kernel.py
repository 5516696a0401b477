"""The rules, step by step, compiled.

A step has the order of Melting Pot's engine: all decisions use the state before the step; then turns and moves happen
in a random order, then beams in another, then avatars and resources appear, then avatars whose duel is over disappear.
The effects of moves and beams come last.

A kernel works in place on world ``b`` of a :class:`~.state.State`, or on all of them. It checks nothing:
callers ensure that actions are 0 to 7 and that arrays have the shapes of :func:`~.state.empty`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from otherminds.gridworlds.grid import _kernel as grid
from otherminds.gridworlds.grid._kernel import Brush, brush, compile_kernel, hold, inner, see, spots
from otherminds.gridworlds.grid.pixels import Codes
from otherminds.gridworlds.grid.rules import INTERACT
from otherminds.gridworlds.grid.world import Kernel
from otherminds.gridworlds.in_the_matrix import rules as columns
from otherminds.gridworlds.in_the_matrix import views
from otherminds.gridworlds.in_the_matrix.rules import ALIVE, BEAMS, FACING, KIND, MARK, SHOWN, Rules, X, Y
from otherminds.gridworlds.in_the_matrix.tables import OPEN, UNITS, WALL, tables
from otherminds.gridworlds.in_the_matrix.views import READY, RESULT, UNREADY


class Scene(NamedTuple):
    """What pictures are made of.

    ``places`` int64[N]: the cells where resources grow. ``avatar``: the first code of avatars. ``codes`` is room
    to work in, so a scene serves one thread at a time.
    """

    brush: Brush
    places: NDArray[np.int64]
    avatar: int
    codes: Codes


def scene(rules: Rules) -> Scene:
    """The scene of ``rules``."""
    painter = brush(views.mix_paint(rules))
    return Scene(
        painter,
        spots(painter, rules.places),
        views.PAINTED_RESOURCE + len(rules.classes),
        np.empty_like(painter.ground),
    )


@inner
def draw(scene, state, b, out):
    """The windows of all players of world ``b`` into ``out`` (uint64[P, rows, 8, columns, 3])."""
    brush, codes = scene.brush, scene.codes
    for at in range(codes.size):
        codes[at] = brush.ground[at]
    resources, avatars, beam = state.resources[b], state.avatars[b], state.beam[b]
    for n in range(scene.places.size):
        if resources[n, SHOWN]:
            codes[scene.places[n]] = views.PAINTED_RESOURCE + resources[n, KIND]
    for i in range(avatars.shape[0]):
        if avatars[i, ALIVE]:
            at = (avatars[i, Y] + brush.margin) * brush.wide + avatars[i, X] + brush.margin
            codes[at] = scene.avatar + (i * 4 + avatars[i, FACING]) * views.MARKS + avatars[i, MARK]
    if state.clock[b, BEAMS]:
        width = brush.wide - 2 * brush.margin
        for n in range(beam.size):
            if beam[n]:
                codes[(n // width + brush.margin) * brush.wide + n % width + brush.margin] = (
                    views.PAINTED_BEAM
                )
    for i in range(avatars.shape[0]):
        if avatars[i, ALIVE]:
            see(brush, codes, i, avatars[i], out[i])
        else:
            out[i] = 0


@compile_kernel
def draw_all(scene, state, out):
    """All windows of all worlds into ``out`` (uint64[B, P, rows, 8, columns, 3])."""
    for b in range(out.shape[0]):
        draw(scene, state, b, out[b])


THINGS, AVATARS, FACINGS, MARKS = (
    UNITS[layer] for layer in (views.THING, views.AVATAR, views.FACING, views.MARK)
)
BEAM = np.uint32(views.BEAM) * MARKS
RESOURCE, SELF, OTHER = (np.uint32(code) for code in (views.RESOURCE, views.SELF, views.OTHER))

# Rows of ``plan``, int64[5, P]: what is decided or noted about each avatar within one step.
MOVERS, FIRERS = 0, 1  # The avatars in the order in which they move, and in which they fire
FIRES, LEAVES, BUSY = 2, 3, 4  # 1 if it fires; if its duel takes effect; if it has taken part in a hit

# Rows of ``spots``, int64[2, P]: an avatar's place on the canvas, and the rest of the code there.
AT, CODE = 0, 1


@grid.inner
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
        resources[n, columns.KIND] = fixed if fixed >= 0 else grid.below(state.luck, b, kinds)
        resources[n, columns.SHOWN] = 1
        resources[n, columns.HEALTH] = tables.health
        resources[n, columns.GONE] = 0
    for i in range(avatars.shape[0]):
        avatars[i, : columns.COUNTS] = 0
        avatars[i, columns.COUNTS :] = 1
        avatars[i, columns.PENDING] = -1
        avatars[i, columns.FOE] = -1
        avatars[i, columns.ALIVE] = grid.appear(tables, state, b, i)


@grid.inner
def step(tables, state, b, actions, plan, growing):
    """One step of world ``b`` by ``actions``; ``plan`` (int64[5, P]) and ``growing`` (int64[N]) are room."""
    luck, avatars, resources, clock = state.luck, state.avatars[b], state.resources[b], state.clock[b]
    clock[columns.STEP] += 1
    if clock[columns.BEAMS]:
        state.beam[b, :] = 0
        clock[columns.BEAMS] = 0
    anyone = settled = False
    for i in range(avatars.shape[0]):
        state.rewards[b, i] = 0.0
        for k in range(state.met.shape[3]):
            state.met[b, i, 0, k] = state.met[b, i, 1, k] = -1
        plan[BUSY, i] = 0
        if avatars[i, columns.LOCK] > 0:
            avatars[i, columns.LOCK] -= 1
        if avatars[i, columns.ALIVE]:
            anyone = True
        elif avatars[i, columns.SINCE] == clock[columns.STEP] - 1:
            settled = True
    # Decisions, from what was before.
    grid.shuffle(luck, b, plan[MOVERS])
    grid.shuffle(luck, b, plan[FIRERS])
    for i in range(avatars.shape[0]):
        plan[FIRES, i] = _fires(avatars, i, actions[i], tables.cooldown)
    grown = _regrowing(tables, state, b, growing, tables.refill and not anyone)
    late = clock[columns.STEP] >= tables.minimum or clock[columns.STEP] >= tables.maximum
    ending = grid.ends(tables, luck, b, clock[columns.STEP]) if late else 0
    for i in range(avatars.shape[0]):
        pending = avatars[i, columns.ALIVE] and avatars[i, columns.PENDING] >= 0
        plan[LEAVES, i] = _settles(tables, state, b, i) if pending else 0
        avatars[i, columns.MARK] = avatars[i, columns.INDICATOR] if avatars[i, columns.ALIVE] else UNREADY
    # Effects, in the engine's order. What goes in this step has GONE = STEP and is still SHOWN.
    for i in plan[MOVERS]:
        if avatars[i, columns.ALIVE] and not avatars[i, columns.LOCK]:
            _move(tables, state, b, i, actions[i])
    for i in plan[FIRERS]:
        if plan[FIRES, i]:
            _fire(tables, state, b, i, plan[BUSY])
    for i in range(avatars.shape[0]):
        if not avatars[i, columns.ALIVE] and clock[columns.STEP] > avatars[i, columns.SINCE] + tables.respawn:
            avatars[i, columns.ALIVE] = grid.appear(tables, state, b, i)
    for n in growing[:grown]:
        resources[n, columns.SHOWN] = 1
        under = state.here[b, tables.places[n, 0]]
        if under:
            _collect(state, b, under - 1, n)
    for i in range(avatars.shape[0]):
        if plan[LEAVES, i]:
            avatars[i, columns.ALIVE] = 0
            avatars[i, columns.SINCE] = clock[columns.STEP]
            state.here[b, avatars[i, columns.Y] * tables.width + avatars[i, columns.X]] = 0
    for n in range(resources.shape[0]):
        if resources[n, columns.GONE] == clock[columns.STEP]:
            resources[n, columns.SHOWN] = 0
    clock[columns.OVER] = 1 if settled and tables.one_shot else ending


@grid.inner
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
        if resources[n, columns.SHOWN]:
            canvas[tables.places[n, 2]] = (RESOURCE + np.uint32(resources[n, columns.KIND])) * THINGS
    if state.clock[b, columns.BEAMS]:
        for y in range(state.beam.shape[1] // tables.width):
            for x in range(tables.width):
                if state.beam[b, y * tables.width + x]:
                    canvas[(y + margin) * wide + x + margin] += BEAM
    for i in range(avatars.shape[0]):
        if avatars[i, columns.ALIVE]:
            at = (avatars[i, columns.Y] + margin) * wide + avatars[i, columns.X] + margin
            spots[AT, i] = at
            spots[CODE, i] = canvas[at]
            if not state.beam[b, avatars[i, columns.Y] * tables.width + avatars[i, columns.X]]:
                spots[CODE, i] += avatars[i, columns.MARK] * np.int64(MARKS)
    for i in range(avatars.shape[0]):
        if not avatars[i, columns.ALIVE]:
            out[i, :] = 0
            continue
        # The avatars, as they stand to this one, are painted over those that the last one saw.
        for j in range(avatars.shape[0]):
            if avatars[j, columns.ALIVE]:
                code = OTHER + tables.numbers[j]
                turned = np.uint32(1 + ((avatars[j, columns.FACING] - avatars[i, columns.FACING]) & 3))
                code = (SELF if i == j else code) * AVATARS + turned * FACINGS
                canvas[spots[AT, j]] = np.uint32(spots[CODE, j]) + code
        corner = np.uint64(avatars[i, columns.Y] * wide + avatars[i, columns.X])
        gaze = tables.gaze[avatars[i, columns.FACING]]
        for k in range(gaze.size):
            out[i, k] = canvas[corner + gaze[k]]


@grid.inner
def feel(tables, state, b, out):
    """The inventories of the avatars of world ``b`` and their readiness, into ``out`` (float32[P, K + 1])."""
    avatars = state.avatars[b]
    kinds = out.shape[1] - 1
    for i in range(out.shape[0]):
        for k in range(kinds):
            out[i, k] = avatars[i, columns.COUNTS + k]
        out[i, kinds] = 1.0 - avatars[i, columns.COOLDOWN] / max(tables.cooldown, 1)


@grid.inner
def locate(state, b, out):
    """Where the avatars of world ``b`` are, into ``out`` (int32[P, 3]): x and y, -1 while removed, and the orientation, 0 while removed."""
    avatars = state.avatars[b]
    for i in range(out.shape[0]):
        alive = avatars[i, columns.ALIVE]
        out[i, 0] = avatars[i, columns.X] if alive else -1
        out[i, 1] = avatars[i, columns.Y] if alive else -1
        out[i, 2] = avatars[i, columns.FACING] if alive else 0


@grid.compile_kernel
def reset_all(tables, state, seeds):
    """A new episode in every world. ``seeds`` uint64[B]."""
    for b in range(seeds.size):
        reset(tables, state, b, seeds[b])


@grid.compile_kernel
def step_all(tables, state, actions):
    """One step of every world. ``actions`` int[B, P]."""
    plan = np.empty((5, actions.shape[1]), np.int64)
    growing = np.empty(tables.places.shape[0], np.int64)
    for b in range(actions.shape[0]):
        step(tables, state, b, actions[b], plan, growing)


@grid.compile_kernel
def advance(tables, state, episodes, actions, observations, scene):
    """One step of every world, in which one that ends begins anew, and what is then seen.

    ``episodes`` :class:`~otherminds.gridworlds.grid.learner.Episodes`; ``actions`` int64[B, P]; ``observations``
    :class:`~otherminds.gridworlds.grid.learner.Seen` of cells; ``scene`` None: no pictures.
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
        if grid.account(episodes, state, b):
            look(tables, state, b, canvas, spots, observations.final_windows[b])
            feel(tables, state, b, observations.final_vectors[b])
            if scene is not None:
                draw(scene, state, b, observations.final_rgb[b])
            reset(tables, state, b, episodes.seeds[b])
        look(tables, state, b, canvas, spots, observations.windows[b])
        feel(tables, state, b, observations.vectors[b])
        if scene is not None:
            draw(scene, state, b, observations.rgb[b])


@grid.compile_kernel
def look_all(tables, state, out):
    """All windows of all worlds into ``out`` (uint32[B, P, rows · columns])."""
    canvas = np.empty_like(tables.canvas)
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
    # Only of an argument does the compiler know that it is None, and leave out the pictures: two functions.
    tables, state, episodes, observations, scene = handle.parts
    advance(tables, state, episodes, actions, observations, scene)


@grid.inner
def _fires(avatars, i, action, cooldown):
    """The beam cools only while its avatar is alive and free to move."""
    if not avatars[i, columns.ALIVE] or avatars[i, columns.LOCK]:
        return False
    if avatars[i, columns.COOLDOWN]:
        avatars[i, columns.COOLDOWN] -= 1
        return False
    if action != INTERACT:
        return False
    avatars[i, columns.COOLDOWN] = cooldown
    return True


@grid.inner
def _regrowing(tables, state, b, growing, refill):
    """Lists in ``growing`` the resources that come back; how many."""
    resources, now = state.resources[b], state.clock[b, columns.STEP]
    count = 0
    for n in range(resources.shape[0]):
        if resources[n, columns.SHOWN]:
            continue
        back = refill
        if now > resources[n, columns.GONE] + tables.delay:
            lucky = grid.uniform(state.luck, b) < tables.regrowth
            back = back or (lucky and not state.here[b, tables.places[n, 0]])
        if back:
            growing[count] = n
            count += 1
    return count


@grid.inner
def _settles(tables, state, b, i):
    """The pending duel of avatar ``i`` draws nearer; whether it takes effect."""
    avatars = state.avatars
    avatars[b, i, columns.PENDING] -= 1
    if avatars[b, i, columns.PENDING] >= 0:
        colour = 0
        for limit in tables.bounds:
            if state.pay[b, i] >= limit:
                colour += 1
        avatars[b, i, columns.INDICATOR] = RESULT + colour
        return False
    state.rewards[b, i] = state.pay[b, i]
    avatars[b, i, columns.COUNTS :] = 1
    avatars[b, i, columns.READY] = 0
    avatars[b, i, columns.INDICATOR] = UNREADY
    return True


@grid.inner
def _move(tables, state, b, i, action):
    """Turns, or moves one cell relative to the own orientation; into a wall or an avatar it stays."""
    avatars, here = state.avatars[b], state.here[b]
    avatars[i, columns.FACING] = (avatars[i, columns.FACING] + grid.TURN[action]) % 4
    if grid.HEADING[action] < 0:
        return
    way = (avatars[i, columns.FACING] + grid.HEADING[action]) % 4
    x, y = avatars[i, columns.X] + grid.DX[way], avatars[i, columns.Y] + grid.DY[way]
    target = y * tables.width + x
    if tables.ground[target] == WALL or here[target]:
        return
    here[avatars[i, columns.Y] * tables.width + avatars[i, columns.X]] = 0
    here[target] = i + 1
    avatars[i, columns.X] = x
    avatars[i, columns.Y] = y
    n = tables.ground[target] - 1
    if n >= 0 and state.resources[b, n, columns.SHOWN]:
        _collect(state, b, i, n)


@grid.inner
def _collect(state, b, i, n):
    """A collected resource stays on the map, where beams hit it, until the end of the step."""
    avatars, resources = state.avatars[b], state.resources[b]
    avatars[i, columns.COUNTS + resources[n, columns.KIND]] += 1
    avatars[i, columns.READY] = 1
    if avatars[i, columns.INDICATOR] == UNREADY:
        avatars[i, columns.INDICATOR] = READY
    resources[n, columns.GONE] = state.clock[b, columns.STEP]


@grid.inner
def _fire(tables, state, b, i, busy):
    """Three columns ahead, each until something blocks it: left, right, then the own one."""
    avatar = state.avatars[b, i]
    start = avatar[columns.Y] * tables.width + avatar[columns.X]
    facing = avatar[columns.FACING]
    right = (facing + 1) % 4
    ahead = grid.DY[facing] * tables.width + grid.DX[facing]
    aside = grid.DY[right] * tables.width + grid.DX[right]
    # Three columns ahead: left, right, then the own one, which begins a cell further.
    for side, near in ((-1, 0), (1, 0), (0, 1)):
        for far in range(near, near + 3):
            cell = start + side * aside + far * ahead
            open_ground = tables.ground[cell] == OPEN and not state.here[b, cell]
            if not open_ground and _hit(tables, state, b, i, cell, busy):
                break
            state.beam[b, cell] = 1
            state.clock[b, columns.BEAMS] = 1


@grid.inner
def _hit(tables, state, b, i, cell, busy):
    """The beam of avatar ``i`` reaches ``cell``. Everything there is hit; whether anything blocks it."""
    ground = tables.ground[cell]
    blocked = ground == WALL
    other = state.here[b, cell] - 1
    if other >= 0:
        _zap(tables, state, b, i, other, busy)
        blocked = True
    if ground > OPEN:
        resource = state.resources[b, ground - 1]
        if resource[columns.SHOWN]:
            resource[columns.HEALTH] -= 1
            if resource[columns.HEALTH]:
                blocked = True
            else:
                resource[columns.HEALTH] = tables.health
                resource[columns.GONE] = state.clock[b, columns.STEP]
    return blocked


@grid.inner
def _zap(tables, state, b, i, j, busy):
    """Avatar ``i`` hits avatar ``j``. Both count as busy even if no duel follows; a busy one is not hit again."""
    avatars = state.avatars[b]
    if busy[j]:
        return
    busy[j] = 1
    if busy[i]:
        return
    busy[i] = 1
    if avatars[j, columns.PENDING] >= 0 or not avatars[i, columns.READY] or not avatars[j, columns.READY]:
        return
    own, other = tables.sides[i], tables.sides[j]
    if own < 0 or own != other:
        _duel(tables, state, b, j if own > other else i, i if own > other else j)


@grid.inner
def _duel(tables, state, b, i, j):
    """Resolves the game between row player ``i`` and column player ``j``. Paid when the freeze is over."""
    row, column = state.avatars[b, i], state.avatars[b, j]
    state.pay[b, i] = _payoff(tables.game[0], row, column)
    state.pay[b, j] = _payoff(tables.game[1], row, column)
    met = state.met[b]
    for k in range(met.shape[2]):
        met[i, 0, k] = met[j, 1, k] = row[columns.COUNTS + k]
        met[i, 1, k] = met[j, 0, k] = column[columns.COUNTS + k]
    row[columns.FOE], column[columns.FOE] = j, i
    row[columns.ROW], column[columns.ROW] = 1, 0
    row[columns.PENDING] = column[columns.PENDING] = tables.freeze
    row[columns.LOCK] = column[columns.LOCK] = tables.freeze + 2
    wins = state.pay[b, i] >= state.pay[b, j]
    if tables.random_ties and state.pay[b, i] == state.pay[b, j]:
        wins = grid.uniform(state.luck, b) < 0.5
    if wins:
        # The engine resets a winning row player's inventory at once, all others at the end.
        row[columns.COUNTS :] = 1
        row[columns.READY] = 0


@grid.inner
def _payoff(matrix, row, column):
    """In floating point and in this order, because ties between payoffs depend on it."""
    ours, theirs = row[columns.COUNTS :].sum(), column[columns.COUNTS :].sum()
    total = 0.0
    for j in range(matrix.shape[1]):
        inner = 0.0
        for i in range(matrix.shape[0]):
            inner += row[columns.COUNTS + i] / ours * matrix[i, j]
        total += inner * (column[columns.COUNTS + j] / theirs)
    return total


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
