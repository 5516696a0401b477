"""How cooks who share a room get past each other, compiled: who stands in the way is gone around, or is made way for.

A cook whose way is blocked waits as long as its patience lasts, then makes up its mind at a moment that chance decides, so
that two who meet do not do so together for ever: it goes around, if there is another way, and else moves aside for a few
steps. One who waits at a pot with somebody beside it does the same.

Kernels check nothing: arrays have the shapes of :class:`~._cooks.Memory` and :class:`~.routes.Routes`.
"""

from __future__ import annotations

import numpy as np

from otherminds.gridworlds.cooking.views import AVATAR, ITEM, OTHER
from otherminds.gridworlds.grid import _kernel as grid
from otherminds.gridworlds.grid import _mersenne as mersenne
from otherminds.gridworlds.grid.rules import FORWARD, NOOP, STEP_RIGHT, TURN_RIGHT

POSE, TIME, HELD, GOAL, AVOIDED, UNTIL = 0, 1, 2, 6, 7, 8  # Columns of ``now``, as in :mod:`._cooks`
IDLE, NOWHERE = -1, -2  # Codes of GOAL: it means to do nothing, or waits where it is

# Columns of ``manners``.
STUCK = 0  # The steps for which somebody has been in its way, or has been beside it while it waited
ASIDE = 1  # The steps for which it goes on moving aside
TRIED = 2  # 1 + the pose from which it tried to walk on in its last step, 0 if it did not
PATIENCE = 3  # The steps for which it waits, as its policy says
FIELDS = 4

# Columns of ``mates``.
PLACE = 0  # The cell in which it was last seen, -1 if it has gone from there
STAYS = 1  # The step until which it counts as standing there for good
LOAD = 2  # What it held when it was seen
RANK = np.array([0, 2, 1, 3])
"""Who gives way, by what is held: nothing, a tomato, a dish, soup. Who holds soup goes first."""

STANDS = 30
"""The steps for which one who was in the way counts as standing there for good."""
FIRST = 2
"""How many times as long one waits who goes first."""
LONGEST = 5
"""The most steps that one moves aside for."""


@grid.inner
def forget(memory, b, i):
    """At the start of an episode nobody has been seen."""
    for column in range(PATIENCE):
        memory.manners[b, i, column] = 0
    for j in range(memory.mates.shape[2]):
        memory.mates[b, i, j, PLACE] = memory.mates[b, i, j, STAYS] = -1


@grid.inner
def look_around(routes, memory, now, b, i, window):
    """Takes in where the others in sight are, and that others are no longer where they were."""
    shown = routes.shown[now[POSE]]
    mates = memory.mates[b, i]
    columns = window.shape[1]
    for k in range(shown.size):
        if shown[k] >= 0:
            there = window[k // columns, k % columns, AVATAR]
            for j in range(mates.shape[0]):
                if mates[j, PLACE] == shown[k] and there != OTHER + j:
                    mates[j, PLACE] = -1
            if there >= OTHER:
                mates[there - OTHER, PLACE] = shown[k]
                mates[there - OTHER, LOAD] = window[k // columns, k % columns, ITEM]


@grid.inner
def _is_taken(memory, b, i, cell):
    """Whether somebody was last seen in ``cell``."""
    taken = False
    for j in range(memory.mates.shape[2]):
        taken |= memory.mates[b, i, j, PLACE] == cell
    return taken


@grid.inner
def _is_shut(memory, now, b, i, cell):
    """Whether somebody stands in ``cell`` for good."""
    shut = False
    for j in range(memory.mates.shape[2]):
        shut |= memory.mates[b, i, j, PLACE] == cell and memory.mates[b, i, j, STAYS] > now[TIME]
    return shut


@grid.inner
def give_way(routes, memory, now, b, i, action, paths):
    """``action``, or what is done in its place because others are in the way.

    ``paths`` int32[2, 4·H·W] is room to work in.
    """
    manners, pose = memory.manners[b, i], now[POSE]
    tried, manners[TRIED] = manners[TRIED], 0
    if manners[ASIDE] > 0:
        manners[ASIDE] -= 1
        return _step_aside(routes, memory, b, i, pose)
    waits = action == NOOP and now[GOAL] != IDLE and _has_company(routes, memory, b, i, pose)
    if waits or tried == 1 + pose:
        manners[STUCK] += 1
    elif action != NOOP:
        manners[STUCK] = 0
    patience = manners[PATIENCE] * (FIRST if _goes_first(routes, memory, now, b, i, action) else 1)
    resolved = manners[STUCK] >= patience and mersenne.random(memory.draws[b, i]) < 0.5
    if waits:
        return _start_aside(routes, memory, b, i, pose) if resolved else NOOP
    if now[GOAL] < 0 or action == NOOP or action > TURN_RIGHT:
        return action
    if resolved and tried == 1 + pose:
        ahead = routes.after[pose, action]
        for j in range(memory.mates.shape[2]):
            if ahead >= 0 and memory.mates[b, i, j, PLACE] == ahead // 4:
                memory.mates[b, i, j, STAYS] = now[TIME] + STANDS
    if _is_blocked(routes, memory, now, b, i):
        around = _go_around(routes, memory, now, b, i, paths)
        if around != NOOP:
            action = around
        elif resolved:
            now[AVOIDED], now[UNTIL] = now[GOAL], now[TIME] + 2 * STANDS
            return _start_aside(routes, memory, b, i, pose)
    if FORWARD <= action <= STEP_RIGHT:
        manners[TRIED] = 1 + pose
    return action


@grid.inner
def _has_company(routes, memory, b, i, pose):
    """Whether somebody is in a cell beside the own one."""
    for way in range(FORWARD, STEP_RIGHT + 1):
        after = routes.after[pose, way]
        if after >= 0 and _is_taken(memory, b, i, after // 4):
            return True
    return False


@grid.inner
def _goes_first(routes, memory, now, b, i, action):
    """Whether the one into whose cell ``action`` leads is to give way."""
    after = routes.after[now[POSE], action]
    for j in range(memory.mates.shape[2]):
        if after >= 0 and memory.mates[b, i, j, PLACE] == after // 4:
            return RANK[memory.mates[b, i, j, LOAD]] < RANK[now[HELD]]
    return False


@grid.inner
def _start_aside(routes, memory, b, i, pose):
    memory.manners[b, i, STUCK] = 0
    memory.manners[b, i, ASIDE] = mersenne.below(memory.draws[b, i], LONGEST)
    return _step_aside(routes, memory, b, i, pose)


@grid.inner
def _step_aside(routes, memory, b, i, pose):
    """A movement into a free cell beside the own one, by chance; a turn where there is none."""
    first = mersenne.below(memory.draws[b, i], STEP_RIGHT)
    for k in range(STEP_RIGHT):
        way = FORWARD + (first + k) % STEP_RIGHT
        after = routes.after[pose, way]
        if after >= 0 and not _is_taken(memory, b, i, after // 4):
            return way
    return TURN_RIGHT


@grid.inner
def _is_blocked(routes, memory, now, b, i):
    """Whether somebody stands for good on the way to the goal."""
    pose, goal = now[POSE], now[GOAL]
    for _ in range(routes.length[pose, goal]):
        pose = np.int64(routes.after[pose, routes.first[pose, goal]])
        if _is_shut(memory, now, b, i, pose // 4):
            return True
    return False


@grid.inner
def _go_around(routes, memory, now, b, i, paths):
    """The first action of the shortest way to face the goal past those who stand there for good; ``NOOP`` if there is none."""
    queue, began = paths[0], paths[1]
    for pose in range(began.size):
        began[pose] = -1
    queue[0] = now[POSE]
    began[now[POSE]] = NOOP
    size, at = 1, 0
    while at < size:
        pose = queue[at]
        at += 1
        if routes.ahead[pose] == now[GOAL]:
            return np.int64(began[pose])
        for action in range(FORWARD, TURN_RIGHT + 1):
            after = routes.after[pose, action]
            if after < 0 or began[after] >= 0:
                continue
            if action <= STEP_RIGHT and _is_shut(memory, now, b, i, after // 4):
                continue
            began[after] = action if pose == now[POSE] else began[pose]
            queue[size] = after
            size += 1
    return NOOP
