"""On problems drawn at random: nothing that some steps reach is ever accepted as unreachable, and all of the prover's evidence is."""

from __future__ import annotations

import random
from copy import copy
from itertools import chain, pairwise, product

import pytest
from msgspec import structs

from otherminds.household.epistemic.certificate import (
    UNLIMITED,
    Claim,
    EpistemicProblem,
    Gate,
    Known,
    PlanAct,
    PlanTell,
    SightRule,
    Words,
)
from otherminds.household.epistemic.check import Execution, ProblemRules, RejectedError, refuted
from otherminds.household.epistemic.relaxed import ProblemVariant, Reachability
from tests.cases import depth
from tests.household.epistemic.small import PROBLEM, changed

AGENTS, SPOTS, BOXES = ("agent_0", "agent_1", "agent_2"), ("hall", "den", "loft"), ("box_1", "box_2")
SECRETS = ("first", "second")
MET = SightRule(
    (("?a", "agent"), ("?s", "spot"), ("?t", "spot"), ("?b", "agent")),
    (("at", "?a", "?s"), ("meets", "?s", "?t"), ("at", "?b", "?t")),
    ("at", "?b", "?t"),
)
Step = PlanAct | PlanTell


def drawn(draw: random.Random) -> EpistemicProblem:
    """Three agents, spots and boxes with random doors, sights, links, budgets, secrets and gates."""

    def some(*facts: Words, share: float = 0.5) -> list[Words]:
        return [fact for fact in facts if draw.random() < share]

    opened = tuple(("is_open", box) for box in BOXES)
    literals: dict[str, tuple[Words, ...]] = {f"({name} {box})": ((name, box),) for name, box in opened}
    literals["either"] = (opened[0], ("is_closed", BOXES[1]))
    literals["visit"] = (("at", "agent_0", "loft"),)
    chains = [
        who for n in range(4) for who in product(AGENTS, repeat=n) if all(a != b for a, b in pairwise(who))
    ]
    return changed(
        agents=AGENTS,
        names={"agent": AGENTS, "spot": SPOTS, "furniture": BOXES},
        sights=(*(one for one in PROBLEM.sights if draw.random() < 0.8), *([MET] if draw.random() < 0.7 else [])),
        static=(
            *some(*(("may_go", *pair) for pair in product(AGENTS, SPOTS))),
            *some(*(("reaches", *pair) for pair in product(SPOTS, BOXES))),
            *some(*(("sees", *pair) for pair in product(SPOTS, BOXES))),
            *some(*(("meets", *pair) for pair in product(SPOTS, SPOTS)), share=0.7),
        ),
        start=(
            *(("at", agent, draw.choice(SPOTS)) for agent in AGENTS),
            *((draw.choice(("is_open", "is_closed", "is_closed")), box) for box in BOXES),
        ),
        known=tuple(((agent,), one) for agent, one in product(AGENTS, SECRETS) if draw.random() < 0.3),
        links={one: tuple(two for two in AGENTS if one != two and draw.random() < 0.5) for one in AGENTS},
        budgets={agent: draw.randrange(3) for agent in AGENTS if draw.random() < 0.5},
        gates=tuple(
            Gate(("open", "close")[: draw.randint(1, 2)], tuple(some(*opened)), tuple(draw.sample(SECRETS, draw.randint(1, 2))))
            for _ in range(draw.randrange(3))
        ),
        literals=literals,
        goal=tuple(product(chains, literals)),
    )  # fmt: skip


class Remembering(Execution):
    """Looks up once what was seen at a moment, for all parts of the goal."""

    def __init__(self, rules: ProblemRules) -> None:
        self.looked: dict[tuple[frozenset[str], str, int], tuple[set[Words], bool]] = {}
        super().__init__(rules)

    def saw(self, agents: Words, literal: str, state: set[Words]) -> bool:
        key = frozenset(agents), literal, id(state)
        if key not in self.looked:
            self.looked[key] = state, super().saw(agents, literal, state)
        return self.looked[key][1]


def walked(problem: EpistemicProblem, draw: random.Random, without: Words, deepest: int) -> set[Known]:
    """Parts of the goal that hold at some moment of random runs of the checker's own execution."""
    acts: list[Step] = [
        PlanAct(one.name, values)
        for one in problem.actions
        for values in product(*(problem.names[kind] for _, kind in one.parameters))
        if values[0] not in without
    ]
    first, found = Remembering(ProblemRules(problem)), set[Known]()
    for _ in range(6):
        run = copy(first)
        run.since = {literal: [*states] for literal, states in first.since.items()}
        run.left, run.told = dict(first.left), set(first.told)
        for _ in range(12):
            found |= {part for part in problem.goal if part not in found and run.reached([part])}
            known = [one for one in (*problem.goal, *(((a,), s) for a, s in product(AGENTS, SECRETS)))
                     if one[0] and one[0][0] not in without and run.knows(one)]  # fmt: skip
            tells = [
                PlanTell(who[0], (hearer,), (content, fact))
                for who, fact in draw.sample(known, min(4, len(known)))
                for hearer in problem.links[who[0]]
                for content in (who, who[1:])
            ]
            for step in chain(draw.sample(tells, min(2, len(tells))), draw.sample(acts, 6)):
                try:
                    run.act(step) if isinstance(step, PlanAct) else run.tell(step)
                except RejectedError:
                    continue
                run.told = {one for one in run.told if len(one[0]) <= max(deepest, 1)}
                if isinstance(step, PlanTell) and deepest == 0:
                    run.told = set(first.told)
    return found


@pytest.mark.parametrize("seeds", depth(range(3), range(300)))
def test_nothing_that_is_reached_is_accepted_as_unreachable(seeds):
    proved = reached = forged = 0
    for seed in seeds:
        draw = random.Random(seed)
        problem = drawn(draw)
        rules = ProblemRules(problem)
        for without, deepest in (
            ((), UNLIMITED),
            ((draw.choice(AGENTS),), UNLIMITED),
            ((), draw.randrange(3)),
        ):
            found = walked(problem, draw, without, deepest)
            claims: dict[Known, Claim] = {}
            prover = Reachability(problem, [ProblemVariant(without, deepest)])
            for part in problem.goal:
                if (claim := prover.never([part])) is not None:
                    claims[part] = claim
                    assert refuted(problem, claim, rules) == ""
            assert found.isdisjoint(claims)
            reached, proved = reached + len(found), proved + len(claims)
            # Evidence for a weaker claim is not evidence for this one, if it is false.
            less = ProblemVariant((*without, draw.choice(AGENTS)), min(deepest, draw.randrange(3)))
            weaker = Reachability(problem, [less])
            for part in found:
                if (claim := weaker.never([part])) is not None:
                    forged += 1
                    assert refuted(problem, structs.replace(claim, without=without, deepest=deepest), rules)
    assert proved > 10
    assert reached > 10
    assert forged > 10
