"""How a compiled puppet goes there: the ends of a path, and its next action. See :mod:`._puppet`."""

from __future__ import annotations

import numpy as np

from otherminds.gridworlds.grid import _paths as paths
from otherminds.gridworlds.grid._kernel import DX, DY, inner
from otherminds.gridworlds.grid.paths import UNREACHED
from otherminds.gridworlds.in_the_matrix.bots import memory as columns
from otherminds.gridworlds.in_the_matrix.bots.memory import (
    CAUSE,
    CELL,
    HOPED,
    NOTHING,
    PUPPET,
    SIGHTING,
    WHAT,
    WHY,
)
from otherminds.gridworlds.in_the_matrix.bots.puppet import COLUMNS, CROWD, UNSURE, WRONG
from otherminds.gridworlds.in_the_matrix.sight import UNKNOWN

NONE = -1
BEAM = np.array(COLUMNS, np.int64)  # int64[3, 3, 2]


@inner
def because(cause, why, what):
    """Sets the cause of the next step."""
    for column in range(CAUSE):
        cause[column] = 0
    cause[WHY], cause[WHAT] = why, what


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
    kept = own[columns.PLANNED] > 0 and _same(mind, desk)
    if kept:
        kept = not desk.shut[chart.ways.after[pose, mind.plan[own[columns.PLANNED] - 1]] // 4]
    found = own[columns.PLANNED] if kept else _plan(chart, mind, desk, pose)
    for o in range(own[columns.OTHERS]):
        desk.shut[others[o, CELL]] = 0
    if found <= 0:
        return NONE
    own[columns.PLANNED] = found - 1
    return np.int64(mind.plan[found - 1])


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
    elif desk.cause[WHY] != NOTHING:
        cell = desk.cause[WHAT + CELL] if desk.cause[WHY] == SIGHTING else desk.cause[WHAT]
        ends, bound = chart.seers[cell], chart.bound[cell]
    found = paths.search(
        chart.ways, desk.search, pose, ends, bound, desk.dear, desk.shut, mind.streams[PUPPET], mind.plan
    )
    for o in range(mind.own[columns.OTHERS]):
        desk.dear[mind.others[o, CELL]] = 0.0
    for n in range(mind.wrong.size):
        desk.dear[chart.places[n]] = 0.0
    if found > 0:
        for column in range(CAUSE):
            mind.cause[column] = desk.cause[column]
        for n in range(mind.wrong.size):
            mind.wrong[n] = desk.wrong[n]
            mind.hoped[n] = desk.hoped[n]
    return found


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
            _nearer(desk.bound, chart.ways.far[chart.places[n]])
            for facing in range(4):
                desk.ends[4 * chart.places[n] + facing] = 1


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
    return not occupied(mind.others, mind.own[columns.OTHERS], cell)


@inner
def occupied(others, count, cell):
    """Whether one of the first ``count`` of ``others`` is in ``cell``."""
    found = False
    for o in range(count):
        found = found or others[o, CELL] == cell
    return found
