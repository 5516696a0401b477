"""Plans of proofs in the simulator: whether a plan with private information reaches the goal by the simulator's own log, and the
evidence that no plan is shorter than that of the calibration.

That evidence is the plan's turns, and a projection that needs as many. Some parts of the goal alone mostly do: one that does
not hold before the last turn, perhaps with another one, or all that one or two agents alone can bring about, perhaps with a
part that keeps one of them busy. The projection has the facts that make these hold, the places of their objects at the start,
and whether the furniture is open that contains the objects at first or in the end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from msgspec import Struct

from otherminds.core.errors import InternalError
from otherminds.household.commands import EVERYBODY, Command, Malformed, parse
from otherminds.household.engine import FailedCallError, HouseEngine
from otherminds.household.epistemic.certificate import (
    Claim,
    EpistemicProblem,
    Known,
    PlanAct,
    PlanTell,
    Words,
)
from otherminds.household.epistemic.check import refuted
from otherminds.household.epistemic.check_rules import ProblemRules
from otherminds.household.epistemic.compiling import PlanStep
from otherminds.household.epistemic.forms import statements
from otherminds.household.epistemic.formula import K_PROBE, Know, physical, probed, show
from otherminds.household.epistemic.predicates import positive
from otherminds.household.epistemic.words import Fact
from otherminds.household.epistemic.words.sentences import say
from otherminds.household.goal_check import holds
from otherminds.household.house import House
from otherminds.household.knowledge_tracker import FollowedChains, KnowledgeTracker
from otherminds.household.planning.joint import GroundStep
from otherminds.household.planning.planned import WAIT, call_of, failure
from otherminds.household.proofs.exported import HouseAccess
from otherminds.household.rules import PLACING, RULES, GroundRule


class ReplayedPlan(Struct, frozen=True):
    """``turns`` has a call for each agent; ``missing`` are the parts of the goal that do not hold at the end."""

    turns: tuple[tuple[str, ...], ...]
    missing: tuple[Known, ...]
    refused: tuple[str, ...]
    """Calls that failed, with the simulator's message."""

    @property
    def reached(self) -> bool:
        return not self.missing and not self.refused


def replay_plan(house: House, plan: Sequence[PlanStep], parts: Sequence[Known]) -> ReplayedPlan:
    """The plan in the simulator, one step a turn; behind a message all wait until it has arrived.

    Raises:
        InternalError: no call leads to a step.
    """
    replay = _Replay(house, plan, parts)
    return replay.play(replay.one_by_one())


def together(house: House, plan: Sequence[PlanStep], parts: Sequence[Known]) -> ReplayedPlan:
    """The plan in the simulator, in few turns: one step after another moves to the earliest turn where it still works.

    Raises:
        InternalError: no call leads to a step.
    """
    replay = _Replay(house, plan, parts)
    turns = replay.one_by_one()
    best = replay.play(turns)
    for number, (agent, _) in enumerate(replay.calls if best.reached else ()):
        own = next(k for k, turn in enumerate(turns) if number in turn)
        earlier = [k for k in range(own) if any(replay.calls[step][0] == agent for step in turns[k])]
        for target in range(max(earlier, default=-1) + 1, own):
            moved = [[step for step in turn if step != number] for turn in turns]
            moved[target].append(number)
            played = replay.play(merged := [turn for k, turn in enumerate(moved) if turn or k != own])
            if played.reached:
                turns, best = merged, played
                break
    for number in range(len(turns) - 1, -1, -1):
        if not turns[number]:
            played = replay.play(merged := [*turns[:number], *turns[number + 1 :]])
            if played.reached:
                turns, best = merged, played
    return best


class _Replay:
    """``calls`` has the agent and the call of each step; ``followed`` is ``None`` if no part is about knowledge.

    ``hidden`` are the calls whose success the simulator reports as a failure: those on triggers without a state of their
    own.
    """

    def __init__(self, house: House, plan: Sequence[PlanStep], parts: Sequence[Known]) -> None:
        self.house, self.parts = house, parts
        self.calls = [(_actor(step), _command(house, step)) for step in plan]
        unshown = {rule.name for rule in house.rules if not rule.shown}
        self.hidden = {
            call
            for step, call in zip(plan, self.calls, strict=True)
            if isinstance(step, PlanAct) and step.action in unshown
        }
        self.followed = FollowedChains(house) if any(agents for agents, _ in parts) else None
        self.physical = [
            (fact, part) for fact in physical(house.goal) if (part := ((), show(positive(fact)))) in parts
        ]

    def one_by_one(self) -> list[list[int]]:
        """The steps of each turn, one a turn; none where the plan waits for a late message."""
        turns: list[list[int]] = []
        for number, (agent, command) in enumerate(self.calls):
            late = self.house.plan.delays[agent] if command.tool == "Communicate" else 0
            turns += [[number], *([] for _ in range(late))]
        return turns

    def play(self, turns: Sequence[Sequence[int]]) -> ReplayedPlan:
        """The plan with these steps in each turn."""
        house, engine = self.house, HouseEngine(self.house)
        log = KnowledgeTracker(self.followed) if self.followed else None
        if log:
            log.look(engine)
        calls: list[tuple[str, ...]] = []
        refused: list[str] = []
        for turn in turns:
            commands = dict.fromkeys(house.agents, WAIT) | dict(self.calls[number] for number in turn)
            results = engine.step([*commands.values()])
            for (agent, command), (worked, answer) in zip(commands.items(), results, strict=True):
                if not worked and (agent, command) not in self.hidden:
                    refused.append(f"{command} of {agent}: {answer}")
                elif worked and log and command.tool == "Communicate":
                    log.told(next(sent for sent in engine.sent if sent.sender == agent))
            if log:
                log.look(engine)
            calls.append(tuple(map(str, commands.values())))
        missing: list[Known] = [part for fact, part in self.physical if not holds(engine, fact)]
        facts = log.facts() if log else {}
        for name, chain in probed(house.goal).items() if log else ():
            if name.startswith(K_PROBE) and facts[name] is None:
                missing.append((chain.agents, show(positive(chain.fact))))
        return ReplayedPlan(
            tuple(calls), tuple(part for part in missing if part in self.parts), tuple(refused)
        )


def _actor(step: PlanStep) -> str:
    return step.values[0] if isinstance(step, PlanAct) else step.sender


def _command(house: House, step: PlanStep) -> Command:
    if isinstance(step, PlanTell):
        to = step.hearers[0] if len(step.hearers) == 1 else EVERYBODY
        return Command("Communicate", (to, _text(step)))
    call = call_of(house, GroundStep(house.agents.index(step.values[0]), step.action, step.values))
    if call is None:
        raise InternalError(f"no call leads to {step}")
    return call


def _text(step: PlanTell) -> str:
    agents, fact = step.content
    # Who tells a private goal asks for it as for a goal of the team.
    (statement,) = statements((fact.replace("(private_goal ", "(goal ", 1),))
    if isinstance(statement, Fact):
        formula = statement.formula
        for agent in reversed(agents):
            formula = Know(agent, formula)
        statement = Fact(formula)
    return say(statement, me=step.sender)


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
