"""Hypothetical Minds, its four ablations and its three baselines, by name."""

from __future__ import annotations

from typing import ClassVar

from otherminds.core.scaffold import OWN
from otherminds.minds.hypothetical import pipelines
from otherminds.minds.hypothetical.mind import HypotheticalMind
from otherminds.minds.hypothetical.pipelines import MAX_TOKENS, TEMPERATURE, TOP_P, Numbers, Pipeline
from otherminds.minds.language.answering import written
from otherminds.minds.registry import minds

UNVALUED = Numbers(top_k=0)
"""Nothing is valued, so nothing earlier is tested."""


class Valuing(HypotheticalMind):
    """An agent whose hypotheses earn values.

    ``preset``: ``paper`` has α 0.3, c 1, V_thr 0.7 and top_k 5; ``published_code`` V_thr
    0.6 and top_k 3 among several others, top_k 3 where predictions are judged. What is
    given in numbers wins. ``condition``: while no hypothesis is validated the choice
    goes by the ``newest``, or by the ``best``. Each call has ``tries``. Replies are drawn
    as the paper draws those of GPT-4 (table 4): ``temperature`` 0.1, ``max_tokens`` 4000.
    ``scaffold``: whose words prompts are made of; ``own``, or another one that the scenario has.
    """

    steps: ClassVar[Pipeline]

    def __init__(
        self,
        preset: str = "paper",
        alpha: float | None = None,
        c: float | None = None,
        v_thr: float | None = None,
        top_k: int | None = None,
        condition: str = "newest",
        tries: int = 3,
        temperature: float = TEMPERATURE,
        max_tokens: int = MAX_TOKENS,
        scaffold: str = OWN,
    ) -> None:
        numbers = Numbers(preset, alpha, c, v_thr, top_k, condition)
        super().__init__(self.steps, numbers, written(tries, temperature, TOP_P, max_tokens), scaffold)


class Unvaluing(HypotheticalMind):
    """An agent without values; ``tries``, ``temperature``, ``max_tokens`` and ``scaffold`` as for :class:`Valuing`."""

    steps: ClassVar[Pipeline]

    def __init__(
        self,
        tries: int = 3,
        temperature: float = TEMPERATURE,
        max_tokens: int = MAX_TOKENS,
        scaffold: str = OWN,
    ) -> None:
        super().__init__(self.steps, UNVALUED, written(tries, temperature, TOP_P, max_tokens), scaffold)


@minds.register("hm")
class FullMind(Valuing):
    """Hypothetical Minds (Cross et al. 2025, section 3 and appendix D)."""

    steps = pipelines.FULL


@minds.register("mmp_he")
class UnrefinedMind(Valuing):
    """MMP+HE: as ``hm``, but no earlier hypothesis is shown where a new one is asked for (section 4.5)."""

    steps = pipelines.UNREFINED


@minds.register("he_hr")
class RewardedMind(Valuing):
    """HE+HR: own strategies, valued by rewards, real and counterfactual (appendix F).

    As ``hm`` but for c 3 and V_thr 3 (table 3).
    """

    steps = pipelines.REWARDED


@minds.register("mmp")
class UntestedMind(Unvaluing):
    """MMP: the steps in calls of their own, nothing evaluated or refined; ``hm`` with top_k 0 (section 4.5)."""

    steps = pipelines.UNTESTED


@minds.register("vmp")
class AtOnceMind(Unvaluing):
    """VMP: all steps in a single call (section 4.5)."""

    steps = pipelines.AT_ONCE


@minds.register("react")
class ReActMind(Unvaluing):
    """ReAct: the subgoal module alone, with its three worked examples (appendix E.1)."""

    steps = pipelines.REACT


@minds.register("reflexion_agent")
class ReflexionMind(Unvaluing):
    """Reflexion: ReAct, and an evaluator whose feedback the next plan is shown (appendix E.2).

    Not the prompting strategy ``reflexion`` of Riemer et al.
    """

    steps = pipelines.REFLEXION


@minds.register("plan_react")
class PlannedMind(Unvaluing):
    """PlanReAct: one high-level plan after each encounter, then the subgoal module (appendix E.3)."""

    steps = pipelines.PLANNED
