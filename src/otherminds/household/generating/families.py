"""The families of generated tasks, one for each functional pattern of Juneja et al. 2026 (appendix F).

Each function draws a draft for what is requested; ``None`` if the house that was drawn does not allow it. Mixed motives are
private goals that are added to a draft of another family: no private goal holds at the start, so that an agent has to act
for it, and no plan for the shared goal need reach it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from otherminds.household.epistemic.formula import Atom
from otherminds.household.epistemic.predicates import OPPOSITES
from otherminds.household.epistemic.words import Must
from otherminds.household.generating.draft import Draft, placed_in, walkable
from otherminds.household.generating.houses import Use, house, usable
from otherminds.household.generating.parts import control, hand_over, mirror, place_own, reverse
from otherminds.household.generating.shared import (
    OPENING,
    OWN,
    SHORT,
    SIMPLE,
    DraftRequest,
    bottleneck,
    completed,
    connected,
    direct,
    far,
    line,
    near,
    reached,
    ring,
    simple,
)


def draft_delegation(draw: random.Random, request: DraftRequest) -> Draft | None:
    """Who knows a goal can message several agents, of which one can achieve it.

    A draft with at least three agents and a chain of at most two: a deeper one needs a ring, in which nobody chooses.
    """
    made = house(draw, request.agents) if request.agents > 2 and request.depth < 3 else None
    if made is None:
        return None
    knowers = bottleneck(made, request.depth) if request.hard else {}
    if not request.hard and (request.links or draw.random() < 0.4):
        line(made)
    kinds = OWN if request.hard else SIMPLE
    most = max(len(reached(made, agent)) for agent in made.agents)
    chooser = draw.choice([agent for agent in made.agents if len(reached(made, agent)) == most])
    free = [actor for actor in reached(made, chooser) if knowers.get(actor, chooser) == chooser]
    if len(reached(made, chooser)) < 2 or not free:
        return None
    for actor in draw.sample(free, draw.randint(1, len(free))):
        if not simple(made, actor, chooser, kinds):
            return None
    return completed(made, request.depth, knowers, kinds)


def draft_sequencing(draw: random.Random, request: DraftRequest) -> Draft | None:
    """An agent has to bring a thing out of its own room before another one can put it in its place.

    A draft in which the giver knows the goal, or the actor can ask the giver.
    """
    made = house(draw, request.agents)
    if made is None:
        return None
    knowers = connected(made, request)
    actor, knower = direct(made, knowers)
    asked = [one for one in reached(made, actor) if one != knower] if not request.hard else []
    giver = draw.choice(asked) if asked and draw.random() < 0.4 else knower
    if not hand_over(made, actor, knower, giver):
        return None
    made.homes |= {one: made.own[one] for one in (actor, giver)}
    return completed(made, request.depth, knowers, OPENING if request.hard else SHORT)


def draft_relay(draw: random.Random, request: DraftRequest) -> Draft | None:
    """Who knows a goal cannot message the agent that can achieve it, and another agent can.

    A draft with at least three agents.
    """
    made = house(draw, request.agents) if request.agents > 2 else None
    if made is None:
        return None
    if request.hard:
        return completed(made, request.depth, bottleneck(made, request.depth), OWN)
    (ring if request.depth > 2 or draw.random() < 0.6 else line)(made)
    for actor in draw.sample(made.agents, draw.randint(1, len(made.agents))):
        knower = far(made, actor)
        if knower is not None and not simple(made, actor, knower):
            return None
    return completed(made, request.depth, {}) if made.changes else None


GATED_PARTS = {"remote_control": control, "inverse_state": reverse, "state_mirroring": mirror}
"""The part of a goal for each hidden mechanic."""


def draft_gated(draw: random.Random, request: DraftRequest) -> Draft | None:
    """Which act is right depends on a mechanic that only another agent knows.

    A draft with a hidden mechanic.
    """
    mechanic = request.mechanic or draw.choice(("remote_control", *GATED_PARTS))
    made = house(draw, request.agents, locks=mechanic != "inverse_state")
    if made is None:
        return None
    knowers = connected(made, request)
    actor, knower = direct(made, knowers)
    insider = knower if request.hard else near(made, actor)
    if not GATED_PARTS[mechanic](made, actor, knower, insider):
        return None
    # A message that is relayed takes turns, and the limit of turns depends on the longest part.
    if request.hard and not place_own(made, *direct(made, knowers)):
        return None
    return completed(made, request.depth, knowers, OWN if request.hard else SIMPLE)


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
