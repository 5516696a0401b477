"""An epistemic problem as typed PDDL, with the least knowledge that agents have, and the steps of plans for it.

The compilation is that of :mod:`.compiling`, but the planner finds the instances. For each suffix c of a chain of the goal
there is a predicate ``(k ?a)``, K ?a c, so that a chain of d agents needs d predicates and not n^d facts. Looks cost
nothing, acts and messages cost one. Static predicates give the facts that make a literal hold, which an action that ends
them uses to end knowledge (conditions that a translator resolves), and the facts that gates are about. Names are written as
PDDL allows them: lower-case letters, digits, ``-`` and ``_``, and no reserved word.

Source: Juneja et al. 2026, appendix E, with the corrections of the documentation (*Proofs*)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from otherminds.core.errors import InternalError, TaskError
from otherminds.household.epistemic.certificate import (
    EpistemicProblem,
    Known,
    PlanAct,
    PlanTell,
    ProblemAction,
    Words,
)
from otherminds.household.epistemic.compiling import PlanStep, messages, relevant

RENAMED = {"object": "item", "number": "count"}
"""Types with names that PDDL reserves."""
RESERVED = ("object", "number", "and", "or", "not", "when", "either", "exists", "forall", "imply", "increase")


class Names:
    """Legal PDDL names, different for different names, and back.

    >>> names = Names()
    >>> names.legal("stand:cabinet_3"), names.legal("2"), names.legal("object")
    ('stand--cabinet_3', 'n2', 'item')
    >>> names.original("stand--cabinet_3")
    'stand:cabinet_3'
    """

    def __init__(self) -> None:
        self._legal: dict[str, str] = {}
        self._original: dict[str, str] = dict.fromkeys(RESERVED, "")

    def legal(self, name: str) -> str:
        """The PDDL name of a name; a parameter keeps its own."""
        if name not in self._legal and not name.startswith("?"):
            plain = re.sub(r"[^a-z0-9_-]", "", RENAMED.get(name, name).lower().replace(":", "--"))
            candidate = plain = plain if re.match("[a-z]", plain) else f"n{plain}"
            while candidate in self._original:
                candidate = f"{plain}-{len(self._original)}"
            self._legal[name], self._original[candidate] = candidate, name
        return self._legal.get(name, name)

    def original(self, name: str) -> str:
        """The name that :meth:`legal` wrote."""
        return self._original[name]

    def atom(self, fact: Words) -> str:
        return f"({' '.join(map(self.legal, fact))})"


REQUIREMENTS = (
    ":strips :typing :negative-preconditions :disjunctive-preconditions :conditional-effects :action-costs"
)
COUNT, NEXT, LEFT, ACTS = "units", "follows", "left", "acts"
PAID = "(increase (total-cost) 1)"


class Written:
    """The PDDL of parts of a problem's goal: ``domain`` and ``problem`` are its two files.

    Raises:
        TaskError: a name has two types; or nothing can make a literal hold.
    """

    domain: str
    problem: str

    def __init__(self, problem: EpistemicProblem, goal: Sequence[Known]) -> None:
        self._data, self._names = problem, Names()
        self._changing = {fact[0] for action in problem.actions for fact in (*action.adds, *action.removes)}
        self._chains = relevant(problem, goal)
        self._k: dict[Known, str] = {}
        self._static = [*problem.static]
        self._steps: dict[str, tuple[str, PlanTell | None]] = {}
        self._ways: dict[str, dict[str, str]] = {}
        self._lines: list[str] = []
        self._actor: tuple[Words, ...] = ()
        if {*problem.names.get("agent", ())} - {*problem.agents}:
            self._actor = ((ACTS, "?a"),)
            self._static += [(ACTS, agent) for agent in problem.agents]
        self._types = self._typing()
        for agents, literal in self._chains:
            if agents[1:] or literal not in problem.literals:
                self._k.setdefault((agents[1:], literal), f"k{len(self._k)}")
            elif (agents[1:], literal) not in self._k:
                self._k[(), literal] = f"k{len(self._k)}"
                self._ways[literal] = self._add_marks(f"way{len(self._ways)}", problem.literals[literal])
        for action in problem.actions:
            self._act(action)
        for literal in self._ways:
            self._looks(literal)
        for k, (step, condition, adds) in enumerate(messages(problem, self._chains)):
            self._tell(f"tell{k}", step, condition, adds)
        self.problem = self._problem(goal)
        self.domain = self._domain()

    def plan(self, lines: Iterable[str]) -> tuple[PlanStep, ...]:
        """The steps of a planner's plan, whose lines are ``action arguments``; looks are no steps.

        Raises:
            InternalError: the domain has no such action.
        """
        steps: list[PlanStep] = []
        for action, *values in (line.split() for line in lines):
            if action not in self._steps:
                raise InternalError(f"the domain has no action {action!r}")
            name, tell = self._steps[action]
            if tell is not None:
                steps.append(tell)
            elif name:
                steps.append(PlanAct(name, tuple(map(self._names.original, values))))
        return tuple(steps)

    def _typing(self) -> dict[str, str]:
        """The type of each name."""
        data, types = self._data, dict[str, str]()
        for kind, names in data.names.items():
            for name in names:
                if types.setdefault(name, kind) != kind:
                    raise TaskError(f"{name} has the types {types[name]} and {kind}, and PDDL allows one")
        facts = [*data.static, *data.start, *(fact for ways in data.literals.values() for fact in ways)]
        facts += [part for action in data.actions for part in (*action.needs, *action.adds, *action.removes)]
        facts += [part for sight in data.sights for part in (*sight.needs, sight.shows)]
        mentioned = [
            *(name for fact in facts for name in fact[1:]),
            *(a for agents, _ in self._chains for a in agents),
        ]
        return types | {name: "" for name in mentioned if not name.startswith("?") and name not in types}

    def _add_marks(self, name: str, facts: Iterable[Words]) -> dict[str, str]:
        """Static predicates that hold for the arguments of ``facts``, by the predicate of these."""
        marks: dict[str, str] = {}
        for fact in facts:
            if all(word in self._types for word in fact[1:]):
                mark = marks.setdefault(fact[0], f"{name}-{fact[0]}")
                self._static.append((mark, *fact[1:]))
        return marks

    def _knows(self, chain: Known) -> Words:
        (first, *others), literal = chain
        return self._k[tuple(others), literal], first

    def _act(self, action: ProblemAction) -> None:
        """The action without a reason, if no gate is about what it adds, and with each of its reasons."""
        gates = [gate for gate in self._data.gates if action.name in gate.actions]
        marks = [self._add_marks(f"gate{self._data.gates.index(gate)}", gate.adds) for gate in gates]
        about = [[(mark[fact[0]], *fact[1:]) for fact in action.adds if fact[0] in mark] for mark in marks]
        ways = [
            (literal, self._about(mark, action.removes), self._about(mark, action.adds))
            for literal, mark in self._ways.items()
        ]
        effects = [*(f"(not {self._atom(fact)})" for fact in action.removes), *map(self._atom, action.adds)]
        for literal, ended, added in ways:
            lost = " ".join(
                f"(not {self._atom(self._knows(chain))})" for chain in self._chains if chain[1] == literal
            )
            for way in ended:
                conditions = [self._atom(way), *(f"(not {self._atom(other)})" for other in added)]
                effects.append(f"(when (and {' '.join(conditions)}) (and {lost}))")
        free = [f"(not {self._atom(part)})" for parts in about for part in parts]
        needs = [*map(self._atom, (*self._actor, *action.needs))]
        self._action(action.name, action.parameters, [*needs, *free], [*effects, PAID], action.name)
        for k, (gate, parts) in enumerate(zip(gates, about, strict=True)):
            reason = [self._atom((self._k[(), secret], "?a")) for secret in gate.secrets]
            for n, part in enumerate(parts):
                name = f"{action.name}-reason{k}-{n}"
                preconditions = [*needs, self._atom(part), *reason]
                self._action(name, action.parameters, preconditions, [*effects, PAID], action.name)

    def _about(self, mark: dict[str, str], facts: Iterable[Words]) -> list[Words]:
        return [(mark[fact[0]], *fact[1:]) for fact in facts if fact[0] in mark]

    def _looks(self, literal: str) -> None:
        for k, sight in enumerate(self._data.sights):
            for way in self._about(self._ways[literal], (sight.shows,)):
                needs = [*map(self._atom, (*self._actor, *sight.needs, sight.shows, way))]
                effect = self._atom((self._k[(), literal], "?a"))
                self._action(f"look-{self._k[(), literal]}-{k}", sight.parameters, needs, [effect])

    def _tell(self, name: str, step: PlanTell, condition: Known, adds: Sequence[Known]) -> None:
        sender, needs = step.sender, [self._atom(self._knows(condition))]
        effects = [self._atom(self._knows(chain)) for chain in adds]
        parameters: tuple[tuple[str, str], ...] = ()
        if sender in self._data.budgets:
            parameters = (("?k", COUNT), ("?l", COUNT))
            needs += [self._atom((LEFT, sender, "?k")), self._atom((NEXT, "?l", "?k"))]
            effects += [f"(not {self._atom((LEFT, sender, '?k'))})", self._atom((LEFT, sender, "?l"))]
        self._action(name, parameters, needs, [*effects, PAID], tell=step)

    def _action(
        self,
        name: str,
        parameters: Iterable[tuple[str, str]],
        needs: Iterable[str],
        effects: Iterable[str],
        act: str = "",
        tell: PlanTell | None = None,
    ) -> None:
        legal = self._names.legal(name)
        self._steps[legal] = (act, tell)
        typed = " ".join(f"{parameter} - {self._names.legal(kind)}" for parameter, kind in parameters)
        self._lines += [f"  (:action {legal}", f"    :parameters ({typed})"]
        self._lines += [
            f"    :precondition (and {' '.join(needs)})",
            f"    :effect (and {' '.join(effects)}))",
        ]

    def _atom(self, fact: Words) -> str:
        return self._names.atom(fact)

    def _domain(self) -> str:
        kinds = [*self._data.names, *([COUNT] if self._data.budgets else [])]
        lines = ["(define (domain epistemic)", f"  (:requirements {REQUIREMENTS})"]
        lines += [f"  (:types {' '.join(map(self._names.legal, kinds))})", "  (:constants"]
        lines += [
            f"    {self._names.legal(name)} - {self._names.legal(kind) if kind else 'object'}"
            for name, kind in self._types.items()
        ]
        lines += ["  )", "  (:predicates"]
        for name, size in dict(self._predicates()).items():
            places = "".join(f" ?x{k} - object" for k in range(size))
            lines.append(f"    ({self._names.legal(name)}{places})")
        lines += [
            f"    ({k} ?a - object) ; K ?a {' '.join((*(f'K {a}' for a in inner), literal))}"
            for (inner, literal), k in self._k.items()
        ]
        return "\n".join([*lines, "  )", "  (:functions (total-cost))", *self._lines, ")", ""])

    def _predicates(self) -> Iterator[tuple[str, int]]:
        data = self._data
        facts = [
            *self._static,
            *self._actor,
            *data.start,
            *(part for sight in data.sights for part in (*sight.needs, sight.shows)),
        ]
        facts += [part for action in data.actions for part in (*action.needs, *action.adds, *action.removes)]
        facts += [fact for ways in data.literals.values() for fact in ways]
        yield from ((fact[0], len(fact) - 1) for fact in facts)
        if data.budgets:
            yield from ((LEFT, 2), (NEXT, 2))

    def _problem(self, goal: Sequence[Known]) -> str:
        data, most = self._data, max(self._data.budgets.values(), default=0)
        facts = [*dict.fromkeys((*self._static, *data.start))]
        facts += [self._knows(chain) for chain in data.known if chain in set(self._chains)]
        facts += [(LEFT, agent, str(limit)) for agent, limit in data.budgets.items()]
        facts += [(NEXT, str(k), str(k + 1)) for k in range(most)]
        goal_parts: list[str] = []
        for agents, literal in dict.fromkeys(goal):
            ways = [
                fact
                for fact in data.literals.get(literal, ())
                if all(word in self._types for word in fact[1:])
            ]
            if not agents and not ways:
                raise TaskError(f"nothing can make {literal} hold")
            either = [self._atom(self._knows((agents, literal)))] if agents else [*map(self._atom, ways)]
            goal_parts.append(either[0] if len(either) == 1 else f"(or {' '.join(either)})")
        counts = " ".join(self._names.legal(str(k)) for k in range(most + 1)) if data.budgets else ""
        lines = ["(define (problem task) (:domain epistemic)"]
        lines += [f"  (:objects {counts} - {COUNT})"] if counts else []
        lines += ["  (:init (= (total-cost) 0)", *(f"    {self._atom(fact)}" for fact in facts), "  )"]
        return "\n".join(
            [*lines, f"  (:goal (and {' '.join(goal_parts)}))", "  (:metric minimize (total-cost)))", ""]
        )
