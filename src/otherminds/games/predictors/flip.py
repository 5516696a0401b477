"""Partners that change their mind once."""

from __future__ import annotations

from collections.abc import Iterator

from otherminds.games.predictors.predictor import Predictor, Setting
from otherminds.games.predictors.registry import predictors
from otherminds.games.predictors.words import choice, sure, times

BITS = 2.0
LATEST = 5
"""Later changes are left to the hazard of the filter."""


@predictors.register("flip")
def flip(setting: Setting) -> Iterator[Predictor]:
    """One behaviour in the first n encounters, then another for ever; every later n costs a bit more."""
    of = setting.theirs
    for after in range(1, LATEST + 1):
        for first in range(of):
            for second in range(of):
                if first != second:
                    yield _once(setting, first, second, after)


def _once(setting: Setting, first: int, second: int, after: int) -> Predictor:
    one, two = setting.named(first), setting.named(second)
    return Predictor(
        f"{one} {times(after)}, then {two}",
        f"They play {one} {times(after)}, then {two} for ever.",
        BITS + choice(setting.theirs * (setting.theirs - 1)) + after,
        0,
        lambda met: sure(first if met < after else second, setting.theirs),
        lambda met, theirs, own: min(after, met + 1),
    )
