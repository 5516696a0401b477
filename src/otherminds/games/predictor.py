"""Executable hypotheses: a sentence and a state machine that predicts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import reduce
from math import log2

from otherminds.core.data import Automaton, Game
from otherminds.games.automata import Chances, Machine, State


@dataclass(frozen=True)
class Setting:
    """The numbers of own and of the partner's behaviours, and the game, own (row) seat first, if known."""

    own: int
    theirs: int
    game: Game | None = None

    def mine(self, behaviour: int) -> str:
        """The name of an own behaviour."""
        return self.game.behaviours[0][behaviour] if self.game else f"behaviour {behaviour}"

    def named(self, behaviour: int) -> str:
        """The name of a behaviour of the partner."""
        return self.game.behaviours[1][behaviour] if self.game else f"behaviour {behaviour}"

    @property
    def social(self) -> bool:
        """Whether behaviour 0 may be friendly, as it is by convention: not in games of constant sum.

        Each side needs two or more behaviours.
        """
        if min(self.own, self.theirs) < 2:
            return False
        return self.game is None or len({round(x + y, 9) for row in self.game.payoffs for x, y in row}) > 1


@dataclass(frozen=True)
class Predictor:
    """One hypothesis about a partner.

    ``output(state)`` is the distribution over the partner's next behaviour, ``after(state,
    theirs, own)`` the state after an encounter. ``bits`` is its description length: its prior
    is proportional to 2^−bits. ``settled(state)`` is for predictors that learn, which have too
    many states to plan with: a predictor that has learnt as in ``state`` and learns no more.
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
    """The bits to name one of ``of`` alternatives.

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
