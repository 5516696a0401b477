"""The minds that run a pipeline of steps: Hypothetical Minds, its four ablations and its three baselines.

They differ in their :class:`Pipeline` alone (Cross et al. 2025, section 4.5, appendices E and F). The steps here devise own
strategies in place of theory of mind, for HE+HR (appendix F) and PlanReAct (appendix E.3).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

import msgspec

from otherminds.core.contracts import OWN, Mind, MindContext, PlanningScaffold
from otherminds.core.data import (
    SCAFFOLD,
    Action,
    Answer,
    Brief,
    Invalid,
    Moment,
    Question,
    ScaffoldName,
    SkillChoice,
)
from otherminds.minds.hypothetical import prompting as say
from otherminds.minds.hypothetical.prompting import ask
from otherminds.minds.hypothetical.steps import (
    KEPT,
    at_once,
    choose,
    chosen,
    conditioning,
    decide,
    decision,
    evaluate,
    evaluate_round,
    generate,
    infer,
    open_blind,
    pass_over,
    play_on,
    predict,
)
from otherminds.minds.hypothetical.working import (
    PREDICTING,
    REWARDING,
    Acquaintance,
    Credit,
    EncounterTarget,
    Hypothesis,
    Numbers,
    PipelineSettings,
    Working,
    scaffold_of,
    why_unscaffolded,
)
from otherminds.minds.language.requests import TemplateSampling, template_sampling
from otherminds.minds.registry import minds

TEMPERATURE, TOP_P, MAX_TOKENS = 0.1, 1.0, 4000
"""Decoding of replies: GPT-4 in table 4."""

Step: TypeAlias = Callable[[Working, Acquaintance], Awaitable[None]]
"""``step(work, about)``, about the partner of the last encounter; at the start, the first partner.

A step reads and writes the working state and asks the model. Without a usable reply it
changes nothing but for a note.
"""


async def earn(work: Working, about: Acquaintance) -> None:
    """Moves values: by the reward for the strategy used, by the model's counterfactual for the others."""
    earned: list[tuple[Hypothesis, float]] = []
    for hypothesis in about.stream.hypotheses:
        if hypothesis.id not in about.considered:
            continue
        if hypothesis is about.used and work.source is about:
            earned.append((hypothesis, about.reward))
            continue
        answer = await ask(
            work,
            work.purpose("counterfactual", about, hypothesis.id),
            lambda hypothesis=hypothesis: [
                *say.encounters(work, about),
                *say.considered(work, hypothesis.text, about.considered[hypothesis.id]),
            ],
            "Had you followed that strategy in the last encounter, and nothing else had been different: would your reward "
            "have been positive, neutral or negative? Think step by step.",
            work.forms.counterfactual(),
            "its value does not move",
        )
        if answer is not None:
            earned.append((hypothesis, answer["outcome"] * work.settings.credit.reward))
    about.stream.earn(earned)
    about.considered = {}


async def devise(work: Working, about: Acquaintance) -> None:
    """A new own strategy, or an older one again; none while one is validated."""
    if about.stream.validated is not None:
        return
    k = work.settings.top_k if work.settings.refines else 0
    task = (
        "What strategy will you follow from now on? If one of your earlier strategies (its value stands before it: about "
        "what it brings) does well, repeat it word for word; if one is nearly good, improve it; else find another. "
        if k and about.stream.top(k)
        else "What strategy will you follow from now on? "
    )
    answer = await ask(
        work,
        work.purpose("devise", about),
        lambda: [
            *say.encounters(work, about),
            *say.earlier("Your earlier strategies:", about, k),
            *say.can_play(work),
        ],
        f"{task}Think step by step, then put it into a sentence or two.",
        work.forms.devise(),
        "no new strategy; the old ones stay",
    )
    if answer is not None:
        strategy = about.stream.add(answer["my_strategy"])
        about.considered[strategy.id] = answer.get("i_play")


async def weigh(work: Working, about: Acquaintance) -> None:
    """Asks what each strategy means for the next encounter; the mind follows the validated one, else the newest."""
    stream = about.stream
    tested = stream.tested(work.settings.top_k)
    about.used = conditioning(work, about, tested)
    for hypothesis in tested:
        if work.manner.choice == "strategy":
            about.considered[hypothesis.id] = None
        elif hypothesis.id not in about.considered:
            answer = await ask(
                work,
                work.purpose("play", about, hypothesis.id),
                lambda hypothesis=hypothesis: [
                    *say.encounters(work, about),
                    f"Your strategy: {hypothesis.text}",
                    *say.can_play(work),
                ],
                "What does this strategy mean for your next encounter? Think step by step.",
                work.forms.play(),
                KEPT if hypothesis is about.used else "it is not considered this time",
            )
            if answer is not None:
                about.considered[hypothesis.id] = answer["i_play"]
    if about.used is not None and about.used.id in about.considered:
        work.aim(EncounterTarget(about.considered[about.used.id], about.used.text), about)


async def strategise(work: Working, about: Acquaintance) -> None:
    """One strategy in words, and what it means for the next encounter; none is tested."""
    answer = await ask(
        work,
        work.purpose("strategise", about),
        lambda: [*say.encounters(work, about), *say.can_play(work)],
        f"Think step by step about what {about.name} does and how to do best. Then put your strategy from now on into a "
        "sentence or two.",
        work.forms.devise(),
        KEPT,
    )
    if answer is not None:
        work.aim(chosen(answer), about)


@dataclass(frozen=True)
class Pipeline:
    """An agent as its steps.

    ``opening`` are taken before anything happens, ``met`` after every encounter,
    ``deciding`` before each decision where there are no plans. ``values``: hypotheses
    earn values, so that one may be validated. ``refines``: requests for a new
    hypothesis show earlier ones. ``reflects``: a model call evaluates every plan,
    ``by manner`` where the world's manner says so. ``module``: it reasons after
    encounters, so that there is something to note. ``answers``: it predicts.
    """

    opening: tuple[Step, ...] = ()
    met: tuple[Step, ...] = ()
    deciding: tuple[Step, ...] = ()
    values: bool = False
    refines: bool = False
    reflects: Literal["always", "by manner", "never"] = "by manner"
    module: bool = True
    answers: bool = True
    usual: Credit = PREDICTING


class HypotheticalMind(Mind):
    """Reasons in steps about encounters, and acts by plans where its world has them.

    Its answer to a question about a partner's next behaviour is the prediction that it acts on.
    """

    suspends = True
    grants = frozenset({"payoffs"})
    steps: ClassVar[Pipeline]

    def __init__(self, numbers: Numbers, how: TemplateSampling, scaffold: str) -> None:
        self.scaffold = scaffold
        self.numbers = numbers
        self.how = how
        self.answers = self.steps.answers

    def suits(self, brief: Brief, context: MindContext) -> str | None:
        """It needs a model, another seat, and a scaffold."""
        scaffold = scaffold_of(context, self.scaffold)
        if self.scaffold != OWN and scaffold is None:
            return f"this scenario has no scaffold {self.scaffold!r}; leave out the parameter scaffold"
        reason = why_unscaffolded(brief, context, self.scaffold)
        if reason is not None or scaffold is None or isinstance(scaffold, PlanningScaffold):
            return reason
        if scaffold.manner.choice == "strategy":
            return "a world in which strategies are chosen needs plans to carry them out"
        return None

    def begin(self, brief: Brief, context: MindContext) -> None:
        scaffold = scaffold_of(context, self.scaffold)
        assert scaffold is not None, "this mind suits worlds with a scaffold only"
        context.note(SCAFFOLD, msgspec.to_builtins(ScaffoldName(self.scaffold)))
        several, judged = len(brief.others) > 1, scaffold.manner.judged
        numbers, pipeline = self.numbers, self.steps
        credit, top_k = numbers.credit(pipeline.usual, several), numbers.considered(several, judged)
        best = numbers.condition == "best"
        settings = PipelineSettings(credit, top_k, best, pipeline.refines, self.how)
        self._work = Working(brief, context, scaffold, settings)
        untested = pipeline.values and pipeline.answers and not settings.top_k
        self._running = UntestedMind.steps if untested else pipeline
        self._opened = False

    async def perceive(self, moment: Moment) -> None:
        work, pipeline = self._work, self._running
        work.hear(moment)
        if moment.last:
            return
        if not self._opened:
            self._opened = True
            for step in pipeline.opening:
                await step(work, work.first)
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
        if work.planning is not None:
            by_manner = pipeline.reflects == "by manner" and work.manner.reflects
            return await play_on(work, work.planning, by_manner or pipeline.reflects == "always")
        for step in pipeline.deciding:
            await step(work, work.first)
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
        """Notes the hypotheses about ``seats``."""
        work = self._work
        for seat in seats if self._running.module else ():
            work.note(work.others[seat], work.settings.credit.threshold if self._running.values else None)


class Valuing(HypotheticalMind):
    """An agent whose hypotheses earn values.

    ``preset``: ``paper`` has α 0.3, c 1, V_thr 0.7 and top_k 5; ``published_code`` V_thr
    0.6 and top_k 3 among several others, top_k 3 where predictions are judged. Explicit
    numbers override the preset. ``condition``: while no hypothesis is validated the
    choice uses the ``newest``, or the ``best``. Each call has ``tries``. Decoding as for
    GPT-4 in the paper (table 4): ``temperature`` 0.1, ``max_tokens`` 4000. ``scaffold``:
    which of the scenario's scaffolds prompts are made from.
    """

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
        super().__init__(numbers, template_sampling(tries, temperature, TOP_P, max_tokens), scaffold)


class Unvaluing(HypotheticalMind):
    """An agent without values; ``tries``, ``temperature``, ``max_tokens`` and ``scaffold`` as for :class:`Valuing`."""

    def __init__(
        self,
        tries: int = 3,
        temperature: float = TEMPERATURE,
        max_tokens: int = MAX_TOKENS,
        scaffold: str = OWN,
    ) -> None:
        # Without values no earlier hypothesis is tested.
        super().__init__(Numbers(top_k=0), template_sampling(tries, temperature, TOP_P, max_tokens), scaffold)


@minds.register("hm")
class FullMind(Valuing):
    """Hypothetical Minds (Cross et al. 2025, section 3 and appendix D)."""

    steps = Pipeline((open_blind,), (infer, evaluate, generate, predict, choose), values=True, refines=True)


@minds.register("mmp_he")
class UnrefinedMind(Valuing):
    """MMP+HE: as ``hm``, but requests for a new hypothesis show no earlier one (section 4.5)."""

    steps = Pipeline((open_blind,), FullMind.steps.met, values=True)


@minds.register("he_hr")
class RewardedMind(Valuing):
    """HE+HR: own strategies, valued by rewards, real and counterfactual (appendix F).

    As ``hm`` but for c 3 and V_thr 3 (table 3).
    """

    steps = Pipeline(
        (devise, weigh), (earn, devise, weigh), values=True, refines=True, answers=False, usual=REWARDING
    )


@minds.register("mmp")
class UntestedMind(Unvaluing):
    """MMP: the steps in calls of their own, nothing evaluated or refined; ``hm`` with top_k 0 (section 4.5)."""

    steps = Pipeline((open_blind,), (infer, pass_over, generate, predict, choose))


@minds.register("vmp")
class AtOnceMind(Unvaluing):
    """VMP: all steps in a single call (section 4.5)."""

    steps = Pipeline((open_blind,), (pass_over, at_once))


@minds.register("react")
class ReActMind(Unvaluing):
    """ReAct: the subgoal module alone, with its three worked examples (appendix E.1)."""

    steps = Pipeline(met=(pass_over,), deciding=(decide,), reflects="never", module=False, answers=False)


@minds.register("reflexion_agent")
class ReflexionMind(Unvaluing):
    """Reflexion: ReAct, and a call that evaluates each plan; the next plan's prompt shows its feedback (appendix E.2).

    Not the prompting strategy ``reflexion`` of Riemer et al.
    """

    steps = Pipeline(
        met=(pass_over, evaluate_round), deciding=(decide,), reflects="always", module=False, answers=False
    )


@minds.register("plan_react")
class PlannedMind(Unvaluing):
    """PlanReAct: one high-level plan after each encounter, then the subgoal module (appendix E.3)."""

    steps = Pipeline((strategise,), (pass_over, strategise), reflects="never", answers=False)
