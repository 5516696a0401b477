"""Mixed motives: a shared goal of another family, and agents with goals of their own, which only they know."""

from __future__ import annotations

from otherminds.epistemic.formula import Atom
from otherminds.epistemic.predicates import OPPOSITES
from otherminds.epistemic.words import Must
from otherminds.worlds.household.generating.draft import Draft, walkable
from otherminds.worlds.household.generating.houses import usable

CONFLICTING = 0.4
"""The share of private goals that contradict a part of the shared goal, where that is possible."""


def with_private_goals(made: Draft) -> Draft | None:
    """The draft with a private goal for one to all of its agents; ``None`` if there is no furniture for one.

    It is to open furniture that the agent can reach, or the opposite of a part of the shared goal that the agent is told
    of: another agent must bring that part about, and learns of it only if the agent does not keep it to itself.
    """
    for agent in made.draw.sample(made.agents, made.draw.randint(1, len(made.agents))):
        opposed = _opposed(made, agent)
        if opposed and made.draw.random() < CONFLICTING:
            made.private_goals[agent] = made.draw.choice(opposed)
            continue
        near = walkable(made.scene, made.homes[agent], made.rooms(agent))
        free = [
            f
            for room in made.rooms(agent)
            for f in usable(made.scene.scene_id, room, "articulated")
            if room in near and f not in made.used
        ]
        if free:
            thing = made.draw.choice(free)
            made.used.add(thing)
            made.private_goals[agent] = Atom("is_open", (thing,))
    return made if made.private_goals else None


def _opposed(made: Draft, agent: str) -> list[Atom]:
    """The opposites of what an agent is told that others must change."""
    told = {one.formula for one in made.told.get(agent, ()) if isinstance(one, Must)}
    return [
        Atom(OPPOSITES[goal.predicate], goal.args)
        for goals in made.changes.values()
        for goal in goals
        if goal in told and goal.predicate in OPPOSITES
    ]
