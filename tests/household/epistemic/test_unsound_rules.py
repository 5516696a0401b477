"""Rules of the published compilation that certify something false, or miss something true, beside ours.

:func:`published` has the operators of Juneja et al. 2026, appendix E, for one fact and one chain. Each test states a small
task, what these operators say about it, and what the checker says, with a plan or with the prover's evidence.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Any, NamedTuple

import pytest
from msgspec import structs

from otherminds.core.errors import TaskError
from otherminds.household.epistemic.certificate import (
    UNLIMITED,
    EpistemicProblem,
    Known,
    PlanAct,
    PlanTell,
    ProblemAction,
    Words,
)
from otherminds.household.epistemic.check import refuted
from otherminds.household.epistemic.compiling import Compiled
from otherminds.household.epistemic.relaxed import ProblemVariant, Reachability
from otherminds.household.house import House
from otherminds.household.proofs.exported import exported
from otherminds.household.rules import SIGHTS
from otherminds.household.tasks.load import loaded, shipped_tasks
from tests.cases import for_each
from tests.household.epistemic.small import (
    BOX,
    CLOSES,
    GO,
    ONE,
    OPEN,
    OPENS,
    PROBLEM,
    REPORT,
    SECRET,
    SHUT_IN,
    TOLD,
    ZERO,
    changed,
    reached,
)

TWO, SHUT = "agent_2", "(is_closed box_1)"


class Operator(NamedTuple):
    """A classical operator: ``needs`` and ``adds`` and ``removes`` are sets of facts."""

    name: str
    needs: frozenset[str]
    adds: frozenset[str]
    removes: frozenset[str] = frozenset()


def operator(name: str, needs: str, adds: str, removes: str = "") -> Operator:
    return Operator(name, *(frozenset(part.split()) for part in (needs, adds, removes)))


def published(
    agents: Words, seeing: Words, links: Iterable[tuple[str, str]], budget: int, fact: str = "open"
) -> list[Operator]:
    """Appendix E, steps 2 to 4, for the fact and the chain ``K agents[0] K agents[1] ... fact``.

    Agents in ``seeing`` are in the fact's room by the observability model, at the start. ``k1:agent`` is the first layer of
    knowledge, ``chain`` the whole chain: only the chain's second agent tells it, knowing the first layer.
    """
    found = [operator(f"observe {agent}", fact, f"k1:{agent}") for agent in seeing]
    for sender, hearer in links:
        for token in (f"token:{sender}:{k}" for k in range(1, budget + 1)):
            needs = f"k1:{sender} {token}"
            found.append(operator(f"{sender} informs {hearer} {token}", needs, f"k1:{hearer}", token))
            if (hearer, sender) == agents[:2]:
                found.append(operator(f"{sender} informs {hearer} nested {token}", needs, "chain", token))
    return found


def tokens(agents: Words, budget: int) -> list[str]:
    """Step 6."""
    return [f"token:{agent}:{k}" for agent in agents for k in range(1, budget + 1)]


def states(operators: Iterable[Operator], start: Iterable[str]) -> dict[frozenset[str], list[str]]:
    """All reachable states, each with a shortest plan to it."""
    first, operators = frozenset(start), [*operators]
    found: dict[frozenset[str], list[str]] = {first: []}
    waiting = deque([first])
    while waiting:
        state = waiting.popleft()
        for one in operators:
            then = (state - one.removes) | one.adds
            if one.needs <= state and then not in found:
                found[then] = [*found[state], one.name]
                waiting.append(then)
    return found


def plan(operators: Iterable[Operator], start: Iterable[str], goal: str) -> list[str] | None:
    """A shortest plan for a goal, or ``None``."""
    wanted = set(goal.split())
    return next((steps for state, steps in states(operators, start).items() if wanted <= state), None)


def proved_unreachable(problem: EpistemicProblem, *parts: Known, deepest: int = UNLIMITED) -> bool:
    """Whether the prover has evidence that ``parts`` never all hold, and the checker accepts it."""
    claim = Reachability(problem, [ProblemVariant(deepest=deepest)]).never(parts)
    if claim is None:
        return False
    assert refuted(problem, claim) == ""
    return True


OPEN_BOX = operator("open", "closed", "open", "closed")
CLOSE_BOX = operator("close", "open", "closed", "open")
FREE = changed(
    gates=(), goal=(((), SHUT), ((ONE,), OPEN)), literals={OPEN: (BOX,), SHUT: (("is_closed", "box_1"),)}
)


def test_knowledge_goes_stale():
    """``closed(f)`` and ``K open(f)``: open, look and close."""
    theirs = [OPEN_BOX, CLOSE_BOX, *published((ONE,), (ONE,), (), 0)]
    assert plan(theirs, ["closed"], f"closed k1:{ONE}") == ["open", f"observe {ONE}", "close"]
    assert not refuted(FREE, reached(GO, OPENS, parts=(((ONE,), OPEN),)))
    assert not refuted(FREE, reached(GO, OPENS, CLOSES, parts=(((), SHUT),)))
    assert refuted(FREE, reached(GO, OPENS, CLOSES, parts=FREE.goal))
    assert refuted(FREE, reached(GO, OPENS, CLOSES, parts=(((ONE,), OPEN),)))


def test_the_compilation_for_the_planner_removes_stale_knowledge():
    compiled = Compiled(FREE, [((ONE,), OPEN)])
    names = [
        name for name, step in compiled.steps.items() if isinstance(step, PlanAct) and step.action == "close"
    ]
    closing = [one for one in compiled.task.operators if one.name in names]
    known_and_open = compiled.task.goal
    assert len(closing) == len(known_and_open) == 2
    assert all((variable, 0) in one.effects for variable, _ in known_and_open for one in closing)


LEVER = ProblemAction(
    "pull",
    (("?a", "agent"), ("?f", "furniture")),
    (("at", "?a", "hall"), ("is_closed", "?f")),
    (("is_open", "?f"),),
    (("is_closed", "?f"),),
)


def test_an_agent_sees_from_where_it_is_and_not_from_where_it_was_at_the_start():
    """Agent 1 leaves the den for good, and then pulls the lever that opens the box in the den."""
    walk = operator("walk", "at:den", "at:hall", "at:den")
    pull = operator("pull", "at:hall closed", "open", "closed")
    theirs = [walk, pull, *published((ONE,), (ONE,), (), 0)]
    assert plan(theirs, ["at:den", "closed"], f"k1:{ONE}") == ["walk", "pull", f"observe {ONE}"]
    away = changed(
        actions=(PROBLEM.actions[0], LEVER),
        gates=(),
        goal=(((ONE,), OPEN),),
        static=tuple(fact for fact in PROBLEM.static if fact != ("may_go", ONE, "den")),
        start=(("at", ZERO, "hall"), ("at", ONE, "den"), ("is_closed", "box_1")),
        links={},
    )
    leaves, pulls = PlanAct("walk", (ONE, "den", "hall")), PlanAct("pull", (ONE, "box_1"))
    assert refuted(away, reached(leaves, pulls, parts=away.goal))
    by_zero = PlanAct("pull", (ZERO, "box_1"))
    assert refuted(away, reached(leaves, by_zero, parts=away.goal))
    assert not refuted(away, reached(by_zero, leaves, parts=away.goal))


def test_an_agent_comes_to_see_what_it_did_not_see_at_the_start():
    theirs = [OPEN_BOX, *published((ONE,), (), (), 0)]
    assert plan(theirs, ["closed"], f"k1:{ONE}") is None
    assert not refuted(FREE, reached(GO, OPENS, parts=(((ONE,), OPEN),)))


def test_what_is_seen_is_the_thing_that_changes_and_not_its_trigger():
    """Agent 0, in the lever's room, would be marked as seeing the box; agent 1, in the box's room, would not."""
    pull = operator("pull", "closed", "open", "closed")
    theirs = [pull, *published((ZERO,), (ZERO,), (), 0)]
    assert plan(theirs, ["closed"], f"k1:{ZERO}") == ["pull", f"observe {ZERO}"]
    assert plan(theirs, ["closed"], f"k1:{ONE}") is None
    remote = changed(
        actions=(PROBLEM.actions[0], LEVER), gates=(), links={}, goal=(((ZERO,), OPEN), ((ONE,), OPEN))
    )
    assert proved_unreachable(remote, ((ZERO,), OPEN))
    assert not refuted(remote, reached(GO, PlanAct("pull", (ZERO, "box_1")), parts=(((ONE,), OPEN),)))


CHAIN = ((ZERO, ONE), OPEN)


def test_one_message_tells_a_fact_and_that_its_sender_knows_it():
    theirs = [OPEN_BOX, *published((ZERO, ONE), (ONE,), [(ONE, ZERO)], 1)]
    assert plan(theirs, ["closed", *tokens((ONE,), 1)], f"k1:{ZERO} chain") is None
    two = [OPEN_BOX, *published((ZERO, ONE), (ONE,), [(ONE, ZERO)], 2)]
    assert plan(two, ["closed", *tokens((ONE,), 2)], f"k1:{ZERO} chain") is not None
    assert PROBLEM.budgets[ONE] == 1
    assert not refuted(PROBLEM, reached(TOLD, GO, OPENS, REPORT, parts=(((ZERO,), OPEN), CHAIN)))


def three(**fields: Any) -> EpistemicProblem:
    """The task with a third agent, which stays in the hall."""
    agents = (ZERO, ONE, TWO)
    return changed(
        **{
            "agents": agents,
            "names": PROBLEM.names | {"agent": agents},
            "start": (*PROBLEM.start, ("at", TWO, "hall")),
            "links": {ZERO: (ONE,), ONE: (ZERO,)},
            "gates": (),
            **fields,
        }
    )


def test_a_third_layer_needs_the_second():
    """``K 0 K 1 K 2 open``: agent 1 knows that the box is open, agent 2 cannot come to know it."""
    theirs = [OPEN_BOX, *published((ZERO, ONE, TWO), (ONE,), [(ONE, ZERO)], 2)]
    assert plan(theirs, ["closed", *tokens((ONE,), 2)], "chain") is not None
    deep = ((ZERO, ONE, TWO), OPEN)
    alone = three(goal=(deep,))
    assert proved_unreachable(alone, deep)
    assert refuted(alone, reached(GO, OPENS, PlanTell(ONE, (ZERO,), ((), OPEN)), parts=alone.goal))


def test_a_relay_tells_that_another_agent_knows():
    """Agent 1 hears ``open`` from agent 2; its message ``K 2 open`` to agent 0 gives ``K 0 K 1 K 2 open``."""
    static = (*PROBLEM.static, ("may_go", TWO, "den"))
    line = three(
        goal=(((ZERO, ONE, TWO), OPEN), ((ZERO, TWO), OPEN)),
        static=static,
        links={TWO: (ONE,), ONE: (ZERO,)},
    )
    first = (
        PlanAct("walk", (TWO, "hall", "den")),
        PlanAct("open", (TWO, "den", "box_1")),
        PlanTell(TWO, (ONE,), ((), OPEN)),
    )
    # Theirs has no operator for K 0 K 2: only agent 2 could tell it, and it has no link to agent 0.
    theirs = [OPEN_BOX, *published((ZERO, TWO), (TWO,), [(TWO, ONE), (ONE, ZERO)], 2)]
    assert plan(theirs, ["closed", *tokens((ONE, TWO), 2)], "chain") is None
    relayed = PlanTell(ONE, (ZERO,), ((TWO,), OPEN))
    assert not refuted(line, reached(*first, relayed, parts=line.goal[:1]))
    plain = PlanTell(ONE, (ZERO,), ((), OPEN))
    assert refuted(line, reached(*first, plain, parts=line.goal[:1]))


def test_agents_that_see_a_fact_together_need_no_message():
    """Without joint observation, *no messages: unsolvable* would be certified."""
    theirs = [OPEN_BOX, *published((ONE, TWO), (ONE, TWO), [(ONE, TWO), (TWO, ONE)], 0)]
    assert plan(theirs, ["closed"], "chain") is None
    part = ((ONE, TWO), OPEN)
    both = three(goal=(part,), static=(*PROBLEM.static, ("may_go", TWO, "den")), links={})
    steps = (GO, PlanAct("walk", (TWO, "hall", "den")), OPENS)
    assert not refuted(both, reached(*steps, parts=(part,)))
    assert not proved_unreachable(both, part, deepest=0)


@for_each("budget", [3, 6])
def test_a_budget_is_a_counter(budget: int):
    """Named tokens that are spent in any order have 2^n states for n messages; a counter has n + 1."""
    theirs = published((ZERO, ONE), (), [(ONE, ZERO)], budget)
    start = [f"k1:{ONE}", f"k1:{ZERO}", "chain", *tokens((ONE,), budget)]
    assert len(states(theirs, start)) == 2**budget
    counted = changed(gates=(), goal=(CHAIN,), budgets={ONE: budget})
    compiled = Compiled(counted, [CHAIN])
    assert compiled.task.sizes[-1] == budget + 1


def test_an_agent_acts_on_what_it_knows():
    """The planner that knows all secrets opens the box without a message."""
    assert plan([OPEN_BOX], ["closed"], "open") == ["open"]
    assert proved_unreachable(PROBLEM, ((), OPEN), deepest=0)
    assert not proved_unreachable(PROBLEM, ((), OPEN))
    assert refuted(PROBLEM, reached(GO, OPENS, parts=(((), OPEN),)))
    assert not refuted(PROBLEM, reached(TOLD, GO, OPENS, parts=(((), OPEN),)))


def test_a_message_to_all_is_one_operator_and_costs_one_unit():
    team = three(
        links={ZERO: (ONE, TWO), ONE: (ZERO,), TWO: (ZERO,)},
        gates=PROBLEM.gates,
        goal=(((), OPEN),),
        budgets={ZERO: 1},
    )
    compiled = Compiled(team, team.goal)
    told = [step for step in compiled.steps.values() if isinstance(step, PlanTell) and step.sender == ZERO]
    assert PlanTell(ZERO, (ONE, TWO), ((), SECRET)) in told
    both = (PlanTell(ZERO, (ONE, TWO), ((), SECRET)), GO, OPENS)
    assert not refuted(team, reached(*both, parts=team.goal))
    assert refuted(team, reached(PlanTell(ZERO, (TWO,), ((), SECRET)), TOLD, GO, OPENS, parts=team.goal))


def test_what_an_agent_sees_it_does_not_see_through_a_wall():
    """Agent 0 stays outside: that it never knows the fact by itself is proved, by where it can be."""
    mute = changed(links={}, gates=())
    assert proved_unreachable(mute, ((ZERO,), OPEN))
    claim = Reachability(mute).never([((ZERO,), OPEN)])
    assert claim is not None
    assert SHUT_IN in claim.never


def house(name: str) -> House:
    found = loaded(name).house()
    assert found is not None
    return found


@for_each("name", shipped_tasks()[::4])
def test_secrets_are_formulas_and_what_is_seen_is_data(name: str):
    """A gate cannot be read off prose: each of its secrets is known to somebody at the start."""
    problem = exported(house(name))
    secrets = {fact for _, fact in problem.known}
    assert problem.gates
    assert all(set(gate.secrets) <= secrets for gate in problem.gates)
    assert [one.shows for one in problem.sights] == [one.shows for one in SIGHTS]
    assert {fact[0] for fact in problem.static} >= {"sees", "meets"}


def test_a_goal_that_the_compilation_does_not_have_is_refused():
    before = house(shipped_tasks()[0])
    thing, other = before.objects[0], before.furniture[0]
    goal = f"(and {before.task.problem_pddl} (is_next_to {thing} {other}))"
    task = structs.replace(before.task, problem_pddl=goal)
    with pytest.raises(TaskError, match="is_next_to"):
        exported(House(task, before.scene))
