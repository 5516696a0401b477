"""Partners that look at nothing."""

from __future__ import annotations

from collections.abc import Iterator

from otherminds.games.predictors.predictor import Predictor, Setting
from otherminds.games.predictors.registry import predictors
from otherminds.games.predictors.words import anything, choice, sure

BITS = 1.0


@predictors.register("constant")
def constant(setting: Setting) -> Iterator[Predictor]:
    """One behaviour for ever, whatever happens; and, as long to describe, any of them at random."""
    of = setting.theirs
    for b in range(of):
        yield Predictor(
            f"always {setting.named(b)}",
            f"They always play {setting.named(b)}.",
            BITS + choice(of),
            0,
            lambda state, b=b: sure(b, of),
            lambda state, theirs, own: state,
        )
    if of > 1:
        yield Predictor(
            "anything",
            "They play anything, all alike.",
            BITS + 3,
            0,
            lambda state: anything(of),
            lambda state, theirs, own: state,
        )
