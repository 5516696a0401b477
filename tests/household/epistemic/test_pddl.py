"""PDDL of epistemic problems: both routes to the planner agree, and other programs accept its plans."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest
from msgspec import structs

from otherminds.core.errors import InternalError, TaskError
from otherminds.household.epistemic.certificate import PlanAct, PlanTell
from otherminds.household.epistemic.fast_downward import program
from otherminds.household.epistemic.pddl import Names, Written
from tests.cases import for_each
from tests.household.epistemic import translating
from tests.household.epistemic.drawn_problems import drawn
from tests.household.epistemic.planned_twice import Outcome, by_pddl, by_sas, valid
from tests.household.epistemic.translating import solve_pddl, steps_by_pddl

BEST = "astar(hmax())"
installed = pytest.mark.skipif(
    program() is None, reason="needs Fast Downward: pip install 'otherminds[verify]'"
)
validator = pytest.mark.skipif(
    find_spec("unified_planning") is None, reason="needs unified_planning: pip install unified-planning"
)
WORD = re.compile(r"[a-z][a-z0-9_-]*")
TOLD = structs.replace(
    drawn(0),
    start=(("at", "agent_0", "stand:0"), ("at", "agent_1", "stand:0"), ("is_open", "box_0")),
    static=(
        ("sees", "stand:0", "box_0"),
        ("reaches", "stand:0", "box_0"),
        ("path", "agent_0", "stand:0", "stand:1"),
    ),
    known=(),
    gates=(),
    agents=("agent_0", "agent_1"),
    links={"agent_0": ("agent_1",), "agent_1": ("agent_0",)},
    budgets={"agent_0": 1, "agent_1": 1},
    literals={"(is_open box_0)": (("is_open", "box_0"),)},
    goal=((("agent_0", "agent_1"), "(is_open box_0)"),),
)


def agree(seed: int) -> str:
    """Both routes on a drawn problem: the verdict, ``unknown`` if a search ran out of time."""
    problem = drawn(seed)
    sas, pddl = (route(problem, problem.goal, BEST, 20, problem) for route in (by_sas, by_pddl))
    if "unknown" in (sas.verdict, pddl.verdict):
        return "unknown"
    assert (sas.verdict, sas.cost) == (pddl.verdict, pddl.cost)
    assert not sas.refusal
    assert not pddl.refusal
    return sas.verdict


@installed
def test_both_routes_agree_and_find_plans_of_the_same_cost() -> None:
    assert {agree(seed) for seed in range(6)} == {"plan", "unsolvable"}


@installed
@pytest.mark.slow
@for_each("seed", range(6, 300))
def test_both_routes_agree_on_many_problems(seed: int) -> None:
    agree(seed)


@installed
@validator
@for_each("seed", [4, 9])
@for_each("route", [by_sas, by_pddl])
def test_another_validator_accepts_the_plans(route: Callable[..., Outcome], seed: int) -> None:
    problem = drawn(seed)
    found = route(problem, problem.goal, BEST, 20, problem)
    assert found.verdict == "plan"
    assert valid(found)
    assert not valid(structs.replace(found, lines=found.lines[:-1])), "a plan without its last step is none"


@installed
def test_a_message_is_read_back_as_a_step() -> None:
    found, steps = steps_by_pddl(TOLD, TOLD.goal, BEST)
    assert (found.verdict, found.cost) == ("plan", 1)
    (step,) = steps
    assert isinstance(step, PlanTell)
    assert step.content[1] == "(is_open box_0)"


@installed
def test_knowledge_ends_with_the_fact() -> None:
    closed = (("is_closed", "box_0"),)
    problem = structs.replace(
        TOLD,
        literals=TOLD.literals | {"(is_closed box_0)": closed},
        goal=(((), "(is_closed box_0)"), *TOLD.goal),
    )
    assert steps_by_pddl(problem, problem.goal, BEST)[0].verdict == "unsolvable"
    assert steps_by_pddl(problem, problem.goal[:1], BEST)[1] in [
        (PlanAct("close", (agent, "stand:0", "box_0")),) for agent in problem.agents
    ]


@installed
def test_an_agent_that_is_left_out_does_nothing() -> None:
    goal = (((), "(is_closed box_0)"),)
    closed = {"(is_closed box_0)": (("is_closed", "box_0"),)}
    problem = structs.replace(TOLD, literals=closed, goal=goal, static=TOLD.static[:2])
    for agents, verdict in ((("agent_0",), "plan"), ((), "unsolvable")):
        fewer = structs.replace(problem, agents=agents, links={})
        assert by_pddl(fewer, goal, BEST, 20, problem).verdict == verdict
        assert by_sas(fewer, goal, BEST, 20, problem).verdict in (verdict, "refused")


@installed
def test_without_units_nothing_is_told() -> None:
    silent = structs.replace(TOLD, budgets={"agent_0": 0, "agent_1": 0})
    assert steps_by_pddl(silent, silent.goal, BEST)[0].verdict == "unsolvable"


def test_a_chain_has_as_many_predicates_as_agents() -> None:
    goal = ((("agent_0", "agent_1", "agent_0"), "(is_open box_0)"),)
    problem = structs.replace(TOLD, goal=goal)
    assert set(re.findall(r"\((k\d+) \?a - object\)", Written(problem, goal).domain)) == {"k0", "k1", "k2"}


@for_each("seed", range(6))
def test_every_name_is_one_that_pddl_allows(seed: int) -> None:
    written = Written(drawn(seed), drawn(seed).goal)
    for text in (re.sub(";.*", "", written.domain), written.problem):
        words = text.replace("(", " ").replace(")", " ").split()
        assert all(WORD.fullmatch(word) for word in words if word[0] not in "?:-=" and not word.isdecimal())


def test_names_that_become_alike_are_told_apart() -> None:
    names = Names()
    given = ["Cup", "cup", "cu p", "object", "item", "a:b", "a--b", "2", "n2", "and"]
    assert len({names.legal(name) for name in given}) == len(given)
    assert [names.original(names.legal(name)) for name in given] == given


def test_a_name_of_two_types_is_refused() -> None:
    problem = structs.replace(TOLD, names=TOLD.names | {"object": ("box_0",)})
    with pytest.raises(TaskError, match="box_0 has the types"):
        Written(problem, problem.goal)


def test_an_action_of_another_domain_is_refused() -> None:
    with pytest.raises(InternalError, match="no action 'fly'"):
        Written(TOLD, TOLD.goal).plan(["fly agent_0"])


@pytest.mark.parametrize("code", [20, 21, 23, -9])
def test_a_translator_that_is_stopped_proves_nothing(code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(translating, "program", lambda: Path("downward"))
    monkeypatch.setattr(translating, "run", lambda *_: (code, ""))
    found = solve_pddl("", "", BEST)
    assert found.verdict == "unknown"
    assert found.why in translating.STOPPED.values()


@installed
def test_text_that_is_no_pddl_is_an_error_of_ours() -> None:
    with pytest.raises(InternalError, match="translator ended with exit code 31"):
        solve_pddl("(define (domain d) (:actions))", "(define (problem p))", BEST)


@installed
def test_the_limit_of_time_holds_for_the_translator() -> None:
    spots = tuple(f"stand:{k}" for k in range(400))
    paths = tuple(("path", "agent_0", s, t) for s in spots for t in spots)
    problem = structs.replace(TOLD, names=TOLD.names | {"spot": spots}, static=(*TOLD.static, *paths))
    written = Written(problem, problem.goal)
    found = solve_pddl(written.domain, written.problem, BEST, seconds=1)
    assert (found.verdict, found.why) == ("unknown", translating.STOPPED[21])
