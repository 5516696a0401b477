"""The steps of a pipeline: theory of mind (Cross et al. 2025, appendix D.3), and plans of skills (D.4 to D.6, E).

Theory of mind infers what the other did, evaluates and generates hypotheses, predicts and chooses. The subgoal module makes
and evaluates plans of skills; some minds choose without a plan."""

from __future__ import annotations

from typing import Any

from otherminds.core.contracts import PlanningScaffold, Step
from otherminds.core.data import Action, Answer, Invalid, SkillChoice
from otherminds.minds.hypothetical import prompting as say
from otherminds.minds.hypothetical.forms import WRITTEN
from otherminds.minds.hypothetical.prompting import ModelQuestion, ask, ask_each
from otherminds.minds.hypothetical.working import (
    Acquaintance,
    EncounterTarget,
    Hypothesis,
    RunningPlan,
    Working,
)

KEPT = "the last target stays"
GENERAL = (
    "It may do the same every time, follow a fixed order, or answer what you did; it need not be clever. Say for each "
    "encounter what your idea explains, think step by step,"
)
"""Advice on strategies where a world has none."""


async def infer(work: Working, about: Acquaintance) -> None:
    """Infers what the partner did from the own part and the reward, where encounters do not contain it."""
    if not work.manner.hidden:
        return
    task = (
        f"What did {about.name} play there? You were not shown it, but what you played and the reward that you got "
        "give it away. Think step by step, then write down what they most likely played."
    )
    answer = await ask(
        work,
        work.purpose("infer", about),
        lambda: [
            *filter(None, [work.scaffold.clues()]),
            f"What they can play: {list(work.scaffold.choices(about.seat))!r}",
            *say.inference(about),
        ],
        task,
        work.forms.infer(about.seat),
        "what they did stays unknown; no value moves",
    )
    if answer is not None:
        about.know(answer["they_played"], answer["they_played" + WRITTEN])


async def evaluate(work: Working, about: Acquaintance) -> None:
    """Scores each prediction made for this encounter; none where the behaviour is unknown."""
    if work.manner.judged:
        about.stream.evaluate((await _verdicts(work, about)).get)
    else:
        behaviour = about.came
        about.stream.evaluate(lambda prediction: None if behaviour is None else prediction == behaviour)


async def pass_over(work: Working, about: Acquaintance) -> None:
    """Counts the encounter without scoring."""
    about.stream.evaluate(lambda prediction: None)


async def generate(work: Working, about: Acquaintance) -> None:
    """Asks for a hypothesis, new or repeated, unless one is validated."""
    if about.stream.validated is not None:
        return
    k = work.settings.top_k if work.settings.refines else 0
    task = f"What is the strategy of {about.name}? "
    if about.stream.top(k):
        task += (
            "If one of your earlier hypotheses (its value stands before it: the higher, the better it predicted) "
            "explains all encounters, repeat it word for word; if one is nearly right, improve it; else find another. "
        )
    hints = work.scaffold.hints("hypothesise")
    advice = f"{hints} Think step by step," if hints else GENERAL
    such = " ".join(work.scaffold.strategies())
    task += f"{advice} then state the strategy in one sentence, such as: {such}"
    answer = await ask(
        work,
        work.purpose("hypothesise", about),
        lambda: [
            *say.totals(work),
            *say.encounters(work, about),
            *say.earlier(f"Your earlier hypotheses about {about.name}:", about, k),
        ],
        task,
        work.forms.hypothesise(),
        "no new hypothesis; the old ones stay",
    )
    if answer is not None:
        about.stream.add(answer["strategy"])


async def open_blind(work: Working, about: Acquaintance) -> None:
    """The first prediction and choice, without a hypothesis."""
    answer = await ask(
        work,
        work.purpose("open"),
        lambda: [*say.encounters(work, about), *say.can_play(work, about)],
        "Nothing is known of the others yet. Think step by step about what they may do first, and what is best for you "
        "then.",
        work.forms.opening(about.seat),
        "no target yet",
    )
    if answer is not None:
        for other in work.others.values():
            other.said, other.foretold = answer["they_play"], foretold(answer)
        work.aim(chosen(answer), None)


async def predict(work: Working, about: Acquaintance) -> None:
    """Asks the validated hypothesis alone, else the newest and the best others, for a prediction.

    With ``joint``, the call for the hypothesis that conditions the choice also makes the choice.
    """
    stream = about.stream
    tested = stream.tested(work.settings.top_k)
    about.used, about.said, about.foretold = conditioning(work, about, tested), None, None
    joint = " Then choose what is best for you against that." if work.manner.joint else ""
    hints = _hints(work, "predict")
    task = f"Take the hypothesis for true. What will {about.name} do in your next encounter?{joint} {hints}Think step by step."
    questions = [
        ModelQuestion(
            work.purpose("predict", about, hypothesis.id),
            lambda hypothesis=hypothesis: [
                *say.encounters(work, about),
                *say.hypothesis(about, hypothesis),
                *say.can_play(work, about),
            ],
            task,
            work.forms.predict(about.seat),
            KEPT if hypothesis is about.used and work.manner.joint else "it predicts nothing this time",
        )
        for hypothesis in tested
    ]
    for hypothesis, answer in zip(tested, await ask_each(work, questions), strict=True):
        if answer is None:
            continue
        hypothesis.predictions[stream.met] = answer["they_play"]
        if hypothesis is about.used:
            about.said, about.foretold = answer["they_play"], foretold(answer)
            if work.manner.joint:
                work.aim(chosen(answer), about)


async def choose(work: Working, about: Acquaintance) -> None:
    """The own choice in a call of its own, given the prediction; with several others, whom to seek."""
    if work.manner.joint:
        return
    answer = await ask(
        work,
        work.purpose("choose", about),
        lambda: [*_tell_partners(work, about), *say.can_play(work, about)],
        _hints(work, "choose") + _choice(work, about),
        work.forms.choose(),
        KEPT,
    )
    if answer is None:
        return
    for seat in answer.get("seek", ()):
        work.others[seat].said, work.others[seat].foretold = answer["they_play"], foretold(answer)
    work.aim(chosen(answer), about)


async def at_once(work: Working, about: Acquaintance) -> None:
    """All steps in a single call: inference, hypothesis, prediction, choice (section 4.5, VMP)."""
    inferring = "what they played in the last encounter, " if work.manner.hidden else ""
    task = (
        f"Work out {inferring}what the strategy of {about.name} is, what they will do in your next encounter, and what "
        f"is best for you then. {work.scaffold.clues()} {_hints(work, 'hypothesise')}State their strategy in one sentence, such as: "
        f"{' '.join(work.scaffold.strategies())} Think step by step."
    )
    about.used, about.said, about.foretold = None, None, None
    answer = await ask(
        work,
        work.purpose("think", about),
        lambda: [*say.encounters(work, about), *say.can_play(work, about)],
        task,
        work.forms.at_once(about.seat),
        f"no hypothesis; {KEPT}",
    )
    if answer is None:
        return
    if "they_played" in answer:
        about.know(answer["they_played"], answer["they_played" + WRITTEN])
    about.used = about.stream.add(answer["strategy"])
    about.said = about.used.predictions[about.stream.met] = answer["they_play"]
    about.foretold = foretold(answer)
    work.aim(chosen(answer), about)


def chosen(answer: dict[str, Any]) -> EncounterTarget:
    """The target in an answer."""
    in_words = answer.get("i_play" + WRITTEN)
    return EncounterTarget(
        answer.get("i_play"), answer.get("my_strategy", ""), answer.get("seek", ()), in_words
    )


def foretold(answer: dict[str, Any]) -> Any:
    """The prediction in an answer, as later prompts show it."""
    return answer.get("they_play" + WRITTEN, answer["they_play"])


async def _verdicts(work: Working, about: Acquaintance) -> dict[Answer, bool]:
    """Whether each prediction for this encounter came true, by the model's judgement."""
    stream = about.stream
    by_prediction = {
        h.predictions[stream.met]: h.id for h in reversed(stream.hypotheses) if stream.met in h.predictions
    }
    did = repr([work.scaffold.written(act, about.seat) for act in about.acts])
    lines = [f"What {about.name} did in the last encounter:", did]
    verdicts: dict[Answer, bool] = {}
    for prediction, which in by_prediction.items() if about.acts else ():
        answer = await ask(
            work,
            work.purpose("judge", about, which),
            lambda prediction=prediction: [*say.prediction(about, prediction), *lines],
            f"Did {about.name} do what you predicted? It is enough if what was predicted is among what they did.",
            work.forms.judge(),
            "the prediction is not scored",
        )
        if answer is not None:
            verdicts[prediction] = answer["match"]
    return verdicts


def _hints(work: Working, step: Step) -> str:
    hints = work.scaffold.hints(step)
    return f"{hints} " if hints else ""


def conditioning(work: Working, about: Acquaintance, tested: list[Hypothesis]) -> Hypothesis | None:
    """The hypothesis behind the choice: the validated one, else the newest or best, by ``condition`` (section 3.2)."""
    stream = about.stream
    hypothesis = stream.validated or (stream.best if work.settings.best else stream.newest)
    return hypothesis if hypothesis in tested else stream.newest


def _tell_partners(work: Working, about: Acquaintance) -> list[str]:
    """History, hypothesis and prediction of the partner just met; with several others, of all met so far."""
    met = [other for other in work.others.values() if other.rows] if work.several else [about]
    return [
        line
        for other in met
        for line in (
            *say.encounters(work, other),
            *say.hypothesis(other, other.used),
            *say.prediction(other, other.foretold),
        )
    ]


def _choice(work: Working, about: Acquaintance) -> str:
    if work.several:
        return (
            "Whom of the others will you seek next? Prefer those whose strategy you know and can exploit, and name more "
            "than one if you can, since one may be hard to find. What will they play, and what is best for you against "
            "that? Think step by step."
        )
    if work.manner.choice == "strategy":
        return (
            f"How do you want to go on, given what {about.name} does and will do? Think step by step, then put your "
            "strategy into a sentence or two: it will be shown to you when you plan what to do."
        )
    return f"What is best for you in your next encounter with {about.name}, and for all that come later? Think step by step."


PATIENCE = 3
"""Plans in a row without effect after which the agent rests."""
REST = 10
"""Steps of rest, which play the world's no-op; a new target ends them."""
GOES_ON = "the running plan goes on"
RESTS = f"rest for {REST} steps"
FRUITLESS = f"rest: {PATIENCE} plans in a row brought nothing"
PLANNING = "Make a plan of usually three to six skills. What was seen earlier may have changed since."
"""Advice on plans where a world has none."""
UNPLANNED = "rest: no usable plan"


async def play_on(work: Working, planning: PlanningScaffold, reflects: bool) -> SkillChoice | Invalid:
    """The next skill: of the running plan, or of a new one where that has ended, failed or is out of date.

    Without a usable reply the running plan goes on. Where none runs, and after :data:`PATIENCE` plans
    without effect, the agent rests: ``Invalid`` makes the world play its no-op. Every skill that is
    started is one that the model called.
    """
    old = work.plan
    if old is not None and old.runs_on and not work.renewed:
        return old.next()
    if old is not None and old.begun:
        _count(work, planning, old)
        if reflects:
            await _evaluate_plan(work, planning, old)
    step = work.context.step
    if work.fruitless >= PATIENCE:
        work.fruitless, work.rests, work.resting = 0, step + REST, FRUITLESS
    if step < work.rests and not work.renewed:
        work.plan = None
        return Invalid(work.resting)
    running = old if old is not None and old.runs_on else None
    answer = await ask(
        work,
        work.purpose("plan"),
        # Constant parts come first, for a long cached prefix.
        lambda: [
            "The skills of a plan:",
            planning.skills(),
            *say.worked_examples(
                (thoughts, work.forms.plan(planning, calls)) for thoughts, calls in planning.plans()
            ),
            *say.scene(work, planning),
            *(say.hypotheses(work) if work.several and not work.target.strategy else []),
            *(_everyone(work) if work.target == EncounterTarget() else []),
            *say.totals(work),
            *say.target(work),
            *say.outcomes(old),
            *say.feedback(work),
        ],
        f"{work.scaffold.hints('plan') or PLANNING} Think step by step.",
        work.forms.plan(planning),
        RESTS if running is None else GOES_ON,
    )
    work.renewed = False
    if answer is not None:
        calls, skills = answer["plan"]
        in_words = calls if len(calls) == len(skills) else tuple(map(repr, skills))
        work.plan = RunningPlan(in_words, skills, planning.state(work.moment))
        return work.plan.next()
    if running is not None:
        return running.next()
    work.plan, work.rests, work.resting = None, step + REST, UNPLANNED
    return Invalid(UNPLANNED)


async def decide(work: Working, about: Acquaintance) -> None:
    """ReAct without plans: the choice in one call, after three worked examples (appendix E.1)."""
    answer = await ask(
        work,
        work.purpose("decide"),
        lambda: [*_everyone(work), *say.feedback(work), *say.can_play(work)],
        "\n".join(
            [
                *say.worked_examples(work.forms.plays()),
                "What do you play now? Think step by step about the strategies of the others and what is best for you.",
            ]
        ),
        work.forms.play(),
        "the last choice stays",
    )
    if answer is not None:
        work.aim(EncounterTarget(answer["i_play"]), None)


async def evaluate_round(work: Working, about: Acquaintance) -> None:
    """Reflexion without plans: evaluates the last choice (appendix E.2)."""
    if work.planning is not None:
        return
    answer = await ask(
        work,
        work.purpose("reflect", about),
        lambda: say.encounters(work, about),
        "Look at your choice in the last encounter and what it brought. Was it a good one? Say what to do better next "
        "time. Think step by step.",
        work.forms.reflect(),
        "no feedback",
    )
    work.feedback = "" if answer is None else answer["feedback"]


def decision(work: Working) -> Action | SkillChoice:
    """The behaviour chosen, as a decision; the first behaviour while none was chosen."""
    brief = work.brief
    behaviour = work.target.behaviour
    if behaviour is None:
        behaviour = brief.behaviours[brief.seat][0]
        work.fall_back(work.purpose("act"), f"{behaviour}, the first behaviour")
        work.target = EncounterTarget(behaviour)
    skill = behaviour in brief.skills
    return SkillChoice(behaviour) if skill else brief.behaviours[brief.seat].index(behaviour)


async def _evaluate_plan(work: Working, planning: PlanningScaffold, plan: RunningPlan) -> None:
    """The model compares the state before and after a plan (appendices D.6 and E.2)."""
    task = "Did your last plan do what it should? If not, say what went wrong and what to do better."
    if any(not end.ok for end in plan.ends):
        task = "A skill of your last plan failed. Say why, and what to do instead."
    answer = await ask(
        work,
        work.purpose("reflect"),
        lambda: [
            *say.outcomes(plan),
            f"Before the plan: {plan.before}",
            f"After the plan: {planning.state(work.moment)}",
            f"Reward during the plan: {say.amount(plan.reward)}",
        ],
        f"{task} Others may have had a part in it. Think step by step.",
        work.forms.reflect(),
        "no feedback",
    )
    work.feedback = "" if answer is None else answer["feedback"]


def _count(work: Working, planning: PlanningScaffold, plan: RunningPlan) -> None:
    """A plan has an effect if a skill of it succeeded and the own state has changed."""
    moved = planning.state(work.moment) != plan.before
    brought = work.renewed or (moved and any(end.ok for end in plan.ends))
    work.fruitless = 0 if brought else work.fruitless + 1


def _everyone(work: Working) -> list[str]:
    return [line for about in work.others.values() if about.rows for line in say.encounters(work, about)]
