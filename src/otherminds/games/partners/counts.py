"""Predictors without assumptions: frequencies learnt during play."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from otherminds.games.automata import Chances, Predictor, Setting, State
from otherminds.games.registry import predictors

BITS = 6.0
LONGEST = 2

Pairs: TypeAlias = tuple[tuple[int, int], ...]
"""The last encounters, (theirs, own) each, oldest first."""
Counts: TypeAlias = dict[Pairs, tuple[int, ...]]
"""The count of each behaviour after the last encounters."""


class EncounterCounts:
    """The last encounters, and the counts so far; immutable."""

    __slots__ = ("counts", "last")

    def __init__(self, last: Pairs, counts: Counts) -> None:
        self.last = last
        self.counts = counts

    def more(self, theirs: int, own: int, order: int, of: int) -> EncounterCounts:
        """The tally after one more encounter."""
        before = self.counts.get(self.last, (0,) * of)
        after = tuple(n + (b == theirs) for b, n in enumerate(before))
        return EncounterCounts(append_pair(self.last, theirs, own, order), self.counts | {self.last: after})


def append_pair(last: Pairs, theirs: int, own: int, order: int) -> Pairs:
    """The last ``order`` pairs after one more."""
    return (*last, (theirs, own))[-order:] if order else ()


def frequency(counts: tuple[int, ...]) -> Chances:
    """Krichevsky and Trofimov's (1981) estimate: half an observation of each behaviour beforehand.

    >>> frequency((1, 0))
    (0.75, 0.25)
    """
    total = sum(counts) + 0.5 * len(counts)
    return tuple((n + 0.5) / total for n in counts)


@predictors.register("counts")
def counts(setting: Setting) -> Iterator[Predictor]:
    """How often each behaviour came after the same last k joint behaviours, k = 0, 1, 2."""
    if setting.theirs < 2:
        return
    of = setting.theirs

    def make_predictor(order: int) -> Predictor:
        def output(state: State) -> Chances:
            return frequency(state.counts.get(state.last, (0,) * of))

        def after(state: State, theirs: int, own: int) -> State:
            return state.more(theirs, own, order, of)

        def settle(state: State) -> Predictor:
            tables: Counts = state.counts
            return Predictor(
                name,
                sentence,
                0.0,
                state.last,
                lambda last: frequency(tables.get(last, (0,) * of)),
                lambda last, theirs, own: append_pair(last, theirs, own, order),
            )

        name = f"counts of order {order}"
        sentence = (
            f"They go by what was played in the last {order} encounters, as often as was seen so far."
            if order
            else "They play each behaviour as often as was seen so far."
        )
        return Predictor(name, sentence, BITS + order, EncounterCounts((), {}), output, after, settle)

    for order in range(LONGEST + 1):
        yield make_predictor(order)
