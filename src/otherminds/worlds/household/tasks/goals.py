"""What is wrong with goals, the shared one and the private ones."""

from __future__ import annotations

from collections.abc import Iterator

from otherminds.epistemic.errors import FormulaError
from otherminds.epistemic.formula import Atom, Formula, agents, atom, chains, depth, physical
from otherminds.epistemic.parse import goal_of
from otherminds.epistemic.predicates import PREDICATES, check_goal
from otherminds.epistemic.problem import OWNERS, owners
from otherminds.epistemic.show import show
from otherminds.worlds.household.mechanics.allowances import barred
from otherminds.worlds.household.scenes.scene import floor_of
from otherminds.worlds.household.task import Task
from otherminds.worlds.household.tasks.account import Fault
from otherminds.worlds.household.tasks.bound import bound
from otherminds.worlds.household.tasks.named import unknown, wrong
from otherminds.worlds.household.tasks.states import ABLE, CANNOT, NEEDED, PLACES
from otherminds.worlds.household.tasks.things import FLOOR, Things

DEEPEST = 8
"""Agents in a chain of ``K``: what agents know of one another is worked out for all chains up to the longest."""


def goal_faults(task: Task, things: Things | None) -> Iterator[Fault]:
    """Faults of the goal and of every private one, each under its field."""
    yield from _goal("problem_pddl", task.problem_pddl, task, things)
    for agent, text in task.private_goals.items():
        place = f"private_goals.{agent}"
        yield from wrong(place, "agent", agent, task, None)
        yield from _goal(place, text, task, things)
    if task.private_goals and task.category == "cooperative":
        yield Fault("category", "a cooperative task has no private goals; write mixed, or take them out")


def formula_of(text: str) -> Formula | None:
    """The goal in ``text``; ``None`` if it cannot be read."""
    try:
        return goal_of(text)
    except FormulaError:
        return None


def _goal(place: str, text: str, task: Task, things: Things | None) -> Iterator[Fault]:
    try:
        goal = goal_of(text)
        left = owners(text)
    except FormulaError as error:
        yield Fault(place, str(error))
        return
    if left:
        told = f"({OWNERS} ...) gives {', '.join(left)} other private goals than private_goals does; keep one of both"
        yield Fault(place, told, ("private_goals",))
    general = check_goal(goal)
    yield from (Fault(place, fault) for fault in general)
    if not physical(goal):
        yield Fault(place, "it asks for knowledge alone; add what is to be so in the house")
    if depth(goal) > DEEPEST:
        deep = f"it nests K {depth(goal)} deep; {DEEPEST} is the most: ask for shorter chains of who knows of whom"
        yield Fault(place, deep)
    for agent in agents(goal):
        text = unknown("agent", agent, task, things)
        if text:
            yield Fault(place, f"(K {agent} ...): {text}")
    if general:
        return
    facts = dict.fromkeys(atom(fact) for fact in (*physical(goal), *(chain.fact for chain in chains(goal))))
    for fact in facts:
        for said in _atom(fact, task, things):
            yield Fault(place, f"{show(fact)}: {said}")


def _atom(fact: Atom, task: Task, things: Things | None) -> Iterator[str]:
    """What is wrong with an atom in this scene."""
    found = False
    for kind, name in zip(PREDICATES[fact.predicate].kinds, fact.args, strict=True):
        # Furniture can be switched on too, though the vocabulary speaks of objects alone.
        switched = fact.predicate.startswith("is_powered") and things and name in things.furniture
        text = "" if switched or kind == "item" else unknown(kind, name, task, things)
        if text:
            found = True
            yield text
    if found:
        return
    first, last = fact.args[0], fact.args[-1]
    if things and fact.predicate in PLACES:
        on_floor = fact.predicate == "is_on_top" and last in map(floor_of, things.rooms)
        flag = FLOOR if on_floor else PLACES[fact.predicate]
        if things.can(last, flag) is False:
            yield f"{last} {CANNOT[flag]}; name other furniture"
    if things and fact.predicate in NEEDED and things.can(first, NEEDED[fact.predicate]) is False:
        yield f"{first} {ABLE[NEEDED[fact.predicate]]}; name something that can"
    if fact.predicate == "agent_in_room" and last in barred(bound(task), first):
        yield f"{first} may not enter {last}; lift the bar, or name another room"
