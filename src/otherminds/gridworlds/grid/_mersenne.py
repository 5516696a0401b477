"""Random numbers of Python's :class:`random.Random` in compiled kernels, equal draw by draw.

The generator is MT19937 (Matsumoto and Nishimura 1998). A generator is one row uint32[625]: its 624 words, then
the number of those that are used up. The functions draw as CPython's ``random`` module does since Python 3.2,
which documents that ``random()`` stays the same under a seed; tests compare the others with the running Python.
"""

from __future__ import annotations

import numpy as np

from otherminds.gridworlds.grid._kernel import compile_kernel, inner

WORDS, MIDDLE = 624, 397
SIZE = WORDS + 1  # One row: the words, and how many of them are used up
LOW = np.uint64(0xFFFFFFFF)
UPPER, LOWER = np.uint64(0x80000000), np.uint64(0x7FFFFFFF)
TWIST = np.uint64(0x9908B0DF)
FIRST, START = np.uint64(1812433253), np.uint64(19650218)
MIX, REMIX = np.uint64(1664525), np.uint64(1566083941)
TEMPER, RETEMPER = np.uint64(0x9D2C5680), np.uint64(0xEFC60000)
ONE, S5, S6, S7, S11, S15, S18, S30, S32 = (np.uint64(x) for x in (1, 5, 6, 7, 11, 15, 18, 30, 32))
HIGH_UNIT, UNIT = 67108864.0, 1.0 / 9007199254740992.0  # 2**26, 2**-53


@inner
def seed(row, number):
    """Makes ``row`` the generator ``Random(number)``; ``number`` is uint64."""
    word = START
    row[0] = word
    for i in range(1, WORDS):
        word = (FIRST * (word ^ (word >> S30)) + np.uint64(i)) & LOW
        row[i] = word
    halves = 2 if number >> S32 else 1
    i, half = 1, 0
    for _ in range(WORDS):
        key = (number >> S32 if half else number) & LOW
        word = np.uint64(row[i - 1])
        word = ((np.uint64(row[i]) ^ ((word ^ (word >> S30)) * MIX)) + key + np.uint64(half)) & LOW
        row[i] = word
        i += 1
        half = (half + 1) % halves
        if i == WORDS:
            row[0] = row[WORDS - 1]
            i = 1
    for _ in range(WORDS - 1):
        word = np.uint64(row[i - 1])
        word = ((np.uint64(row[i]) ^ ((word ^ (word >> S30)) * REMIX)) - np.uint64(i)) & LOW
        row[i] = word
        i += 1
        if i == WORDS:
            row[0] = row[WORDS - 1]
            i = 1
    row[0] = UPPER
    row[WORDS] = WORDS


@inner
def word(row):
    """The next 32 random bits, as uint64."""
    if row[WORDS] >= WORDS:
        _twist(row)
    y = np.uint64(row[row[WORDS]])
    row[WORDS] += 1
    y ^= y >> S11
    y ^= (y << S7) & TEMPER
    y ^= (y << S15) & RETEMPER
    return y ^ (y >> S18)


@inner
def random(row):
    """``Random.random()``: a number in [0, 1), of 53 bits."""
    high = np.float64(word(row) >> S5)
    return (high * HIGH_UNIT + np.float64(word(row) >> S6)) * UNIT


@inner
def below(row, n):
    """``Random.randrange(n)`` for ``n`` from 1 to 2**31: an integer from 0 to ``n - 1``."""
    shift = S32
    remaining = np.uint64(n)
    while remaining:
        remaining >>= ONE
        shift -= ONE
    number = np.int64(word(row) >> shift)
    while number >= n:
        number = np.int64(word(row) >> shift)
    return number


@inner
def bits(row):
    """``Random.getrandbits(64)``, as uint64: two words, the low one first."""
    low = word(row)
    return low | (word(row) << S32)


@compile_kernel
def seed_all(rows, numbers):
    """Makes each row of ``rows`` (uint32[N, 625]) the generator of one of ``numbers`` (uint64[N])."""
    for n in range(numbers.size):
        seed(rows[n], numbers[n])


@inner
def _twist(row):
    for i in range(WORDS):
        after, far = i + 1, i + MIDDLE
        if after == WORDS:
            after = 0
        if far >= WORDS:
            far -= WORDS
        y = (np.uint64(row[i]) & UPPER) | (np.uint64(row[after]) & LOWER)
        row[i] = np.uint64(row[far]) ^ (y >> ONE) ^ (TWIST if y & ONE else np.uint64(0))
    row[WORDS] = 0
