"""The rules of a problem in a certificate, as the checker applies them (:mod:`.check` states them)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import product
from math import inf
from time import monotonic
from typing import TypeAlias

from otherminds.household.epistemic import certificate as form
from otherminds.household.epistemic.certificate import EpistemicProblem, Known, Words, variable

Values: TypeAlias = dict[str, str]
May: TypeAlias = Callable[[Words], bool]
Rule: TypeAlias = form.ProblemAction | form.SightRule


class RejectedError(Exception):
    """The claim is not proved."""


def need(so: bool, why: str) -> None:
    """Rejects the claim unless it is so."""
    if not so:
        raise RejectedError(why)


def bound(patterns: Iterable[Words], values: Values) -> list[Words]:
    """The patterns with values for their parameters."""
    return [tuple([values.get(word, word) for word in pattern]) for pattern in patterns]


class ProblemRules:
    """The rules of a well-formed problem; arguments called ``may`` say which facts (may) hold."""

    def __init__(self, problem: EpistemicProblem, until: float = inf) -> None:
        self.problem, self.until = problem, until
        need(not (fault := next(iter(form.faults(problem)), "")), fault)
        self.changing = {fact[0] for action in problem.actions for fact in (*action.adds, *action.removes)}
        self.static = set(problem.static)
        self.names = {kind: frozenset(names) for kind, names in problem.names.items()}
        self.rows: dict[tuple[str, int, str], list[Words]] = {}
        for fact in problem.static:
            for place, word in enumerate(fact):
                self.rows.setdefault((fact[0], place, word), []).append(fact)

    def tick(self) -> None:
        need(monotonic() <= self.until, "it takes too long to check")

    def unify(self, pattern: Words, fact: Words, values: Values) -> Values | None:
        """``values`` extended so that ``pattern`` becomes ``fact``; ``None`` if that is impossible."""
        extended = dict(values) if len(pattern) == len(fact) else None
        for word, name in zip(pattern, fact, strict=False):
            if extended is None or (extended.setdefault(word, name) if variable(word) else word) != name:
                return None
        return extended

    def fits(self, rule: Rule, values: Values, may: May) -> bool:
        """Whether values have the types of their parameters, and the needs without other parameters may hold."""
        typed = all(n not in values or values[n] in self.names.get(kind, ()) for n, kind in rule.parameters)
        return typed and all(may(fact) or any(map(variable, fact)) for fact in bound(rule.needs, values))

    def instances(self, rule: Rule, pattern: Words, fact: Words, agent: str, may: May) -> Iterator[Values]:
        """All values of the parameters with which ``agent`` may add or see the fact by ``pattern``."""
        values = self.unify(pattern, fact, {"?a": agent})
        if values is None or not self.fits(rule, values, may):
            return
        for extension in self.statics(
            [pattern for pattern in rule.needs if pattern[0] not in self.changing], values
        ):
            free = {name: kind for name, kind in rule.parameters if name not in extension}
            for chosen in product(*(self.problem.names.get(kind, ()) for kind in free.values())):
                self.tick()
                if self.fits(rule, complete := extension | dict(zip(free, chosen, strict=True)), may):
                    yield complete

    def statics(self, patterns: Iterable[Words], values: Values) -> Iterator[Values]:
        """All extensions of ``values`` for which the static facts contain the patterns."""
        first, *others = sorted(bound(patterns, values), key=lambda pattern: sum(map(variable, pattern))) or [
            ()
        ]
        places = [(first[0], k, word) for k, word in enumerate(first) if not variable(word)]
        for fact in min((self.rows.get(place, []) for place in places), key=len, default=[()]):
            self.tick()
            if (extended := self.unify(first, fact, values)) is not None:
                yield from self.statics(others, extended) if others else (extended,)

    def reasons(self, action: form.ProblemAction, values: Values) -> list[list[Known]]:
        """What the actor may know in order to act: one of these, if there are any."""
        added = set(bound(action.adds, values))
        gates = (gate for gate in self.problem.gates if action.name in gate.actions)
        return [
            [((values["?a"],), secret) for secret in gate.secrets] for gate in gates if added & {*gate.adds}
        ]

    def spots(self, agent: str, literal: str, may: May) -> set[str]:
        """Where an agent sees that a literal holds."""
        pairs = product(filter(may, self.problem.literals.get(literal, ())), self.problem.sights)
        instances = (self.instances(sight, sight.shows, way, agent, may) for way, sight in pairs)
        return {values["?s"] for several in instances for values in several}

    def together(self, choices: list[set[str]], chosen: Words = ()) -> bool:
        """Whether agents, each at one of its spots, may all see one another."""
        for spot in choices[0] if choices else ():
            self.tick()
            pairs = [pair for other in chosen for pair in (("meets", spot, other), ("meets", other, spot))]
            if self.static.issuperset(pairs) and self.together(choices[1:], (*chosen, spot)):
                return True
        return not choices
