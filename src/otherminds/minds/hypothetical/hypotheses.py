"""Hypotheses about one partner: what they say, what they predicted, what they are worth.

Cross et al. 2025, section 3.2: a hypothesis that predicted right earns +c, one that
predicted wrong −c, and its value moves towards that by the Rescorla-Wagner rule,
V ← V + α (r − V). A prediction is scored once, for the encounter it was made for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from msgspec import Struct

from otherminds.core.data import Answer, Seat


class Credit(Struct, frozen=True):
    """How hypotheses earn their value (tables 2 and 3): ``alpha`` is α, ``reward`` c, ``threshold`` V_thr."""

    alpha: float = 0.3
    reward: float = 1.0
    threshold: float = 0.7

    def moved(self, value: float, earned: float) -> float:
        """``value`` after an encounter that earned ``earned``.

        >>> credit = Credit()
        >>> round(credit.moved(0.76, -1.0), 2)
        0.23
        """
        return value + self.alpha * (earned - value)


@dataclass
class Hypothesis:
    """One hypothesis. ``born`` is after how many encounters it was made.

    ``predictions`` are its answers by the number of the encounter they are for (0 for
    the first); ``hits`` says of each that was scored whether it was right.
    """

    id: int
    text: str
    born: int
    value: float = 0.0
    predictions: dict[int, Answer] = field(default_factory=dict[int, Answer])
    hits: dict[int, bool] = field(default_factory=dict[int, bool])


class Stream:
    """All hypotheses about ``partner``, oldest first; ``met`` counts the encounters with it.

    ``afresh``: one that says the same as an older one is a new one nevertheless, with value 0.
    """

    def __init__(self, partner: Seat, credit: Credit, afresh: bool = False) -> None:
        self.partner = partner
        self.credit = credit
        self.afresh = afresh
        self.hypotheses: list[Hypothesis] = []
        self.met = 0

    @property
    def newest(self) -> Hypothesis | None:
        """The hypothesis made last."""
        return self.hypotheses[-1] if self.hypotheses else None

    @property
    def best(self) -> Hypothesis | None:
        """The one of highest value; of equals the newest."""
        return max(reversed(self.hypotheses), key=lambda h: h.value, default=None)

    @property
    def validated(self) -> Hypothesis | None:
        """The best one, if its value is above the threshold; any may be, not only the newest."""
        best = self.best
        return best if best is not None and best.value > self.credit.threshold else None

    def add(self, text: str) -> Hypothesis:
        """A new hypothesis; one that says the same as an older one is that one, newest again, unless ``afresh``."""
        for old in () if self.afresh else self.hypotheses:
            if old.text == text:
                self.hypotheses.remove(old)
                self.hypotheses.append(old)
                return old
        made = Hypothesis(max((h.id for h in self.hypotheses), default=-1) + 1, text, self.met)
        self.hypotheses.append(made)
        return made

    def top(self, k: int) -> list[Hypothesis]:
        """The ``k`` of highest value that have a value above 0, best first."""
        return [h for h in _ranked(self.hypotheses) if h.value > 0][:k]

    def tested(self, k: int) -> list[Hypothesis]:
        """Those asked for a prediction: the validated one alone, else the newest and the ``k`` best others.

        Here values need not be above 0, so that every hypothesis can earn one (D.3, step 4).
        """
        if self.validated is not None:
            return [self.validated]
        return [*self.hypotheses[-1:], *_ranked(self.hypotheses[:-1])[:k]]

    def evaluate(self, right: Callable[[Answer], bool | None]) -> list[Hypothesis]:
        """Scores the predictions made for the encounter that just finished, and counts it.

        ``right`` judges one; ``None`` leaves it unscored. Returns those scored.
        """
        scored: list[Hypothesis] = []
        for hypothesis in self.hypotheses:
            if self.met not in hypothesis.predictions:
                continue
            hit = right(hypothesis.predictions[self.met])
            if hit is not None:
                hypothesis.hits[self.met] = hit
                earned = self.credit.reward if hit else -self.credit.reward
                hypothesis.value = self.credit.moved(hypothesis.value, earned)
                scored.append(hypothesis)
        self.met += 1
        return scored

    def earn(self, earned: Iterable[tuple[Hypothesis, float]]) -> None:
        """Moves values by rewards as they came (appendix F), and counts the encounter."""
        for hypothesis, reward in earned:
            hypothesis.value = self.credit.moved(hypothesis.value, reward)
        self.met += 1


def _ranked(hypotheses: list[Hypothesis]) -> list[Hypothesis]:
    """By value, the highest first; of equals the newest."""
    newest_first = list(reversed(hypotheses))
    return sorted(newest_first, key=lambda h: -h.value)
