"""Instances of the actions and sights of an epistemic problem: values of their parameters that static facts allow; and groups of
facts of which exactly one always holds, so that a planner has one variable with several values instead of several facts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product
from operator import itemgetter
from typing import TypeAlias

from msgspec import Struct, structs

from otherminds.household.epistemic.certificate import (
    EpistemicProblem,
    Gate,
    Known,
    ProblemAction,
    Words,
    variable,
)

Values: TypeAlias = Mapping[str, str]


_Lookup: TypeAlias = tuple[str, tuple[int, ...], Words, tuple[tuple[str, int], ...]]
"""A static predicate, the length of its rows and the places that have values, these values, and what the others give."""


class Instance(Struct, frozen=True):
    """An action with values for all its parameters; only facts that change are listed.

    ``reasons`` are the alternatives of what its actor must know; there are none if it needs no reason.
    """

    action: str
    values: Words
    needs: tuple[Words, ...]
    adds: tuple[Words, ...]
    removes: tuple[Words, ...]
    reasons: tuple[tuple[Known, ...], ...]

    @property
    def actor(self) -> str:
        return self.values[0]


class Viewpoint(Struct, frozen=True):
    """An agent at ``spot`` sees a fact while all of ``needs`` hold, of which ``at agent spot`` is the first."""

    spot: str
    needs: tuple[Words, ...]


class Grounder:
    """Finds instances by what they add, and views by what they show."""

    def __init__(self, problem: EpistemicProblem) -> None:
        self.problem = problem
        self.changing = {fact[0] for action in problem.actions for fact in (*action.adds, *action.removes)}
        self._static: dict[str, list[Words]] = defaultdict(list)
        for fact in problem.static:
            self._static[fact[0]].append(fact[1:])
        self._gates: dict[str, list[Gate]] = defaultdict(list)
        for gate in problem.gates:
            for name in gate.actions:
                self._gates[name].append(gate)
        self._made: dict[Words, list[Instance]] = {}
        self._forms: dict[str, _Form] = {}
        self._orders: dict[tuple[tuple[Words, ...], Words], list[_Lookup]] = {}
        self._index: dict[tuple[str, tuple[int, ...]], dict[Words, list[Words]]] = {}

    def adding(self, fact: Words) -> Sequence[Instance]:
        """The instances that add a fact; cached."""
        instances = self._made.get(fact)
        if instances is None:
            pairs = self._adding(fact)
            instances = self._made[fact] = [instance for pair in pairs for instance in self.instances(*pair)]
        return instances

    def _adding(self, fact: Words) -> Iterator[tuple[ProblemAction, Values]]:
        for action in self.problem.actions:
            for pattern in action.adds:
                values = match_pattern(pattern, fact)
                if values is not None and self._has_types(action.parameters, values):
                    yield action, values

    def instances(self, action: ProblemAction, values: Values) -> Iterator[Instance]:
        """The instances of an action with the given values of some parameters."""
        form = self._forms.get(action.name)
        if form is None:
            form = self._forms[action.name] = _Form(action, self.changing)
        for extension in self.join(form.static, values):
            free = [pair for pair in action.parameters if pair[0] not in extension]
            for chosen in product(*(self.problem.names[kind] for _, kind in free)):
                complete = {**extension, **dict(zip((name for name, _ in free), chosen, strict=True))}
                yield self._instance(form, tuple([complete[name] for name in form.names]))

    def views(self, agent: str, fact: Words) -> Iterator[Viewpoint]:
        """From where an agent sees a fact."""
        for sight in self.problem.sights:
            values = match_pattern(sight.shows, fact)
            if values is None or not self._has_types(sight.parameters, values):
                continue
            static = tuple(pattern for pattern in sight.needs if pattern[0] not in self.changing)
            changing = [pattern for pattern in sight.needs if pattern[0] in self.changing]
            for extension in self.join(static, {**values, "?a": agent}):
                words = dict.fromkeys(
                    word for pattern in changing for word in pattern[1:] if word.startswith("?")
                )
                free = [pair for pair in sight.parameters if pair[0] in words and pair[0] not in extension]
                for chosen in product(*(self.problem.names[kind] for _, kind in free)):
                    complete = {**extension, **dict(zip((name for name, _ in free), chosen, strict=True))}
                    yield Viewpoint(
                        complete["?s"], tuple(fill_pattern(pattern, complete) for pattern in changing)
                    )

    def _has_types(self, parameters: Iterable[tuple[str, str]], values: Values) -> bool:
        return all(values[name] in self.problem.names[kind] for name, kind in parameters if name in values)

    def join(self, patterns: tuple[Words, ...], values: Values) -> list[Values]:
        """All extensions of ``values`` for which the static facts contain the patterns."""
        extensions = [values]
        for name, places, fixed, fresh in self._order(patterns, tuple(values)):
            rows, extended = self._rows(name, places), list[Values]()
            for extension in extensions:
                for row in rows.get(tuple([extension.get(word, word) for word in fixed]), ()):
                    candidate = {**extension, **{word: row[k] for word, k in fresh}}
                    if all(candidate[word] == row[k] for word, k in fresh):
                        extended.append(candidate)
            extensions = extended
        return extensions

    def _order(self, patterns: tuple[Words, ...], assigned: Words) -> list[_Lookup]:
        """The patterns, one after another with the fewest parameters without a value."""
        order = self._orders.get((patterns, assigned))
        if order is None:
            order = self._orders[patterns, assigned] = []
            bound, waiting = set(assigned), [*patterns]
            while waiting:
                first = min(
                    waiting, key=lambda pattern: sum(variable(w) and w not in bound for w in pattern[1:])
                )
                waiting.remove(first)
                words = [*enumerate(first[1:])]
                fixed = [(k, word) for k, word in words if not variable(word) or word in bound]
                fresh = tuple((word, k) for k, word in words if (k, word) not in fixed)
                places = (len(words), *(k for k, _ in fixed))
                order.append((first[0], places, tuple(word for _, word in fixed), fresh))
                bound |= {word for word, _ in fresh}
        return order

    def _rows(self, name: str, places: tuple[int, ...]) -> dict[Words, list[Words]]:
        """The rows of a static predicate by their values at some places; the first of ``places`` is their length."""
        index = self._index.get((name, places))
        if index is None:
            length, *at = places
            index = self._index[name, places] = {}
            for row in self._static[name]:
                if len(row) == length:
                    index.setdefault(tuple([row[k] for k in at]), []).append(row)
        return index

    def _instance(self, form: _Form, values: Words) -> Instance:
        words = values + form.words
        adds = tuple([pick(words) for pick in form.adds])
        gates = [gate for gate in self._gates.get(form.action, ()) if any(fact in gate.adds for fact in adds)]
        return Instance(
            form.action,
            values,
            tuple([pick(words) for pick in form.needs]),
            adds,
            tuple([pick(words) for pick in form.removes]),
            tuple([tuple([((values[0],), secret) for secret in gate.secrets]) for gate in gates]),
        )


class _Form:
    """An action with its patterns as places in a list: the values of its parameters ``names``, then ``words``."""

    def __init__(self, action: ProblemAction, changing: Collection[str]) -> None:
        self.action = action.name
        self.names = tuple(name for name, _ in action.parameters)
        self.static = tuple(pattern for pattern in action.needs if pattern[0] not in changing)
        needs = [pattern for pattern in action.needs if pattern[0] in changing]
        patterns = (*needs, *action.adds, *action.removes)
        self.words = tuple(dict.fromkeys(w for pattern in patterns for w in pattern if w not in self.names))
        self._place = {word: k for k, word in enumerate((*self.names, *self.words))}
        self.needs, self.adds, self.removes = map(self._picks, (needs, action.adds, action.removes))

    def _picks(self, patterns: Iterable[Words]) -> list[Callable[[Words], Words]]:
        # With one place, itemgetter gives no tuple.
        return [
            itemgetter(*(self._place[word] for word in pattern))
            if pattern[1:]
            else lambda _, pattern=pattern: pattern
            for pattern in patterns
        ]


def restricted(problem: EpistemicProblem, names: Collection[str]) -> EpistemicProblem:
    """The problem with these names only: each of its plans is one of the whole problem."""
    allowed = set(names)
    return structs.replace(
        problem,
        names={
            kind: tuple(name for name in every if name in allowed) for kind, every in problem.names.items()
        },
        static=tuple(fact for fact in problem.static if allowed.issuperset(fact[1:])),
        start=tuple(fact for fact in problem.start if allowed.issuperset(fact[1:])),
    )


def match_pattern(pattern: Words, fact: Words) -> dict[str, str] | None:
    """The values that make ``pattern`` equal to ``fact``; ``None`` if there are none.

    >>> match_pattern(("at", "?a", "?s"), ("at", "agent_0", "stand:bed_1"))
    {'?a': 'agent_0', '?s': 'stand:bed_1'}
    """
    if pattern[0] != fact[0] or len(pattern) != len(fact):
        return None
    values: dict[str, str] = {}
    for word, name in zip(pattern[1:], fact[1:], strict=True):
        if (values.setdefault(word, name) if word.startswith("?") else word) != name:
            return None
    return values


def fill_pattern(pattern: Words, values: Values) -> Words:
    """``pattern`` with values for its parameters."""
    return tuple([values.get(word, word) for word in pattern])


def groups(instances: Sequence[Instance], start: Iterable[Words]) -> list[tuple[Words, ...]]:
    """Disjoint groups of facts about one thing, the first argument; each is verified on all instances.

    A candidate is what actions exchange: facts of the same predicate, or the only two that an action removes and adds
    about a thing. It is a group if exactly one of its facts holds at the start, and every action that adds one removes
    one that it needs, and adds one if it removes one.
    """
    parent: dict[Words, Words] = {}

    def root(fact: Words) -> Words:
        above = parent.setdefault(fact, fact)
        while above is not fact:
            parent[fact] = parent[above]
            fact, above = above, parent[above]
        return fact

    for fact in start:
        root(fact)
    for instance in instances:
        for fact in (*instance.adds, *instance.removes):
            root(fact)
        for removed in instance.removes:
            same = [fact for fact in instance.adds if fact[1] == removed[1]]
            twins = [fact for fact in instance.removes if fact[1] == removed[1]]
            for added in same:
                if added[0] == removed[0] or len(same) == len(twins) == 1:
                    parent[root(added)] = root(removed)
    key = {fact: root(fact) for fact in parent}
    candidates: dict[Words, list[Words]] = {}
    for fact in parent:
        candidates.setdefault(key[fact], []).append(fact)
    holding = set(start)
    bad = {root_fact for root_fact, facts in candidates.items() if len(holding.intersection(facts)) != 1}
    for instance in instances:
        adds = [key[fact] for fact in dict.fromkeys(instance.adds)]
        removes = [key[fact] for fact in dict.fromkeys(instance.removes)]
        needs = [key[fact] for fact in dict.fromkeys(instance.removes) if fact in instance.needs]
        for group in {*adds, *removes} - bad:
            if adds.count(group) != 1 or removes.count(group) != 1 or needs.count(group) != 1:
                bad.add(group)
    return [
        tuple(facts) for root_fact, facts in candidates.items() if root_fact not in bad and len(facts) > 1
    ]
