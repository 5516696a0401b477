"""Where compiled cooks go: the nearest of several things, the pots, the next action of a way.

All functions run in one step of one cook, which sees things from pose ``now[POSE]``. The argument ``memory`` is a
:class:`~._cooks.Memory`, ``routes`` the :class:`~.routes.Routes`; ``b`` and ``i`` are the world and the seat.
"""

from __future__ import annotations

import numpy as np

from otherminds.gridworlds.grid import _kernel as grid
from otherminds.gridworlds.grid.actions import INTERACT, NOOP
from otherminds.gridworlds.grid.paths import UNREACHED

# Entries of ``now``, int64[6]: what a cook works out within one step.
POSE, TIME, HELD = 0, 1, 2  # Its pose by number, the step, the item in its hands
CHARGED = 3  # 1 if its beam can be fired, as far as is seen
FULL, ROOM = 4, 5  # The pots to serve from and to fill, -1 for none
NOW = 6


@grid.inner
def use(routes, now, cell):
    """The next action to face ``cell`` (-1: none) and fire at it."""
    pose = now[POSE]
    if cell < 0 or routes.length[pose, cell] >= UNREACHED:
        return NOOP
    if routes.length[pose, cell]:
        return np.int64(routes.first[pose, cell])
    return INTERACT if now[CHARGED] else NOOP


@grid.inner
def watch(routes, now, pot):
    """The next action to face pot number ``pot`` (-1: none), and none once there."""
    if pot < 0 or routes.ahead[now[POSE]] == routes.pots[pot]:
        return NOOP
    return use(routes, now, routes.pots[pot])


@grid.inner
def _nearer(routes, now, cell, best):
    """The one of two cells (``best`` -1: none) that is reached in fewer actions; -1 if none can be."""
    far = routes.length[now[POSE], cell]
    if far >= UNREACHED:
        return best
    if best < 0:
        return np.int64(cell)
    least = routes.length[now[POSE], best]
    closer = far < least or (far == least and routes.rank[cell] < routes.rank[best])
    return np.int64(cell) if closer else best


@grid.inner
def nearest(routes, now, cells):
    """The nearest of ``cells`` (int32[K]), -1 if none can be reached."""
    best = np.int64(-1)
    for n in range(cells.size):
        best = _nearer(routes, now, cells[n], best)
    return best


@grid.inner
def nearest_with(routes, now, items, item):
    """The nearest container with ``item`` in or on it, or with nothing on it if that is ``EMPTY``."""
    best = np.int64(-1)
    for n in range(items.size):
        if items[n] == item:
            best = _nearer(routes, now, routes.containers[n], best)
    return best


@grid.inner
def pot_to_fill(routes, memory, now, b, i):
    """The pot with room that has most tomatoes, the nearest of several."""
    most = -1
    for n in range(routes.pots.size):
        if memory.tomatoes[b, i, n] < routes.capacity:
            most = max(most, memory.tomatoes[b, i, n])
    best, cell = np.int64(-1), np.int64(-1)
    for n in range(routes.pots.size):
        if memory.tomatoes[b, i, n] == most:
            cell = _nearer(routes, now, routes.pots[n], cell)
            best = np.int64(n) if cell == routes.pots[n] else best
    return best


@grid.inner
def pot_to_serve(routes, memory, now, b, i):
    """The full pot from which soup can be had first, the nearest of several, the first of equals."""
    best, soonest, closest = np.int64(-1), np.int64(0), np.int64(0)
    for n in range(routes.pots.size):
        if memory.tomatoes[b, i, n] != routes.capacity:
            continue
        far = np.int64(routes.length[now[POSE], routes.pots[n]])
        ready = max(np.int64(memory.ready[b, i, n]), now[TIME] + far)
        if best < 0 or ready < soonest or (ready == soonest and far < closest):
            best, soonest, closest = np.int64(n), ready, far
    return best
