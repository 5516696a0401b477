"""Facts about positions, places and hands, of which a problem has one at a time, for the checker's bound on turns.

An agent is at one spot, an object is at one place, and a hand is empty or holds one object.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import chain

from otherminds.household.epistemic.certificate import Words, variable
from otherminds.household.epistemic.check_rules import ProblemRules, need

RESTS = ("is_on_top", "is_inside", "lies_on")
HELD, EMPTY, AT = "is_held_by", "hand_empty", "at"
SINGLE: tuple[dict[str, int], ...] = ({AT: 1}, {**dict.fromkeys(RESTS, 1), HELD: 1}, {EMPTY: 1, HELD: 2})
"""Facts of which one holds of each name at the place in the fact: the position of an agent, the place of an object, a hand."""
LENGTHS = {**dict.fromkeys((*RESTS, HELD, AT), 3), EMPTY: 2}
"""The number of words of these facts."""


def hidden_at_start(rules: ProblemRules) -> set[str]:
    """The objects in closed furniture at the start."""
    start = set(rules.problem.start)
    return {fact[1] for fact in start if fact[0] == "is_inside" and ("is_closed", *fact[2:]) in start}


def check_places(rules: ProblemRules, tracked: Collection[Words]) -> None:
    """Fails unless all actions move agents and objects from one place to another, and agents only themselves.

    ``tracked`` are further facts, whose form is checked.
    """
    problem = rules.problem
    need(all(fact and not any(map(variable, fact)) for fact in tracked), "a tracked fact has parameters")
    patterns = chain.from_iterable(
        (*action.needs, *action.adds, *action.removes) for action in problem.actions
    )
    facts = (*problem.start, *tracked, *chain.from_iterable(problem.literals.values()), *patterns)
    need(all(len(fact) == LENGTHS.get(fact[0], len(fact)) for fact in facts), "a place without a name")
    for group in SINGLE:
        owners = [fact[group[fact[0]]] for fact in problem.start if fact[0] in group]
        need(len(owners) == len(set(owners)), f"two facts of {', '.join(group)} hold at the start")
        for action in problem.actions:
            lost = [pattern for pattern in action.removes if pattern[0] in group]
            gone = [pattern[group[pattern[0]]] for pattern in lost if pattern in action.needs]
            come = [pattern[group[pattern[0]]] for pattern in action.adds if pattern[0] in group]
            moved = len(lost) == len(gone) < 2 and gone == come
            need(moved, f"{action.name} may add a second fact of {', '.join(group)}")
            need(AT not in group or {*come} <= {"?a"}, f"{action.name} moves another agent")
