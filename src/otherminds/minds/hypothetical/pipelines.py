"""Pipelines: which steps are taken, at the start and after every encounter, and by which numbers.

The agent, its ablations (Cross et al. 2025, section 4.5 and appendix F) and its
baselines (appendix E) differ in these descriptions alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal

from otherminds.core.errors import StudyError
from otherminds.minds.hypothetical.hypotheses import Credit
from otherminds.minds.hypothetical.steps import Step
from otherminds.minds.hypothetical.steps.acting import decide, evaluate_round
from otherminds.minds.hypothetical.steps.devising import devise, earn, strategise, weigh
from otherminds.minds.hypothetical.steps.hypothesising import evaluate, generate, infer, pass_over
from otherminds.minds.hypothetical.steps.predicting import at_once, choose, open_blind, predict

TEMPERATURE, TOP_P, MAX_TOKENS = 0.1, 1.0, 4000
"""How replies are drawn: GPT-4 in table 4."""
PREDICTING = Credit(0.3, 1.0, 0.7)
"""Table 2: hypotheses are valued by what they predict."""
REWARDING = Credit(0.3, 3.0, 3.0)
"""Table 3: they are valued by rewards."""


@dataclass(frozen=True)
class Pipeline:
    """An agent as its steps.

    ``opening`` are taken before anything happens, ``met`` after every encounter,
    ``deciding`` before each decision where there are no plans. ``values``: hypotheses
    earn values, so that one may count as validated. ``refines``: earlier hypotheses are
    shown where a new one is asked for. ``reflects``: an evaluator follows plans in
    every world, else only where the world's manner says so. ``module``: it thinks
    after encounters, so that there is something to note. ``answers``: it predicts.
    """

    opening: tuple[Step, ...] = ()
    met: tuple[Step, ...] = ()
    deciding: tuple[Step, ...] = ()
    values: bool = False
    refines: bool = False
    reflects: Literal["always", "where told", "never"] = "where told"
    module: bool = True
    answers: bool = True
    usual: Credit = PREDICTING


FULL = Pipeline((open_blind,), (infer, evaluate, generate, predict, choose), values=True, refines=True)
"""Hypothetical Minds."""
UNREFINED = Pipeline((open_blind,), FULL.met, values=True)
"""MMP+HE: evaluation without refinement."""
UNTESTED = Pipeline((open_blind,), (infer, pass_over, generate, predict, choose))
"""MMP: separate calls alone. With no earlier hypothesis to test, the agent is this."""
AT_ONCE = Pipeline((open_blind,), (pass_over, at_once))
"""VMP: all steps in one call."""
REWARDED = Pipeline(
    (devise, weigh), (earn, devise, weigh), values=True, refines=True, answers=False, usual=REWARDING
)
"""HE+HR: own strategies, valued by rewards."""
REACT = Pipeline(met=(pass_over,), deciding=(decide,), reflects="never", module=False, answers=False)
"""ReAct: the subgoal module alone."""
REFLEXION = Pipeline(
    met=(pass_over, evaluate_round), deciding=(decide,), reflects="always", module=False, answers=False
)
"""Reflexion: ReAct and an evaluator."""
PLANNED = Pipeline((strategise,), (pass_over, strategise), reflects="never", answers=False)
"""PlanReAct: one high-level plan after each encounter."""


@dataclass(frozen=True)
class Numbers:
    """What may be set of a pipeline that values hypotheses; ``None`` is the preset's.

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
        _one_of("preset", self.preset, ("paper", "published_code"))
        _one_of("condition", self.condition, ("newest", "best"))
        for name, value in (("alpha", self.alpha), ("c", self.c), ("v_thr", self.v_thr)):
            if value is not None and not _number(value):
                raise StudyError(f"{name} must be a number, not {value!r}")
        if self.alpha is not None and not 0 < self.alpha <= 1:
            raise StudyError(f"alpha must be above 0 and at most 1, not {self.alpha!r}")
        if self.c is not None and self.c <= 0:
            raise StudyError(f"c must be above 0, not {self.c!r}")
        whole = isinstance(self.top_k, int) and not isinstance(self.top_k, bool) and self.top_k >= 0
        if self.top_k is not None and not whole:
            raise StudyError(f"top_k must be a whole number from 0 on, not {self.top_k!r}")

    def credit(self, usual: Credit, several: bool) -> Credit:
        """α, c and the threshold: the ``usual`` ones, unless given (``published_code`` has 0.6 with several others)."""
        lower = self.preset == "published_code" and several and usual == PREDICTING
        theirs = 0.6 if lower else usual.threshold
        return Credit(
            usual.alpha if self.alpha is None else self.alpha,
            usual.reward if self.c is None else self.c,
            theirs if self.v_thr is None else self.v_thr,
        )

    def considered(self, several: bool, judged: bool) -> int:
        """top_k (table 2; ``published_code`` has 3 with several others, and where predictions are judged)."""
        if self.top_k is not None:
            return self.top_k
        return 3 if self.preset == "published_code" and (several or judged) else 5


def _one_of(name: str, value: Any, known: Sequence[str]) -> None:
    if value not in known:
        raise StudyError(f"{name} must be {' or '.join(known)}, not {value!r}")


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
