"""Whether private goals can hold together with the shared goal and with one another.

Juneja et al. 2026 say that they are not in direct conflict (section 4.1), and show tasks in which they are (appendix C.3).
Only the physical parts of private goals are considered, as in their scores.

Two invariants of the rules show that goals cannot hold together, whatever agents do and know: an object is at one place, an
agent in one room and holds one object, and a thing has one of two opposite states; and of furniture that mechanics connect,
only those states occur together that some sequence of acts on it leads to, if each of them is possible at any time.

Of two goals in conflict, whoever acts last may win. Plans show it for each order: one reaches the first goal, and another one
goes on from there to the other goal, with the messages that are left."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import NamedTuple, TypeAlias

from msgspec import structs

from otherminds.core.errors import InternalError
from otherminds.household.epistemic.certificate import (
    Certificate,
    Claim,
    EpistemicProblem,
    Known,
    PlanTell,
    ProblemAction,
    Words,
)
from otherminds.household.epistemic.check import Execution, ProblemRules, execute_plan, refuted
from otherminds.household.epistemic.check_due import COMPATIBLE, CONFLICT, private_verdict
from otherminds.household.epistemic.formula import And, physical, show
from otherminds.household.epistemic.predicates import AXES, OPPOSITES, TURNS, positive
from otherminds.household.epistemic.relaxed import Reachability
from otherminds.household.house import House
from otherminds.household.proofs.exported import private_facts, private_form, private_gates
from otherminds.household.proofs.replayed import together
from otherminds.household.proofs.searching import Plans
from otherminds.household.proofs.verification import ProofVerdict
from otherminds.household.rules import PLACING

TURNED = tuple(value for pair in TURNS.values() for value in pair)
"""The states of furniture, which mechanics connect."""


class Excluding:
    """Which literals of a problem exclude one another."""

    def __init__(self, problem: EpistemicProblem) -> None:
        self._problem, self._literals = problem, problem.literals
        self._groups = [
            (entities, _explore_states(problem, entities, acts))
            for entities, acts in _group_furniture(problem)
        ]

    def least(self, literals: Sequence[str]) -> tuple[str, ...]:
        """The literals without those that are not needed for them to exclude one another; empty if they do not."""
        if not self.exclude(literals):
            return ()
        remaining = list(literals)
        for literal in literals:
            fewer = [other for other in remaining if other != literal]
            if self.exclude(fewer):
                remaining = fewer
        return tuple(remaining)

    def exclude(self, literals: Sequence[str]) -> bool:
        """Whether the literals are shown never to hold together."""
        if any(self._are_opposed(*pair) for pair in combinations(literals, 2)):
            return True
        facts = {fact for literal in literals for fact in self._literals[literal] if fact[0] in TURNED}
        return any(
            not any({fact for fact in facts if fact[1] in entities} <= state for state in states)
            for entities, states in self._groups
        )

    def claim_apart(self, literals: Sequence[str]) -> Claim:
        """The claim that literals which exclude one another never hold together.

        Its evidence tracks all facts that take up what two of theirs do, and the states of connected furniture.
        """
        problem = self._problem
        facts = {fact for literal in literals for fact in self._literals[literal]}
        owners = {owner for pair in combinations(facts, 2) for owner in _owners(pair[0]) & _owners(pair[1])}
        tracked = {fact for fact in _single_facts(problem, facts) if not owners.isdisjoint(_owners(fact))}
        tracked |= {("hand_empty", *whose) for kind, *whose in owners if kind == "hand"}
        movers = {fact[1] for fact in facts if fact[0] == "agent_in_room"}
        tracked |= {("at", *pair) for pair in product(movers, problem.names["spot"])}
        for entities, states in self._groups:
            if any(fact[0] in TURNED and fact[1] in entities for fact in facts):
                tracked |= {fact for state in states for fact in state}
        parts = tuple[Known, ...](((), literal) for literal in literals)
        return Claim("apart", "states", parts, tracked=tuple(sorted(facts | tracked)))

    def _are_opposed(self, literal: str, other: str) -> bool:
        return all(
            first != second and not _owners(first).isdisjoint(_owners(second))
            for first, second in product(self._literals[literal], self._literals[other])
        )


def _owners(fact: Words) -> set[Words]:
    """What a fact takes up: two different facts that take up the same do not hold together."""
    predicate, entity, *where = fact
    if predicate not in PLACING:
        return {(AXES.get(predicate, predicate), entity)}
    return {("place", entity), *(("hand", *where) for _ in range(predicate == "is_held_by"))}


def _single_facts(problem: EpistemicProblem, facts: Collection[Words]) -> Iterator[Words]:
    """All facts with the predicates of ``facts``, their opposites, and all places and hands of their objects."""
    names, predicates = problem.names, {fact[0] for fact in facts}
    yield from ((OPPOSITES[fact[0]], fact[1]) for fact in facts if fact[0] in OPPOSITES)
    if "agent_in_room" in predicates:
        yield from (("agent_in_room", *pair) for pair in product(problem.agents, names["room"]))
    if not predicates.isdisjoint(PLACING):
        rests = [predicate for predicate in PLACING if predicate != "is_held_by"]
        yield from (product(rests, names["object"], names["furniture"]))
        yield from (("is_held_by", *pair) for pair in product(names["object"], problem.agents))


def _group_furniture(problem: EpistemicProblem) -> Iterator[tuple[set[str], list[ProblemAction]]]:
    """The furniture that mechanics bind, in groups whose states change apart, each with the actions that change them."""
    groups: list[tuple[set[str], list[ProblemAction]]] = []
    for action in problem.actions:
        entities = {fact[1] for fact in action.adds if fact[0] in TURNED and not fact[1].startswith("?")}
        if entities:
            mine = [action]
            for group in [group for group in groups if group[0] & entities]:
                groups.remove(group)
                entities |= group[0]
                mine += group[1]
            groups.append((entities, mine))
    yield from groups


def _explore_states(
    problem: EpistemicProblem, entities: Collection[str], acts: Sequence[ProblemAction]
) -> set[frozenset[Words]]:
    """The states of furniture that any sequence of acts on it leads to from the start."""
    start = frozenset(fact for fact in problem.start if fact[0] in TURNED and fact[1] in entities)
    turned = [
        ({need for need in act.needs if need[0] in TURNED and need[1] in entities}, act.adds, act.removes)
        for act in acts
    ]
    for state, entity in start:
        if ("plain", entity) in problem.static:
            pair = (state, entity), (OPPOSITES[state], entity)
            turned += [(set(), (begun,), (other,)) for begun, other in (pair, pair[::-1])]
    reached, waiting = {start}, [start]
    while waiting:
        state = waiting.pop()
        for needs, adds, removes in turned:
            after = state.difference(removes).union(adds) if state >= needs else state
            if after not in reached:
                reached.add(after)
                waiting.append(after)
    return reached


Prove: TypeAlias = Callable[[str, Claim, str, bool], ProofVerdict]
"""The verdict of a claim that the checker accepts, from its name, what it says, and whether it is decisive."""
SHARED, OWN = "the shared goal", "the private goal of {}"
LEAST_SECONDS = 2.0
"""Processor time of a search for a plan that goes on from the end of another one, at least."""
DOES = {
    (False, False): "does not reach it",
    (False, True): "reaches it too",
    (True, False): "ends it",
    (True, True): "keeps it",
}
"""What a plan does to a goal, by whether it holds at the start and at the end."""


def met_by_the_way(certificate: Certificate) -> tuple[str, ...]:
    """The agents whose private goals hold at the start, or after the plan for the shared goal, if the certificate has one."""
    problem, plan = certificate.problem, certificate.claims.get("solvable")
    run = Execution(ProblemRules(problem))
    own = {agent: problem.private_parts(agent) for agent in problem.private}
    met = {agent for agent, parts in own.items() if run.reached(parts)}
    if plan is not None:
        execute_plan(run, plan.plan)
        met |= {agent for agent, parts in own.items() if run.reached(parts)}
    return tuple(agent for agent in own if agent in met)


class NoPlan(NamedTuple):
    """Why there is no plan; ``proved``: nothing reaches the goal, and not only was no plan found."""

    why: str
    proved: bool


class PrivateGoals:
    """The private goals of a task and its epistemic problem, which has their parts after those of the shared goal.

    ``parts`` are those of each agent; ``physical`` are the physical ones of the shared goal; ``untold`` are the secrets
    that state private goals; ``beyond`` are the literals that no proof has.
    """

    def __init__(self, house: House, problem: EpistemicProblem, rules: ProblemRules) -> None:
        self.house, self.problem, self.rules = house, problem, rules
        facts = private_facts(house)
        self.parts: dict[str, tuple[Known, ...]] = {
            agent: tuple(((), show(fact)) for fact in several) for agent, several in facts.items()
        }
        self.physical: tuple[Known, ...] = tuple(
            ((), show(positive(literal))) for literal in physical(house.goal)
        )
        self.untold = {private_form(fact) for several in facts.values() for fact in several}
        self.beyond = [
            f"{show(literal)} of {agent}"
            for agent, formula in house.private.items()
            for literal in map(positive, physical(formula))
            if literal not in facts[agent]
        ]

    @property
    def every(self) -> tuple[Known, ...]:
        """The physical parts of the shared goal and of all private goals."""
        return tuple(
            dict.fromkeys((*self.physical, *(part for parts in self.parts.values() for part in parts)))
        )

    def verdicts(
        self, shared: Claim | str, seconds: float, reach: Reachability, prove: Prove, quick: bool = False
    ) -> Iterator[ProofVerdict]:
        """The verdicts about private goals, with ``shared``, a plan for the shared goal, or why there is none.

        With ``quick``, an order of goals that is unknown after one search that ran out of time gets no further one.
        """
        if not self.parts:
            return
        excluding = Excluding(self.problem)
        pairs = self._conflicts(excluding)
        yield self._compatible(shared, seconds, reach, prove, excluding, pairs)
        for goal, other in pairs:
            yield self._orders(goal, other, shared, seconds, quick)
        for agent, parts in self.parts.items():
            if parts:
                yield self._open(agent, parts, shared, prove)

    def _compatible(
        self,
        shared: Claim | str,
        seconds: float,
        reach: Reachability,
        prove: Prove,
        excluding: Excluding,
        pairs: Mapping[tuple[str, str], Sequence[str]],
    ) -> ProofVerdict:
        conflicts = [
            f"{other} conflicts with {goal}: {' and '.join(least)} never hold together"
            for (goal, other), least in pairs.items()
        ]
        least = excluding.least([literal for _, literal in self.every])
        if least and not conflicts:
            conflicts = [f"the goals conflict: {' and '.join(least)} never hold together"]
        if conflicts:
            claim = excluding.claim_apart(least)
            if not refuted(self.problem, claim, self.rules):
                prove(CONFLICT, claim, "", False)
            return ProofVerdict(COMPATIBLE, "refuted", "; ".join(conflicts), False)
        for agent, parts in self.parts.items():
            if claim := reach.never(parts):
                prove(f"never {COMPATIBLE}", claim, "", False)
                says = f"{claim.parts[0][1]} of {agent} can never hold; let an agent reach it"
                return ProofVerdict(COMPATIBLE, "refuted", says, False)
        if not any(self.parts.values()) and not self.beyond:
            return ProofVerdict(
                COMPATIBLE, "unknown", "they are about knowledge alone; ask for an act", False
            )
        if self.beyond:
            says = f"no proof has {', '.join(self.beyond)}; ask for a place, such as is_on_top"
            return ProofVerdict(COMPATIBLE, "unknown", says, False)
        if isinstance(shared, str):
            return ProofVerdict(
                COMPATIBLE, "unknown", f"no plan for the shared goal was found: {shared}", False
            )
        joint_plan = self._plan(shared, seconds)
        if isinstance(joint_plan, str):
            each = ", ".join(f"{agent} {'yes' if so else 'no'}" for agent, so in self._alone(seconds))
            says = f"no plan for all goals was found ({joint_plan}); for the shared goal and that of one agent: {each}"
            return ProofVerdict(COMPATIBLE, "unknown", says, False)
        plan, how = joint_plan
        says = f"a plan of {len(plan.plan)} steps reaches the shared goal and all private goals: {how}"
        return prove(COMPATIBLE, plan, says, False)

    def _open(self, agent: str, parts: tuple[Known, ...], shared: Claim | str, prove: Prove) -> ProofVerdict:
        """Whether a private goal does not hold at the start, and what the plan for the shared goal does to it."""
        name = private_verdict(agent)
        claim = Claim("open", "start", parts=parts)
        solved = bool(refuted(self.problem, claim, self.rules))
        does = "no plan for the shared goal was found"
        if isinstance(shared, Claim):
            does = f"the plan for the shared goal {DOES[solved, self._run(shared).reached(parts)]}"
        if not solved:
            return prove(name, claim, f"it does not hold at the start; {does}", False)
        return ProofVerdict(name, "refuted", f"it holds at the start, and {does}; ask for a change", False)

    @property
    def goals(self) -> dict[str, tuple[Known, ...]]:
        """The physical parts of each goal, by what messages call it."""
        return {SHARED: self.physical} | {OWN.format(agent): parts for agent, parts in self.parts.items()}

    def _conflicts(self, excluding: Excluding) -> dict[tuple[str, str], Sequence[str]]:
        """The pairs of goals that exclude each other, each with literals that never hold together."""
        literals = {name: tuple(literal for _, literal in parts) for name, parts in self.goals.items()}
        sound = [name for name, several in literals.items() if not excluding.exclude(several)]
        pairs = {
            (goal, other): excluding.least((*literals[goal], *literals[other]))
            for goal, other in combinations(sound, 2)
        }
        return {pair: least for pair, least in pairs.items() if least}

    def _orders(
        self, goal: str, other: str, shared: Claim | str, seconds: float, quick: bool
    ) -> ProofVerdict:
        """Which of two goals in conflict holds at the end if they are pursued one after the other, in both orders."""
        seconds = seconds if quick else max(seconds, LEAST_SECONDS)
        first = self._continue_plan(None, goal, seconds, quick) if goal != SHARED else shared
        if isinstance(first, str):
            first = NoPlan(f"no plan was found ({first})", False)
        name = f"order of {goal} and {other}"
        forth = self._continue_plan(first, other, seconds, quick)
        if quick and isinstance(forth, NoPlan) and not forth.proved:
            return ProofVerdict(
                name, "unknown", f"if {other} comes last, nobody knows who wins: {forth.why}", False
            )
        # From there, only what was undone has to be done again: a short plan.
        back = self._continue_plan(forth, goal, seconds, quick) if isinstance(forth, Claim) else forth
        if isinstance(back, NoPlan):
            alone = self._continue_plan(None, other, seconds, quick)
            if isinstance(alone, NoPlan):
                # There is no order to tell of a goal that nothing reaches.
                status = "refuted" if alone.proved else "unknown"
                return ProofVerdict(name, status, f"no plan reaches {other}: {alone.why}", False)
            back = self._continue_plan(alone, goal, seconds, quick)
        plans = {(goal, other): forth, (other, goal): back}
        decided = all(isinstance(plan, Claim) or plan.proved for plan in plans.values())
        says = [
            f"if {last} comes last, it wins: a plan reaches {before} and then {last}"
            if isinstance(plan, Claim)
            else f"if {last} comes last, {before if plan.proved else 'nobody knows who'} wins: {plan.why}"
            for (before, last), plan in plans.items()
        ]
        status = "proved by planner" if decided else "unknown"
        return ProofVerdict(name, status, "; ".join(says), False)

    def _continue_plan(
        self, plan: Claim | NoPlan | None, goal: str, seconds: float, quick: bool
    ) -> Claim | NoPlan:
        """A plan, if there is one so far, and further steps that reach a goal; or why there are none.

        Raises:
            InternalError: the checker rejects the whole plan.
        """
        if isinstance(plan, NoPlan):
            return plan
        house, problem, steps = self._whole(tuple(self.parts)), self._strict(), plan.plan if plan else ()
        if plan:
            run = self._run(plan)
            unsent = {agent: int(run.left[agent]) for agent in problem.budgets}
            start = tuple(sorted(run.state - set(problem.static)))
            problem = structs.replace(problem, start=start, known=tuple(sorted(run.told)), budgets=unsent)
        parts = self.goals[goal]
        if never := Reachability(problem).never(parts):
            then = "after the plan" if plan else "at all"
            return NoPlan(
                f"{never.parts[0][1]} cannot be reached {then}, with the messages that are left", True
            )
        further = Plans(house, problem, seconds, quick=quick).find(parts)
        if isinstance(further, str):
            return NoPlan(f"no plan was found ({further})", False)
        joined = structs.replace(further, plan=(*steps, *further.plan))
        if why := refuted(self.problem, joined, self.rules):
            raise InternalError(f"{self.problem.task}: the plan for {goal} fails: {why}")
        return joined

    def _plan(self, shared: Claim, seconds: float) -> tuple[Claim, str] | str:
        """A plan for the shared goal and all private goals, and how private goals are reached in it; or why none was found.

        First the plan of the shared goal is taken; then plans in which each agent alone acts for its private goal; then
        also plans in which it asks others for that.
        """
        if self._run(shared).reached(self.every):
            return structs.replace(shared, parts=self.every), "it is that of the shared goal"
        house = self._whole(tuple(self.parts))
        why = ""
        for untold in (self.untold, set[str]()):
            plan = Plans(house, self._strict(), seconds, untold).find(self.every)
            if isinstance(plan, Claim):
                replay = together(house, plan.plan, plan.parts)
                if not replay.reached:
                    raise InternalError(f"{self.problem.task}: the plan fails in the simulator: {replay}")
                limit = f" of {2 * best.turns}" if (best := self.house.task.calibration) else ""
                return plan, f"{self._describe_requests(plan)}, in {len(replay.turns)} turns{limit}"
            why = plan
        return why

    def _alone(self, seconds: float) -> Iterator[tuple[str, bool]]:
        """For each agent, whether a plan was found for its private goal and the shared one, if it may ask for help."""
        for agent, parts in self.parts.items():
            plans = Plans(self._whole((agent,)), self._strict(), seconds)
            yield agent, isinstance(plans.find(tuple(dict.fromkeys((*self.physical, *parts)))), Claim)

    def _run(self, plan: Claim) -> Execution:
        """The state after a plan."""
        return execute_plan(Execution(self.rules), plan.plan)

    def _describe_requests(self, plan: Claim) -> str:
        """Which agents tell others their private goals in a plan."""
        goal_messages = (
            step for step in plan.plan if isinstance(step, PlanTell) and step.content[1] in self.untold
        )
        if asking := dict.fromkeys(step.sender for step in goal_messages):
            return f"{' and '.join(asking)} asks for help with a private goal"
        return "each agent acts for its own private goal"

    def _strict(self) -> EpistemicProblem:
        """The problem in which nobody acts for a private goal without a reason; each of its plans is one of the problem."""
        return structs.replace(self.problem, gates=(*self.problem.gates, *private_gates(self.house)))

    def _whole(self, agents: tuple[str, ...]) -> House:
        """The house with the physical parts of the shared goal and of the private goals of ``agents`` as its goal."""
        facts = private_facts(self.house)
        parts = (*physical(self.house.goal), *(fact for agent in agents for fact in facts[agent]))
        task = structs.replace(self.house.task, problem_pddl=show(And(tuple(dict.fromkeys(parts)))))
        return House(task, self.house.scene)
