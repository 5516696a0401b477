"""What a seat knows of the map: :class:`~..sight.Sight`, compiled.

``mind`` is the :class:`~.memory.Memory` of one seat.
"""

from __future__ import annotations

from otherminds.gridworlds.grid._kernel import inner
from otherminds.gridworlds.in_the_matrix import state as world
from otherminds.gridworlds.in_the_matrix.bots import memory as columns
from otherminds.gridworlds.in_the_matrix.bots.memory import CELL, MARK, PLAYER, SEEN
from otherminds.gridworlds.in_the_matrix.sight import NEVER, RESULT
from otherminds.gridworlds.in_the_matrix.views import AVATAR, OTHER, RESOURCE, THING
from otherminds.gridworlds.in_the_matrix.views import MARK as MARKS

NO_POSE = NOT_TAKEN = -1


@inner
def begin(chart, mind):
    """Knows what the drawn map shows."""
    own = mind.own
    own[columns.STEP] = 0
    own[columns.POSE] = NO_POSE
    own[columns.CHARGED] = 1
    own[columns.HELD] = 0
    own[columns.TAKEN] = NOT_TAKEN
    own[columns.OTHERS] = own[columns.LAST] = 0
    for n in range(mind.kind.size):
        mind.kind[n] = chart.fixed[n]
        mind.there[n] = 1
        mind.seen[n] = NEVER
    for cell in range(mind.looked.size):
        mind.looked[cell] = NEVER


@inner
def see(chart, mind, avatar, window, step):
    """Takes in what a seat observes in ``step``: its own ``avatar`` (columns of the world's state) and its ``window``.

    ``window`` uint8[R, 4].
    """
    own = mind.own
    own[columns.STEP] = step
    own[columns.TAKEN] = NOT_TAKEN
    own[columns.OTHERS] = 0
    for k in range(mind.inventory.size):
        mind.inventory[k] = avatar[world.COUNTS + k]
    own[columns.CHARGED] = avatar[world.COOLDOWN] == 0
    x, y, facing = avatar[world.X], avatar[world.Y], avatar[world.FACING]
    if not avatar[world.ALIVE]:
        _leave(chart, mind)
        return
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
    _forget(chart, mind, pose)
    for o in range(own[columns.OTHERS]):
        _remember(mind, mind.others[o])


@inner
def _leave(chart, mind):
    mind.own[columns.POSE] = NO_POSE
    mind.own[columns.HELD] = 0
    mind.own[columns.LAST] = 0
    if chart.refill:
        for n in range(mind.there.size):
            mind.there[n] = 1


@inner
def _look(chart, mind, shown, cell, step):
    """Takes in one cell of the window: uint8[4]."""
    n = chart.place[cell]
    gone = False  # Whether a resource that was there a step ago is there no more
    if n >= 0:
        before = mind.there[n] and mind.seen[n] == step - 1
        mind.seen[n] = step
        mind.there[n] = shown[THING] >= RESOURCE
        if mind.there[n]:
            mind.kind[n] = shown[THING] - RESOURCE
        gone = before and not mind.there[n]
    if shown[AVATAR] >= OTHER:
        other = mind.others[mind.own[columns.OTHERS]]
        mind.own[columns.OTHERS] += 1
        other[CELL] = cell
        other[PLAYER] = shown[AVATAR] - OTHER
        other[MARK] = shown[MARKS]
        other[SEEN] = step
        if gone and mind.kind[n] >= 0:
            mind.own[columns.TAKEN] = mind.kind[n]


@inner
def _forget(chart, mind, pose):
    """Forgets those whose cell is in sight now."""
    kept = 0
    for at in range(mind.own[columns.LAST]):
        if not chart.seers[mind.last[at, CELL], pose]:
            for column in range(mind.last.shape[1]):
                mind.last[kept, column] = mind.last[at, column]
            kept += 1
    mind.own[columns.LAST] = kept


@inner
def _remember(mind, other):
    at = 0
    while at < mind.own[columns.LAST] and mind.last[at, PLAYER] != other[PLAYER]:
        at += 1
    if at == mind.own[columns.LAST]:
        mind.own[columns.LAST] += 1
    for column in range(mind.last.shape[1]):
        mind.last[at, column] = other[column]
