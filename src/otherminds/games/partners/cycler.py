"""Partners that repeat a fixed pattern."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from otherminds.core.data import Automaton, Game
from otherminds.core.errors import StudyError
from otherminds.games.automata import (
    START,
    Chances,
    Machine,
    Predictor,
    Setting,
    always,
    choice,
    hypothesis,
    shape,
)
from otherminds.games.registry import partners, predictors

BITS = 4.0
MOST = 27
"""The most patterns of one length."""
LONGEST = 4


def _round(pattern: tuple[int, ...], of: int) -> Machine:
    def output(at: int) -> Chances:
        return always(pattern[at], of)

    return Machine(START, output, lambda at, own, other: (at + 1) % len(pattern))


@partners.register("cycler")
def cycler(game: Game, rounds: int, pattern: Sequence[int] = ()) -> Automaton:
    """Plays ``pattern`` over and over; every behaviour in order if none is given.

    Axelrod-Python's ``Cycler`` is the same rule for the Prisoner's Dilemma.
    """
    _, columns = shape(game)
    steps = tuple(pattern) or tuple(range(columns))
    if not all(0 <= b < columns for b in steps):
        raise StudyError(f"the pattern {list(steps)} has behaviours that game {game.name!r} lacks")
    return _round(steps, columns).automaton(game, rounds)


@predictors.register("cycle")
def cycle(setting: Setting) -> Iterator[Predictor]:
    """Every primitive pattern of 2 to 4 behaviours, from every position."""
    of = setting.theirs
    for length in range(2, LONGEST + 1):
        if of**length > MOST:
            return
        for pattern in filter(_primitive, product(range(of), repeat=length)):
            words = ", ".join(setting.named(b) for b in pattern)
            yield hypothesis(
                _round(pattern, of),
                f"cycle {words}",
                f"They go round in the pattern {words}, from the first encounter on.",
                BITS + choice(LONGEST - 1) + length * choice(of),
            )


def _primitive(pattern: tuple[int, ...]) -> bool:
    """Whether a pattern is not a shorter one repeated."""
    n = len(pattern)
    return all(pattern != pattern[:k] * (n // k) for k in range(1, n) if n % k == 0)
