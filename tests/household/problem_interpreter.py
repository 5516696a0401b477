"""An interpreter of epistemic problems for tests: it shares no code with the prover and the checker."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, product

from otherminds.household.epistemic.certificate import (
    EpistemicProblem,
    Known,
    PlanAct,
    PlanTell,
    ProblemAction,
    Words,
)

Values = dict[str, str]


class ImpossibleStepError(Exception):
    """The claim is not proved."""


def need(so: bool, why: str) -> None:
    if not so:
        raise ImpossibleStepError(why)


def bound(pattern: Words, values: Values) -> Words:
    return tuple([values.get(word, word) for word in pattern])


def unified(pattern: Words, fact: Words, values: Values) -> Values | None:
    """``values`` extended so that ``pattern`` becomes ``fact``."""
    if len(pattern) != len(fact):
        return None
    found = dict(values)
    for word, name in zip(pattern, fact, strict=True):
        if (found.setdefault(word, name) if word.startswith("?") else word) != name:
            return None
    return found


def behind(agent: str, known: Known) -> Known:
    return known if known[0][:1] == (agent,) else ((agent, *known[0]), known[1])


class Base:
    """A problem with an index of its static facts."""

    def __init__(self, problem: EpistemicProblem) -> None:
        self.problem = problem
        self.changing = {fact[0] for one in problem.actions for fact in (*one.adds, *one.removes)}
        self.static = set(problem.static)
        need(not any(fact[0] in self.changing for fact in self.static), "a static fact changes")
        need(all(fact[0] in self.changing for fact in problem.start), "a fact of the start is static")
        self.rows: dict[tuple[str, int, str], list[Words]] = {}
        for fact in problem.static:
            for place, word in enumerate(fact):
                self.rows.setdefault((fact[0], place, word), []).append(fact)
        for one in problem.actions:
            need(one.parameters[:1] == (("?a", "agent"),), f"{one.name} has no actor")
            words = {word for part in (*one.needs, *one.adds, *one.removes) for word in part[1:]}
            unknown = {word for word in words if word.startswith("?")} - dict(one.parameters).keys()
            need(not unknown, f"{one.name} has unknown parameters")
        need(
            all(sight.needs[:1] == (("at", "?a", "?s"),) for sight in problem.sights), "a sight from nowhere"
        )

    def typed(self, parameters: Iterable[tuple[str, str]], values: Values) -> bool:
        names = self.problem.names
        return all(values[name] in names.get(kind, ()) for name, kind in parameters if name in values)

    def statics(self, patterns: Iterable[Words], values: Values) -> Iterator[Values]:
        """All values that make the static ones of ``patterns`` hold."""
        parts = [bound(one, values) for one in patterns if one[0] not in self.changing]
        if not parts:
            yield values
            return
        first, *others = sorted(parts, key=lambda part: sum(word.startswith("?") for word in part))
        places = [(first[0], k, word) for k, word in enumerate(first) if not word.startswith("?")]
        for fact in min((self.rows.get(place, []) for place in places), key=len):
            if (found := unified(first, fact, values)) is not None:
                yield from self.statics(others, found)

    def reasons(self, action: ProblemAction, values: Values) -> list[set[Known]]:
        """What the actor may know in order to act: one of these, if there are any."""
        added = {bound(fact, values) for fact in action.adds}
        gates = (one for one in self.problem.gates if action.name in one.actions and added & set(one.adds))
        return [{((values["?a"],), secret) for secret in gate.secrets} for gate in gates]

    def meet(self, spot: str, other: str) -> bool:
        """Whether agents at two spots see one another."""
        return ("meets", spot, other) in self.static and ("meets", other, spot) in self.static


class Interpreted(Base):
    """The state and the knowledge of the agents, step after step."""

    def __init__(self, problem: EpistemicProblem) -> None:
        super().__init__(problem)
        self.state = set(problem.start)
        self.left = dict(problem.budgets)
        self.deepest = max((len(agents) for agents, _ in problem.goal), default=0)
        self.known = set(problem.known)
        self.observe()

    def holds(self, literal: str) -> bool:
        return literal not in self.problem.literals or not self.state.isdisjoint(
            self.problem.literals[literal]
        )

    def reached(self, parts: tuple[Known, ...]) -> bool:
        return all((agents, fact) in self.known if agents else self.holds(fact) for agents, fact in parts)

    def sees(self, spot: Values, way: Words) -> bool:
        for sight in self.problem.sights:
            if (values := unified(sight.shows, way, spot)) is not None:
                needs = [bound(one, values) for one in sight.needs if one[0] in self.changing]
                given = (one for one in needs if not any(word.startswith("?") for word in one))
                if self.state.issuperset(given) and any(
                    self.satisfied(needs, found) for found in self.statics(sight.needs, values)
                ):
                    return True
        return False

    def satisfied(self, needs: Sequence[Words], values: Values) -> bool:
        """Whether some values of the other parameters make all of ``needs`` facts of the state."""
        if not needs:
            return True
        first = bound(needs[0], values)
        if not any(word.startswith("?") for word in first):
            return first in self.state and self.satisfied(needs[1:], values)
        ways = (unified(first, fact, values) for fact in self.state)
        return any(found is not None and self.satisfied(needs[1:], found) for found in ways)

    def forget(self) -> None:
        """Ends the knowledge of what does not hold."""
        self.known = {one for one in self.known if self.holds(one[1])}

    def observe(self) -> None:
        self.forget()
        at = {fact[1]: fact[2] for fact in self.state if fact[0] == "at"}
        for literal, ways in self.problem.literals.items():
            true = self.state.intersection(ways)
            seers = [
                a for a in self.problem.agents if any(self.sees({"?a": a, "?s": at[a]}, w) for w in true)
            ]
            for chain in (c for k in range(self.deepest) for c in product(seers, repeat=k + 1)):
                if all(self.meet(at[one], at[other]) for one, other in combinations(set(chain), 2)):
                    self.known.add((chain, literal))

    def step(self, step: PlanAct | PlanTell) -> None:
        if isinstance(step, PlanAct):
            self.act(step)
        else:
            self.tell(step)
        self.observe()

    def act(self, step: PlanAct) -> None:
        action = next((one for one in self.problem.actions if one.name == step.action), None)
        if action is None or len(action.parameters) != len(step.values):
            raise ImpossibleStepError(f"no action {step}")
        values = dict(zip(dict(action.parameters), step.values, strict=True))
        need(len(values) == len(step.values) and self.typed(action.parameters, values), f"ill-typed {step}")
        for fact in (bound(pattern, values) for pattern in action.needs):
            need(fact in self.state or fact in self.static, f"{step}: {fact} does not hold")
        reasons = self.reasons(action, values)
        need(not reasons or any(one <= self.known for one in reasons), f"{step}: the actor has no reason")
        self.state -= {bound(fact, values) for fact in action.removes}
        self.state |= {bound(fact, values) for fact in action.adds}

    def tell(self, step: PlanTell) -> None:
        links, sender = self.problem.links.get(step.sender, ()), step.sender
        single = len(step.hearers) == 1 and step.hearers[0] in links
        need(single or (links != () and sorted(step.hearers) == sorted(links)), f"{step}: no such link")
        need(self.left.get(sender, 1) > 0, f"{step}: no messages left")
        need(behind(sender, step.content) in self.known, f"{step}: the sender does not know that")
        if sender in self.left:
            self.left[sender] -= 1
        for hearer in step.hearers:
            heard = behind(hearer, step.content)
            self.known |= {heard, behind(sender, heard), behind(hearer, behind(sender, step.content))}
