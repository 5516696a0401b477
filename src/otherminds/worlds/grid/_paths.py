"""The search of :mod:`.paths`, compiled: the same paths by the same random draws.

Its result does not depend on how a heap arranges its entries: of entries that differ the least comes first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.extending import register_jitable

from otherminds.worlds.grid import _mersenne as mersenne
from otherminds.worlds.grid._kernel import inner
from otherminds.worlds.grid.actions import STEP_RIGHT
from otherminds.worlds.grid.paths import MOVES, UNREACHED

FIRST_MOVE, LAST_MOVE = MOVES[0], MOVES[-1]
NO_WAY = -1


def called(function: Callable[..., Any]) -> Callable[..., Any]:
    """As :func:`~._kernel.inner`, for long functions: called from several places, they are compiled once."""
    return register_jitable(_nrt=False, error_model="numpy")(function)


@called
def search(ways, room, source, ends, bound, dear, shut, rng, plan):
    """:meth:`.paths.Ground.path` from pose ``source``: how many actions it has, ``NO_WAY`` if there is no way.

    ``ends`` uint8[4C]: 1 for the poses that are goals. ``bound`` int32[C]: the fewest moves from each cell to the
    cell of a goal on the empty map, ``UNREACHED`` if there is no goal. ``dear`` float64[C]: what entering a cell
    costs more. ``shut`` uint8[C]: 1 for cells that are not entered. ``rng`` uint32[625]: the generator. The actions
    are written into ``plan`` (uint8[4C]), the last one first; it stays as it is if there is no way.
    """
    if ends[source]:
        return 0
    if bound[source // 4] >= UNREACHED:
        return NO_WAY
    for pose in range(room.cost.size):
        room.cost[pose] = UNREACHED
        room.done[pose] = 0
    room.cost[source] = 0.0
    count = _push(room, 0, bound[source // 4], bound[source // 4], 0.0, source)
    while count:
        pose = room.poses[0]
        count = _pop(room, count)
        if ends[pose]:
            return _actions(room, source, pose, plan)
        if room.done[pose]:
            continue
        room.done[pose] = 1
        spent = room.cost[pose]
        for action in range(FIRST_MOVE, LAST_MOVE + 1):
            after = ways.after[pose, action]
            if after < 0 or room.done[after]:
                continue
            cell = after // 4
            total = spent + ways.price[action]
            if action <= STEP_RIGHT:
                if shut[cell]:
                    continue
                total += dear[cell]
            if total < room.cost[after]:
                room.cost[after] = total
                room.came[after] = pose
                room.by[after] = action
                left = bound[cell]
                count = _push(room, count, total + left, left, mersenne.random(rng), after)
    return NO_WAY


@inner
def _actions(room, source, end, plan):
    length = 0
    while end != source:
        plan[length] = room.by[end]
        end = room.came[end]
        length += 1
    return length


@inner
def _push(room, count, total, left, luck, pose):
    """Adds an entry to the heap of ``count`` entries; how many it has then."""
    at = count
    while at:
        up = (at - 1) >> 1
        if not _less(total, left, luck, pose, room, up):
            break
        _copy(room, up, at)
        at = up
    _put(room, at, total, left, luck, pose)
    return count + 1


@inner
def _pop(room, count):
    """Removes the least entry of ``count``; how many are left."""
    count -= 1
    total, left, luck, pose = room.sums[count], room.left[count], room.luck[count], room.poses[count]
    at, down = 0, 1
    while down < count:
        other = down + 1
        if other < count and _less(
            room.sums[other], room.left[other], room.luck[other], room.poses[other], room, down
        ):
            down = other
        if _less(total, left, luck, pose, room, down):
            break
        _copy(room, down, at)
        at, down = down, 2 * down + 1
    _put(room, at, total, left, luck, pose)
    return count


@inner
def _less(total, left, luck, pose, room, at):
    """Whether an entry comes before entry ``at``, in the order of Python's tuples."""
    if total != room.sums[at]:
        return total < room.sums[at]
    if left != room.left[at]:
        return left < room.left[at]
    if luck != room.luck[at]:
        return luck < room.luck[at]
    return pose < room.poses[at]


@inner
def _copy(room, source, target):
    room.sums[target] = room.sums[source]
    room.left[target] = room.left[source]
    room.luck[target] = room.luck[source]
    room.poses[target] = room.poses[source]


@inner
def _put(room, at, total, left, luck, pose):
    room.sums[at] = total
    room.left[at] = left
    room.luck[at] = luck
    room.poses[at] = pose
