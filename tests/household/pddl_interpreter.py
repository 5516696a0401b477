"""A little interpreter of typed PDDL with axioms, for the tests alone: it reads text, and nothing of the household.

Facts are tuples of words. Only what the household writes is understood: conjunctions, ``not``
of an atom, and axioms of one ``exists``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

Atom = tuple[str, ...]


def tree(text: str) -> list:
    """Nested lists of words."""
    stack: list[list] = [[]]
    for token in re.findall(r"[()]|[^\s()]+", text):
        if token == "(":
            stack.append([])
        elif token == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(token)
    assert len(stack) == 1, "brackets do not match"
    return stack[0][0]


def typed(words: Sequence[str]) -> dict[str, str]:
    """``a b - t c - u`` as a mapping from name to type."""
    found: dict[str, str] = {}
    waiting: list[str] = []
    at = iter(words)
    for word in at:
        if word == "-":
            kind = next(at)
            for name in waiting:
                assert name not in found, f"{name} is declared twice"
                found[name] = kind
            waiting = []
        else:
            waiting.append(word)
    assert not waiting, f"{waiting} have no type"
    return found


def conjuncts(formula: list) -> list[list]:
    return formula[1:] if formula[0] == "and" else [formula]


@dataclass(frozen=True)
class Action:
    """One action: parameters with their types, and atoms over them."""

    parameters: Mapping[str, str]
    preconditions: tuple[Atom, ...]
    add_effects: tuple[Atom, ...]
    del_effects: tuple[Atom, ...]


@dataclass(frozen=True)
class Axiom:
    """``head`` holds where all of ``body`` do for some values of the parameters that it does not name."""

    head: Atom
    body: tuple[Atom, ...]


class Planning:
    """A domain and a problem.

    ``state`` is what holds now of the predicates that actions change, ``fixed`` what holds for
    ever; what follows by axioms is in neither.
    """

    def __init__(self, domain: str, problem: str) -> None:
        parts = {part[0]: part for part in tree(domain)[1:] if part[0] not in (":action", ":derived")}
        self.parents = typed(parts[":types"][1:])
        self.predicates = {name: tuple(typed(rest).values()) for name, *rest in parts[":predicates"][1:]}
        self.kinds = typed(parts[":constants"][1:])
        self.actions = {part[1]: self._action(part) for part in tree(domain)[1:] if part[0] == ":action"}
        self.axioms = [self._axiom(part) for part in tree(domain)[1:] if part[0] == ":derived"]
        given = {part[0]: part for part in tree(problem)[1:]}
        for name, kind in typed(given[":objects"][1:]).items():
            assert name not in self.kinds, f"{name} is declared twice"
            self.kinds[name] = kind
        self.goal = conjuncts(given[":goal"][1])
        init = [tuple(atom) for atom in given[":init"][1:]]
        for atom in init:
            self._check(atom, self.kinds)
        derived = {axiom.head[0] for axiom in self.axioms}
        assert not derived & {atom[0] for atom in init}, "what follows stands in no :init"
        changing = {
            atom[0] for action in self.actions.values() for atom in (*action.add_effects, *action.del_effects)
        }
        self.fixed = frozenset(atom for atom in init if atom[0] not in changing)
        self.start = frozenset(init) - self.fixed
        self.state: set[Atom] = set(self.start)

    def _action(self, part: list) -> Action:
        fields = dict(zip(part[2::2], part[3::2], strict=True))
        parameters = typed(fields[":parameters"])
        names = {**self.kinds, **parameters}
        effects = conjuncts(fields[":effect"])
        add_effects = tuple(tuple(effect) for effect in effects if effect[0] != "not")
        del_effects = tuple(tuple(effect[1]) for effect in effects if effect[0] == "not")
        preconditions = tuple(tuple(atom) for atom in conjuncts(fields[":precondition"]))
        for atom in (*add_effects, *del_effects, *preconditions):
            self._check(atom, names)
        return Action(parameters, preconditions, add_effects, del_effects)

    def _axiom(self, part: list) -> Axiom:
        _, head, (exists, free, body) = part
        assert exists == "exists"
        names = {**self.kinds, **typed(head[1:]), **typed(free)}
        atoms = tuple(tuple(atom) for atom in conjuncts(body))
        flat = (head[0], *typed(head[1:]))
        for atom in (flat, *atoms):
            self._check(atom, names)
        return Axiom(flat, atoms)

    def _check(self, atom: Atom, names: Mapping[str, str]) -> None:
        """Every atom is declared and has arguments of the right types."""
        types = self.predicates[atom[0]]
        assert len(types) == len(atom) - 1, f"{atom} has {len(types)} arguments"
        for name, kind in zip(atom[1:], types, strict=True):
            assert self.fits(names[name], kind), f"{name} in {atom} is no {kind}"

    def fits(self, kind: str, wanted: str) -> bool:
        """Whether a type is another or below it."""
        while kind != wanted and kind in self.parents:
            kind = self.parents[kind]
        return kind == wanted

    def applicable(self, name: str, values: Sequence[str]) -> bool:
        """Whether an action with these values for its parameters, in order, can be done now."""
        action = self.actions[name]
        filled = dict(zip(action.parameters, values, strict=True))
        if not all(self.fits(self.kinds[filled[par]], kind) for par, kind in action.parameters.items()):
            return False
        state, fixed = self.state, self.fixed
        return all(atom in state or atom in fixed for atom in _filled(action.preconditions, filled))

    def apply(self, name: str, values: Sequence[str]) -> None:
        """Does the action: first the deleted atoms, then the added ones."""
        action = self.actions[name]
        filled = dict(zip(action.parameters, values, strict=True))
        self.state.difference_update(_filled(action.del_effects, filled))
        self.state.update(_filled(action.add_effects, filled))

    def follows(self, predicate: str) -> set[Atom]:
        """All atoms of a derived predicate that hold now."""
        found: set[Atom] = set()
        for axiom in self.axioms:
            if axiom.head[0] == predicate:
                for values in self._matches(axiom.body, {}):
                    found.add(tuple(values.get(part, part) for part in axiom.head))
        return found

    def reached(self) -> bool:
        """Whether the goal holds."""
        derived = {axiom.head[0] for axiom in self.axioms}
        whole = self.state.union(*(self.follows(predicate) for predicate in derived))
        return all(
            (tuple(part[1]) not in whole) if part[0] == "not" else (tuple(part) in whole)
            for part in self.goal
        )

    def _matches(self, atoms: Sequence[Atom], values: dict[str, str]) -> Iterator[dict[str, str]]:
        if not atoms:
            yield values
            return
        (predicate, *args), *others = atoms
        for fact in (*self.state, *self.fixed):
            if fact[0] != predicate:
                continue
            new = dict(values)
            if all(new.setdefault(arg, name) == name for arg, name in zip(args, fact[1:], strict=True)):
                yield from self._matches(others, new)


def _filled(atoms: Iterable[Atom], values: Mapping[str, str]) -> list[Atom]:
    return [tuple(values.get(part, part) for part in atom) for atom in atoms]
