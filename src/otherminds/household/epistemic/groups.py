"""Groups of facts of which exactly one always holds: a variable with several values instead of several facts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from otherminds.household.epistemic.certificate import Words
from otherminds.household.epistemic.grounder import Instance


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
