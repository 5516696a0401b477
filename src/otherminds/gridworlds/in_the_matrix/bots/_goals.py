"""What a compiled puppet sets out for: each function sets the cause of the next path. See :mod:`._puppet`."""

from __future__ import annotations

from otherminds.gridworlds.grid import _mersenne as mersenne
from otherminds.gridworlds.grid._kernel import inner
from otherminds.gridworlds.grid.actions import INTERACT, NOOP, TURN_RIGHT
from otherminds.gridworlds.grid.paths import UNREACHED
from otherminds.gridworlds.in_the_matrix.bots import _routes as routes
from otherminds.gridworlds.in_the_matrix.bots import memory as columns
from otherminds.gridworlds.in_the_matrix.bots.memory import CELL, MARK, PUPPET, SEEN
from otherminds.gridworlds.in_the_matrix.sight import READY, RESULT, UNKNOWN

ANY = -2  # In place of a class: all places, or all cells
GO, LOOK = (
    -2,
    -3,
)  # In place of an action: to go where the cause leads; that no goal is left but to look for one


@inner
def hope(mind, desk, kind, wait):
    """Whether a place is hoped to have a resource of class ``kind``; if so it is the goal."""
    some = False
    for n in range(mind.kind.size):
        back = mind.own[columns.STEP] - mind.seen[n] > wait
        desk.hoped[n] = mind.kind[n] == kind and (mind.there[n] or back)
        some = some or desk.hoped[n]
    if some:
        routes.because(desk.cause, columns.HOPED, kind)
    return some


@inner
def listed(mind, desk, only):
    """Lists whom to duel with; one in sight that is not ready is worth waiting for only if it is the ``only`` one."""
    last, now = mind.last, mind.own[columns.STEP]
    for at in range(mind.own[columns.LAST]):
        ready = only or last[at, MARK] == READY or last[at, SEEN] < now
        desk.tried[at] = not (ready and last[at, MARK] < RESULT)


@inner
def rival(chart, mind, desk, pose):
    """Sets out for the next one listed: those in sight by their distance, then others, the last seen first.

    Gives ``GO``, or an action where it can be fired at or waited for, or ``LOOK`` after the last one.
    """
    last, now = mind.last, mind.own[columns.STEP]
    best, least = -1, 0
    for at in range(mind.own[columns.LAST]):
        if not desk.tried[at]:
            seen = last[at, SEEN] == now
            rank = chart.ways.far[last[at, CELL], pose // 4] if seen else UNREACHED + now - last[at, SEEN]
            if best < 0 or rank < least:
                best, least = at, rank
    if best < 0:
        return LOOK
    desk.tried[best] = 1
    if last[best, SEEN] < now:
        routes.because(desk.cause, columns.SIGHTING, 0)
        for column in range(last.shape[1]):
            desk.cause[columns.WHAT + column] = last[best, column]
        return GO
    routes.aim(chart, mind, desk, last[best, CELL])
    if desk.ends[pose]:
        return INTERACT if mind.own[columns.CHARGED] and last[best, MARK] == READY else NOOP
    routes.because(desk.cause, columns.NOTHING, 0)
    return GO


@inner
def unseen(chart, mind, cause, kind):
    """Sets out to see a cell that it has not seen for long: of class ``kind`` or unknown, or of ``ANY``.

    Gives ``GO``, or the action to look round where it sees them all.
    """
    own, now = mind.own, mind.own[columns.STEP]
    at = own[columns.WATCHED]
    known = at >= 0 and (kind == ANY or _may_grow(mind.kind, chart.place[at], kind))
    if not known or mind.looked[at] == now:
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
        drawn = mersenne.below(rng, min(hidden, max(1, listed // 8)))
        at = _longest(mind.looked, mind.kind, now, cells, kind, drawn)
        own[columns.WATCHED] = at
    routes.because(cause, columns.CELL_UNSEEN, at)
    return GO


@inner
def _may_grow(kinds, n, kind):
    """Whether place ``n`` (-1: none) is of class ``kind`` or of an unknown one."""
    return n >= 0 and (kinds[n] == kind or kinds[n] == UNKNOWN)


@inner
def _longest(looked, kinds, now, cells, kind, drawn):
    """Number ``drawn`` of ``cells`` in the order of when they were seen, unseen ones first; ties in their own order."""
    before = -2
    while True:
        look = now
        for c in range(cells.size):
            seen = looked[cells[c]]
            if before < seen < look and (kind == ANY or _may_grow(kinds, c, kind)):
                look = seen
        for c in range(cells.size):
            if looked[cells[c]] == look and (kind == ANY or _may_grow(kinds, c, kind)):
                if drawn == 0:
                    return cells[c]
                drawn -= 1
        before = look
