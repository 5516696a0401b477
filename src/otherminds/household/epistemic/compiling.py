"""An epistemic problem compiled for a classical planner, with the least knowledge that agents have.

A message tells one chain or one secret, agents infer nothing, and they see alone: hence every plan is a plan. Only the
knowledge that can help towards the goal is compiled: the goal's chains, what messages must tell for them, and secrets.
Staleness: an action that makes a literal false takes away all knowledge of it. Source: Juneja et al. 2026, appendix E,
with the corrections of the documentation (*Proofs*).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from otherminds.core.errors import TaskError
from otherminds.household.epistemic.certificate import EpistemicProblem, Known, PlanAct, PlanTell, Words
from otherminds.household.epistemic.fast_downward import PlanningOperator, SasTask, Value
from otherminds.household.epistemic.formula import behind, shared
from otherminds.household.epistemic.grounder import Grounder, Instance, groups

PlanStep = PlanAct | PlanTell


def relevant(problem: EpistemicProblem, goal: Iterable[Known]) -> list[Known]:
    """The knowledge that helps to reach the goal, and the secrets that are reasons to act."""
    agents, waiting = problem.agents, [chain for chain in goal if chain[0]]
    waiting += [((a,), s) for gate in problem.gates for s in gate.secrets for a in agents]
    closure: dict[Known, None] = {}
    while waiting:
        chain = waiting.pop()
        if chain not in closure:
            closure[chain] = None
            (first, *others), literal = chain
            inner = tuple(others)
            waiting += [(behind(sender, inner), literal) for sender in agents]
            if inner:
                waiting += [(behind(agent, inner[1:]), literal) for agent in (first, inner[0])]
    return list(closure)


def messages(
    problem: EpistemicProblem, chains: Collection[Known]
) -> Iterator[tuple[PlanTell, Known, tuple[Known, ...]]]:
    """The messages that establish some of ``chains``, what each sender must know, and what each establishes."""
    followed = set(chains)
    for chain in chains:
        (sender, *others), literal = chain
        links = problem.links.get(sender, ())
        reached = [(hearer,) for hearer in links] + ([links] if len(links) > 1 else [])
        for stated in (tuple(others), chain[0]):
            for hearers in reached:
                established = {
                    (agents, literal): None for hearer in hearers for agents in shared(sender, hearer, stated)
                }
                if useful := tuple(
                    effect for effect in established if effect in followed and effect != chain
                ):
                    yield PlanTell(sender, hearers, (stated, literal)), chain, useful


def messages_for(problem: EpistemicProblem, chain: Known) -> list[PlanTell] | None:
    """Messages that establish a chain if their number is not limited; ``None`` if there are none.

    Nothing stops holding, and nothing but messages makes anything known.
    """
    chains = relevant(problem, [chain])
    sent = list(messages(problem, chains))
    causes: dict[Known, tuple[PlanTell, Known] | None] = dict.fromkeys(problem.known)
    size = -1
    while size < len(causes):
        size = len(causes)
        for step, condition, adds in sent:
            if condition in causes:
                causes |= {effect: (step, condition) for effect in adds if effect not in causes}
    if chain not in causes:
        return None
    steps: list[PlanTell] = []
    while (cause := causes[chain]) is not None:
        step, chain = cause
        steps.append(step)
    return steps[::-1]


class Compiled:
    """The planning task of parts of a problem's goal, and the step of each of its operators.

    The caller states that of the facts of each predicate in ``exclusive`` about one thing, exactly one always holds;
    actions need not remove the others. ``grounder`` may serve several goals of one problem. No message tells the secrets in
    ``untold``.

    Raises:
        TaskError: a literal can hold in several ways that do not exclude one another.
    """

    def __init__(
        self,
        problem: EpistemicProblem,
        goal: Sequence[Known],
        exclusive: Collection[str] = (),
        grounder: Grounder | None = None,
        untold: Collection[str] = (),
    ) -> None:
        self._grounder, self._problem, self._wanted = grounder or Grounder(problem), problem, goal
        self._exclusive = exclusive
        self._needed: set[Words] = set()
        self._values: dict[Words | Known, Value] = {}
        self._sizes: list[int] = []
        self._operators: list[PlanningOperator] = []
        self._literals: list[tuple[set[Value], set[int], dict[int, int]]] = []
        self.steps: dict[str, PlanStep] = {}
        chains = relevant(problem, goal)
        self._chains = [chain for chain in chains if chain[1] not in untold or chain in problem.known]
        self._views = {
            (agents[0], literal): [
                (way, *view.needs)
                for way in problem.literals[literal]
                for view in self._grounder.views(agents[0], way)
            ]
            for agents, literal in self._chains
            if len(agents) == 1 and literal in problem.literals
        }
        self._acts = self._useful()
        self._variables()
        for act in self._acts:
            for reason in act.reasons or ((),):
                if all(chain in self._values for chain in reason):
                    self._act(act, reason)
        for (agent, literal), views in self._views.items():
            self._looks(agent, literal, views)
        for step, condition, adds in messages(problem, self._chains):
            self._tell(step, condition, [self._values[effect] for effect in adds])
        goal_values = self._goal()
        self.task = SasTask(tuple(self._sizes), self._start(), goal_values, tuple(self._operators))

    def plan(self, names: Iterable[str]) -> tuple[PlanStep, ...]:
        """The steps of a plan; looks are no steps."""
        return tuple(self.steps[name] for name in names if name in self.steps)

    def _useful(self) -> list[Instance]:
        """The instances that add what the goal, a look or another of them needs. Nothing needs that a fact is false."""
        literals = dict.fromkeys(literal for _, literal in (*self._wanted, *self._chains))
        waiting = [way for literal in literals for way in self._problem.literals.get(literal, ())]
        waiting += [fact for views in self._views.values() for facts in views for fact in facts]
        instances: dict[tuple[str, Words], Instance] = {}
        while waiting:
            fact = waiting.pop()
            if fact in self._needed:
                continue
            self._needed.add(fact)
            for instance in self._grounder.adding(fact):
                if (
                    instance.actor in self._problem.agents
                    and (instance.action, instance.values) not in instances
                ):
                    instances[instance.action, instance.values] = instance
                    waiting += instance.needs
        return list(instances.values())

    def _variables(self) -> None:
        """The variables of facts that nothing needs are left out."""
        start = self._problem.start
        several: dict[Words, list[Words]] = {}
        for fact in dict.fromkeys((*start, *(fact for act in self._acts for fact in act.adds))):
            if fact[0] in self._exclusive:
                several.setdefault(fact[:2], []).append(fact)
        for group in (*several.values(), *groups(self._acts, start)):
            if not self._needed.isdisjoint(group):
                self._variable(group)
        single = dict.fromkeys(fact for act in self._acts for fact in (*act.adds, *act.removes, *act.needs))
        for fact in single:
            if fact in self._needed and fact not in self._values:
                self._variable((("not", *fact), fact))
        for chain in self._chains:
            self._variable((("not", str(chain)), chain))
        for literal, ways in self._problem.literals.items():
            mine = {self._values[way] for way in ways if way in self._values}
            lost = {self._values[chain][0]: 0 for chain in self._chains if chain[1] == literal}
            if lost:
                self._literals.append((mine, {variable for variable, _ in mine}, lost))
        for agent, limit in self._problem.budgets.items():
            self._variable([("left", agent, str(k)) for k in range(limit + 1)])

    def _variable(self, values: Iterable[Words | Known]) -> None:
        number, facts = len(self._sizes), list(values)
        self._values |= {fact: (number, k) for k, fact in enumerate(facts)}
        self._sizes.append(len(facts))

    def _act(self, act: Instance, reason: tuple[Known, ...]) -> None:
        needs = [self._values[condition] for condition in (*act.needs, *reason)]
        effects = {self._values[fact][0]: 0 for fact in act.removes if fact in self._values}
        effects |= [self._values[fact] for fact in act.adds if fact in self._values]
        for mine, variables, lost in self._literals:
            if not variables.isdisjoint(effects) and not any(effect in mine for effect in effects.items()):
                effects |= lost
        self._operator(needs, effects.items(), 1, PlanAct(act.action, act.values))

    def _looks(self, agent: str, literal: str, views: Iterable[Sequence[Words]]) -> None:
        start = set(self._problem.start)
        for facts in views:
            # A fact of the start that no action is about holds always.
            if all(fact in self._values or fact in start for fact in facts):
                needs = [self._values[fact] for fact in facts if fact in self._values]
                self._operator(needs, [self._values[(agent,), literal]], 0)

    def _tell(self, step: PlanTell, condition: Known, adds: list[Value]) -> None:
        limit = self._problem.budgets.get(step.sender)
        if limit is None:
            self._operator([self._values[condition]], adds, 1, step)
        for k in range(1, (limit or 0) + 1):
            before, after = (self._values["left", step.sender, str(n)] for n in (k, k - 1))
            self._operator([self._values[condition], before], [*adds, after], 1, step)

    def _operator(
        self, needs: Iterable[Value], effects: Iterable[Value], cost: int, step: PlanStep | None = None
    ) -> None:
        name = f"step{len(self._operators)}"
        if step is not None:
            self.steps[name] = step
        self._operators.append(PlanningOperator(name, tuple(dict.fromkeys(needs)), tuple(effects), cost))

    def _start(self) -> tuple[int, ...]:
        start = [0] * len(self._sizes)
        for fact in (*self._problem.start, *self._problem.known):
            if fact in self._values:
                variable, value = self._values[fact]
                start[variable] = value
        for agent, limit in self._problem.budgets.items():
            variable, value = self._values["left", agent, str(limit)]
            start[variable] = value
        return tuple(start)

    def _goal(self) -> tuple[Value, ...]:
        goal: list[Value] = []
        for agents, literal in self._wanted:
            ways = [(agents, literal)] if agents else self._problem.literals[literal]
            values = [self._values[way] for way in ways if way in self._values]
            holds = not agents and any(way in self._problem.start for way in ways)
            if len({variable for variable, _ in values}) > 1 or (len(values) > 1 and not agents):
                raise TaskError(f"{literal} can hold in several ways, which the compilation does not have")
            if not values and not holds:
                raise TaskError(f"nothing can make {literal} hold")
            goal += values
            # What is known holds.
            true = [
                self._values[way] for way in self._problem.literals.get(literal, ()) if way in self._values
            ]
            goal += true if agents and len(true) == 1 == len(self._problem.literals[literal]) else ()
        if len(dict(goal)) < len(set(goal)):
            # Two values of one variable: a goal that contradicts itself.
            self._variable((("never",), ("always",)))
            return (self._values["always",],)
        return tuple(dict.fromkeys(goal))
