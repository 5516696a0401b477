"""A proof's plan in the simulator: calls, turn by turn, and whether the goal holds by the simulator's own log."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from otherminds.core.errors import InternalError
from otherminds.household.commands import EVERYBODY, Command
from otherminds.household.engine import HouseEngine
from otherminds.household.epistemic.certificate import Known, PlanAct, PlanTell
from otherminds.household.epistemic.compiling import PlanStep
from otherminds.household.epistemic.formula import K_PROBE, Know, physical, probed, show
from otherminds.household.epistemic.predicates import positive
from otherminds.household.epistemic.told import statements
from otherminds.household.epistemic.words import Fact
from otherminds.household.epistemic.words.sentences import say
from otherminds.household.followed import FollowedChains
from otherminds.household.goal_check import holds
from otherminds.household.house import House
from otherminds.household.knowledge_tracker import KnowledgeTracker
from otherminds.household.planning.joint import GroundStep
from otherminds.household.planning.planned import WAIT, call_of


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
