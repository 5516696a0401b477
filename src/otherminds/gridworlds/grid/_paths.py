"""The search for paths, compiled: A* over poses, in which chance decides among equally cheap ones.

Its result does not depend on how a heap arranges its entries: of entries that differ the least comes first.
"""

from __future__ import annotations

from otherminds.gridworlds.grid import _mersenne as mersenne
from otherminds.gridworlds.grid._kernel import compile_kernel, inner
from otherminds.gridworlds.grid.rules import MOVES, STEP_RIGHT, UNREACHED

FIRST_MOVE, LAST_MOVE = MOVES[0], MOVES[-1]
NO_WAY = -1
TOTAL, LEFT, LUCK, POSE = 0, 1, 2, 3  # Columns of the heap


@inner
def search(ways, room, source, ends, bound, dear, shut, rng, plan):
    """The cheapest path from pose ``source``: how many actions it has, ``NO_WAY`` if there is no way.

    ``ways`` and ``room`` are those of :mod:`.paths`. Of equal sums, what is farther on the way is followed first.

    ``ends`` uint8[4C]: 1 for the poses that are goals. ``bound`` int32[C]: the fewest moves from each cell to the
    cell of a goal on the empty map, ``UNREACHED`` if there is no goal. ``dear`` float64[C]: what entering a cell
    costs more. ``shut`` uint8[C]: 1 for cells that are not entered. ``rng`` uint32[625]: the generator. The actions
    are written into ``plan`` (uint8[4C]), the last one first; it stays as it is if there is no way.
    """
    if ends[source]:
        return 0
    if bound[source // 4] >= UNREACHED:
        return NO_WAY
    cost, done, parents, by, heap = room.cost, room.done, room.came, room.by, room.heap
    for pose in range(cost.size):
        cost[pose] = UNREACHED
        done[pose] = 0
    cost[source] = 0.0
    count = _push(heap, 0, bound[source // 4], bound[source // 4], 0.0, source)
    while count:
        pose = int(heap[0, POSE])
        count = _pop(heap, count)
        if ends[pose]:
            return _actions(parents, by, source, pose, plan)
        if done[pose]:
            continue
        done[pose] = 1
        spent = cost[pose]
        for action in range(FIRST_MOVE, LAST_MOVE + 1):
            after = ways.after[pose, action]
            if after < 0 or done[after]:
                continue
            cell = after // 4
            total = spent + ways.price[action]
            if action <= STEP_RIGHT:
                if shut[cell]:
                    continue
                total += dear[cell]
            if total < cost[after]:
                cost[after] = total
                parents[after] = pose
                by[after] = action
                estimate = bound[cell]
                count = _push(heap, count, total + estimate, estimate, mersenne.random(rng), after)
    return NO_WAY


@compile_kernel
def find_path(ways, room, source, ends, bound, dear, shut, rng, plan):
    """:func:`search`, for callers in Python."""
    return search(ways, room, source, ends, bound, dear, shut, rng, plan)


@inner
def _actions(parents, by, source, end, plan):
    length = 0
    while end != source:
        plan[length] = by[end]
        end = parents[end]
        length += 1
    return length


@inner
def _push(heap, count, total, estimate, luck, pose):
    """Adds an entry to the heap of ``count`` entries; how many it has then."""
    at = count
    while at:
        up = (at - 1) >> 1
        if not _less(total, estimate, luck, pose, heap[up]):
            break
        _copy(heap[up], heap[at])
        at = up
    heap[at, TOTAL], heap[at, LEFT], heap[at, LUCK], heap[at, POSE] = total, estimate, luck, pose
    return count + 1


@inner
def _pop(heap, count):
    """Removes the least entry of ``count``; how many are left."""
    count -= 1
    total, estimate, luck, pose = heap[count, TOTAL], heap[count, LEFT], heap[count, LUCK], heap[count, POSE]
    at, down = 0, 1
    while down < count:
        if down + 1 < count and not _less(
            heap[down, TOTAL], heap[down, LEFT], heap[down, LUCK], heap[down, POSE], heap[down + 1]
        ):
            down += 1
        if _less(total, estimate, luck, pose, heap[down]):
            break
        _copy(heap[down], heap[at])
        at, down = down, 2 * down + 1
    heap[at, TOTAL], heap[at, LEFT], heap[at, LUCK], heap[at, POSE] = total, estimate, luck, pose
    return count


@inner
def _less(total, estimate, luck, pose, entry):
    """Whether an entry comes before ``entry``, in the order of Python's tuples."""
    if total != entry[TOTAL]:
        return total < entry[TOTAL]
    if estimate != entry[LEFT]:
        return estimate < entry[LEFT]
    if luck != entry[LUCK]:
        return luck < entry[LUCK]
    return pose < entry[POSE]


@inner
def _copy(source, target):
    for column in range(source.size):
        target[column] = source[column]
