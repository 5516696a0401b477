"""Partners that go round in a pattern."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from otherminds.games.predictors.predictor import Chances, Predictor, Setting
from otherminds.games.predictors.registry import predictors
from otherminds.games.predictors.words import choice, sure

BITS = 4.0
MOST = 27
"""Patterns of a length are listed only if there are no more than this."""
LONGEST = 4


@predictors.register("cycle")
def cycle(setting: Setting) -> Iterator[Predictor]:
    """Every pattern of 2 to 4 behaviours that is no shorter one repeated, from every place in it."""
    of = setting.theirs
    for length in range(2, LONGEST + 1):
        if of**length > MOST:
            return
        for pattern in product(range(of), repeat=length):
            if _primitive(pattern):
                yield _round(setting, pattern)


def _round(setting: Setting, pattern: tuple[int, ...]) -> Predictor:
    def output(at: int) -> Chances:
        return sure(pattern[at], setting.theirs)

    words = ", ".join(setting.named(b) for b in pattern)
    return Predictor(
        f"cycle {words}",
        f"They go round in the pattern {words}, from the first encounter on.",
        BITS + choice(LONGEST - 1) + len(pattern) * choice(setting.theirs),
        0,
        output,
        lambda at, theirs, own: (at + 1) % len(pattern),
    )


def _primitive(pattern: tuple[int, ...]) -> bool:
    """Whether a pattern is no shorter one repeated."""
    n = len(pattern)
    return all(pattern != pattern[:k] * (n // k) for k in range(1, n) if n % k == 0)
