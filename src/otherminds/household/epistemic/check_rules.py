"""The rules of a problem in a certificate, as the checker applies them (:mod:`.check` states them): which values of parameters
they allow, whether a set of facts and knowledge is closed under them, so that none of it ever holds, and where agents may go
if some rooms were not barred to them.

``is_restricted agent room`` is a bar, and ``door room room`` an open door, in both directions. An agent may go to the spots
of all rooms to which doors lead from that of its start without one that is barred to it; it may go nowhere from a room
that is barred to it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import pairwise, product
from math import inf
from time import monotonic
from typing import TypeAlias

from otherminds.household.epistemic import certificate as form
from otherminds.household.epistemic.certificate import Claim, EpistemicProblem, Known, Words, variable

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


def behind(agent: str, chain: Known) -> Known:
    """``K agent`` applied to ``chain``; K a K a φ is K a φ."""
    return chain if chain[0][:1] == (agent,) else ((agent, *chain[0]), chain[1])


class Closure:
    """Whether what never holds is closed. Agents in ``without`` do nothing, but see and hear."""

    def __init__(self, rules: ProblemRules, claim: Claim) -> None:
        self.rules, self.problem, self.claim = rules, rules.problem, claim
        self.never, self.unknown = set(claim.never), set(claim.unknown)
        self.active = [agent for agent in self.problem.agents if agent not in claim.without]

    def may(self, fact: Words) -> bool:
        return fact in self.rules.static or (fact[0] in self.rules.changing and fact not in self.never)

    def is_lost(self, part: Known) -> bool:
        return part in self.unknown if part[0] else not any(map(self.may, self.problem.literals[part[1]]))

    def check(self) -> None:
        """Fails unless one of the parts never holds, and all of ``never`` and ``unknown`` is closed."""
        need(any(map(self.is_lost, self.claim.parts)), "all parts of the goal may hold")
        need(self.never.isdisjoint({*self.problem.start, *self.problem.static}), "a fact holds at the start")
        need(self.unknown.isdisjoint(self.problem.known), "something is known at the start")
        for fact in self.never:
            adding = [
                (action, add) for action in self.problem.actions for add in action.adds if add[:1] == fact[:1]
            ]
            for (action, pattern), agent in product(adding, self.active):
                self.rules.tick()
                for values in self.rules.instances(action, pattern, fact, agent, self.may):
                    reasons = self.rules.reasons(action, values)
                    possible = not reasons or any(self.unknown.isdisjoint(reason) for reason in reasons)
                    need(not possible, f"{action.name} may be possible: {values}")
        for agents, literal in self.unknown:
            visible = all(((agent,), literal) not in self.unknown for agent in agents)
            visible &= all(self.meeting(*pair, literal) for pair in pairwise(agents))
            visible |= any(self.rules.spots(agent, literal, self.may) for agent in agents if not agents[1:])
            need(not visible, f"{agents} {literal} may be seen{' together' if agents[1:] else ''}")
            for sender in self.active:
                self.untold(sender, agents, literal)

    def meeting(self, agent: str, other: str, literal: str) -> bool:
        """Whether an agent may ever see another one, which may see the literal or has it from its secrets."""
        may, meets = self.may, (fact[1:] for fact in self.problem.static if fact[0] == "meets")
        met = any(may(("at", agent, *pair[:1])) and may(("at", other, *pair[1:])) for pair in meets)
        known_at_start = ((other,), literal) in self.problem.known
        return met and (known_at_start or bool(self.rules.spots(other, literal, may)))

    def untold(self, sender: str, agents: Words, literal: str) -> None:
        """Fails if a message may make the chain known."""
        self.rules.tick()
        group = {sender, *self.problem.links.get(sender, ())}
        for length in range(1, len(agents) + 1 if self.problem.budgets.get(sender, 1) > 0 else 1):
            audience, content = {*agents[:length]}, agents[length:]
            if audience <= group and audience != {sender} and len(content) + 2 <= self.claim.deepest:
                stated = behind(sender, (content, literal))
                need(stated in self.unknown, f"{sender} may tell {audience} of {stated}")


def bars_of(problem: EpistemicProblem) -> frozenset[tuple[str, str]]:
    """The bars of a problem, each an agent and a room."""
    return frozenset(
        (fact[1], fact[2]) for fact in problem.static if fact[0] == "is_restricted" and len(fact) == 3
    )


def without_bars(problem: EpistemicProblem, lifted: Collection[tuple[str, str]]) -> frozenset[Words]:
    """Where agents may go without the bars in ``lifted``: all facts ``may_go``, also those that hold anyway.

    Raises:
        RejectedError: one of them is no bar of the problem, one is there twice, or where agents may go with all bars is
            not what bars and doors imply.
    """
    bars = bars_of(problem)
    need(len(set(lifted)) == len(lifted) and bars.issuperset(lifted), "this is no bar of the problem")
    declared = {fact for fact in problem.static if fact[0] == "may_go"}
    need(declared == _walks(problem, bars), "where agents may go is not what bars and doors imply")
    return frozenset(_walks(problem, bars.difference(lifted)))


def _walks(problem: EpistemicProblem, bars: Collection[tuple[str, str]]) -> set[Words]:
    static = [fact for fact in problem.static if len(fact) == 3]
    room = {fact[1]: fact[2] for fact in static if fact[0] == "spot_in"}
    doors = [fact[1:] for fact in static if fact[0] == "door"]
    walks: set[Words] = set()
    for agent, start in (fact[1:] for fact in problem.start if fact[0] == "at" and len(fact) == 3):
        near, edge = set[str](), [room[start]] if start in room else []
        while edge:
            here = edge.pop()
            if here not in near and (agent, here) not in bars:
                near.add(here)
                edge += [far_side for side, far_side in doors if side == here]
        walks |= {("may_go", agent, spot) for spot, where in room.items() if where in near}
    return walks
