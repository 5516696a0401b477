"""A hypothesis that can be run: a sentence and a state machine that predicts."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from functools import reduce
from typing import TypeAlias

from otherminds.core.data import Game

State: TypeAlias = Hashable
Chances: TypeAlias = tuple[float, ...]


@dataclass(frozen=True)
class Setting:
    """What a predictor is made for: so many own behaviours, so many of the partner's.

    ``game`` is seen from the own (row) seat, where the payoffs are known.
    """

    own: int
    theirs: int
    game: Game | None = None


@dataclass(frozen=True)
class Predictor:
    """One hypothesis about a partner.

    ``output(state)`` is the distribution over the partner's next behaviour;
    ``after(state, theirs, own)`` the state once the partner has shown ``theirs`` against
    ``own``. ``bits`` is its description length: its prior is proportional to 2^−bits.
    """

    name: str
    sentence: str
    bits: float
    start: State
    output: Callable[[State], Chances]
    after: Callable[[State, int, int], State]

    def predict(self, history: Iterable[tuple[int, int]]) -> Chances:
        """The distribution after ``history``, pairs (theirs, own)."""
        return self.output(reduce(lambda state, pair: self.after(state, *pair), history, self.start))
