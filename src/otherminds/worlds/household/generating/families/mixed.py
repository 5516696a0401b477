"""Mixed motives: a shared goal of another family, and agents with goals of their own, which only they know."""

from __future__ import annotations

from otherminds.epistemic.formula import Atom, Not
from otherminds.epistemic.predicates import OPPOSITES
from otherminds.worlds.household.generating.draft import Draft

CONFLICTING = 0.25
"""The share of private goals that contradict a part of the shared goal, where that is possible."""


def with_wishes(made: Draft) -> Draft | None:
    """The draft with a private goal for one to all of its agents; ``None`` if there is no furniture for one."""
    for agent in made.draw.sample(made.agents, made.draw.randint(1, len(made.agents))):
        shared = [
            goal
            for actor, goals in made.changes.items()
            for goal in goals
            if not isinstance(goal, Not) and goal.predicate in OPPOSITES and actor != agent
        ]
        if shared and made.draw.random() < CONFLICTING:
            goal = made.draw.choice(shared)
            made.wishes[agent] = Atom(OPPOSITES[goal.predicate], goal.args)
            continue
        free = [
            f
            for room in made.rooms(agent)
            for f in made.scene.furniture_in_rooms.get(room, ())
            if f not in made.used and made.scene.geometry.furniture[f].articulated
        ]
        if free:
            thing = made.draw.choice(free)
            made.used.add(thing)
            made.wishes[agent] = Atom("is_open", (thing,))
    return made if made.wishes else None
