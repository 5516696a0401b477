"""Learns the least automaton of a strategy from its behaviour, and tests it.

The learner is Angluin's (1987) with the counterexamples of Rivest & Schapire (1993). It tells two histories
apart only by a continuation after which the strategy's next move differs in distribution, so that n states
found prove that the strategy has at least n. The automaton is tested with the W-method (Chow 1978): a
strategy that passes with k extra states and has at most n + k states is equal to its automaton.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from otherminds.core.data import Automaton

Chances = tuple[float, ...]
"""The distribution of a strategy's next move."""
Word = tuple[tuple[int, int], ...]
"""The rounds of a history: the strategy's own move, and the other's."""
MOVES = (0, 1)
CLOSE = 1e-12
"""The tolerance between two probabilities."""


class Subject(Protocol):
    """A strategy that tells the distribution of its next move after any history."""

    def chances(self, word: Word) -> Sequence[Chances]:
        """The distribution before each round of ``word`` and after the last: len(word) + 1 of them.

        An own move of ``word`` with probability 0 is replaced by the likeliest one.
        """
        ...


class NoAutomatonError(Exception):
    """No automaton of the strategy is found; the message says why."""


@dataclass(frozen=True)
class Learnt:
    """An automaton, a history that leads to each state, and the continuations that tell the states apart."""

    automaton: Automaton
    access: tuple[Word, ...]
    endings: tuple[Word, ...]

    def states(self, word: Word) -> list[int]:
        """The state before each round of ``word`` and after the last."""
        found = [self.automaton.start]
        for own, other in word:
            found.append(self.automaton.next[found[-1]][own][other])
        return found

    def chances(self, word: Word) -> list[Chances]:
        """What :meth:`Subject.chances` returns if the automaton is right."""
        return [self.automaton.output[state] for state in self.states(word)]

    def trials(self, extra: int) -> Iterator[Word]:
        """The histories of the W-method for a strategy of at most ``extra`` more states."""
        for access in self.access:
            for length in range(extra + 2):
                for word in self._longer(access, length):
                    for ending in self.endings:
                        yield word + ending

    def _longer(self, word: Word, rounds: int) -> Iterator[Word]:
        if not rounds:
            yield word
            return
        output = self.automaton.output[self.states(word)[-1]]
        for own, other in _possible(output):
            yield from self._longer((*word, (own, other)), rounds - 1)


def learn(
    subject: Subject, limit: int, extra: int, search: Callable[[Learnt], Iterable[Word]] = lambda learnt: ()
) -> Learnt:
    """The least automaton of ``subject`` that passes the W-method for ``extra`` more states.

    ``search`` gives histories on which a play of the strategy differs from an automaton; they come before the
    W-method's.

    Raises:
        NoAutomatonError: the strategy has more than ``limit`` states, or contradicts itself.
    """
    endings: list[Word] = [()]
    while True:
        learnt = _hypothesis(subject, endings, limit)
        missed = next(iter(search(learnt)), None)
        if missed is None:
            tried = learnt.trials(extra)
            missed = next((word for word in tried if disagreement(subject, learnt, word) is not None), None)
        if missed is None:
            return learnt
        endings.append(_ending(subject, learnt, missed))


def disagreement(subject: Subject, learnt: Learnt, word: Word) -> int | None:
    """The number of rounds of ``word`` after which subject and automaton first differ; ``None`` if nowhere."""
    pairs = zip(subject.chances(word), learnt.chances(word), strict=True)
    return next((t for t, (is_, said) in enumerate(pairs) if not _close(is_, said)), None)


def _close(one: Chances, two: Chances) -> bool:
    return all(abs(p - q) <= CLOSE for p, q in zip(one, two, strict=True))


def _possible(output: Chances) -> list[tuple[int, int]]:
    return [(own, other) for own in MOVES if output[own] for other in MOVES]


def _hypothesis(subject: Subject, endings: Sequence[Word], limit: int) -> Learnt:
    """The automaton whose states are the histories that ``endings`` tell apart."""

    def row(word: Word) -> tuple[Chances, ...]:
        told = (subject.chances(word + ending)[len(word) :] for ending in endings)
        return tuple(tuple(round(p, 12) for p in chances) for some in told for chances in some)

    number = {row(()): 0}
    access: list[Word] = [()]
    outputs: list[Chances] = []
    after: list[tuple[tuple[int, ...], ...]] = []
    for word in access:
        output = subject.chances(word)[-1]
        leads: dict[tuple[int, int], int] = {}
        for last in _possible(output):
            found = row((*word, last))
            if found not in number:
                if len(number) == limit:
                    raise NoAutomatonError(f"more than {limit} states")
                number[found] = len(number)
                access.append((*word, last))
            leads[last] = number[found]
        played = output.index(max(output))
        outputs.append(output)
        after.append(tuple(tuple(leads.get((own, o), leads[played, o]) for o in MOVES) for own in MOVES))
    return Learnt(Automaton(0, tuple(outputs), tuple(after)), tuple(access), tuple(endings))


def _ending(subject: Subject, learnt: Learnt, missed: Word) -> Word:
    """A continuation that tells apart two histories which lead to one state of the automaton."""
    rounds = disagreement(subject, learnt, missed)
    if rounds is None:
        raise NoAutomatonError("plays differently when asked again")
    word = missed[:rounds]
    states = learnt.states(word)
    said = learnt.automaton.output[states[-1]]
    low, high = 0, len(word)
    while high - low > 1:
        middle = (low + high) // 2
        agrees = _close(subject.chances(learnt.access[states[middle]] + word[middle:])[-1], said)
        low, high = (low, middle) if agrees else (middle, high)
    return word[high:]
