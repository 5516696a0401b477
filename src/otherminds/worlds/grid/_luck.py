"""The compiled version of :mod:`otherminds.worlds.grid.luck`, over an array of counters."""

from __future__ import annotations

import numpy as np

from otherminds.worlds.grid import luck as plain
from otherminds.worlds.grid._compile import inner

GOLDEN, FIRST, SECOND = (np.uint64(x) for x in (plain.GOLDEN, plain.FIRST, plain.SECOND))
UNIT = plain.UNIT
S11, S27, S30, S31 = (np.uint64(x) for x in (11, 27, 30, 31))


@inner
def bits(luck, b):
    """64 random bits, uint64, from counter ``b`` of ``luck`` (uint64[B])."""
    state = luck[b] + GOLDEN
    luck[b] = state
    z = (state ^ (state >> S30)) * FIRST
    z = (z ^ (z >> S27)) * SECOND
    return z ^ (z >> S31)


@inner
def uniform(luck, b):
    """A number in [0, 1), of 53 bits."""
    return np.float64(bits(luck, b) >> S11) * UNIT


@inner
def below(luck, b, n):
    """A whole number from 0 to ``n - 1``."""
    return int(uniform(luck, b) * n)


@inner
def shuffle(luck, b, order):
    """Fills ``order`` (int64[P]) with 0 to P - 1 in random order."""
    for i in range(order.size):
        order[i] = i
    for i in range(order.size - 1, 0, -1):
        j = below(luck, b, i + 1)
        order[i], order[j] = order[j], order[i]
