"""Rules split into small ones, for reachability: parameters that occur in few needs are treated apart.

An agent opens a cabinet if it may be at *some* spot from which the cabinet is in reach. Instead of one instance for each
spot there is one node "the agent may be at such a spot", which all rules with these needs share. Source: the
decomposition of rules in Helmert, Concise finite-domain representations for PDDL planning tasks, Artificial Intelligence
173, 2009, section 6.4. Without deletions it is exact.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import NamedTuple, TypeAlias

from otherminds.household.epistemic.certificate import (
    EpistemicProblem,
    ProblemAction,
    SightRule,
    Words,
    variable,
)
from otherminds.household.epistemic.grounder import match_pattern

Part: TypeAlias = tuple[int, Words]
"""The number of an :class:`Existence` and the values of its known parameters."""
Slots: TypeAlias = tuple[str | int, ...]
"""A pattern; its numbers are indices into a list of values."""


class Conjunction(NamedTuple):
    """Needs with values for some parameters: static facts to check, facts that change, and separate existences."""

    checks: tuple[Slots, ...]
    needs: tuple[Slots, ...]
    parts: tuple[tuple[int, tuple[int, ...]], ...]


class Existence(NamedTuple):
    """There are values for the other parameters of connected needs. The first of these takes one of its values in turn.

    ``rows`` is a static predicate with the places of known values, their slots and the place of the parameter; without it
    the parameter takes all ``names``.
    """

    rows: tuple[str, tuple[int, ...], Slots, int] | None
    names: frozenset[str] | None
    rest: Conjunction


class RuleEffect(NamedTuple):
    """A fact that a rule adds or shows: its pattern, the names of the rule's parameters that have values then, agent ?a
    first, and the rule's needs. ``others`` are those of them that are not in the pattern, with their types.
    """

    pattern: Words
    known: tuple[str, ...]
    others: tuple[str, ...]
    kinds: dict[str, str]
    needs: Conjunction
    action: ProblemAction | None


class SplitRules:
    """The split rules of a problem, made when they are first needed. ``static`` are facts that always or sometimes hold."""

    def __init__(self, problem: EpistemicProblem, static: Iterable[Words]) -> None:
        self.changing = {fact[0] for action in problem.actions for fact in (*action.adds, *action.removes)}
        self.static = set(static)
        self._problem = problem
        self._gated: dict[str, set[str]] = defaultdict(set)
        for gate in problem.gates:
            for name in gate.actions:
                self._gated[name].update(fact[0] for fact in gate.adds)
        self._adding: dict[str, list[RuleEffect]] = {}
        self._showing: dict[str, list[RuleEffect]] = {}
        self.names = {kind: frozenset(names) for kind, names in problem.names.items()}
        self._facts: dict[str, list[Words]] = defaultdict(list)
        # Sorted, since evidence must not depend on the order of a set, which differs from process to process.
        for fact in sorted(self.static):
            self._facts[fact[0]].append(fact)
        self._columns: dict[tuple[str, tuple[int, ...], int], dict[Words, dict[str, None]]] = {}
        self._existences: list[Existence] = []
        self._numbers: dict[tuple[object, ...], int] = {}

    def adding(self, predicate: str) -> list[RuleEffect]:
        """What actions add with a predicate; parameters in a fact that may need a reason have values too."""
        if predicate not in self._adding:
            self._adding[predicate] = [
                self._effect(action, pattern, action)
                for action in self._problem.actions
                for pattern in action.adds
                if pattern[0] == predicate and self._possible(action)
            ]
        return self._adding[predicate]

    def showing(self, predicate: str) -> list[RuleEffect]:
        """What sights show with a predicate."""
        if predicate not in self._showing:
            self._showing[predicate] = [
                self._effect(sight, sight.shows, None)
                for sight in self._problem.sights
                if sight.shows[0] == predicate and self._possible(sight)
            ]
        return self._showing[predicate]

    def match_effect(self, effect: RuleEffect, fact: Words) -> Iterator[list[str]]:
        """Values with which a rule adds or shows a fact, of the parameters in ``known``."""
        binding = match_pattern(effect.pattern, fact)
        if binding is None or any(
            value not in self.names[effect.kinds[name]] for name, value in binding.items()
        ):
            return
        for chosen in product(*(self._problem.names[effect.kinds[name]] for name in effect.others)):
            binding.update(zip(effect.others, chosen, strict=True))
            yield [binding[name] for name in effect.known]

    def _possible(self, rule: ProblemAction | SightRule) -> bool:
        """Whether there are names for all parameters."""
        return all(self._problem.names[kind] for _, kind in rule.parameters)

    def _effect(
        self, rule: ProblemAction | SightRule, pattern: Words, action: ProblemAction | None
    ) -> RuleEffect:
        gated = [added for added in action.adds if added[0] in self._gated[action.name]] if action else []
        words = (word for atom in (pattern, *gated) for word in _parameters(atom))
        assigned, kinds = tuple(dict.fromkeys(["?a", *words])), dict(rule.parameters)
        others = tuple(word for word in assigned if word not in pattern[1:])
        return RuleEffect(
            pattern, assigned, others, kinds, self.conjunction(rule.needs, assigned, kinds), action
        )

    def conjunction(
        self, needs: Iterable[Words], assigned: Sequence[str], kinds: Mapping[str, str]
    ) -> Conjunction:
        """The conjunction of ``needs`` with values for the parameters in ``assigned``, in this order."""
        slot = {name: k for k, name in enumerate(assigned)}
        checks: list[Slots] = []
        changing: list[Slots] = []
        waiting: list[Words] = []
        for pattern in dict.fromkeys(needs):
            if any(word not in slot for word in _parameters(pattern)):
                waiting.append(pattern)
            else:
                slots = tuple([slot.get(word, word) for word in pattern])
                (changing if pattern[0] in self.changing else checks).append(slots)
        parts = [self._part(several, slot, kinds) for several in _group_connected(waiting, slot)]
        return Conjunction(tuple(checks), tuple(changing), tuple(parts))

    def _part(
        self, needs: Sequence[Words], slot: Mapping[str, int], kinds: Mapping[str, str]
    ) -> tuple[int, tuple[int, ...]]:
        words = dict.fromkeys(word for pattern in needs for word in _parameters(pattern))
        assigned = tuple(sorted(word for word in words if word in slot))
        key = (tuple(sorted(needs)), assigned, tuple(sorted((w, kinds.get(w, "")) for w in words)))
        number = self._numbers.get(key)
        if number is None:
            existence = self._existence(needs, assigned, kinds)
            number = self._numbers[key] = len(self._existences)
            self._existences.append(existence)
        return number, tuple([slot[word] for word in assigned])

    def _existence(
        self, needs: Sequence[Words], assigned: tuple[str, ...], kinds: Mapping[str, str]
    ) -> Existence:
        free = dict.fromkeys(
            word for pattern in needs for word in _parameters(pattern) if word not in assigned
        )
        first = min(free, key=lambda word: self._cost(needs, assigned, word, kinds))
        rows = self._rows(needs, assigned, first)
        names = self.names.get(kinds[first], frozenset[str]()) if first in kinds else None
        return Existence(rows, names, self.conjunction(needs, (*assigned, first), kinds))

    def _cost(
        self, needs: Sequence[Words], assigned: tuple[str, ...], word: str, kinds: Mapping[str, str]
    ) -> int:
        """About the number of nodes that are made if ``word`` is the first parameter that gets values."""
        size = {name: len(self.names.get(kind, ())) for name, kind in kinds.items()}
        slot = dict.fromkeys((*assigned, word), 0)
        open_ = [pattern for pattern in needs if any(other not in slot for other in _parameters(pattern))]
        parts = [
            {other for pattern in several for other in _parameters(pattern) if other in slot}
            for several in _group_connected(open_, slot)
        ]
        return size.get(word, 0) + sum(prod(size.get(other, 1) for other in part) for part in parts)

    def _rows(
        self, needs: Sequence[Words], assigned: tuple[str, ...], word: str
    ) -> tuple[str, tuple[int, ...], Slots, int] | None:
        """The static need that leaves the fewest values for ``word``: the one with the most known words."""
        candidates = [pattern for pattern in needs if pattern[0] not in self.changing and word in pattern[1:]]
        if not candidates:
            return None
        slot = {name: k for k, name in enumerate(assigned)}
        best = max(
            candidates, key=lambda pattern: sum(other in slot or not variable(other) for other in pattern[1:])
        )
        places = tuple([k for k, other in enumerate(best) if k and (other in slot or not variable(other))])
        return best[0], places, tuple([slot.get(best[k], best[k]) for k in places]), best.index(word, 1)

    def values(self, part: Part) -> Iterator[tuple[Conjunction, list[str]]]:
        """The ways in which an existence holds: the rest of its needs, with values."""
        rows, names, conjunction = self._existences[part[0]]
        arguments = part[1]
        candidates = names or () if rows is None else self._column(rows, arguments)
        for value in candidates:
            if names is None or value in names:
                yield conjunction, [*arguments, value]

    def _column(self, rows: tuple[str, tuple[int, ...], Slots, int], arguments: Words) -> Iterable[str]:
        predicate, places, slots, at = rows
        column = self._columns.get((predicate, places, at))
        if column is None:
            column = self._columns[predicate, places, at] = {}
            for fact in self._facts[predicate]:
                if len(fact) > max(at, *places, 0):
                    column.setdefault(tuple([fact[k] for k in places]), {})[fact[at]] = None
        return column.get(tuple([arguments[s] if isinstance(s, int) else s for s in slots]), {})


def _parameters(pattern: Words) -> list[str]:
    return [word for word in pattern[1:] if variable(word)]


def _group_connected(needs: Sequence[Words], assigned: Mapping[str, int]) -> list[list[Words]]:
    """Groups of needs that share no parameter without a value."""
    groups: list[tuple[set[str], list[Words]]] = []
    for pattern in needs:
        words = {word for word in _parameters(pattern) if word not in assigned}
        joined = [group for group in groups if not words.isdisjoint(group[0])]
        groups = [group for group in groups if words.isdisjoint(group[0])]
        together = [*(need for _, several in joined for need in several), pattern]
        groups.append((words.union(*(others for others, _ in joined)), together))
    return [several for _, several in groups]
