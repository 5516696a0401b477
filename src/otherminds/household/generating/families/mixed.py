"""Mixed motives: a shared goal of another family, and agents with goals of their own, which only they know.

No private goal holds at the start, so that an agent has to act for it, and no plan for the shared goal need reach it.
"""

from __future__ import annotations

from collections.abc import Iterator

from otherminds.household.epistemic.formula import Atom
from otherminds.household.epistemic.predicates import OPPOSITES
from otherminds.household.epistemic.words import Must
from otherminds.household.generating.draft import Draft, placed_in, walkable
from otherminds.household.generating.houses import Use, usable
from otherminds.household.generating.shared import reached

CONFLICTING = 0.6
"""The share of private goals that exclude a part of the shared goal, where that is possible."""
PUT: dict[str, Use] = {"is_on_top": "top", "is_inside": "interior"}
"""The use of furniture for each predicate of the place of an object."""


def with_private_goals(made: Draft) -> Draft | None:
    """The draft with a private goal for one to all of its agents; ``None`` if there is no furniture for one.

    It is to open furniture that the agent can reach and that nothing is said about; or it excludes a part of the shared
    goal that the agent is told of (:func:`conflicting`).
    """
    for agent in made.draw.sample(made.agents, made.draw.randint(1, len(made.agents))):
        opposed = [*dict.fromkeys(conflicting(made, agent))]
        if opposed and made.draw.random() < CONFLICTING:
            made.private_goals[agent] = made.draw.choice(opposed)
        elif free := _pieces(made, agent, "articulated"):
            thing = made.draw.choice(free)
            made.used.add(thing)
            made.private_goals[agent] = Atom("is_open", (thing,))
    return made if made.private_goals else None


def conflicting(made: Draft, agent: str) -> Iterator[Atom]:
    """What does not hold at the start and excludes a part of the shared goal that an agent is told of.

    Furniture that has to stay as it is shall not, and the agent can message who could change that; or an object that the agent can reach shall end somewhere else.
    """
    told = {one.formula for one in made.told.get(agent, ()) if isinstance(one, Must)}
    # Nobody else would reach it for an agent that cannot ask the only one who can.
    for goals in (made.kept.get(actor, ()) for actor in reached(made, agent)):
        yield from (Atom(OPPOSITES[goal.predicate], goal.args) for goal in goals if goal in told)
    places = placed_in(made.scene)
    for goal in (one for goals in made.changes.values() for one in goals):
        if goal in told and goal.predicate in PUT and places[goal.args[0]][1] in made.rooms(agent):
            thing = goal.args[0]
            yield from (Atom("is_on_top", (thing, f)) for f in _pieces(made, agent, "top"))


def _pieces(made: Draft, agent: str, use: Use) -> list[str]:
    """The furniture with a use that an agent can reach and that nothing is said about."""
    near = walkable(made.scene, made.homes[agent], made.rooms(agent))
    return [
        f
        for room in made.rooms(agent)
        if room in near
        for f in usable(made.scene.scene_id, room, use)
        if f not in made.used
    ]
