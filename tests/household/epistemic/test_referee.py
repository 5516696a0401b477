"""What the prover claims of random problems, and the checker accepts, is true in the exact referee."""

from __future__ import annotations

import pytest
from msgspec import structs

from otherminds.household.epistemic.certificate import Claim, PlanAct, PlanTell
from otherminds.household.epistemic.check import refuted
from otherminds.household.epistemic.fast_downward import program
from otherminds.household.epistemic.relaxed import ProblemVariant, Reachability
from tests.household.epistemic.classics import OPENED, room
from tests.household.epistemic.random_problems import drawn
from tests.household.epistemic.referee import Referee
from tests.household.epistemic.refereed import judged, planned, played

installed = pytest.mark.skipif(
    program() is None, reason="needs Fast Downward: pip install 'otherminds[verify]'"
)
FAST = range(60)
SLOW = [pytest.param(range(k, k + 100), marks=pytest.mark.slow) for k in range(60, 1160, 100)]


@installed
@pytest.mark.parametrize("seeds", [FAST, *SLOW], ids=str)
def test_the_goal_holds_after_an_accepted_plan(seeds: range) -> None:
    count = 0
    for seed in seeds:
        case = drawn(seed)
        for claim in (planned(case, shortest=True), planned(case)):
            if isinstance(claim, Claim):
                assert not refuted(case.problem, claim), seed
                found = played(case, claim.plan, most=False, points=400 if seeds is FAST else 2_500)
                assert found is None or (found.run and found.holds), (seed, claim)
                count += found is not None
    assert count >= len(seeds) / 5


@pytest.mark.parametrize("seeds", [FAST, *SLOW], ids=str)
def test_what_never_holds_never_holds(seeds: range) -> None:
    count = 0
    for seed in seeds:
        for one in judged(drawn(seed), points=200 if seeds is FAST else 2_500):
            assert not (one.proved and one.witness is not None), (seed, one)
            count += one.proved
    assert count > len(seeds)


@pytest.mark.slow
@pytest.mark.parametrize("seeds", [range(k, k + 100) for k in range(0, 1000, 100)], ids=str)
def test_what_never_holds_is_not_told_where_knowledge_is_least(seeds: range) -> None:
    for seed in seeds:
        for one in judged(drawn(seed), most=False, points=2_500):
            assert not (one.proved and one.witness is not None), (seed, one)


def test_an_agent_that_does_nothing_still_sees() -> None:
    case = room("ab", goal=[(("b",), OPENED)])
    (only,) = case.problem.goal
    assert Reachability(case.problem, [ProblemVariant(("b",))]).never([only]) is None
    claim = Claim("unreachable", "never", (only,), unknown=(only,), without=("b",))
    assert "may be seen" in refuted(case.problem, claim)
    referee = Referee(case.problem, case.worlds, 2, without=("b",))
    point = referee.after(case.actual, [PlanAct("open", ("a", "s", "box"))])
    assert point is not None
    assert referee.holds(point, only)


def test_an_agent_that_sees_another_unseen_knows_what_it_sees() -> None:
    goal = (("a", "b"), OPENED)
    case = room("ab", goal=[goal], spots={"a": "window", "b": "s"}, meets=[("window", "s")])
    claim = Claim("unreachable", "never", (goal,), unknown=(goal,), deepest=0)
    assert "seen together" in refuted(case.problem, claim)
    referee = Referee(case.problem, case.wide, 2, deepest=0, nature=case.nature)
    point = referee.after(case.actual, [PlanAct("open", ("b", "s", "box"))])
    assert point is not None
    assert referee.holds(point, goal)
    assert not referee.holds(point, (("b", "a"), OPENED))


def test_a_message_is_common_knowledge_of_two() -> None:
    goal = (("a", "b", "a"), OPENED)
    case = room("ab", goal=[goal], spots={"b": "away"}, links={"a": ("b",)})
    never = (("at", "a", "away"), ("at", "a", "window"), ("at", "b", "s"), ("at", "b", "window"))
    claim = Claim("unreachable", "never", (goal,), never=never, unknown=(goal,), deepest=2)
    assert "may tell" in refuted(case.problem, claim)
    referee = Referee(case.problem, case.worlds, 3, deepest=2)
    plan = [PlanAct("open", ("a", "s", "box")), PlanTell("a", ("b",), ((), OPENED))]
    point = referee.after(case.actual, plan)
    assert point is not None
    assert referee.holds(point, goal)


def test_what_another_may_have_changed_is_known_but_not_strictly() -> None:
    goal = (("b",), OPENED)
    case = room("ab", goal=[goal], spots={"b": "away"}, links={"a": ("b",)}, closing=True)
    plan = [PlanAct("open", ("a", "s", "box")), PlanTell("a", ("b",), ((), OPENED))]
    referee = Referee(case.problem, case.worlds, 4)
    told = referee.after(case.actual, plan)
    shut = referee.after(case.actual, [*plan, PlanAct("close", ("a", "s", "box"))])
    assert told is not None
    assert shut is not None
    assert referee.holds(told, goal)
    assert not referee.strictly(told, goal)
    assert not referee.holds(shut, goal)


def test_strict_knowledge_is_knowledge() -> None:
    for seed in range(30):
        case = drawn(seed)
        referee = Referee(case.problem, case.worlds, 4, points=300)
        for part in case.problem.goal:
            for layer in referee.layers:
                for point in layer:
                    assert referee.holds(point, part) or not referee.strictly(point, part)


@installed
def test_a_contradictory_goal_has_no_plan() -> None:
    case = room("a", goal=[((), OPENED)])
    problem = structs.replace(
        case.problem,
        literals={**case.problem.literals, "(is_closed box)": (("is_closed", "box"),)},
        goal=(((), OPENED), ((), "(is_closed box)")),
    )
    assert planned(structs.replace(case, problem=problem)) == "unsolvable"
