"""The subgoal module: plans of skills and their evaluation, and choices without a plan (appendices D.4 to D.6, E)."""

from __future__ import annotations

from otherminds.core.data import Action, Invalid, SkillChoice
from otherminds.core.scaffold import PlanningScaffold
from otherminds.minds.hypothetical import prompting as say
from otherminds.minds.hypothetical.prompting import ask
from otherminds.minds.hypothetical.working import Acquaintance, EncounterTarget, RunningPlan, Working

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
