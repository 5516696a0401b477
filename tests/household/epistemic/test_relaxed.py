"""Reachability in variants of a problem: all at once as each alone, and as the instances of all actions have it."""

from __future__ import annotations

import pytest

from otherminds.household.epistemic.certificate import EpistemicProblem, Words
from otherminds.household.epistemic.grounder import Grounder
from otherminds.household.epistemic.relaxed import ProblemVariant, Reachability
from tests.cases import depth
from tests.household.epistemic.random_problems import drawn


def variants(problem: EpistemicProblem) -> list[ProblemVariant]:
    """Variants of all kinds; the last has a static fact more."""
    more = frozenset(
        {("meets", here, there) for here in problem.names["spot"] for there in problem.names["spot"]}
    )
    silent = [ProblemVariant(deepest=k) for k in (0, 2, 3)]
    without = [ProblemVariant((agent,)) for agent in problem.agents]
    return [
        ProblemVariant(),
        *silent,
        *without,
        ProblemVariant(deepest=0, gated=False),
        ProblemVariant(static=more),
    ]


def reached(problem: EpistemicProblem) -> set[Words]:
    """The facts that actions reach if nothing is removed and nobody needs a reason, one instance after another."""
    grounder, holding = Grounder(problem), {*problem.start, *problem.static}
    instances = [one for action in problem.actions for one in grounder.instances(action, {})]
    size = -1
    while size < len(holding):
        size = len(holding)
        for one in instances:
            if holding.issuperset(one.needs):
                holding.update(one.adds)
    return holding


@pytest.mark.parametrize("seeds", depth(range(30), range(1000)))
def test_variants_together_are_each_as_alone(seeds: range) -> None:
    for problem in (drawn(seed).problem for seed in seeds):
        every = variants(problem)
        together, explored = Reachability(problem, every), Reachability(problem, every)
        explored.explore(problem.goal, every)
        for one in every:
            alone = Reachability(problem, [one])
            for part in problem.goal:
                found = alone.holds(part)
                assert together.holds(part, one) == found, (problem.task, one, part)
                assert explored.holds(part, one) == found, (problem.task, one, part)


@pytest.mark.parametrize("seeds", depth(range(30), range(1000)))
def test_split_rules_reach_what_their_instances_reach(seeds: range) -> None:
    for problem in (drawn(seed).problem for seed in seeds):
        free = Reachability(problem, [ProblemVariant(gated=False)])
        holding = reached(problem)
        for literal, ways in problem.literals.items():
            assert free.holds(((), literal)) == (not holding.isdisjoint(ways)), (problem.task, literal)
