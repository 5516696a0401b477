"""Whether messages can tell a chain: the checker's search against all messages, one after another, by the rules."""

from __future__ import annotations

import random
from itertools import pairwise, product

import pytest

from otherminds.household.epistemic.certificate import Claim, EpistemicProblem, Known, PlanTell
from otherminds.household.epistemic.check import Execution, RejectedError, refuted
from otherminds.household.epistemic.check_rules import ProblemRules
from otherminds.household.epistemic.check_searches import can_be_told, relevant_chains
from tests.cases import depth, for_each
from tests.household.epistemic.small import BOX, OPEN, PROBLEM, changed

AGENTS = ("agent_0", "agent_1", "agent_2")


def drawn(draw: random.Random) -> tuple[EpistemicProblem, Known]:
    """Agents of whom some know that the box is open, and a chain about it."""
    links = {
        agent: tuple(other for other in AGENTS if other != agent and draw.random() < 0.6) for agent in AGENTS
    }
    budgets = {agent: draw.randrange(3) for agent in AGENTS if draw.random() < 0.7}
    problem = changed(
        agents=AGENTS,
        names=PROBLEM.names | {"agent": AGENTS},
        start=(*(("at", agent, "hall") for agent in AGENTS), BOX),
        known=tuple(((agent,), OPEN) for agent in AGENTS if draw.random() < 0.4),
        links=links,
        budgets=budgets,
        gates=(),
        goal=(((), OPEN),),
    )
    chain = [draw.choice(AGENTS)]
    for _ in range(draw.randrange(3)):
        chain.append(draw.choice([agent for agent in AGENTS if agent != chain[-1]]))
    return problem, (tuple(chain), OPEN)


def reached(problem: EpistemicProblem, wanted: Known) -> bool:
    """Whether some messages establish the chain, by the rules of execution."""
    contents = [
        (agents, OPEN)
        for length in range(len(wanted[0]) + 1)
        for agents in product(AGENTS, repeat=length)
        if all(one != other for one, other in pairwise(agents))
    ]
    steps = [
        PlanTell(sender, hearers, content)
        for sender, links in problem.links.items()
        for hearers in {*((one,) for one in links), links} - {()}
        for content in contents
    ]
    rules = ProblemRules(problem)
    seen, waiting = set[object](), [Execution(rules)]
    while waiting:
        run = waiting.pop()
        if run.knows(wanted):
            return True
        for step in steps:
            after = Execution(rules)
            after.told, after.left = {*run.told}, {**run.left}
            try:
                after.tell(step)
            except RejectedError:
                continue
            key = (
                frozenset(after.told),
                tuple(sorted((a, n) for a, n in after.left.items() if a in problem.budgets)),
            )
            if key not in seen and after.told != run.told:
                seen.add(key)
                waiting.append(after)
    return False


@pytest.mark.parametrize("count", depth(15, 600))
def test_the_search_finds_what_messages_can_tell(count: int) -> None:
    draw = random.Random(count)
    outcomes = set[bool]()
    for _ in range(count):
        problem, wanted = drawn(draw)
        unseen = {*relevant_chains(problem, wanted)}.difference(problem.known)
        told = can_be_told(ProblemRules(problem), wanted, unseen)
        assert told == reached(problem, wanted), (problem.links, problem.budgets, problem.known, wanted)
        outcomes.add(told)
    assert outcomes == {True, False}


@for_each(("messages", "told"), [(0, False), (1, False), (2, True), (3, True)])
def test_each_message_is_paid_from_the_budget_of_its_sender(messages: int, told: bool) -> None:
    """Who knows that the other knows that it knows has been told twice by it: that it is so, and then that this is known."""
    sender, hearer = AGENTS[:2]
    problem = changed(
        start=(("at", sender, "hall"), ("at", hearer, "hall"), BOX),
        known=(((sender,), OPEN),),
        links={sender: (hearer,), hearer: (sender,)},
        budgets={sender: messages, hearer: 0},
        gates=(),
        goal=(((), OPEN),),
    )
    wanted = ((hearer, sender, hearer), OPEN)
    unseen = {*relevant_chains(problem, wanted)}.difference(problem.known)
    assert can_be_told(ProblemRules(problem), wanted, unseen) == reached(problem, wanted) == told


def test_the_claim_is_rejected_if_the_chain_can_be_seen_or_told_or_is_none() -> None:
    wanted = (("agent_0", "agent_1"), OPEN)
    goal = (((), OPEN), wanted)
    away = changed(start=(*PROBLEM.start[:2], BOX), goal=goal, budgets={"agent_0": 0, "agent_1": 0}, gates=())
    unseen = tuple(sorted(one for one in relevant_chains(away, wanted) if one[0] != ("agent_1",)))
    never = (("at", "agent_0", "den"),)
    claim = Claim("untold", "messages", (wanted,), never=never, unknown=unseen)
    assert refuted(away, claim) == ""
    assert "may tell it" in refuted(changed(away, budgets={"agent_0": 0, "agent_1": 1}), claim)
    assert refuted(away, Claim("untold", "messages", (wanted,)))
    assert refuted(away, Claim("untold", "messages", goal[:1], never=never, unknown=unseen))
    assert refuted(away, Claim("untold", "planner", (wanted,), never=never, unknown=unseen))
    both = changed(away, static=(*PROBLEM.static, ("may_go", "agent_0", "den")))
    assert "may be" in refuted(both, claim)
