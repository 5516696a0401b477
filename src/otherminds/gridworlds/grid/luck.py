"""Random numbers that are equal in plain Python and in compiled kernels.

SplitMix64 (Steele, Lea and Flood 2014): a 64-bit counter and a mixing function,
so the random state of a world is one number in an array.
"""

from __future__ import annotations

from collections.abc import MutableSequence
from typing import Any

import numpy as np

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15
FIRST, SECOND = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
UNIT = 1.0 / (1 << 53)


def following(seed: int | None) -> int:
    """The seed of a reset without one: that of the episode after the one under ``seed``, as in batches, or any."""
    if seed is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
    return Luck(seed).next()


class Luck:
    """The plain version. ``state`` is the counter, 0 to 2**64 - 1.

    >>> Luck(0).next()
    16294208416658607535
    """

    def __init__(self, seed: int) -> None:
        self.state = seed & MASK

    def next(self) -> int:
        """64 random bits."""
        self.state = (self.state + GOLDEN) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * FIRST) & MASK
        z = ((z ^ (z >> 27)) * SECOND) & MASK
        return z ^ (z >> 31)

    def uniform(self) -> float:
        """A number in [0, 1), of 53 bits."""
        return (self.next() >> 11) * UNIT

    def below(self, n: int) -> int:
        """An integer from 0 to ``n - 1``."""
        return int(self.uniform() * n)

    def shuffle(self, items: MutableSequence[Any]) -> None:
        """Fisher and Yates, from the end."""
        for i in range(len(items) - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]
