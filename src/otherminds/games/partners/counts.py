"""Predictors without assumptions: frequencies learnt during play."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TypeAlias

from otherminds.games.automata import Chances, Predictor, Setting, State
from otherminds.games.registry import predictors

BITS = 5.0
"""The bits of counts without a context; each entry of a context takes one more."""
BEFOREHAND = 0.2
"""Observations of each behaviour beforehand: few, as what follows a context is mostly always the same."""
ENTRIES = (
    ((1, 0), "what they played last"),
    ((1, 1), "what you played last"),
    ((2, 0), "what they played in the encounter before"),
    ((2, 1), "what you played in the encounter before"),
)
"""What a context may hold: how many encounters ago, and whose behaviour (0 theirs, 1 own); and its words."""

Pairs: TypeAlias = tuple[tuple[int, int], ...]
"""The last encounters, (theirs, own) each, oldest first."""
Context: TypeAlias = tuple[int, ...]
"""The behaviours that a predictor goes by; -1 where there was no such encounter."""
Counts: TypeAlias = dict[Context, tuple[int, ...]]
"""The count of each behaviour in each context."""
Places: TypeAlias = tuple[tuple[int, int], ...]
"""The entries of a context, as in :data:`ENTRIES`."""


class EncounterCounts:
    """The last two encounters, and the counts so far; immutable."""

    __slots__ = ("counts", "last")

    def __init__(self, last: Pairs, counts: Counts) -> None:
        self.last = last
        self.counts = counts

    def add(self, theirs: int, own: int, places: Places, of: int) -> EncounterCounts:
        """The tally after one more encounter."""
        context = read_context(self.last, places)
        before = self.counts.get(context, (0,) * of)
        after = tuple(n + (b == theirs) for b, n in enumerate(before))
        return EncounterCounts(append_pair(self.last, theirs, own, places), self.counts | {context: after})


def read_context(last: Pairs, places: Places) -> Context:
    """The behaviours at ``places`` of the last encounters.

    >>> read_context(((0, 1), (2, 0)), ((1, 0), (2, 1)))
    (2, 1)
    """
    return tuple(last[-ago][whose] if ago <= len(last) else -1 for ago, whose in places)


def append_pair(last: Pairs, theirs: int, own: int, places: Places) -> Pairs:
    """The last pairs after one more, as many as ``places`` need."""
    order = max((ago for ago, _ in places), default=0)
    return (*last, (theirs, own))[-order:] if order else ()


def frequency(counts: tuple[int, ...]) -> Chances:
    """The mean of the distribution under a Dirichlet prior with :data:`BEFOREHAND` for each behaviour.

    >>> [round(p, 3) for p in frequency((1, 0))]
    [0.857, 0.143]
    """
    total = sum(counts) + BEFOREHAND * len(counts)
    return tuple((n + BEFOREHAND) / total for n in counts)


@predictors.register("counts")
def counts(setting: Setting) -> Iterator[Predictor]:
    """How often each behaviour came in the same context: up to two behaviours of the last two encounters, or all four.

    A partner that stands in no other family is learnt by one of them, if it goes by the last two encounters.
    """
    if setting.theirs < 2:
        return
    of = setting.theirs

    def make_predictor(chosen: tuple[tuple[tuple[int, int], str], ...]) -> Predictor:
        places = tuple(place for place, _ in chosen)

        def output(state: State) -> Chances:
            return frequency(state.counts.get(read_context(state.last, places), (0,) * of))

        def after(state: State, theirs: int, own: int) -> State:
            return state.add(theirs, own, places, of)

        def settle(state: State) -> Predictor:
            tables: Counts = state.counts
            return Predictor(
                name,
                sentence,
                0.0,
                state.last,
                lambda last: frequency(tables.get(read_context(last, places), (0,) * of)),
                lambda last, theirs, own: append_pair(last, theirs, own, places),
            )

        words = " and ".join(text for _, text in chosen)
        name = f"counts after {words}" if chosen else "counts"
        sentence = (
            f"They go by {words}, as often as was seen so far."
            if chosen
            else "They play each behaviour as often as was seen so far."
        )
        return Predictor(name, sentence, BITS + len(places), EncounterCounts((), {}), output, after, settle)

    for size in (0, 1, 2, len(ENTRIES)):
        for chosen in combinations(ENTRIES, size):
            yield make_predictor(chosen)
