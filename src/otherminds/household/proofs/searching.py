"""Plans with private information, by the planner, and chains that no messages can establish."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from msgspec import structs

from otherminds.core.errors import TaskError
from otherminds.household.epistemic.certificate import (
    Claim,
    EpistemicProblem,
    Known,
    PlanAct,
    ProblemAction,
    Words,
)
from otherminds.household.epistemic.check import Execution, ProblemRules
from otherminds.household.epistemic.check_searches import relevant_chains
from otherminds.household.epistemic.compiling import Compiled, PlanStep, messages_for, relevant
from otherminds.household.epistemic.fast_downward import STOPPED, solve
from otherminds.household.epistemic.formula import chains
from otherminds.household.epistemic.grounder import Grounder, restricted
from otherminds.household.epistemic.relaxed import ProblemVariant, Reachability
from otherminds.household.house import House
from otherminds.household.planning.joint import PlanNames, by_calls, cut_house, direct, leads
from otherminds.household.planning.planned import WALK
from otherminds.household.rules import HOW

ANY = "let(h, ff(), lazy_greedy([h], preferred=[h], cost_type=one))"
EVERY = "astar(hmax())"
EXCLUSIVE = ("at", "agent_in_room")
"""Predicates of which exactly one fact holds of each agent."""
UNGATED = ProblemVariant(deepest=0, gated=False)
"""Agents that know all secrets, and see without messages."""
BROUGHT, FOUND = "brought", "found"
"""The static predicates of the places where objects must be, and of these and those where they are at the start."""
CALLED = "called"
"""The static predicate of walks that calls can make."""


class Plans:
    """Plans of a problem of a task; what is grounded for one goal is used for others.

    The first search is for a plan without handovers, in a much smaller problem; the second has all places for them. In both,
    agents walk from anywhere, and the plan gets their walks afterwards. The last search has walks as calls make them. What
    fails once is not tried again. No message tells the secrets in ``untold``. With ``quick``, the first search that runs
    out of time is the last one.
    """

    def __init__(
        self,
        house: House,
        problem: EpistemicProblem,
        seconds: float,
        untold: Collection[str] = (),
        quick: bool = False,
    ) -> None:
        self._quick = quick
        self._house, self._problem, self._seconds, self._untold = house, problem, seconds, untold
        self._smaller = [_narrow, _wide]
        self._grounder = Grounder(_narrow(house, problem))

    def find(self, parts: Sequence[Known]) -> Claim | str:
        """A plan for parts of the goal, as a claim; or why none was found, which proves nothing."""
        while self._smaller:
            plan_or_reason = self._search_plan(parts, min(self._seconds, 1), EXCLUSIVE)
            steps = None if isinstance(plan_or_reason, str) else self._insert_walks(plan_or_reason)
            if steps is not None:
                return Claim("reached", "plan", parts=tuple(parts), plan=steps)
            if self._quick and isinstance(plan_or_reason, str) and plan_or_reason in STOPPED.values():
                return plan_or_reason
            del self._smaller[0]
            reduction = self._smaller[0] if self._smaller else reduce_problem
            self._grounder = Grounder(reduction(self._house, self._problem))
        steps = self._search_plan(parts, self._seconds)
        return steps if isinstance(steps, str) else Claim("reached", "plan", parts=tuple(parts), plan=steps)

    def _search_plan(
        self, parts: Sequence[Known], seconds: float, exclusive: Words = ()
    ) -> tuple[PlanStep, ...] | str:
        try:
            compiled = Compiled(self._grounder.problem, parts, exclusive, self._grounder, self._untold)
        except TaskError as error:
            return str(error)
        solution = solve(compiled.task, ANY, seconds)
        if solution.verdict != "plan":
            return solution.why or "the planner found that there is none among the things that it was given"
        return compiled.plan(solution.steps)

    def _insert_walks(self, plan: Sequence[PlanStep]) -> tuple[PlanStep, ...] | None:
        """The plan with walks from where its agents are, as calls make them; ``None`` if there is no such call."""
        at = {fact[1]: fact[2] for fact in self._problem.start if fact[0] == "at"}
        room = dict(zip(self._house.spots, self._house.spot_room, strict=True))
        steps: list[PlanStep] = []
        for step in plan:
            if not isinstance(step, PlanAct) or step.action != WALK:
                steps.append(step)
                continue
            agent, there = step.values[:2]
            route = self._route(agent, at[agent], there)
            if route is None:
                return None
            for spot in route:
                here, at[agent] = at[agent], spot
                steps.append(PlanAct(WALK, (agent, here, room[here], spot, room[spot])))
        return tuple(steps)

    def _route(self, agent: str, here: str, there: str) -> tuple[str, ...] | None:
        """The spots on the way: none if the agent is there, and one more if it is so near that a call does not move it."""
        if here == there or leads(self._house, here, there):
            return (there,) * (here != there)
        static = set(self._problem.static)
        centres = (f"centre:{room}" for room in self._house.rooms)
        return next(
            (
                (middle, there)
                for middle in centres
                if ("may_go", agent, middle) in static and leads(self._house, middle, there)
            ),
            None,
        )


def shorten_plan(rules: ProblemRules, claim: Claim, parts: Sequence[Known]) -> Claim:
    """The plan of ``claim`` up to where ``parts`` of its goal hold.

    If no part is about knowledge, messages remain only about secrets that are reasons to act.
    """
    problem, run, steps = rules.problem, Execution(rules), list[PlanStep]()
    secrets = {secret for gate in problem.gates for secret in gate.secrets}
    epistemic = any(agents for agents, _ in parts)
    for step in claim.plan:
        if run.reached(parts):
            break
        if isinstance(step, PlanAct):
            run.act(step)
        elif epistemic or step.content[1] in secrets:
            run.tell(step)
        else:
            continue
        steps.append(step)
    return Claim("reached", "plan", parts=tuple(parts), plan=tuple(steps))


def _narrow(house: House, problem: EpistemicProblem) -> EpistemicProblem:
    """The problem in which agents walk from anywhere, and bring objects only from where they are to where they must be."""
    smaller = _restrict_problem(problem, house, direct(house, [chain.fact for chain in chains(house.goal)]))
    ends = [fact for ways in smaller.literals.values() for fact in ways if fact[0] in HOW]
    static = [(BROUGHT, *fact[1:]) for fact in ends]
    static += [(FOUND, *fact[1:]) for fact in (*ends, *smaller.start) if fact[0] in HOW]
    actions = (_from_anywhere(action) if action.name == WALK else action for action in smaller.actions)
    return structs.replace(
        smaller, actions=tuple(map(_directly, actions)), static=(*smaller.static, *dict.fromkeys(static))
    )


def _wide(house: House, problem: EpistemicProblem) -> EpistemicProblem:
    """The problem in which agents walk from anywhere, with what a plan with all secrets public may need."""
    smaller = _restrict_problem(
        problem, house, cut_house(house, [chain.fact for chain in chains(house.goal)])
    )
    actions = (_from_anywhere(action) if action.name == WALK else action for action in smaller.actions)
    return structs.replace(smaller, actions=tuple(actions))


def _directly(action: ProblemAction) -> ProblemAction:
    """The action on objects only where they are at the start, and where they must be."""
    needs = [(FOUND, *fact[1:]) for fact in action.needs if fact[0] in HOW]
    needs += [(BROUGHT, *fact[1:]) for fact in action.adds if fact[0] in HOW]
    return structs.replace(action, needs=(*action.needs, *needs))


def _from_anywhere(walk: ProblemAction) -> ProblemAction:
    """The walk without its origin, the second and third parameter."""
    _, (spot, _), (room, _), *_ = walk.parameters
    return ProblemAction(
        walk.name,
        tuple(pair for pair in walk.parameters if pair[0] not in (spot, room)),
        tuple(fact for fact in walk.needs if spot not in fact and room not in fact),
        walk.adds,
        (),
    )


def reduce_problem(house: House, problem: EpistemicProblem) -> EpistemicProblem:
    """The problem with walks that calls can make, and with what a plan with all secrets public may need.

    Each of its plans is one of the whole problem. See :mod:`..planning.joint` for objects, furniture and spots.
    """
    names = by_calls(house, cut_house(house, [chain.fact for chain in chains(house.goal)]))
    smaller = _restrict_problem(problem, house, names)
    actions = tuple(
        structs.replace(
            action, needs=(*action.needs, (CALLED, action.parameters[1][0], action.parameters[3][0]))
        )
        if action.name == WALK
        else action
        for action in smaller.actions
    )
    spots = smaller.names["spot"]
    called = [(CALLED, here, there) for here in spots for there in spots if leads(house, here, there)]
    return structs.replace(smaller, actions=actions, static=(*smaller.static, *called))


def _restrict_problem(problem: EpistemicProblem, house: House, plan_names: PlanNames) -> EpistemicProblem:
    # Agents may start elsewhere than in the house: in a problem that goes on from the end of a plan.
    starts = {fact[2] for fact in problem.start if fact[0] == "at"}
    names = {
        *plan_names.objects,
        *plan_names.furniture,
        *plan_names.reaches,
        *starts,
        *house.rooms,
        *house.agents,
    }
    return restricted(problem, names)


def cannot_be_told(problem: EpistemicProblem, reach: Reachability, part: Known, seconds: float) -> bool:
    """Whether the messages provably do not suffice for a chain; ``reach`` has the variant ``UNGATED``.

    All that agents could ever see of it, alone or together, if they knew all secrets, they know from the start, and no
    message is spent on secrets: what cannot be told so, cannot be told. A planner exhausts all ways to send messages,
    unless a few messages suffice, or no number of them does.
    """
    knowing = structs.replace(problem, gates=(), start=(), actions=())
    visible = [chain for chain in relevant(knowing, [part]) if reach.holds(chain, UNGATED)]
    knowing = structs.replace(knowing, known=(*problem.known, *visible))
    if part in knowing.known:
        return False
    needed = messages_for(knowing, part)
    if needed is None:
        return True
    sent = Counter(step.sender for step in needed)
    if all(sent[agent] <= limit for agent, limit in problem.budgets.items()):
        return False
    return solve(Compiled(knowing, [part]).task, EVERY, seconds).verdict == "unsolvable"


def claim_untold(problem: EpistemicProblem, reach: Reachability, part: Known) -> Claim:
    """The claim that the messages do not suffice for a chain, with what agents never see; ``reach`` has ``UNGATED``."""
    unseen = [chain for chain in relevant_chains(problem, part) if not reach.holds(chain, UNGATED)]
    never, unknown = reach.close(unseen, UNGATED)
    return Claim("untold", "messages", (part,), never=never, unknown=unknown)
