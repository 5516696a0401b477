"""The compiled search for automata that explain a partner's play, and their least equivalent forms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

UNKNOWN = -1
"""A behaviour or a state that the play does not show."""


def compile_search(function: Callable[..., Any]) -> Callable[..., Any]:
    """``function`` as machine code, kept on disk where numba can write."""
    try:
        return njit(cache=True, nogil=True)(function)
    except RuntimeError:
        return njit(nogil=True)(function)


@compile_search
def list_explanations(  # noqa: PLR0915 (one loop over one set of variables; numba inlines no parts that share them)
    theirs: NDArray[np.int8],
    own: NDArray[np.int8],
    starts: NDArray[np.bool_],
    counts: tuple[int, int, int],
    budget: NDArray[np.int32],
    slack: NDArray[np.int32],
    most: tuple[int, int],
) -> tuple[int, NDArray[np.int8], NDArray[np.int8], NDArray[np.int32], bool]:
    """Every automaton that explains a partner's play ``theirs`` against ``own``, both int8[rounds].

    It starts in state 0 where ``starts`` is true, moves by the joint behaviour, and plays another behaviour than its state's
    at most ``budget[t]`` times up to round t. ``counts`` are the most states, and the numbers of own and of the partner's
    behaviours. Kept are those with at most ``slack[e]`` more slips than the fewest, e. States are numbered as they are
    first met, so that no two are renamings of each other. What the play does not show is :data:`UNKNOWN`.

    Depth first with backtracking: a behaviour or a transition is chosen when the play first needs it. ``most`` are the most
    automata and the most steps through the play; the last value says whether the search was complete.
    """
    states, rows, columns = counts
    rounds = len(theirs)
    width = rows * columns
    table = np.full((states, width), UNKNOWN, np.int8)
    output = np.full(states, UNKNOWN, np.int8)
    tables = np.empty((most[0], states, width), np.int8)
    outputs = np.empty((most[0], states), np.int8)
    slips = np.empty(most[0], np.int32)
    count, steps, fewest = 0, 0, len(slack) - 1
    depth = states * (width + 1)
    # Of each open choice: round, state, slips so far, states met, entry (width: the behaviour), and the value tried.
    choices = np.empty((depth + 1, 6), np.int64)
    level = 0
    t, state, errors, met = 0, 0, 0, 1
    while True:
        failed = False
        begun = t
        while t < rounds:
            if starts[t]:
                state = 0
            if output[state] == UNKNOWN:
                choices[level] = (t, state, errors, met, width, 0)
                level += 1
                output[state] = theirs[t]
            if output[state] != theirs[t]:
                errors += 1
                if errors > budget[t] or errors > fewest + slack[fewest]:
                    failed = True
                    break
            if t + 1 < rounds and not starts[t + 1]:
                entry = theirs[t] * rows + own[t]
                if table[state, entry] == UNKNOWN:
                    choices[level] = (t, state, errors, met, entry, 0)
                    level += 1
                    table[state, entry] = 0
                state = table[state, entry]
            t += 1
        steps += t - begun + 1
        if not failed:
            if errors < fewest:
                fewest = errors
                kept = 0
                for i in range(count):
                    if slips[i] <= fewest + slack[fewest]:
                        tables[kept], outputs[kept], slips[kept] = tables[i], outputs[i], slips[i]
                        kept += 1
                count = kept
            if count == most[0]:
                return count, tables, outputs, slips, False
            tables[count], outputs[count], slips[count] = table, output, errors
            count += 1
        if steps > most[1]:
            return count, tables[:count], outputs[:count], slips[:count], False
        # The last choice that has another value takes it.
        resumed = False
        while level:
            level -= 1
            t, state, errors = choices[level, 0], choices[level, 1], choices[level, 2]
            met, entry = choices[level, 3], choices[level, 4]
            value = choices[level, 5] + 1
            if entry == width:
                if value < columns:
                    choices[level, 5] = value
                    output[state] = (theirs[t] + value) % columns
                    errors += 1
                    level += 1
                    if errors <= budget[t] and errors <= fewest + slack[fewest]:
                        resumed = True
                        # The slip is counted: go on behind the comparison.
                        if t + 1 < rounds and not starts[t + 1]:
                            entry = theirs[t] * rows + own[t]
                            if table[state, entry] == UNKNOWN:
                                choices[level] = (t, state, errors, met, entry, 0)
                                level += 1
                                table[state, entry] = 0
                            state = table[state, entry]
                        t += 1
                        break
                    continue
                output[state] = UNKNOWN
            else:
                if value <= met and value < states:
                    choices[level, 5] = value
                    table[state, entry] = value
                    level += 1
                    if value == met:
                        met += 1
                    state = value
                    t += 1
                    resumed = True
                    break
                table[state, entry] = UNKNOWN
        if not resumed:
            return count, tables[:count], outputs[:count], slips[:count], True


@compile_search
def reduce_explanations(
    tables: NDArray[np.int8], outputs: NDArray[np.int8], rows: int
) -> tuple[NDArray[np.int8], NDArray[np.int16], NDArray[np.int16]]:
    """The least form of each automaton: int8[automata, states, 1 + rows], and how many states and transitions it fixed.

    A row has a state's behaviour and where each own behaviour leads after it; slips aside, nothing else of an automaton
    matters. States that agree in all that is known are merged (Moore 1956), and numbered as they are reached.
    """
    automata, states, _ = tables.shape
    forms = np.full((automata, states, 1 + rows), UNKNOWN, np.int8)
    met = np.zeros(automata, np.int16)
    fixed = np.zeros(automata, np.int16)
    for m in range(automata):
        after = np.full((states, rows), UNKNOWN, np.int64)
        for s in range(states):
            if outputs[m, s] != UNKNOWN:
                met[m] += 1
                for a in range(rows):
                    after[s, a] = tables[m, s, outputs[m, s] * rows + a]
        fixed[m] = (tables[m] != UNKNOWN).sum()
        block = np.zeros(states, np.int64)
        for s in range(states):
            block[s] = outputs[m, s]
        for _ in range(states):
            finer = np.empty(states, np.int64)
            for s in range(states):
                finer[s] = s
                for other in range(s):
                    same = block[s] == block[other]
                    for a in range(rows):
                        x, y = after[s, a], after[other, a]
                        known = (x == UNKNOWN) == (y == UNKNOWN)
                        if not known or (x != UNKNOWN and block[x] != block[y]):
                            same = False
                    if same:
                        finer[s] = finer[other]
                        break
            block = finer
        number = np.full(states, UNKNOWN, np.int64)
        order = np.zeros(states, np.int64)
        number[block[0]] = 0
        reached = 1
        order[0] = block[0]
        at = 0
        while at < reached:
            s = order[at]
            forms[m, at, 0] = outputs[m, s]
            for a in range(rows):
                if after[s, a] != UNKNOWN:
                    to = block[after[s, a]]
                    if number[to] == UNKNOWN:
                        number[to] = reached
                        order[reached] = to
                        reached += 1
                    forms[m, at, 1 + a] = number[to]
            at += 1
    return forms, met, fixed
