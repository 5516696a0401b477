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
from otherminds.household.epistemic.grounder import Grounder, Instance
from otherminds.household.epistemic.groups import groups

PlanStep = PlanAct | PlanTell


def relevant(problem: EpistemicProblem, goal: Iterable[Known]) -> list[Known]:
    """The knowledge that helps to reach the goal, and the secrets that are reasons to act."""
    agents, waiting = problem.agents, [known for known in goal if known[0]]
    waiting += [((a,), s) for gate in problem.gates for s in gate.secrets for a in agents]
    found: dict[Known, None] = {}
    while waiting:
        known = waiting.pop()
        if known not in found:
            found[known] = None
            (first, *rest), literal = known
            inner = tuple(rest)
            waiting += [(behind(sender, inner), literal) for sender in agents]
            if inner:
                waiting += [(behind(one, inner[1:]), literal) for one in (first, inner[0])]
    return list(found)


def messages(
    problem: EpistemicProblem, chains: Collection[Known]
) -> Iterator[tuple[PlanTell, Known, tuple[Known, ...]]]:
    """The messages that establish some of ``chains``, what each sender must know, and what each establishes."""
    followed = set(chains)
    for known in chains:
        (sender, *rest), literal = known
        links = problem.links.get(sender, ())
        reached = [(hearer,) for hearer in links] + ([links] if len(links) > 1 else [])
        for told in (tuple(rest), known[0]):
            for hearers in reached:
                found = {
                    (agents, literal): None for hearer in hearers for agents in shared(sender, hearer, told)
                }
                if useful := tuple(one for one in found if one in followed and one != known):
                    yield PlanTell(sender, hearers, (told, literal)), known, useful


def messages_for(problem: EpistemicProblem, chain: Known) -> list[PlanTell] | None:
    """Messages that establish a chain if their number is not limited; ``None`` if there are none.

    Nothing stops holding, and nothing but messages makes anything known.
    """
    chains = relevant(problem, [chain])
    sent = list(messages(problem, chains))
    made: dict[Known, tuple[PlanTell, Known] | None] = dict.fromkeys(problem.known)
    size = -1
    while size < len(made):
        size = len(made)
        for step, known, adds in sent:
            if known in made:
                made |= {one: (step, known) for one in adds if one not in made}
    if chain not in made:
        return None
    found: list[PlanTell] = []
    while (cause := made[chain]) is not None:
        step, chain = cause
        found.append(step)
    return found[::-1]


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
        self._chains = [one for one in chains if one[1] not in untold or one in problem.known]
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
                if all(known in self._values for known in reason):
                    self._act(act, reason)
        for (agent, literal), views in self._views.items():
            self._looks(agent, literal, views)
        for step, known, adds in messages(problem, self._chains):
            self._tell(step, known, [self._values[one] for one in adds])
        wanted = self._goal()
        self.task = SasTask(tuple(self._sizes), self._start(), wanted, tuple(self._operators))

    def plan(self, names: Iterable[str]) -> tuple[PlanStep, ...]:
        """The steps of a plan; looks are no steps."""
        return tuple(self.steps[name] for name in names if name in self.steps)

    def _useful(self) -> list[Instance]:
        """The instances that add what the goal, a look or another of them needs. Nothing needs that a fact is false."""
        literals = dict.fromkeys(literal for _, literal in (*self._wanted, *self._chains))
        waiting = [way for literal in literals for way in self._problem.literals.get(literal, ())]
        waiting += [fact for views in self._views.values() for facts in views for fact in facts]
        found: dict[tuple[str, Words], Instance] = {}
        while waiting:
            fact = waiting.pop()
            if fact in self._needed:
                continue
            self._needed.add(fact)
            for one in self._grounder.adding(fact):
                if one.actor in self._problem.agents and (one.action, one.values) not in found:
                    found[one.action, one.values] = one
                    waiting += one.needs
        return list(found.values())

    def _variables(self) -> None:
        """The variables of facts that nothing needs are left out."""
        start = self._problem.start
        several: dict[Words, list[Words]] = {}
        for fact in dict.fromkeys((*start, *(fact for one in self._acts for fact in one.adds))):
            if fact[0] in self._exclusive:
                several.setdefault(fact[:2], []).append(fact)
        for group in (*several.values(), *groups(self._acts, start)):
            if not self._needed.isdisjoint(group):
                self._variable(group)
        single = dict.fromkeys(fact for one in self._acts for fact in (*one.adds, *one.removes, *one.needs))
        for fact in single:
            if fact in self._needed and fact not in self._values:
                self._variable((("not", *fact), fact))
        for known in self._chains:
            self._variable((("not", str(known)), known))
        for literal, ways in self._problem.literals.items():
            mine = {self._values[way] for way in ways if way in self._values}
            lost = {self._values[one][0]: 0 for one in self._chains if one[1] == literal}
            if lost:
                self._literals.append((mine, {variable for variable, _ in mine}, lost))
        for agent, limit in self._problem.budgets.items():
            self._variable([("left", agent, str(k)) for k in range(limit + 1)])

    def _variable(self, values: Iterable[Words | Known]) -> None:
        number, found = len(self._sizes), list(values)
        self._values |= {fact: (number, k) for k, fact in enumerate(found)}
        self._sizes.append(len(found))

    def _act(self, act: Instance, reason: tuple[Known, ...]) -> None:
        needs = [self._values[one] for one in (*act.needs, *reason)]
        effects = {self._values[one][0]: 0 for one in act.removes if one in self._values}
        effects |= [self._values[one] for one in act.adds if one in self._values]
        for mine, variables, lost in self._literals:
            if not variables.isdisjoint(effects) and not any(one in mine for one in effects.items()):
                effects |= lost
        self._operator(needs, effects.items(), 1, PlanAct(act.action, act.values))

    def _looks(self, agent: str, literal: str, views: Iterable[Sequence[Words]]) -> None:
        start = set(self._problem.start)
        for facts in views:
            # A fact of the start that no action is about holds always.
            if all(fact in self._values or fact in start for fact in facts):
                needs = [self._values[fact] for fact in facts if fact in self._values]
                self._operator(needs, [self._values[(agent,), literal]], 0)

    def _tell(self, step: PlanTell, known: Known, adds: list[Value]) -> None:
        limit = self._problem.budgets.get(step.sender)
        if limit is None:
            self._operator([self._values[known]], adds, 1, step)
        for k in range(1, (limit or 0) + 1):
            left, then = (self._values["left", step.sender, str(n)] for n in (k, k - 1))
            self._operator([self._values[known], left], [*adds, then], 1, step)

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
            found = [self._values[way] for way in ways if way in self._values]
            holds = not agents and any(way in self._problem.start for way in ways)
            if len({variable for variable, _ in found}) > 1 or (len(found) > 1 and not agents):
                raise TaskError(f"{literal} can hold in several ways, which the compilation does not have")
            if not found and not holds:
                raise TaskError(f"nothing can make {literal} hold")
            goal += found
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
