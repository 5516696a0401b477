"""The background bots, compiled, for many worlds in one call: what they see, what they play, where they go.

Callers ensure that arrays have the shapes of :mod:`.charts`.
"""

from __future__ import annotations

from numba.extending import register_jitable

from otherminds.gridworlds.grid import _mersenne as mersenne
from otherminds.gridworlds.grid._kernel import compile_kernel, inner
from otherminds.gridworlds.in_the_matrix import _puppet as puppet
from otherminds.gridworlds.in_the_matrix import charts as columns
from otherminds.gridworlds.in_the_matrix import rules as world
from otherminds.gridworlds.in_the_matrix.charts import (
    CELL,
    COLLECT,
    DUEL,
    MARK,
    NEVER,
    NO_BOT,
    PLAYER,
    POLICY,
    PUPPET,
    SEEN,
    TOOK,
    Memory,
)
from otherminds.gridworlds.in_the_matrix.views import AVATAR, OTHER, READY, RESOURCE, RESULT, THING
from otherminds.gridworlds.in_the_matrix.views import MARK as MARKS

NO_POSE = -1


@register_jitable(forceinline=True)  # Not ``inner``: what it returns has to be reference-counted
def seat(memory, b, i):
    """The memory of seat ``i`` in world ``b``."""
    return Memory(
        memory.own[b, i],
        memory.inventory[b, i],
        memory.kind[b, i],
        memory.there[b, i],
        memory.seen[b, i],
        memory.looked[b, i],
        memory.others[b, i],
        memory.last[b, i],
        memory.plan[b, i],
        memory.cause[b, i],
        memory.hoped[b, i],
        memory.wrong[b, i],
        memory.been[b, i],
        memory.held[b, i],
        memory.streams[b, i],
    )


@compile_kernel
def begin_all(chart, policies, memory, fresh, bots):
    """New episodes in the worlds that are ``fresh`` (bool[B]).

    ``bots`` int64[B, P]: the bot in each seat by its place in ``policies``, ``LED`` where goals are set from outside,
    ``NO_BOT`` for none. The stream ``POLICY`` of a bot is the generator of its seat, from which ``PUPPET`` is seeded,
    so that obstacles do not shift the draws of the policy.
    """
    for b in range(fresh.size):
        if not fresh[b]:
            continue
        for i in range(bots.shape[1]):
            mind = seat(memory, b, i)
            mind.own[columns.BOT] = bots[b, i]
            if bots[b, i] == NO_BOT:
                continue
            _know_map(chart, mind)
            puppet.begin(mind)
            if bots[b, i] >= 0:
                mersenne.seed(mind.streams[PUPPET], mersenne.bits(mind.streams[POLICY]))
                _draw(policies, mind, policies.start[bots[b, i]])


@compile_kernel
def run(handle, sees, acts, noise, actions):
    """One step of the seats: what they see, and what they do then. Seats alone see in one call and act in another.

    ``handle`` holds chart, policies, memory, desk and news, of which arguments one by one would cost a call of one seat
    ten times its own time. If it ``sees``, takes in ``news`` (:class:`~.charts.News`), and what that means for the policies of bots. If it
    ``acts``, writes what they do into ``actions`` (int64[B, P]); other entries stay as they are. ``noise``: the
    probability of a random movement.
    """
    chart, policies, memory, desk, news = handle.parts
    for b in range(actions.shape[0]):
        for i in range(actions.shape[1]):
            if memory.own[b, i, columns.BOT] == NO_BOT:
                continue
            mind = seat(memory, b, i)
            own = mind.own
            if sees:
                step = news.clock[b, world.STEP]
                if _see(chart, mind, news.avatars[b, i], news.windows[b, i], step):
                    if news.maps.shape[0]:
                        _see_map(chart, mind, news.maps[b], step)
                    _forget(chart, mind, own[columns.POSE])
                    for o in range(own[columns.OTHERS]):
                        _remember(mind, mind.others[o])
                if own[columns.BOT] >= 0:
                    _hear(policies, mind, news.met[b, i, 1])
            if acts:
                if own[columns.BOT] >= 0:
                    most, margin = _leader(mind.inventory)
                    seeks = most == own[columns.CLASS] and margin >= policies.margins[own[columns.BOT], most]
                    own[columns.WANTS] = DUEL if seeks else COLLECT
                actions[b, i] = puppet.act(chart, mind, desk, noise)


@inner
def _hear(policies, mind, partner):
    """The automaton after a step in which ``partner`` (int32[K]) was met in a duel."""
    own = mind.own
    most, margin = _leader(partner)
    if partner[most] > 0:
        after = policies.after[own[columns.STATE], own[columns.CLASS]]
        settled = True  # Whether its next state is the same after each behaviour of the other
        for k in range(after.size):
            settled = settled and after[k] == after[0]
        if margin or settled:
            _draw(policies, mind, after[most] if margin else after[0])
    if policies.gullible[own[columns.BOT]] and own[columns.TAKEN] >= 0:
        _draw(policies, mind, policies.after[own[columns.STATE], own[columns.CLASS], own[columns.TAKEN]])


@inner
def _leader(inventory):
    """The class of which there is most, the last of several, and by how much."""
    most = 0
    for k in range(1, inventory.size):
        if inventory[k] >= inventory[most]:
            most = k
    second = -1
    for k in range(inventory.size):
        if k != most and (second < 0 or inventory[k] > inventory[second]):
            second = k
    return most, inventory[most] - inventory[second]


@inner
def _draw(policies, mind, state):
    """The automaton is in ``state``, with a class drawn for it."""
    rng = mind.streams[POLICY]
    kind = policies.likeliest[state]
    count = policies.slips[state]
    if policies.even[state]:
        kind = mersenne.below(rng, policies.others.shape[1])
    elif count:
        luck = mersenne.random(rng)
        if luck < policies.chance[state]:
            kind = policies.others[state, int(luck / policies.chance[state] * count)]
    mind.own[columns.STATE] = state
    mind.own[columns.CLASS] = kind


@inner
def _know_map(chart, mind):
    """Knows what the drawn map shows."""
    own = mind.own
    own[columns.STEP] = 0
    own[columns.POSE] = NO_POSE
    own[columns.CHARGED] = 1
    own[columns.HELD] = 0
    own[columns.TAKEN] = -1
    own[columns.OTHERS] = own[columns.LAST] = 0
    for n in range(mind.kind.size):
        mind.kind[n] = chart.fixed[n]
        mind.there[n] = 1
        mind.seen[n] = NEVER
    for cell in range(mind.looked.size):
        mind.looked[cell] = NEVER


@inner
def _see(chart, mind, avatar, window, step):
    """Takes in the own ``avatar`` and ``window`` of a seat in ``step``; whether it is on the map."""
    own = mind.own
    own[columns.STEP] = step
    own[columns.TAKEN] = -1
    own[columns.OTHERS] = 0
    for k in range(mind.inventory.size):
        mind.inventory[k] = avatar[world.COUNTS + k]
    own[columns.CHARGED] = avatar[world.COOLDOWN] == 0
    x, y, facing = avatar[world.X], avatar[world.Y], avatar[world.FACING]
    if not avatar[world.ALIVE]:
        _leave(chart, mind)
        return False
    pose = 4 * (y * chart.width + x) + facing
    own[columns.POSE] = pose
    own[columns.HELD] = window[chart.own, MARKS] >= RESULT
    shifts = chart.shifts[facing]
    for k in range(shifts.shape[0]):
        east, south = x + shifts[k, 0], y + shifts[k, 1]
        if 0 <= east < chart.width and 0 <= south < chart.height:
            cell = south * chart.width + east
            mind.looked[cell] = step
            _look(chart, mind, window[k], cell, step)
    return True


@inner
def _see_map(chart, mind, map_cells, step):
    """Takes in the cells outside the window, of which ``map_cells`` (int8[C, 2]) says no marks."""
    for cell in range(chart.place.size):
        if mind.looked[cell] == step:
            continue
        mind.looked[cell] = step
        gone = _look_at_place(chart, mind, cell, map_cells[cell, 0] - 1, step)
        if map_cells[cell, 1]:
            _meet(chart, mind, cell, chart.numbers[map_cells[cell, 1] - 1], READY, step, gone)


@inner
def _leave(chart, mind):
    mind.own[columns.POSE] = NO_POSE
    mind.own[columns.HELD] = 0
    mind.own[columns.LAST] = 0
    if chart.refill:
        for n in range(mind.there.size):
            mind.there[n] = 1


@inner
def _look(chart, mind, features, cell, step):
    """Takes in one cell of the window: uint8[4]."""
    gone = _look_at_place(chart, mind, cell, features[THING] - RESOURCE, step)
    if features[AVATAR] >= OTHER:
        _meet(chart, mind, cell, features[AVATAR] - OTHER, features[MARKS], step, gone)


@inner
def _look_at_place(chart, mind, cell, kind, step):
    """In ``cell`` lies a resource of class ``kind``, none if that is negative; whether one that was there is gone."""
    n = chart.place[cell]
    if n < 0:
        return False
    before = mind.there[n] and mind.seen[n] == step - 1
    mind.seen[n] = step
    mind.there[n] = kind >= 0
    if kind >= 0:
        mind.kind[n] = kind
    return before and kind < 0


@inner
def _meet(chart, mind, cell, player, mark, step, gone):
    """Another is in ``cell``, and has just collected what is ``gone``."""
    own = mind.own
    other = mind.others[own[columns.OTHERS]]
    own[columns.OTHERS] += 1
    other[CELL], other[PLAYER], other[MARK], other[SEEN] = cell, player, mark, step
    other[TOOK] = mind.kind[chart.place[cell]] if gone else -1
    if other[TOOK] >= 0:
        own[columns.TAKEN] = other[TOOK]


@inner
def _forget(chart, mind, pose):
    """Forgets those whose cell is in sight now."""
    count = 0
    for at in range(mind.own[columns.LAST]):
        if not chart.seers[mind.last[at, CELL], pose]:
            for column in range(mind.last.shape[1]):
                mind.last[count, column] = mind.last[at, column]
            count += 1
    mind.own[columns.LAST] = count


@inner
def _remember(mind, other):
    at = 0
    while at < mind.own[columns.LAST] and mind.last[at, PLAYER] != other[PLAYER]:
        at += 1
    if at == mind.own[columns.LAST]:
        mind.own[columns.LAST] += 1
    elif mind.last[at, SEEN] == other[SEEN] and mind.last[at, MARK] == READY:
        return  # Of several that look alike, one that is ready counts
    for column in range(mind.last.shape[1]):
        mind.last[at, column] = other[column]
