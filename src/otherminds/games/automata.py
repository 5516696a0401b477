"""State machines: strategies, finite automata made from them, and predictors, which are machines with a sentence."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from math import log2
from typing import Any, TypeAlias, TypeVar

from otherminds.core.data import Automaton, Game
from otherminds.core.errors import WorldError

S = TypeVar("S", bound=Hashable)
State: TypeAlias = Any
"""The hashable state of a strategy."""
Chances: TypeAlias = tuple[float, ...]
"""A distribution over behaviours."""

START: int = 0
"""The start of machines whose states are numbers."""
OPENING: int = -1
"""The start of machines whose states are behaviours: no encounter yet."""


@dataclass(frozen=True)
class Machine:
    """A strategy in the column seat of a game, the source of its automaton and predictors.

    ``output(state)`` is the distribution over its own behaviours, ``after(state, own, other)``
    the next state.
    """

    start: State
    output: Callable[[State], Chances]
    after: Callable[[State, int, int], State]

    def automaton(self, game: Game, rounds: int) -> Automaton:
        """The strategy as a partner in the column seat of ``game``; see :func:`unfold`."""
        rows, columns = shape(game)
        return unfold(self.start, self.output, self.after, (columns, rows), rounds)


def answering(answers: Sequence[int], of: int, noise: float = 0.0, start: int = OPENING) -> Machine:
    """Plays ``answers[other]``, one of ``of``, after the other played ``other``; see :func:`mostly`.

    It opens with a uniformly random behaviour, or as if the other had played ``start``.
    """

    def output(last: int) -> Chances:
        return anything(of) if last == OPENING else mostly(answers[last], of, noise)

    return Machine(start, output, lambda last, own, other: other)


def shape(game: Game) -> tuple[int, int]:
    """The numbers of behaviours of the row and the column seat."""
    rows, columns = game.behaviours
    return len(rows), len(columns)


def unfold(
    start: S,
    output: Callable[[S], Sequence[float]],
    advance: Callable[[S, int, int], S],
    behaviours: tuple[int, int],
    rounds: int,
) -> Automaton:
    """Tabulates a machine as an automaton over the states that it can reach in ``rounds`` rounds.

    ``output(state)`` is the distribution over its own behaviours, ``advance(state, own, other)`` the next
    state, ``behaviours`` the numbers of its own and of the other's behaviours. States first reached after the
    last round lead back to themselves.
    """
    own, other = behaviours
    number: dict[S, int] = {start: 0}
    frontier = [start]
    for _ in range(rounds):
        reached: list[S] = []
        for state in frontier:
            for i in range(own):
                for j in range(other):
                    to = advance(state, i, j)
                    if to not in number:
                        number[to] = len(number)
                        reached.append(to)
        frontier = reached
        if not frontier:
            break
    unfinished = set(frontier)

    def after(state: S, i: int) -> tuple[int, ...]:
        return tuple(number[state if state in unfinished else advance(state, i, j)] for j in range(other))

    outputs = tuple(tuple(float(p) for p in output(state)) for state in number)
    return Automaton(0, outputs, tuple(tuple(after(state, i) for i in range(own)) for state in number))


@cache
def always(behaviour: int, of: int) -> Chances:
    """The distribution that plays ``behaviour``, one of ``of``, for certain.

    >>> always(1, 3)
    (0.0, 1.0, 0.0)
    """
    return tuple(1.0 if i == behaviour else 0.0 for i in range(of))


@cache
def anything(of: int) -> Chances:
    """The uniform distribution over ``of`` behaviours.

    >>> anything(2)
    (0.5, 0.5)
    """
    return (1 / of,) * of


@cache
def mostly(behaviour: int, of: int, noise: float) -> Chances:
    """``behaviour``, but with probability ``noise`` one of the others.

    >>> mostly(0, 3, 0.5)
    (0.5, 0.25, 0.25)
    """
    if of == 1:
        return (1.0,)
    return tuple(1 - noise if i == behaviour else noise / (of - 1) for i in range(of))


def check(automaton: Automaton, game: Game) -> None:
    """Checks that ``automaton`` can play the column seat of ``game``.

    Raises:
        WorldError: its tables do not fit the game.
    """
    rows, columns = shape(game)
    states = len(automaton.output)
    if not 0 <= automaton.start < states or len(automaton.next) != states:
        raise WorldError(f"an automaton of {states} states starts in {automaton.start} or lacks transitions")
    for s, (output, after) in enumerate(zip(automaton.output, automaton.next, strict=True)):
        if len(output) != columns or min(output) < 0 or abs(sum(output) - 1) > 1e-12:
            raise WorldError(
                f"state {s} of an automaton does not give a distribution over {columns} behaviours"
            )
        if len(after) != columns or any(
            len(row) != rows or not all(0 <= n < states for n in row) for row in after
        ):
            raise WorldError(f"state {s} of an automaton has transitions that do not fit the game")


def deterministic(automaton: Automaton) -> bool:
    """Whether every state plays one behaviour for certain."""
    return all(max(output) == 1.0 for output in automaton.output)


def best_reply(game: Game, other: int) -> int:
    """The row seat's best behaviour against column behaviour ``other``; lowest on ties."""
    pays = [game.payoffs[i][other][0] for i in range(len(game.behaviours[0]))]
    return pays.index(max(pays))


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
