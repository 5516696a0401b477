"""The same parts of a goal planned by both routes, SAS+ and PDDL, and the plans verified."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from otherminds.core.errors import TaskError
from otherminds.household.epistemic.certificate import Claim, EpistemicProblem, Known
from otherminds.household.epistemic.check import refuted
from otherminds.household.epistemic.compiling import Compiled, PlanStep
from otherminds.household.epistemic.fast_downward import SasTask, solve
from otherminds.household.epistemic.pddl import Written
from tests.household.epistemic.translating import solve_pddl

if TYPE_CHECKING:
    from unified_planning.model import Problem
    from unified_planning.plans import SequentialPlan


class Outcome(Struct, frozen=True):
    """``refusal`` says why the checker rejects the plan; ``lines`` is the planner's plan for ``task`` or ``written``."""

    verdict: str
    cost: int = 0
    steps: tuple[PlanStep, ...] = ()
    refusal: str = ""
    seconds: float = 0.0
    lines: tuple[str, ...] = ()
    task: SasTask | None = None
    written: Written | None = None


def by_sas(
    problem: EpistemicProblem, parts: Sequence[Known], search: str, seconds: float, whole: EpistemicProblem
) -> Outcome:
    """By the grounder's SAS+; the plan is checked in the ``whole`` problem."""
    begin = time.perf_counter()
    try:
        compiled = Compiled(problem, parts)
    except TaskError:
        return Outcome("refused")
    found = solve(compiled.task, search, seconds)
    took = time.perf_counter() - begin
    steps = compiled.plan(found.steps)
    refusal = _refusal(found.verdict, steps, parts, whole)
    return Outcome(found.verdict, found.cost, steps, refusal, took, found.steps, task=compiled.task)


def by_pddl(
    problem: EpistemicProblem, parts: Sequence[Known], search: str, seconds: float, whole: EpistemicProblem
) -> Outcome:
    """By PDDL and the planner's translator; the plan is checked in the ``whole`` problem."""
    begin = time.perf_counter()
    try:
        written = Written(problem, parts)
    except TaskError:
        return Outcome("refused")
    found = solve_pddl(written.domain, written.problem, search, seconds)
    took = time.perf_counter() - begin
    steps = written.plan(found.steps)
    refusal = _refusal(found.verdict, steps, parts, whole)
    return Outcome(found.verdict, found.cost, steps, refusal, took, found.steps, written=written)


def _refusal(
    verdict: str, steps: tuple[PlanStep, ...], parts: Sequence[Known], whole: EpistemicProblem
) -> str:
    if verdict != "plan":
        return ""
    return refuted(whole, Claim("reached", "plan", parts=tuple(parts), plan=steps))


def valid(outcome: Outcome) -> bool:
    """Whether unified_planning accepts the planner's plan for the PDDL or the SAS+ task.

    Raises:
        ImportError: it is not installed.
    """
    from unified_planning.engines import SequentialPlanValidator

    problem, plan = _of_pddl(outcome) if outcome.written else _of_sas(outcome)
    return SequentialPlanValidator().validate(problem, plan).status.name == "VALID"


def _of_pddl(outcome: Outcome) -> tuple[Problem, SequentialPlan]:
    from unified_planning.io import PDDLReader

    assert outcome.written is not None
    reader = PDDLReader()
    problem = reader.parse_problem_string(outcome.written.domain, outcome.written.problem)
    return problem, reader.parse_plan_string(problem, "\n".join(f"({line})" for line in outcome.lines))


def _of_sas(outcome: Outcome) -> tuple[Problem, SequentialPlan]:
    """A fluent for each variable, and the actions of the plan only."""
    from unified_planning.model import Fluent, InstantaneousAction, Problem
    from unified_planning.plans import ActionInstance, SequentialPlan
    from unified_planning.shortcuts import Equals, IntType

    task = outcome.task
    assert task is not None
    problem, actions = Problem("task"), dict[str, InstantaneousAction]()
    variables = [Fluent(f"v{k}", IntType(0, size - 1)) for k, size in enumerate(task.sizes)]
    for variable, value in zip(variables, task.start, strict=True):
        problem.add_fluent(variable, default_initial_value=value)
    for variable, value in task.goal:
        problem.add_goal(Equals(variables[variable], value))
    for operator in task.operators:
        if operator.name in outcome.lines:
            action = actions[operator.name] = InstantaneousAction(operator.name)
            for variable, value in operator.preconditions:
                action.add_precondition(Equals(variables[variable], value))
            for variable, value in operator.effects:
                action.add_effect(variables[variable], value)
            problem.add_action(action)
    return problem, SequentialPlan([ActionInstance(actions[line]) for line in outcome.lines])
