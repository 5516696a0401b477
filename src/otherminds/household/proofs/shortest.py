"""The evidence that no plan is shorter than that of the calibration: its turns, and a projection that needs as many.

Some parts of the goal alone mostly need as many turns: one that does not hold before the last turn, perhaps with another one, or
all that one or two agents alone can bring about, perhaps with a part that keeps one of them busy. The projection has the facts that make these hold, the places of their objects at the start,
and whether the furniture is open that contains the objects at first or in the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from otherminds.household.commands import Command, Malformed, parse
from otherminds.household.engine import HouseEngine
from otherminds.household.epistemic.certificate import Claim, EpistemicProblem, Known, PlanAct, Words
from otherminds.household.epistemic.check import refuted
from otherminds.household.epistemic.check_rules import ProblemRules
from otherminds.household.house import House
from otherminds.household.meanings import FailedCallError
from otherminds.household.planning.planned import failure
from otherminds.household.proofs.access import HouseAccess
from otherminds.household.rules.actions import RULES
from otherminds.household.rules.rule import PLACING, GroundRule

ACTING = {rule.tool for rule in RULES if rule.tool != "Communicate"}
"""The tools that change what is physical."""
FEW = 4
"""A part of the goal that more facts can make hold is not used."""


def shortest(
    house: House, rules: ProblemRules, parts: Sequence[Known], plan: Sequence[Sequence[str]]
) -> Claim | None:
    """The claim that physical parts of the goal hold after the turns of ``plan``, which are calls, and after no fewer.

    ``None`` if the plan fails in the simulator, or the checker accepts none of the claims that are tried.
    """
    if failure(house, plan):
        return None
    turns, states = _play_plan(house, plan)
    problem = rules.problem
    few = [part for part in parts if not part[0] and len(problem.literals[part[1]]) <= FEW]
    ways = {part: house.facts.mask(problem.literals[part[1]]) for part in few}
    held_by_part = {part: [bool(state & mask) for state in states] for part, mask in ways.items()}
    late = [part for part in few if not all(held_by_part[part][-2:])]
    # Those that hold last come first.
    others = sorted(few, key=lambda part: sum(held_by_part[part]))
    pairs = [(last, other) for last in late for other in others if last != other]
    groups = [*_by_actors(house, few, ways)]
    changing = [part for part in few if not all(held_by_part[part])]
    busy = [
        (*(part for part in group if part in changing), other)
        for group in groups
        for other in changing
        if other not in group
    ]
    several = [group for group in (*groups, *busy) if len(group) > 2 and not set(late).isdisjoint(group)]
    for slowest in (*((part,) for part in late), *pairs, *dict.fromkeys(several)):
        tracked = _list_tracked(problem, slowest)
        claim = Claim("shortest", "turns", tuple(parts), turns=turns, slowest=slowest, tracked=tracked)
        if not refuted(problem, claim, rules):
            return claim
    return None


def _by_actors(
    house: House, parts: Sequence[Known], ways: Mapping[Known, int]
) -> Iterator[tuple[Known, ...]]:
    """For each agent and then each two agents, the parts of the goal that nobody else can bring about."""
    access = HouseAccess(house)
    acting = {
        part: {
            agent
            for fact in house.facts.shown(ways[part])
            for agent, entities in access.changes.items()
            if fact[-1] in entities
        }
        for part in parts
    }
    for group in (*combinations(house.agents, 1), *combinations(house.agents, 2)):
        yield tuple(part for part in parts if acting[part] <= {*group})


def _play_plan(
    house: House, plan: Sequence[Sequence[str]]
) -> tuple[tuple[tuple[PlanAct, ...], ...], list[int]]:
    """The acts of a plan in the simulator, turn by turn, and the states at the start and after each turn."""
    engine = HouseEngine(house)
    turns, states = list[tuple[PlanAct, ...]](), [engine.state]
    for calls in plan:
        commands = [*map(parse, calls)]
        meant = [_meant(engine, seat, call) for seat, call in enumerate(commands)]
        engine.step(commands)
        before = (states[-1], *engine.passed)
        turns.append(
            tuple(
                PlanAct(
                    grounded.rule.name, tuple(grounded.values[name] for name, _ in grounded.rule.parameters)
                )
                for grounded, state in zip(meant, before, strict=False)
                if grounded and not grounded.refusal(state)
            )
        )
        states.append(engine.state)
    return tuple(turns), states


def _meant(engine: HouseEngine, seat: int, call: Command | Malformed) -> GroundRule | None:
    """The rule of a call; ``None`` if it has none, or does not change what is physical."""
    if isinstance(call, Malformed) or call.tool not in ACTING:
        return None
    try:
        return engine.calls.meaning(seat, call).rule
    except FailedCallError:
        return None


def _list_tracked(problem: EpistemicProblem, parts: Sequence[Known]) -> tuple[Words, ...]:
    """The facts that the projection for some parts of the goal has."""
    facts = [fact for _, literal in parts for fact in problem.literals[literal]]
    moved = {fact[1] for fact in facts if fact[0] in PLACING}
    facts += [fact for fact in problem.start if fact[0] in PLACING and fact[1] in moved]
    facts += [("is_open", fact[2]) for fact in facts if fact[0] == "is_inside"]
    return tuple(sorted(set(facts)))
