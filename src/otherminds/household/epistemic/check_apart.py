"""Whether literals can hold together, whatever agents know, for the checker (:mod:`.check`).

The problem is projected to some *tracked* facts. A state is the set of those that hold; an action is possible if the tracked
and the static facts that it needs hold, whatever else it needs. Each state of the problem is thus one of the projection, all states of
which are searched.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TypeAlias

from otherminds.household.epistemic.certificate import Known, ProblemAction, Words, variable
from otherminds.household.epistemic.check_rules import ProblemRules, Values, bound, need

Facts: TypeAlias = frozenset[Words]
MOST = 20_000
"""The largest number of states that are searched."""
OTHER = ""
"""The value of a parameter that no tracked fact has."""


def may_hold_together(rules: ProblemRules, parts: Collection[Known], tracked: Iterable[Words]) -> bool:
    """Whether all literals in ``parts`` hold in a state of the projection to ``tracked``.

    Raises:
        RejectedError: a way in which a literal holds is not tracked, or too many states would have to be searched.
    """
    facts = frozenset(tracked)
    ways = [frozenset(rules.problem.literals[literal]) for _, literal in parts]
    need(all(way and way <= facts for way in ways), "a literal is not tracked")
    need(not any(OTHER in fact for fact in facts), "a tracked fact has an empty name")
    acts = {act for action in rules.problem.actions for act in _project_action(rules, action, facts)}
    start = facts.intersection(rules.problem.start)
    visited, waiting = {start}, [start]
    while waiting:
        rules.tick()
        state = waiting.pop()
        if not any(way.isdisjoint(state) for way in ways):
            return True
        for needs, adds, removes in acts:
            if needs <= state and (after := state - removes | adds) not in visited:
                visited.add(after)
                waiting.append(after)
        need(len(visited) <= MOST, f"the projection has more than {MOST} states")
    return False


def _project_action(
    rules: ProblemRules, action: ProblemAction, facts: Facts
) -> Iterator[tuple[Facts, Facts, Facts]]:
    """What an action needs, adds and removes of the facts, with all values of its parameters."""
    predicates, words = {fact[0] for fact in facts}, {word for fact in facts for word in fact[1:]}
    relevant = [
        pattern for pattern in (*action.needs, *action.adds, *action.removes) if pattern[0] in predicates
    ]
    names = {word for pattern in relevant for word in pattern if variable(word)}
    typed = {name: {*rules.names.get(kind, ())} for name, kind in action.parameters if name in names}
    choices = {
        name: [*(candidates & words), *([OTHER] if candidates - words else ())]
        for name, candidates in typed.items()
    }
    static = [pattern for pattern in action.needs if pattern[0] not in rules.changing]
    for values in _choose_values(rules, static, choices, {}):
        needs, adds, removes = (
            facts.intersection(bound(patterns, values))
            for patterns in (action.needs, action.adds, action.removes)
        )
        if adds or removes:
            yield needs, adds, removes


def _choose_values(
    rules: ProblemRules, static: Collection[Words], choices: Mapping[str, Collection[str]], values: Values
) -> Iterator[Values]:
    """All choices of values for parameters with which no static fact is missing."""
    rules.tick()
    complete = (
        pattern
        for pattern in bound(static, values)
        if OTHER not in pattern and not any(map(variable, pattern))
    )
    if not rules.static.issuperset(complete):
        return
    name = next((parameter for parameter in choices if parameter not in values), None)
    if name is None:
        yield values
        return
    for value in choices[name]:
        yield from _choose_values(rules, static, choices, values | {name: value})
