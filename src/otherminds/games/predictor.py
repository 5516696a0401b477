"""A hypothesis that can be run: a sentence and a state machine that predicts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import reduce
from math import log2

from otherminds.core.data import Automaton, Game
from otherminds.games.automata import Chances, Machine, State


@dataclass(frozen=True)
class Setting:
    """What a predictor is made for: so many own behaviours, so many of the partner's.

    ``game`` is seen from the own (row) seat, where the payoffs are known.
    """

    own: int
    theirs: int
    game: Game | None = None

    def mine(self, behaviour: int) -> str:
        """An own behaviour in words."""
        return self.game.behaviours[0][behaviour] if self.game else f"behaviour {behaviour}"

    def named(self, behaviour: int) -> str:
        """A behaviour of the partner's in words."""
        return self.game.behaviours[1][behaviour] if self.game else f"behaviour {behaviour}"

    @property
    def social(self) -> bool:
        """Whether behaviour 0 may be meant kindly: each side has two or more, and they are no pure rivals.

        Behaviour 0 is the friendly one by the convention of :mod:`otherminds.games`; in a
        game of constant sum nobody is kind to anybody.
        """
        if min(self.own, self.theirs) < 2:
            return False
        return self.game is None or len({round(x + y, 9) for row in self.game.payoffs for x, y in row}) > 1


@dataclass(frozen=True)
class Predictor:
    """One hypothesis about a partner.

    ``output(state)`` is the distribution over the partner's next behaviour;
    ``after(state, theirs, own)`` the state once the partner has shown ``theirs`` against
    ``own``. ``bits`` is its description length: its prior is proportional to 2^−bits.
    ``settled`` is for predictors that learn, whose states are too many to plan with:
    ``settled(state)`` predicts as they do in ``state`` and learns no more.
    """

    name: str
    sentence: str
    bits: float
    start: State
    output: Callable[[State], Chances]
    after: Callable[[State, int, int], State]
    settled: Callable[[State], Predictor] | None = None

    def predict(self, history: Iterable[tuple[int, int]]) -> Chances:
        """The distribution after ``history``, pairs (theirs, own)."""
        return self.output(reduce(lambda state, pair: self.after(state, *pair), history, self.start))


def hypothesis(machine: Machine, name: str, sentence: str, bits: float) -> Predictor:
    """The predictor that a partner follows ``machine``."""
    return Predictor(name, sentence, bits, machine.start, machine.output, machine.after)


def of_automaton(automaton: Automaton, name: str, bits: float = 0.0) -> Predictor:
    """A partner's granted automaton as a predictor."""

    def output(state: int) -> Chances:
        return automaton.output[state]

    def after(state: int, theirs: int, own: int) -> int:
        return automaton.next[state][theirs][own]

    sentence = f"They follow the policy called {name}."
    return Predictor(name, sentence, bits, automaton.start, output, after)


def choice(of: float) -> float:
    """The bits that it takes to name one of ``of`` alternatives.

    >>> choice(8)
    3.0
    """
    return log2(of)


def times(count: int) -> str:
    """A small number of times in words.

    >>> times(1), times(2), times(3)
    ('once', 'twice', '3 times')
    """
    return {1: "once", 2: "twice"}.get(count, f"{count} times")
