"""Hypotheses about one partner: their texts, predictions and values.

Cross et al. 2025, section 3.2: a right prediction earns +c, a wrong one −c, and the value
moves by the Rescorla-Wagner rule, V ← V + α (r − V). Each prediction is scored once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

from msgspec import Struct

from otherminds.core.data import Answer
from otherminds.core.errors import StudyError


class Credit(Struct, frozen=True):
    """How hypotheses earn their values (tables 2 and 3): ``alpha`` is α, ``reward`` c, ``threshold`` V_thr."""

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


PREDICTING = Credit(0.3, 1.0, 0.7)
"""Table 2: hypotheses earn their values by predictions."""
REWARDING = Credit(0.3, 3.0, 3.0)
"""Table 3: hypotheses earn their values by rewards."""


@dataclass(frozen=True)
class Numbers:
    """The numbers that can be set for a pipeline with values; ``None`` is the preset's.

    Raises:
        StudyError: a value that it cannot have.
    """

    preset: str = "paper"
    alpha: float | None = None
    c: float | None = None
    v_thr: float | None = None
    top_k: int | None = None
    condition: str = "newest"

    def __post_init__(self) -> None:
        for name, value, choices in (
            ("preset", self.preset, ("paper", "published_code")),
            ("condition", self.condition, ("newest", "best")),
        ):
            if value not in choices:
                raise StudyError(f"{name} must be {' or '.join(choices)}, not {value!r}")
        for name, value in (("alpha", self.alpha), ("c", self.c), ("v_thr", self.v_thr)):
            if value is not None and not _number(value):
                raise StudyError(f"{name} must be a number, not {value!r}")
        if self.alpha is not None and not 0 < self.alpha <= 1:
            raise StudyError(f"alpha must be above 0 and at most 1, not {self.alpha!r}")
        if self.c is not None and self.c <= 0:
            raise StudyError(f"c must be above 0, not {self.c!r}")
        is_count = isinstance(self.top_k, int) and not isinstance(self.top_k, bool) and self.top_k >= 0
        if self.top_k is not None and not is_count:
            raise StudyError(f"top_k must be a whole number from 0 on, not {self.top_k!r}")

    def credit(self, usual: Credit, several: bool) -> Credit:
        """α, c and the threshold, the ``usual`` ones by default (``published_code``: 0.6 with several others)."""
        lower = self.preset == "published_code" and several and usual == PREDICTING
        return Credit(
            usual.alpha if self.alpha is None else self.alpha,
            usual.reward if self.c is None else self.c,
            self.v_thr if self.v_thr is not None else 0.6 if lower else usual.threshold,
        )

    def considered(self, several: bool, judged: bool) -> int:
        """top_k (table 2; ``published_code``: 3 with several others or where predictions are judged)."""
        if self.top_k is not None:
            return self.top_k
        return 3 if self.preset == "published_code" and (several or judged) else 5


@dataclass
class Hypothesis:
    """One hypothesis.

    ``predictions`` are its answers by the number of the encounter, from 0; ``hits`` says
    of each scored one whether it was right.
    """

    id: int
    text: str
    value: float = 0.0
    predictions: dict[int, Answer] = field(default_factory=dict[int, Answer])
    hits: dict[int, bool] = field(default_factory=dict[int, bool])


class HypothesisStream:
    """All hypotheses about one partner, oldest first; ``met`` counts the encounters with it.

    ``afresh``: a hypothesis repeated word for word is a new one, with value 0.
    """

    def __init__(self, credit: Credit, afresh: bool = False) -> None:
        self.credit = credit
        self.afresh = afresh
        self.hypotheses: list[Hypothesis] = []
        self.met = 0

    @property
    def newest(self) -> Hypothesis | None:
        return self.hypotheses[-1] if self.hypotheses else None

    @property
    def best(self) -> Hypothesis | None:
        """The one of highest value; the newest on ties."""
        return max(reversed(self.hypotheses), key=lambda h: h.value, default=None)

    @property
    def validated(self) -> Hypothesis | None:
        """The best one, if its value is above the threshold."""
        best = self.best
        return best if best is not None and best.value > self.credit.threshold else None

    def add(self, text: str) -> Hypothesis:
        """Adds a hypothesis. Unless ``afresh``, a repeated one becomes the newest and keeps its value."""
        for old in () if self.afresh else self.hypotheses:
            if old.text == text:
                self.hypotheses.remove(old)
                self.hypotheses.append(old)
                return old
        added = Hypothesis(max((h.id for h in self.hypotheses), default=-1) + 1, text)
        self.hypotheses.append(added)
        return added

    def top(self, k: int) -> list[Hypothesis]:
        """The ``k`` of highest value among those above 0, best first."""
        return [h for h in _rank_hypotheses(self.hypotheses) if h.value > 0][:k]

    def tested(self, k: int) -> list[Hypothesis]:
        """Those to ask for a prediction: the validated one alone, else the newest and the ``k`` best others.

        Values need not be above 0, so that every hypothesis can earn one (D.3, step 4).
        """
        if self.validated is not None:
            return [self.validated]
        return [*self.hypotheses[-1:], *_rank_hypotheses(self.hypotheses[:-1])[:k]]

    def evaluate(self, right: Callable[[Answer], bool | None]) -> list[Hypothesis]:
        """Scores the predictions made for the last encounter, and counts it.

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
        """Moves values by rewards (appendix F), and counts the encounter."""
        for hypothesis, reward in earned:
            hypothesis.value = self.credit.moved(hypothesis.value, reward)
        self.met += 1


def _rank_hypotheses(hypotheses: list[Hypothesis]) -> list[Hypothesis]:
    """By value, the highest first; the newest first on ties."""
    newest_first = list(reversed(hypotheses))
    return sorted(newest_first, key=lambda h: -h.value)


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
