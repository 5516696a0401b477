"""The actions towards a goal: :class:`~.puppet.Puppet`, compiled.

``mind`` is the :class:`~.memory.Memory` of one seat, ``desk`` the room to work in. ``kind`` is the class of the
goal. An action of ``NONE`` says that there is no way.
"""

from __future__ import annotations

from otherminds.worlds.grid import _mersenne as mersenne
from otherminds.worlds.grid._kernel import inner
from otherminds.worlds.grid.actions import FORWARD, INTERACT, NOOP, STEP_RIGHT, TURN_RIGHT
from otherminds.worlds.in_the_matrix.bots import _routes as routes
from otherminds.worlds.in_the_matrix.bots import memory as columns
from otherminds.worlds.in_the_matrix.bots._routes import NONE
from otherminds.worlds.in_the_matrix.bots.memory import CELL, MARK, PUPPET, SEEN, WHY
from otherminds.worlds.in_the_matrix.bots.puppet import PATIENCE, STRAYS
from otherminds.worlds.in_the_matrix.sight import READY, RESULT, UNKNOWN

ANY = -2  # In place of a class: all places, or all cells

@inner
def begin(mind):
    """Has done nothing yet."""
    own = mind.own
    own[columns.EXPECTED] = own[columns.WATCHED] = own[columns.GOAL] = -1
    own[columns.STRAYS] = own[columns.PLANNED] = 0
    own[columns.BEEN] = 1
    _rest(mind)
    mind.cause[WHY] = columns.NOTHING


@inner
def act(chart, mind, desk, kind, seeks, noise):
    """The action towards class ``kind``: to collect it, or, if it ``seeks`` one, to duel."""
    own = mind.own
    pose = own[columns.POSE]
    if pose < 0 or own[columns.HELD]:
        own[columns.PLANNED] = own[columns.STRAYS] = 0
        _rest(mind)
        return NOOP
    if pose != own[columns.EXPECTED]:
        own[columns.PLANNED] = 0
    if _progress(mind, 2 * kind + seeks):
        _rest(mind)
    for n in range(mind.there.size):
        desk.wrong[n] = mind.there[n] and mind.kind[n] != kind
    rng = mind.streams[PUPPET]
    if noise > 0.0 and mersenne.random(rng) < noise:
        action = FORWARD + mersenne.below(rng, INTERACT - FORWARD)
    elif _tired(mind, pose):
        action = _stray(chart, mind, desk, pose)
    elif seeks:
        action = _duel(chart, mind, desk, pose)
    else:
        action = _collect(chart, mind, desk, kind, pose)
    if action != NOOP:
        own[columns.BEEN] = 1
        mind.been[pose] = min(mind.been[pose] + 1, PATIENCE)
    if action == NONE:
        action = NOOP
    own[columns.EXPECTED] = chart.ways.after[pose, action]
    return action


@inner
def _rest(mind):
    if mind.own[columns.BEEN]:
        for pose in range(mind.been.size):
            mind.been[pose] = 0
        mind.own[columns.BEEN] = 0


@inner
def _progress(mind, goal):
    """Whether the goal or the inventory is another one than at the last progress; it is noted."""
    other = mind.own[columns.GOAL] != goal
    mind.own[columns.GOAL] = goal
    for k in range(mind.held.size):
        other = other or mind.held[k] != mind.inventory[k]
        mind.held[k] = mind.inventory[k]
    return other


@inner
def _tired(mind, pose):
    if mind.been[pose] >= PATIENCE:
        mind.own[columns.STRAYS] = 1 + mersenne.below(mind.streams[PUPPET], STRAYS)
        _rest(mind)
    if not mind.own[columns.STRAYS]:
        return False
    mind.own[columns.STRAYS] -= 1
    return True


@inner
def _stray(chart, mind, desk, pose):
    mind.own[columns.PLANNED] = 0
    free = 0
    for action in range(FORWARD, STEP_RIGHT + 1):
        free += _open(chart, mind, desk, chart.ways.after[pose, action])
    drawn = mersenne.below(mind.streams[PUPPET], free or STEP_RIGHT + 1 - FORWARD)
    if not free:
        return FORWARD + drawn
    for action in range(FORWARD, STEP_RIGHT + 1):
        if _open(chart, mind, desk, chart.ways.after[pose, action]):
            if drawn == 0:
                return action
            drawn -= 1
    return NONE


@inner
def _open(chart, mind, desk, pose):
    """Whether a move to ``pose`` (-1: a wall) meets nobody and takes nothing wrong."""
    if pose < 0:
        return False
    for o in range(mind.own[columns.OTHERS]):
        if mind.others[o, CELL] == pose // 4:
            return False
    n = chart.place[pose // 4]
    return n < 0 or not desk.wrong[n]


@inner
def _collect(chart, mind, desk, kind, pose):
    some = False
    for n in range(mind.kind.size):
        back = mind.own[columns.STEP] - mind.seen[n] > chart.wait
        desk.hoped[n] = mind.kind[n] == kind and (mind.there[n] or back)
        some = some or desk.hoped[n]
    if some:
        routes.because(desk, columns.HOPED, kind)
        action = routes.step(chart, mind, desk, pose)
        if action != NONE:
            return action
    return _patrol(chart, mind, desk, pose, kind)


@inner
def _duel(chart, mind, desk, pose):
    only = chart.players == 2
    last, now = mind.last, mind.own[columns.STEP]
    known = mind.own[columns.LAST]
    for at in range(known):
        ready = only or last[at, MARK] == READY
        desk.tried[at] = not (last[at, MARK] < RESULT and last[at, SEEN] == now and ready)
    while True:  # Those in sight, the nearest first
        best = -1
        for at in range(known):
            if not desk.tried[at]:
                far = chart.ways.far[last[at, CELL], pose // 4]
                if best < 0 or far < chart.ways.far[last[best, CELL], pose // 4]:
                    best = at
        if best < 0:
            break
        desk.tried[best] = 1
        routes.aim(chart, mind, desk, last[best, CELL])
        if desk.ends[pose]:
            return INTERACT if mind.own[columns.CHARGED] and last[best, MARK] == READY else NOOP
        routes.because(desk, columns.NOTHING, 0)
        action = routes.step(chart, mind, desk, pose)
        if action != NONE:
            return action
    for at in range(known):
        desk.tried[at] = not (last[at, MARK] < RESULT and last[at, SEEN] < now)
    while True:  # Those seen before, the latest first
        best = -1
        for at in range(known):
            if not desk.tried[at] and (best < 0 or last[at, SEEN] > last[best, SEEN]):
                best = at
        if best < 0:
            break
        desk.tried[best] = 1
        routes.because(desk, columns.SIGHTING, 0)
        for column in range(last.shape[1]):
            desk.cause[columns.WHAT + column] = last[best, column]
        action = routes.step(chart, mind, desk, pose)
        if action != NONE:
            return action
    return _patrol(chart, mind, desk, pose, ANY)


@inner
def _patrol(chart, mind, desk, pose, kind):
    """Goes to see a cell that it has not seen for long: of class ``kind`` or unknown, or of ``ANY``."""
    own, now = mind.own, mind.own[columns.STEP]
    at = own[columns.WATCHED]
    known = at >= 0 and (kind == ANY or _may_grow(mind, chart.place[at], kind))
    if not known or mind.looked[at] == now:
        rng = mind.streams[PUPPET]
        everywhere = mersenne.below(rng, 2 if kind == ANY else 1) == 1
        cells = chart.cells if everywhere else chart.places
        listed = hidden = 0
        for c in range(cells.size):
            if everywhere or kind == ANY or _may_grow(mind, c, kind):
                listed += 1
                hidden += mind.looked[cells[c]] < now
        if not hidden:
            return TURN_RIGHT
        drawn = mersenne.below(rng, min(hidden, max(1, listed // 8)))
        at = _longest(mind, cells, kind if not everywhere else ANY, drawn)
        own[columns.WATCHED] = at
    routes.because(desk, columns.CELL_UNSEEN, at)
    return routes.step(chart, mind, desk, pose)


@inner
def _may_grow(mind, n, kind):
    """Whether place ``n`` (-1: none) is of class ``kind`` or of an unknown one."""
    return n >= 0 and (mind.kind[n] == kind or mind.kind[n] == UNKNOWN)


@inner
def _longest(mind, cells, kind, drawn):
    """Number ``drawn`` of ``cells`` in the order of when they were seen, unseen ones first; ties in their own order."""
    before = -2
    while True:
        look = mind.own[columns.STEP]
        for c in range(cells.size):
            seen = mind.looked[cells[c]]
            if before < seen < look and (kind == ANY or _may_grow(mind, c, kind)):
                look = seen
        for c in range(cells.size):
            if mind.looked[cells[c]] == look and (kind == ANY or _may_grow(mind, c, kind)):
                if drawn == 0:
                    return cells[c]
                drawn -= 1
        before = look
