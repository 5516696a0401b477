"""What a compiled bot goes after, the paths that it takes there, and its next action.

``mind`` is the :class:`~.charts.Memory` of one seat, ``desk`` the room to work in. ``kind`` is the class of the
goal. An action of ``NONE`` says that there is no way.
"""

from __future__ import annotations

import numpy as np

from otherminds.gridworlds.grid import _mersenne as mersenne
from otherminds.gridworlds.grid import _paths as paths
from otherminds.gridworlds.grid._kernel import DX, DY, inner
from otherminds.gridworlds.grid.rules import FORWARD, INTERACT, NOOP, STEP_RIGHT, TURN_RIGHT, UNREACHED
from otherminds.gridworlds.in_the_matrix import charts as columns
from otherminds.gridworlds.in_the_matrix.charts import (
    CAUSE,
    CELL,
    DESTINATION,
    DUEL,
    HOPED,
    MARK,
    NOTHING,
    PLAYER,
    PUPPET,
    SEEN,
    SIGHTING,
    UNKNOWN,
    WALK,
    WHAT,
    WHY,
)
from otherminds.gridworlds.in_the_matrix.views import READY, RESULT

WRONG, UNSURE = 30.0, 20.0
"""The cost in steps of walking over a resource of another class, or of an unknown class."""
CROWD = 4.0  # The cost of entering a cell where another avatar is seen
PATIENCE, STRAYS = 3, 4
"""After leaving one pose ``PATIENCE`` times without progress, it makes up to ``STRAYS`` random moves."""
BEAM = np.array((((0, -1), (1, -1), (2, -1)), ((0, 1), (1, 1), (2, 1)), ((1, 0), (2, 0), (3, 0))), np.int64)
"""The beam as (ahead, to the right): three columns, each of which goes on until something blocks it."""

ANY = -2  # In place of a class: all places, or all cells
NONE, GO, LOOK = -1, -2, -3
"""In place of an action: there is no way; to go where the cause leads; no goal is left but to look for one."""


@inner
def begin(mind):
    """Has done nothing yet."""
    own = mind.own
    own[columns.EXPECTED] = own[columns.WATCHED] = own[columns.GOAL] = -1
    own[columns.STRAYS] = own[columns.PLANNED] = 0
    own[columns.BEEN] = 1
    _rest(own, mind.been)
    mind.cause[WHY] = columns.NOTHING


@inner
def act(chart, mind, desk, noise):
    """The action towards what ``own`` says that it wants."""
    own = mind.own
    wants, kind = own[columns.WANTS], own[columns.CLASS]
    if wants == WALK:
        kind = _growing(chart, mind, own[columns.TO])
    pose = own[columns.POSE]
    if pose < 0 or own[columns.HELD]:
        own[columns.PLANNED] = own[columns.STRAYS] = 0
        _rest(own, mind.been)
        return NOOP
    if pose != own[columns.EXPECTED]:
        own[columns.PLANNED] = 0
    if _progress(own, mind.held, mind.inventory, 3 * own[columns.CLASS] + wants):
        _rest(own, mind.been)
    for n in range(mind.there.size):
        desk.wrong[n] = mind.there[n] and (mind.kind[n] != kind or kind == UNKNOWN)
    rng = mind.streams[PUPPET]
    if noise > 0.0 and mersenne.random(rng) < noise:
        action = FORWARD + mersenne.below(rng, INTERACT - FORWARD)
    elif _start_straying(own, mind.been, rng, pose):
        action = _stray(chart, mind, desk, pose)
    else:
        action = _towards(chart, mind, desk, kind, wants, pose)
    if action != NOOP:
        own[columns.BEEN] = 1
        mind.been[pose] = min(mind.been[pose] + 1, PATIENCE)
    if action == NONE:
        action = NOOP
    own[columns.EXPECTED] = chart.ways.after[pose, action]
    return action


@inner
def _growing(chart, mind, cell):
    """The class that grows in ``cell``; ``UNKNOWN`` where none does, or none that is known."""
    n = chart.place[cell]
    return np.int32(mind.kind[n]) if n >= 0 else np.int32(UNKNOWN)


@inner
def _rest(own, been):
    if own[columns.BEEN]:
        for pose in range(been.size):
            been[pose] = 0
        own[columns.BEEN] = 0


@inner
def _progress(own, last_inventory, inventory, goal):
    """Whether the goal or the inventory is another one than at the last progress; it is noted."""
    other = own[columns.GOAL] != goal
    own[columns.GOAL] = goal
    for k in range(last_inventory.size):
        other = other or last_inventory[k] != inventory[k]
        last_inventory[k] = inventory[k]
    return other


@inner
def _start_straying(own, been, rng, pose):
    if been[pose] >= PATIENCE:
        own[columns.STRAYS] = 1 + mersenne.below(rng, STRAYS)
        _rest(own, been)
    if not own[columns.STRAYS]:
        return False
    own[columns.STRAYS] -= 1
    return True


@inner
def _stray(chart, mind, desk, pose):
    mind.own[columns.PLANNED] = 0
    free = 0
    for action in range(FORWARD, STEP_RIGHT + 1):
        free += _open(chart, mind, desk, chart.ways.after[pose, action])
    choice = mersenne.below(mind.streams[PUPPET], free or STEP_RIGHT + 1 - FORWARD)
    if not free:
        return FORWARD + choice
    for action in range(FORWARD, STEP_RIGHT + 1):
        if _open(chart, mind, desk, chart.ways.after[pose, action]):
            if choice == 0:
                return action
            choice -= 1
    return NONE


@inner
def _open(chart, mind, desk, pose):
    """Whether a move to ``pose`` (-1: a wall) meets nobody and takes nothing wrong."""
    if pose < 0:
        return False
    if is_occupied(mind.others, mind.own[columns.OTHERS], pose // 4):
        return False
    n = chart.place[pose // 4]
    return n < 0 or not desk.wrong[n]


@inner
def _towards(chart, mind, desk, kind, wants, pose):
    """Tries one goal after the other until one can be reached.

    A path is searched in one place only: compiled code is inlined, and would otherwise be five times as long.
    """
    if wants == DUEL:
        list_rivals(mind, desk, (mind.own[columns.SOUGHT] or chart.players - 1) == 1)
    first, untried = True, True
    while untried:
        decision = LOOK
        if wants == WALK:
            untried = False
            because(desk.cause, DESTINATION, mind.own[columns.TO])
            decision = GO
        elif wants == DUEL:
            decision = rival(chart, mind, desk, pose)
        elif first and hope(mind, desk, kind, chart.wait):
            decision = GO
        first = False
        if decision == LOOK:
            untried = False
            decision = unseen(chart, mind, desk.cause, ANY if wants == DUEL else kind)
        if decision != GO:
            return decision
        action = step(chart, mind, desk, pose)
        if action != NONE:
            return action
    return NONE


@inner
def hope(mind, desk, kind, wait):
    """Whether a place is hoped to have a resource of class ``kind``; if so it is the goal."""
    hopeful = False
    for n in range(mind.kind.size):
        back = mind.own[columns.STEP] - mind.seen[n] > wait
        desk.hoped[n] = mind.kind[n] == kind and (mind.there[n] or back)
        hopeful = hopeful or desk.hoped[n]
    if hopeful:
        because(desk.cause, columns.HOPED, kind)
    return hopeful


@inner
def list_rivals(mind, desk, only):
    """Lists whom to duel with, of those sought; one in sight that is not ready is worth waiting for only if it is the ``only`` one."""
    last, now = mind.last, mind.own[columns.STEP]
    for at in range(mind.own[columns.LAST]):
        sought = not mind.own[columns.SOUGHT] or desk.sought[last[at, PLAYER]]
        sought = sought and last[at, PLAYER] != mind.own[columns.SIDE]
        ready = only or last[at, MARK] == READY or last[at, SEEN] < now
        desk.tried[at] = not (sought and ready and last[at, MARK] < RESULT)


@inner
def rival(chart, mind, desk, pose):
    """Sets out for the next one listed: those in sight by their distance, then others, the last seen first.

    Gives ``GO``, or an action where it can be fired at or waited for, or ``LOOK`` after the last one.
    """
    last, now = mind.last, mind.own[columns.STEP]
    best, least = -1, 0
    for at in range(mind.own[columns.LAST]):
        if not desk.tried[at]:
            in_sight = last[at, SEEN] == now
            rank = chart.ways.far[last[at, CELL], pose // 4] if in_sight else UNREACHED + now - last[at, SEEN]
            if best < 0 or rank < least:
                best, least = at, rank
    if best < 0:
        return LOOK
    desk.tried[best] = 1
    if last[best, SEEN] < now:
        because(desk.cause, columns.SIGHTING, 0)
        for column in range(last.shape[1]):
            desk.cause[columns.WHAT + column] = last[best, column]
        return GO
    aim(chart, mind, desk, last[best, CELL])
    if desk.ends[pose]:
        return INTERACT if mind.own[columns.CHARGED] and last[best, MARK] == READY else NOOP
    because(desk.cause, columns.NOTHING, 0)
    return GO


@inner
def unseen(chart, mind, cause, kind):
    """Sets out to see a cell that it has not seen for long: of class ``kind`` or unknown, or of ``ANY``.

    Gives ``GO``, or the action to look round where it sees them all.
    """
    own, now = mind.own, mind.own[columns.STEP]
    at = own[columns.WATCHED]
    still_watched = at >= 0 and (kind == ANY or _may_grow(mind.kind, chart.place[at], kind))
    if not still_watched or mind.looked[at] == now:
        rng = mind.streams[PUPPET]
        everywhere = mersenne.below(rng, 2 if kind == ANY else 1) == 1
        cells = chart.cells if everywhere else chart.places
        listed = hidden = 0
        for c in range(cells.size):
            if kind == ANY or _may_grow(mind.kind, c, kind):
                listed += 1
                hidden += mind.looked[cells[c]] < now
        if not hidden:
            return TURN_RIGHT
        rank = mersenne.below(rng, min(hidden, max(1, listed // 8)))
        at = _longest(mind.looked, mind.kind, now, cells, kind, rank)
        own[columns.WATCHED] = at
    because(cause, columns.CELL_UNSEEN, at)
    return GO


@inner
def _may_grow(kinds, n, kind):
    """Whether place ``n`` (-1: none) is of class ``kind`` or of an unknown one."""
    return n >= 0 and (kinds[n] == kind or kinds[n] == UNKNOWN)


@inner
def _longest(looked, kinds, now, cells, kind, rank):
    """Number ``rank`` of ``cells`` in the order of when they were seen, unseen ones first; ties in their own order."""
    before = -2
    while True:
        look = now
        for c in range(cells.size):
            last_look = looked[cells[c]]
            if before < last_look < look and (kind == ANY or _may_grow(kinds, c, kind)):
                look = last_look
        for c in range(cells.size):
            if looked[cells[c]] == look and (kind == ANY or _may_grow(kinds, c, kind)):
                if rank == 0:
                    return cells[c]
                rank -= 1
        before = look


@inner
def because(cause, why, subject):
    """Sets the cause of the next step."""
    for column in range(CAUSE):
        cause[column] = 0
    cause[WHY], cause[WHAT] = why, subject


@inner
def step(chart, mind, desk, pose):
    """The next action of a cheapest path to where ``desk.cause`` leads, ``NONE`` if there is no way or nowhere to go.

    A path is kept while its cause and what lies wrong are the same; one to ``desk.ends``, of which the cause is
    ``NOTHING``, never is.
    """
    own, others = mind.own, mind.others
    # Avatars farther away may have moved by then.
    for o in range(own[columns.OTHERS]):
        desk.shut[others[o, CELL]] = chart.ways.far[others[o, CELL], pose // 4] == 1
    keeps_plan = own[columns.PLANNED] > 0 and _same(mind, desk)
    if keeps_plan:
        keeps_plan = not desk.shut[chart.ways.after[pose, mind.plan[own[columns.PLANNED] - 1]] // 4]
    length = own[columns.PLANNED] if keeps_plan else _plan(chart, mind, desk, pose)
    for o in range(own[columns.OTHERS]):
        desk.shut[others[o, CELL]] = 0
    if length <= 0:
        return NONE
    own[columns.PLANNED] = length - 1
    return np.int64(mind.plan[length - 1])


@inner
def _same(mind, desk):
    if desk.cause[WHY] == NOTHING:
        return False
    for column in range(CAUSE):
        if desk.cause[column] != mind.cause[column]:
            return False
    for n in range(mind.wrong.size):
        if desk.wrong[n] != mind.wrong[n]:
            return False
        if desk.cause[WHY] == HOPED and desk.hoped[n] != mind.hoped[n]:
            return False
    return True


@inner
def _plan(chart, mind, desk, pose):
    """A new plan, with its cause: how many actions it has; nothing changes if it has none."""
    for o in range(mind.own[columns.OTHERS]):
        desk.dear[mind.others[o, CELL]] = CROWD
    for n in range(mind.wrong.size):
        if desk.wrong[n]:
            desk.dear[chart.places[n]] = UNSURE if mind.kind[n] == UNKNOWN else WRONG
    ends, bound = desk.ends, desk.bound
    if desk.cause[WHY] == HOPED:
        _stand(chart, desk)
    elif desk.cause[WHY] == DESTINATION:
        _clear(ends, bound)
        _stand_in(chart, desk, desk.cause[WHAT])
    elif desk.cause[WHY] != NOTHING:
        cell = desk.cause[WHAT + CELL] if desk.cause[WHY] == SIGHTING else desk.cause[WHAT]
        ends, bound = chart.seers[cell], chart.bound[cell]
    length = paths.search(
        chart.ways, desk.search, pose, ends, bound, desk.dear, desk.shut, mind.streams[PUPPET], mind.plan
    )
    for o in range(mind.own[columns.OTHERS]):
        desk.dear[mind.others[o, CELL]] = 0.0
    for n in range(mind.wrong.size):
        desk.dear[chart.places[n]] = 0.0
    if length > 0:
        for column in range(CAUSE):
            mind.cause[column] = desk.cause[column]
        for n in range(mind.wrong.size):
            mind.wrong[n] = desk.wrong[n]
            mind.hoped[n] = desk.hoped[n]
    return length


@inner
def _clear(ends, bound):
    for pose in range(ends.size):
        ends[pose] = 0
    for cell in range(bound.size):
        bound[cell] = UNREACHED


@inner
def _nearer(bound, far):
    """Another cell to go to, which is ``far`` (int32[C]) from each cell."""
    for cell in range(bound.size):
        bound[cell] = min(bound[cell], far[cell])


@inner
def _stand(chart, desk):
    """The goals are the poses in the places of ``desk.hoped``."""
    _clear(desk.ends, desk.bound)
    for n in range(desk.hoped.size):
        if desk.hoped[n]:
            _stand_in(chart, desk, chart.places[n])


@inner
def _stand_in(chart, desk, cell):
    """The poses in ``cell`` are goals too."""
    _nearer(desk.bound, chart.ways.far[cell])
    for facing in range(4):
        desk.ends[4 * cell + facing] = 1


@inner
def aim(chart, mind, desk, target):
    """The goals are the poses from which a beam reaches cell ``target``, as far as is known."""
    _clear(desk.ends, desk.bound)
    for facing in range(4):
        right = (facing + 1) % 4
        for column in range(BEAM.shape[0]):
            for reach in range(BEAM.shape[1]):
                ahead, side = BEAM[column, reach]
                x = target % chart.width - ahead * DX[facing] - side * DX[right]
                y = target // chart.width - ahead * DY[facing] - side * DY[right]
                if not (0 <= x < chart.width and 0 <= y < chart.height):
                    continue
                cell = y * chart.width + x
                if chart.ways.after[4 * cell, 0] < 0:  # A wall
                    continue
                free = True
                for before in range(reach):
                    ahead, side = BEAM[column, before]
                    between = cell + (ahead * DY[facing] + side * DY[right]) * chart.width
                    between += ahead * DX[facing] + side * DX[right]
                    free = free and _clear_of(chart, mind, between)
                if free:
                    desk.ends[4 * cell + facing] = 1
                    _nearer(desk.bound, chart.ways.far[cell])


@inner
def _clear_of(chart, mind, cell):
    """Whether a beam passes ``cell``: no wall, no resource, no avatar."""
    if chart.ways.after[4 * cell, 0] < 0:
        return False
    n = chart.place[cell]
    if n >= 0 and mind.there[n]:
        return False
    return not is_occupied(mind.others, mind.own[columns.OTHERS], cell)


@inner
def is_occupied(others, count, cell):
    """Whether one of the first ``count`` of ``others`` is in ``cell``."""
    present = False
    for o in range(count):
        present = present or others[o, CELL] == cell
    return present
