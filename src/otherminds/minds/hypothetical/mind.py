"""The mind that runs a pipeline; Hypothetical Minds, its four ablations and its three baselines, by name."""

from __future__ import annotations

from typing import ClassVar

from otherminds.core.contracts import Mind, MindContext
from otherminds.core.data import Action, Answer, Brief, Invalid, Moment, Question, SkillChoice
from otherminds.core.scaffold import OWN
from otherminds.core.thinking import SCAFFOLD
from otherminds.minds.hypothetical import pipelines
from otherminds.minds.hypothetical.forms import Forms
from otherminds.minds.hypothetical.pipelines import (
    MAX_TOKENS,
    TEMPERATURE,
    TOP_P,
    UNTESTED,
    Numbers,
    Pipeline,
)
from otherminds.minds.hypothetical.steps.acting import decision, play_on
from otherminds.minds.hypothetical.working import PipelineSettings, Working, scaffold_of, unscaffolded
from otherminds.minds.language.answering import Written, written
from otherminds.minds.registry import minds


class HypotheticalMind(Mind):
    """Reasons in steps about encounters, and acts by plans where its world has them.

    A question what a partner does next gets the prediction that the mind acts on; it
    is never asked for a second one.
    """

    suspends = True
    grants = frozenset({"payoffs"})

    def __init__(self, pipeline: Pipeline, numbers: Numbers, how: Written, scaffold: str) -> None:
        self.scaffold = scaffold
        self.pipeline = pipeline
        self.numbers = numbers
        self.how = how
        self.answers = pipeline.answers

    def suits(self, brief: Brief, context: MindContext) -> str | None:
        """It needs a model, another seat, and a scaffold: the words of a world for minds that reason in steps."""
        scaffold = scaffold_of(context, self.scaffold)
        if self.scaffold != OWN and scaffold is None:
            return f"this scenario has no scaffold {self.scaffold!r}; leave out the parameter scaffold"
        if (reason := unscaffolded(brief, context, self.scaffold)) is not None:
            return reason
        manner = scaffold.manner if scaffold else None
        if manner is not None and manner.choice == "strategy" and not manner.plans:
            return "a world in which strategies are chosen needs plans to carry them out"
        return None

    def begin(self, brief: Brief, context: MindContext) -> None:
        scaffold = scaffold_of(context, self.scaffold)
        assert scaffold is not None, "this mind suits worlds with a scaffold only"
        context.note(SCAFFOLD, {"name": self.scaffold})
        several, judged = len(brief.others) > 1, scaffold.manner.judged
        numbers, pipeline = self.numbers, self.pipeline
        settings = PipelineSettings(
            numbers.credit(pipeline.usual, several),
            numbers.considered(several, judged),
            "best" if numbers.condition == "best" else "newest",
            pipeline.refines,
            self.how.tries,
            self.how.decoding,
        )
        self._work = Working(brief, context, scaffold, Forms(scaffold, brief), settings)
        self._running = UNTESTED if pipeline.values and pipeline.answers and not settings.top_k else pipeline
        self._opened = False

    async def perceive(self, moment: Moment) -> None:
        work, pipeline = self._work, self._running
        work.hear(moment)
        if moment.last:
            return
        if not self._opened:
            self._opened = True
            first = next(iter(work.others.values()))
            for step in pipeline.opening:
                await step(work, first)
            self._note(*work.others)
        for encounter in moment.encounters:
            for seat in encounter.did:
                if seat in work.others:
                    about = work.meet(encounter, seat)
                    for step in pipeline.met:
                        await step(work, about)
                    self._note(seat)
        if moment.encounters:
            work.since = []

    async def act(self) -> Action | SkillChoice | Invalid:
        work, pipeline = self._work, self._running
        if work.manner.plans:
            told = pipeline.reflects == "where told" and work.manner.reflects
            return await play_on(work, told or pipeline.reflects == "always")
        for step in pipeline.deciding:
            await step(work, next(iter(work.others.values())))
        return decision(work)

    async def answer(self, question: Question) -> Answer | Invalid:
        about = self._work.others.get(question.about)
        if about is None or question.truth_is:
            return Invalid("this mind says what another seat will do, and nothing else")
        if about.said is None:
            return Invalid("it made no usable prediction")
        if about.said not in question.options:
            return Invalid("its prediction is none of the options", str(about.said))
        return about.said

    def _note(self, *seats: str) -> None:
        """What is thought of ``seats`` now."""
        for seat in seats if self._running.module else ():
            work = self._work
            work.note(work.others[seat], work.settings.credit.threshold if self._running.values else None)


UNVALUED = Numbers(top_k=0)
"""Nothing is valued, so nothing earlier is tested."""


class Valuing(HypotheticalMind):
    """An agent whose hypotheses earn values.

    ``preset``: ``paper`` has α 0.3, c 1, V_thr 0.7 and top_k 5; ``published_code`` V_thr
    0.6 and top_k 3 among several others, top_k 3 where predictions are judged. What is
    given in numbers wins. ``condition``: while no hypothesis is validated the choice
    uses the ``newest``, or the ``best``. Each call has ``tries``. Replies are drawn
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
