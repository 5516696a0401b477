"""What grows, compiled: one function a law, and what an avatar gets that takes it.

A law decides at the start of a step, from what was before: it lists in ``growing`` (int64[N + 1]) the places where something
comes, and :func:`sprout` lets it come when its turn is. What is taken stays until the end of the step (:func:`clear`), so that an
apple can be taken twice: by one under whom it grows and who leaves, and one who enters; or by one who walks into a wall, which
counts as entering the own cell again.
"""

from __future__ import annotations

from otherminds.gridworlds.commons import rules as columns
from otherminds.gridworlds.commons.rules import APPLE, COIN, DIRT, DRY, DRY_APPLE, GRASS, NOTHING, RIVER
from otherminds.gridworlds.commons.tables import CHANCE, DENSITY
from otherminds.gridworlds.grid import _kernel as grid


@grid.inner
def decide(tables, state, b, growing):
    """Lists in ``growing`` the places where something grows in this step; how many."""
    if tables.law == CHANCE:
        return _decide_coins(tables, state, b, growing)
    if tables.law == DENSITY:
        return _decide_by_density(tables, state, b, growing)
    return _decide_by_cleanness(tables, state, b, growing)


@grid.inner
def _decide_coins(tables, state, b, growing):
    wide, high = state.clock[b, columns.WIDE], state.clock[b, columns.HIGH]
    count = 0
    for y in range(1, high + 1):
        for x in range(1, wide + 1):
            spawn = (x == wide - 1 and y == 2) or (x == 2 and y == high - 1)
            n = tables.place_of[y * tables.width + x]
            if spawn or state.things[b, tables.places[n]] != NOTHING:
                continue
            if grid.uniform(state.luck, b) < tables.rates[0]:
                growing[count] = n
                count += 1
    return count


@grid.inner
def _decide_by_density(tables, state, b, growing):
    """A place learns of its neighbours one step late, and after an apple was taken one step later still."""
    things, rate = state.things[b], state.rate[b]
    count = 0
    for n in range(tables.places.size):
        thing = things[tables.places[n]]
        if thing in (APPLE, DRY_APPLE):
            continue
        if rate[n] >= 0:
            chance = tables.rates[min(int(rate[n]), tables.rates.size - 1)]
            if chance > 0 and grid.uniform(state.luck, b) < chance:
                growing[count] = n
                count += 1
        rate[n] = state.near[b, n]
        things[tables.places[n]] = GRASS if rate[n] else DRY
    return count


@grid.inner
def _decide_by_cleanness(tables, state, b, growing):
    things, clock = state.things[b], state.clock[b]
    share = clock[columns.DIRTY] / tables.banks.size
    chance = tables.rates[0] * min(1.0, (share - tables.depletion) / (0.0 - tables.depletion))
    count = 0
    if chance > 0:
        for n in range(tables.places.size):
            if things[tables.places[n]] != APPLE and grid.uniform(state.luck, b) < chance:
                growing[count] = n
                count += 1
    if clock[columns.STEP] > tables.delay and grid.uniform(state.luck, b) < tables.fouling:
        _foul(tables, state, b)
    return count


@grid.inner
def _foul(tables, state, b):
    """Dirt comes to one of the banks that have none."""
    things, clock = state.things[b], state.clock[b]
    free = tables.banks.size - clock[columns.DIRTY]
    if not free:
        return
    choice = grid.below(state.luck, b, free)
    for cell in tables.banks:
        if things[cell] == DIRT:
            continue
        if choice == 0:
            things[cell] = DIRT
            clock[columns.DIRTY] += 1
            return
        choice -= 1


@grid.inner
def sprout(tables, state, b, growing, taken, count):
    """Something comes at each place in ``growing``; an avatar there takes it at once. How many were taken, ``count`` before."""
    things = state.things[b]
    for n in growing:
        cell = tables.places[n]
        if tables.law == CHANCE:
            things[cell] = COIN + state.avatars[b, grid.below(state.luck, b, 2), columns.COLOUR]
        else:
            things[cell] = DRY_APPLE if things[cell] == DRY else APPLE
        if tables.law == DENSITY:
            _tell_neighbours(tables, state, b, n, 1)
        if state.here[b, cell]:
            count = take(tables, state, b, state.here[b, cell] - 1, cell, taken, count)
    return count


@grid.inner
def take(tables, state, b, i, cell, taken, count):
    """Avatar ``i`` takes what grows in ``cell``, if anything does: it is noted in ``taken``. How many were taken, ``count`` before."""
    thing, avatar = state.things[b, cell], state.avatars[b, i]
    if thing >= COIN and thing - COIN != avatar[columns.COLOUR]:
        state.rewards[b, 1 - i] += tables.harm
        state.avatars[b, 1 - i, columns.HEARD] = 1
        avatar[columns.DID] |= columns.HARMED
    elif thing not in (APPLE, DRY_APPLE) and thing < COIN:
        return count
    state.rewards[b, i] += 1.0
    avatar[columns.DID] |= columns.ATE
    taken[count] = cell
    return count + 1


@grid.inner
def clear(tables, state, b, taken):
    """What was taken, and dirt that was cleaned, goes from the cells ``taken``, of which some may occur twice."""
    things = state.things[b]
    for cell in taken:
        thing, n = things[cell], tables.place_of[cell]
        if thing == DIRT:
            things[cell] = RIVER
            state.clock[b, columns.DIRTY] -= 1
        elif thing >= COIN:
            things[cell] = NOTHING
        elif thing in (APPLE, DRY_APPLE):
            things[cell] = DRY if thing == DRY_APPLE else tables.under[n]
            if tables.law == DENSITY:
                state.rate[b, n] = -1
                _tell_neighbours(tables, state, b, n, -1)


@grid.inner
def _tell_neighbours(tables, state, b, n, more):
    for m in tables.neighbours[n]:
        if m < 0:
            break
        state.near[b, m] += more
