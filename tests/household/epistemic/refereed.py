"""The claims of the prover about a small problem, and what the referee says of each."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from otherminds.core.errors import TaskError
from otherminds.household.epistemic import relaxed
from otherminds.household.epistemic.certificate import (
    UNLIMITED,
    Claim,
    EpistemicProblem,
    Known,
    PlanTell,
    Words,
)
from otherminds.household.epistemic.check import refuted
from otherminds.household.epistemic.compiling import Compiled
from otherminds.household.epistemic.fast_downward import solve
from tests.household.epistemic.random_problems import Case
from tests.household.epistemic.referee import NATURE, Referee, Step

ANY = "let(h, ff(), lazy_greedy([h], preferred=[h], cost_type=one))"
BEST = "astar(hmax())"
LENGTH = 5
POINTS = 2_500


class Variant(Struct, frozen=True):
    """Who does nothing, and the longest chain that messages establish."""

    name: str
    without: Words = ()
    deepest: int = UNLIMITED


class Judged(Struct, frozen=True):
    """A claim about ``part``, and what the referee says of it.

    ``proved``: the checker accepts the claim that the part never holds. ``witness`` is a run after which it holds.
    """

    variant: str
    part: Known
    proved: bool
    witness: tuple[Step, ...] | None


def variants(problem: EpistemicProblem) -> Iterator[Variant]:
    """No restriction, silence, each agent left out, and each smaller depth of messages."""
    yield Variant("all")
    yield Variant("silent", deepest=0)
    for agent in problem.agents:
        yield Variant("without", (agent,))
    for depth in range(2, max(len(agents) for agents, _ in problem.goal)):
        yield Variant("limited depth", deepest=depth)


def judged(
    case: Case, *, wide: bool = True, most: bool = True, slack: int = 1, points: int = POINTS
) -> Iterator[Judged]:
    """Each part of the goal in each variant.

    A run may be ``slack`` steps shorter than those that its agents take to be possible, so that the bound on their
    length tells them nothing.
    """
    problem = case.problem
    for variant in variants(problem):
        referee = Referee(
            problem,
            case.wide if wide else case.worlds,
            LENGTH,
            without=variant.without,
            deepest=variant.deepest,
            most=most,
            nature=case.nature if wide else (),
            points=points,
        )
        prover = relaxed.Reachability(problem, [relaxed.ProblemVariant(variant.without, variant.deepest)])
        for part in problem.goal:
            claim = prover.never((part,))
            proved = claim is not None and not refuted(problem, claim)
            yield Judged(variant.name, part, proved, witness(case, referee, part, slack))


def witness(case: Case, referee: Referee, part: Known, slack: int) -> tuple[Step, ...] | None:
    """The shortest run from the start after which ``part`` holds."""
    for layer in referee.layers[: max(1, len(referee.layers) - slack)]:
        for point in layer:
            by_agents = all(isinstance(one, PlanTell) or one.action != NATURE for one in point.steps())
            if by_agents and referee.start_of(point).state == case.actual and referee.holds(point, part):
                return point.steps()
    return None


def planned(case: Case, shortest: bool = False) -> Claim | str:
    """The claim that the goal is reached, with the plan of Fast Downward; or why there is no plan."""
    try:
        compiled = Compiled(case.problem, case.problem.goal)
    except TaskError as error:
        return str(error)
    found = solve(compiled.task, BEST if shortest else ANY)
    if found.verdict != "plan":
        return found.verdict
    return Claim("reached", "plan", case.problem.goal, compiled.plan(found.steps))


class Played(Struct, frozen=True):
    """What the referee says of a plan.

    ``run``: it is a run. ``holds``: the goal holds after it. ``strict``: it also does if agents trust nothing that
    another may since have changed.
    """

    run: bool
    holds: bool = False
    strict: bool = False


def played(
    case: Case, plan: tuple[Step, ...], *, wide: bool = True, most: bool, points: int = POINTS
) -> Played | None:
    """A plan in the referee; ``None`` if it is too long for runs with ``points`` points."""
    referee = Referee(
        case.problem,
        case.wide if wide else case.worlds,
        max(LENGTH, len(plan) + 1),
        most=most,
        nature=case.nature if wide else (),
        points=points,
    )
    if referee.length < len(plan):
        return None
    point = referee.after(case.actual, plan)
    if point is None:
        return Played(False)
    goal = case.problem.goal
    return Played(
        True,
        all(referee.holds(point, one) for one in goal),
        all(referee.strictly(point, one) for one in goal),
    )
