"""Goals that cannot hold together, whatever agents do and know.

Two invariants of the rules show it: an object is at one place, an agent in one room and holds one object, and a thing has one
of two opposite states; and of furniture that mechanics connect, only those states occur together that some sequence of acts
on it leads to, if each of them is possible at any time.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import combinations, product

from otherminds.household.epistemic.certificate import Claim, EpistemicProblem, Known, ProblemAction, Words
from otherminds.household.epistemic.predicates import AXES, OPPOSITES, TURNS
from otherminds.household.rules.rule import PLACING

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
