"""The scripted cooks, compiled: what they remember, where they go, what they do, for many seats at once.

They read windows, poses and rewards. Where they go comes first: the nearest of several things, the pots, the next
action of a way. Those functions run in one step of one cook, which sees things from pose ``now[POSE]``; ``memory`` is a
:class:`Memory`, ``routes`` the :class:`~.routes.Routes`, ``b`` and ``i`` are the world and the seat.

Kernels check nothing: callers ensure that arrays have the shapes given here.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from otherminds.gridworlds.cooking import _manners as manners
from otherminds.gridworlds.cooking import rules as columns
from otherminds.gridworlds.cooking.form import ROLES
from otherminds.gridworlds.cooking.routes import FULL_BAR, OVERDUE, Routes
from otherminds.gridworlds.cooking.rules import DISH, EMPTY, POT, SOUP, TOMATO
from otherminds.gridworlds.cooking.views import BAR, BEAM, ITEM, THING
from otherminds.gridworlds.grid import _kernel as grid
from otherminds.gridworlds.grid import _mersenne as mersenne
from otherminds.gridworlds.grid.rules import FORWARD, INTERACT, NOOP, UNREACHED

# Columns of ``now``: what a cook is and sees in this step.
POSE, TIME, HELD = 0, 1, 2  # Its pose by number, the step, the item in its hands
CHARGED = 3  # 1 if its beam can be fired, as far as is seen: after it was, a step must pass
FULL, ROOM = 4, 5  # The pots to serve from and to fill, -1 for none
GOAL = 6  # The cell that it is on its way to, or a code of :mod:`._manners`
AVOIDED, UNTIL = 7, 8  # A cell that it could not get to, and the step until which it prefers any other
FIELDS = 9


@grid.inner
def use(routes, now, cell):
    """The next action to face ``cell`` (-1: none) and fire at it."""
    pose = now[POSE]
    now[GOAL] = cell if cell >= 0 else manners.NOWHERE
    if cell < 0 or routes.length[pose, cell] >= UNREACHED:
        return NOOP
    if routes.length[pose, cell]:
        return np.int64(routes.first[pose, cell])
    return INTERACT if now[CHARGED] else NOOP


@grid.inner
def watch(routes, now, pot):
    """The next action to face pot number ``pot`` (-1: none), and none once there."""
    if pot < 0 or routes.ahead[now[POSE]] == routes.pots[pot]:
        now[GOAL] = manners.NOWHERE
        return NOOP
    return use(routes, now, routes.pots[pot])


@grid.inner
def nearer(routes, now, cell, best):
    """The one of two cells (``best`` -1: none) that is reached in fewer actions; -1 if none can be."""
    far = _distance(routes, now, cell)
    if far >= UNREACHED:
        return best
    if best < 0:
        return np.int64(cell)
    least = _distance(routes, now, best)
    closer = far < least or (far == least and routes.rank[cell] < routes.rank[best])
    return np.int64(cell) if closer else best


@grid.inner
def _distance(routes, now, cell):
    """The actions to use ``cell``, and as many as there can be more if others bar the way to it."""
    detour = routes.rank.size if cell == now[AVOIDED] and now[TIME] < now[UNTIL] else 0
    return routes.length[now[POSE], cell] + detour


@grid.inner
def nearest(routes, now, cells):
    """The nearest of ``cells`` (int32[K]), -1 if none can be reached."""
    best = np.int64(-1)
    for n in range(cells.size):
        best = nearer(routes, now, cells[n], best)
    return best


@grid.inner
def nearest_with(routes, now, items, item):
    """The nearest container with ``item`` in or on it, or with nothing on it if that is ``EMPTY``."""
    best = np.int64(-1)
    for n in range(items.size):
        if items[n] == item:
            best = nearer(routes, now, routes.containers[n], best)
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
            cell = nearer(routes, now, routes.pots[n], cell)
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


ALONE, SUPPLY, SERVE, SHARE = (ROLES.index(role) for role in ("alone", "supply", "serve", "share"))


class Memory(NamedTuple):
    """What the cooks of B worlds of P seats are and remember, with N containers and M pots.

    ``roles`` int8[B, P, 2]: by number in ``ROLES``, in a room that is for serving and in another; -1 in seats
    without a cook. ``idle`` and ``noise`` float64[B, P], ``draws`` uint32[B, P, 625]: generators.
    ``tomatoes`` and ``ready`` int32[B, P, M]: pots as last seen, the latter the first step in which a
    beam should get soup from it. ``items`` int8[B, P, N]: what lies on counters, and what dispensers give.
    ``held`` int8[B, P]: in the last step. ``trusted`` bool[B, P]: whether the partner is left to serve.
    ``now`` int64[B, P, 9]: columns above. ``manners`` int32[B, P, 4]: columns of :mod:`._manners`. ``mates``
    int32[B, P, P, 3]: as that module says, of each other one.
    """

    roles: NDArray[np.int8]
    idle: NDArray[np.float64]
    noise: NDArray[np.float64]
    draws: NDArray[np.uint32]
    tomatoes: NDArray[np.int32]
    ready: NDArray[np.int32]
    items: NDArray[np.int8]
    held: NDArray[np.int8]
    trusted: NDArray[np.bool_]
    now: NDArray[np.int64]
    manners: NDArray[np.int32]
    mates: NDArray[np.int32]


class News(NamedTuple):
    """What the cooks of B worlds perceive: of the worlds' state the own pose, the step and the reward, and windows.

    ``avatars`` int32[B, P, 6], ``clock`` int32[B, 4], ``rewards`` float64[B, P]: as in :class:`~.state.State`;
    ``windows`` uint8[B, P, rows, columns, 6].
    """

    avatars: NDArray[np.int32]
    clock: NDArray[np.int32]
    rewards: NDArray[np.float64]
    windows: NDArray[np.uint8]


def empty(routes: Routes, worlds: int, players: int) -> Memory:
    """Arrays for ``worlds`` worlds of ``players`` seats, without a cook in any."""
    seats, pots, containers = (worlds, players), routes.pots.size, routes.containers.size
    return Memory(
        roles=np.full((*seats, 2), -1, np.int8),
        idle=np.zeros(seats),
        noise=np.zeros(seats),
        draws=np.zeros((*seats, mersenne.SIZE), np.uint32),
        tomatoes=np.zeros((*seats, pots), np.int32),
        ready=np.zeros((*seats, pots), np.int32),
        items=np.zeros((*seats, containers), np.int8),
        held=np.zeros(seats, np.int8),
        trusted=np.zeros(seats, np.bool_),
        now=np.zeros((*seats, FIELDS), np.int64),
        manners=np.zeros((*seats, manners.FIELDS), np.int32),
        mates=np.full((*seats, players, 3), -1, np.int32),
    )


@grid.compile_kernel
def begin(routes, memory, fresh, streams):
    """Forgets the last episode in the worlds that are ``fresh`` (bool[B]). ``streams`` uint64[B, P]: seeds of draws."""
    for b in range(fresh.size):
        if not fresh[b]:
            continue
        for i in range(streams.shape[1]):
            if memory.roles[b, i, 0] < 0:
                continue
            mersenne.seed(memory.draws[b, i], streams[b, i])
            for n in range(routes.pots.size):
                memory.tomatoes[b, i, n] = memory.ready[b, i, n] = 0
            for n in range(routes.stock.size):
                memory.items[b, i, n] = routes.stock[n]
            memory.held[b, i] = EMPTY
            memory.trusted[b, i] = True
            memory.now[b, i, UNTIL] = 0
            manners.forget(memory, b, i)


@grid.compile_kernel
def run(handle, sees, hears, acts, actions):
    """One step of the cooks, or a part of one, for seats that see and act in calls of their own.

    ``handle`` holds routes, memory and :class:`News`. If it ``sees``, takes in windows, and if it ``hears``, rewards;
    if it ``acts``, writes what each does next into ``actions`` (int64[B, P]), nothing in seats without a cook.
    """
    routes, memory, news = handle.parts
    paths = np.empty((2, routes.after.shape[0]), np.int32)
    for b in range(actions.shape[0]):
        for i in range(actions.shape[1]):
            if memory.roles[b, i, 0] < 0:
                continue
            now = memory.now[b, i]
            if sees:
                avatar = news.avatars[b, i]
                cell = avatar[columns.Y] * routes.width + avatar[columns.X]
                now[POSE] = 4 * cell + avatar[columns.FACING]
                now[TIME] = news.clock[b, columns.STEP]
                _see(routes, memory, now, b, i, news.windows[b, i])
            now[FULL] = pot_to_serve(routes, memory, now, b, i)
            now[ROOM] = pot_to_fill(routes, memory, now, b, i)
            if hears:
                _hear(routes, memory, now, b, i, news.rewards[b, i])
            if acts:
                now[GOAL] = manners.IDLE
                actions[b, i] = _choose(routes, memory, now, b, i)
                if routes.shared:
                    actions[b, i] = manners.give_way(routes, memory, now, b, i, actions[b, i], paths)


@grid.inner
def _see(routes, memory, now, b, i, window):
    pose = now[POSE]
    now[HELD] = window[routes.row, routes.column, ITEM]
    now[CHARGED] = window[routes.row - 1, routes.column, BEAM] != 1 + i
    places = routes.pots_shown[pose]
    for k in range(places.shape[0]):
        if places[k, 0] < 0:
            break
        entry = window[places[k, 0], places[k, 1]]
        _watch_pot(
            routes, memory, now, b, i, places[k, 2], np.int64(entry[THING]) - POT, np.int64(entry[BAR])
        )
    places = routes.counters_shown[pose]
    for k in range(places.shape[0]):
        if places[k, 0] < 0:
            break
        memory.items[b, i, places[k, 2]] = window[places[k, 0], places[k, 1], ITEM]
    if routes.shared:
        manners.look_around(routes, memory, now, b, i, window)


@grid.inner
def _watch_pot(routes, memory, now, b, i, n, tomatoes, bar):
    """A pot in sight. Its bar gives its time to within two steps; memory may be more exact.

    A bar of b (of 10) shows that at least 2b and at most 2b + 2 of 20 steps have passed.
    """
    before = memory.tomatoes[b, i, n]
    memory.tomatoes[b, i, n] = tomatoes
    if tomatoes < routes.capacity:
        memory.ready[b, i, n] = 0
        return
    latest = now[TIME] + routes.cooking * (FULL_BAR - bar) // FULL_BAR
    earliest = latest - routes.cooking // FULL_BAR if bar < FULL_BAR else 0
    ready = memory.ready[b, i, n] if before == tomatoes else latest
    memory.ready[b, i, n] = min(max(ready, earliest), latest)


@grid.inner
def _hear(routes, memory, now, b, i, reward):
    """A soup that was paid and was not the own one is the partner's."""
    own = 0.0
    if memory.held[b, i] == SOUP and now[HELD] == EMPTY:
        for n in range(routes.hatches.size):
            if routes.hatches[n] == routes.ahead[now[POSE]]:
                own = routes.pay
    if reward > own:
        memory.trusted[b, i] = True
    elif now[FULL] >= 0 and memory.ready[b, i, now[FULL]] + OVERDUE < now[TIME]:
        memory.trusted[b, i] = False
    memory.held[b, i] = now[HELD]


@grid.inner
def _choose(routes, memory, now, b, i):
    """The next action: by chance, or what is due in the role that the room asks for."""
    if memory.noise[b, i] > 0.0 and mersenne.random(memory.draws[b, i]) < memory.noise[b, i]:
        return FORWARD + mersenne.below(memory.draws[b, i], INTERACT - FORWARD)
    if memory.idle[b, i] > 0.0 and mersenne.random(memory.draws[b, i]) < memory.idle[b, i]:
        return NOOP
    if routes.lacks[now[POSE]] == 2:
        return _hand_over(routes, memory, now, b, i)
    serves = routes.serves[now[POSE]]
    role = memory.roles[b, i, 0 if serves else 1]
    if role == SHARE:
        role = SUPPLY if memory.trusted[b, i] and not serves else ALONE
    if routes.lacks[now[POSE]]:
        role = ALONE
    hand = now[HELD]
    if hand == SOUP:
        hatch = nearest(routes, now, routes.hatches)
        return use(routes, now, hatch if hatch >= 0 else _free_pass(routes, memory, now, b, i))
    if hand == TOMATO:
        return _fill(routes, memory, now, b, i, role)
    if hand == DISH:
        return _serve(routes, memory, now, b, i, role)
    item = DISH if _turns_to_serving(routes, memory, now, b, i, role) else TOMATO
    cell = nearest_with(routes, now, memory.items[b, i], item)
    if cell < 0 and routes.lacks[now[POSE]]:
        return _watch_passes(routes, memory, now, b, i, item)
    return use(routes, now, cell)


@grid.inner
def _watch_passes(routes, memory, now, b, i, item):
    """Waits at a counter between rooms for ``item``, or makes use of what else lies there."""
    if item == DISH and now[ROOM] >= 0:
        cell = nearest_with(routes, now, memory.items[b, i], TOMATO)
        if cell >= 0:
            return use(routes, now, cell)
    cell = nearest(routes, now, routes.passes)
    if cell < 0 or routes.ahead[now[POSE]] == cell:
        return NOOP
    return use(routes, now, cell)


@grid.inner
def _free_pass(routes, memory, now, b, i):
    """The nearest counter between rooms with nothing on it, as far as is known; -1 if there is none."""
    best = np.int64(-1)
    for n in range(routes.containers.size):
        if memory.items[b, i, n] == EMPTY and _is_pass(routes, routes.containers[n]):
            best = nearer(routes, now, routes.containers[n], best)
    return best


@grid.inner
def _is_pass(routes, cell):
    shared = False
    for n in range(routes.passes.size):
        shared |= routes.passes[n] == cell
    return shared


@grid.inner
def _hand_over(routes, memory, now, b, i):
    """In a room without a pot: lays dishes and tomatoes where another room can take them, first a dish."""
    space = _free_pass(routes, memory, now, b, i)
    hatch = nearest(routes, now, routes.hatches)
    if now[HELD] != EMPTY:
        return use(routes, now, hatch if now[HELD] == SOUP and hatch >= 0 else space)
    dishes, soup = 0, np.int64(-1)
    for n in range(routes.containers.size):
        if _is_pass(routes, routes.containers[n]):
            dishes += memory.items[b, i, n] == DISH
            if memory.items[b, i, n] == SOUP:
                soup = nearer(routes, now, routes.containers[n], soup)
    if soup >= 0 and hatch >= 0:
        return use(routes, now, soup)
    if space < 0:
        return NOOP
    dish, tomato = np.int64(-1), np.int64(-1)
    for n in range(routes.stock.size):
        if routes.stock[n] == DISH:
            dish = nearer(routes, now, routes.containers[n], dish)
        elif routes.stock[n] == TOMATO:
            tomato = nearer(routes, now, routes.containers[n], tomato)
    return use(routes, now, dish if tomato < 0 or (dish >= 0 and not dishes) else tomato)


@grid.inner
def _turns_to_serving(routes, memory, now, b, i, role):
    """Whether empty hands go for a dish: the soup will be done by then, or no pot has room."""
    if role != ALONE:
        return role == SERVE
    pot = now[FULL]
    if pot < 0 or now[ROOM] < 0:
        return pot >= 0
    return memory.ready[b, i, pot] < now[TIME] + routes.tour[now[POSE], pot]


@grid.inner
def _fill(routes, memory, now, b, i, role):
    """With a tomato: to a pot with room. Where there is none, who only supplies waits for one."""
    if now[ROOM] >= 0:
        return use(routes, now, routes.pots[now[ROOM]])
    if role == SUPPLY:
        return watch(routes, now, now[FULL])
    return use(routes, now, nearest_with(routes, now, memory.items[b, i], EMPTY))


@grid.inner
def _serve(routes, memory, now, b, i, role):
    """With a dish: to the soup that is done first. Where none cooks, who only serves waits for one."""
    pot = now[FULL]
    if role == SUPPLY or (pot < 0 and role == ALONE):
        return use(routes, now, nearest_with(routes, now, memory.items[b, i], EMPTY))
    if pot < 0:
        return watch(routes, now, now[ROOM])
    if memory.ready[b, i, pot] <= now[TIME]:
        return use(routes, now, routes.pots[pot])
    return watch(routes, now, pot)
