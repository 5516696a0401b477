"""Faults of private goals, in mixed tasks."""

from __future__ import annotations

from msgspec import structs

from otherminds.household.authoring.planted.edits import (
    add_formulas,
    facts_of,
    format_opposite,
    retell_secrets,
)
from otherminds.household.authoring.planted.registry import planted
from otherminds.household.epistemic.formula import Atom, atom, show
from otherminds.household.epistemic.parse import goal_of
from otherminds.household.task import Task

PRIVATE = "(private_goal "


@planted("subgoal_tension")
def private_equals_shared(task: Task) -> Task | None:
    """A private goal is a part of the shared goal."""
    facts = [show(fact) for fact in facts_of(task) if atom(fact).predicate == "is_open"]
    owner = next(iter(task.private_goals), None)
    return _wishing(task, owner, [facts[0]]) if owner and facts else None


@planted("subgoal_tension", "private_goals")
def impossible_private_goal(task: Task) -> Task | None:
    """A private goal contradicts itself."""
    owner = next(iter(task.private_goals), None)
    if owner is None:
        return None
    wish = goal_of(task.private_goals[owner])
    if not isinstance(wish, Atom) or wish.predicate not in ("is_open", "is_closed"):
        return None
    return _wishing(task, owner, [show(wish), format_opposite(wish)])


@planted("subgoal_tension")
def private_goal_of_all(task: Task) -> Task | None:
    """Another agent has the same private goal, so that it divides nobody."""
    owner = next(iter(task.private_goals), None)
    if owner is None or len(task.private_goals) == task.num_agents:
        return None
    new = next(agent for agent in task.agents if agent not in task.private_goals)
    wish = task.private_goals[owner]
    shared = structs.replace(task, private_goals={**task.private_goals, new: wish})
    return add_formulas(shared, new, f"{PRIVATE}{wish})")


def _wishing(task: Task, owner: str, wish: list[str]) -> Task:
    """The task whose agent ``owner`` has the conjunction of ``wish`` as its private goal."""
    knows = [
        *(text for text in task.agent_knows[owner] if not text.startswith(PRIVATE)),
        *(f"{PRIVATE}{part})" for part in wish),
    ]
    goal = wish[0] if len(wish) == 1 else f"(and {' '.join(wish)})"
    return retell_secrets(
        structs.replace(task, private_goals={**task.private_goals, owner: goal}), {owner: knows}
    )
