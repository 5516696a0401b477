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
    complete_draft,
    connect_agents,
    direct,
    far,
    line,
    list_addressees,
    near,
    ring,
    simple,
)


def draft_delegation(draw: random.Random, request: DraftRequest) -> Draft | None:
    """Who knows a goal can message several agents, of which one can achieve it.

    A draft with at least three agents and a chain of at most two: a deeper one needs a ring, in which nobody chooses.
    """
    draft = house(draw, request.agents) if request.agents > 2 and request.depth < 3 else None
    if draft is None:
        return None
    knowers = bottleneck(draft, request.depth) if request.hard else {}
    if not request.hard and (request.links or draw.random() < 0.4):
        line(draft)
    kinds = OWN if request.hard else SIMPLE
    most = max(len(list_addressees(draft, agent)) for agent in draft.agents)
    chooser = draw.choice([agent for agent in draft.agents if len(list_addressees(draft, agent)) == most])
    free = [actor for actor in list_addressees(draft, chooser) if knowers.get(actor, chooser) == chooser]
    if len(list_addressees(draft, chooser)) < 2 or not free:
        return None
    for actor in draw.sample(free, draw.randint(1, len(free))):
        if not simple(draft, actor, chooser, kinds):
            return None
    return complete_draft(draft, request.depth, knowers, kinds)


def draft_sequencing(draw: random.Random, request: DraftRequest) -> Draft | None:
    """An agent has to bring a thing out of its own room before another one can put it in its place.

    A draft in which the giver knows the goal, or the actor can ask the giver.
    """
    draft = house(draw, request.agents)
    if draft is None:
        return None
    knowers = connect_agents(draft, request)
    actor, knower = direct(draft, knowers)
    givers = [agent for agent in list_addressees(draft, actor) if agent != knower] if not request.hard else []
    giver = draw.choice(givers) if givers and draw.random() < 0.4 else knower
    if not hand_over(draft, actor, knower, giver):
        return None
    draft.homes |= {agent: draft.own[agent] for agent in (actor, giver)}
    return complete_draft(draft, request.depth, knowers, OPENING if request.hard else SHORT)


def draft_relay(draw: random.Random, request: DraftRequest) -> Draft | None:
    """Who knows a goal cannot message the agent that can achieve it, and another agent can.

    A draft with at least three agents.
    """
    draft = house(draw, request.agents) if request.agents > 2 else None
    if draft is None:
        return None
    if request.hard:
        return complete_draft(draft, request.depth, bottleneck(draft, request.depth), OWN)
    (ring if request.depth > 2 or draw.random() < 0.6 else line)(draft)
    for actor in draw.sample(draft.agents, draw.randint(1, len(draft.agents))):
        knower = far(draft, actor)
        if knower is not None and not simple(draft, actor, knower):
            return None
    return complete_draft(draft, request.depth, {}) if draft.changes else None


GATED_PARTS = {"remote_control": control, "inverse_state": reverse, "state_mirroring": mirror}
"""The part of a goal for each hidden mechanic."""


def draft_gated(draw: random.Random, request: DraftRequest) -> Draft | None:
    """Which act is right depends on a mechanic that only another agent knows.

    A draft with a hidden mechanic.
    """
    mechanic = request.mechanic or draw.choice(("remote_control", *GATED_PARTS))
    draft = house(draw, request.agents, locks=mechanic != "inverse_state")
    if draft is None:
        return None
    knowers = connect_agents(draft, request)
    actor, knower = direct(draft, knowers)
    insider = knower if request.hard else near(draft, actor)
    if not GATED_PARTS[mechanic](draft, actor, knower, insider):
        return None
    # A message that is relayed takes turns, and the limit of turns depends on the longest part.
    if request.hard and not place_own(draft, *direct(draft, knowers)):
        return None
    return complete_draft(draft, request.depth, knowers, OWN if request.hard else SIMPLE)


CONFLICTING = 0.6
"""The share of private goals that exclude a part of the shared goal, where that is possible."""
PUT: dict[str, Use] = {"is_on_top": "top", "is_inside": "interior"}
"""The use of furniture for each predicate of the place of an object."""


def with_private_goals(draft: Draft) -> Draft | None:
    """The draft with a private goal for one to all of its agents; ``None`` if there is no furniture for one.

    It is to open furniture that the agent can reach and that nothing is said about; or it excludes a part of the shared
    goal that the agent is told of (:func:`conflicting`).
    """
    for agent in draft.draw.sample(draft.agents, draft.draw.randint(1, len(draft.agents))):
        opposed = [*dict.fromkeys(conflicting(draft, agent))]
        if opposed and draft.draw.random() < CONFLICTING:
            draft.private_goals[agent] = draft.draw.choice(opposed)
        elif free := _pieces(draft, agent, "articulated"):
            piece = draft.draw.choice(free)
            draft.used.add(piece)
            draft.private_goals[agent] = Atom("is_open", (piece,))
    return draft if draft.private_goals else None


def conflicting(draft: Draft, agent: str) -> Iterator[Atom]:
    """What does not hold at the start and excludes a part of the shared goal that an agent is told of.

    Furniture that has to stay as it is shall not, and the agent can message who could change that; or an object that the agent can reach shall end somewhere else.
    """
    told_goals = {statement.formula for statement in draft.told.get(agent, ()) if isinstance(statement, Must)}
    # Nobody else would reach it for an agent that cannot ask the only one who can.
    for goals in (draft.kept.get(actor, ()) for actor in list_addressees(draft, agent)):
        yield from (Atom(OPPOSITES[goal.predicate], goal.args) for goal in goals if goal in told_goals)
    places = placed_in(draft.scene)
    for goal in (part for goals in draft.changes.values() for part in goals):
        if goal in told_goals and goal.predicate in PUT and places[goal.args[0]][1] in draft.rooms(agent):
            entity = goal.args[0]
            yield from (Atom("is_on_top", (entity, f)) for f in _pieces(draft, agent, "top"))


def _pieces(draft: Draft, agent: str, use: Use) -> list[str]:
    """The furniture with a use that an agent can reach and that nothing is said about."""
    near = walkable(draft.scene, draft.homes[agent], draft.rooms(agent))
    return [
        f
        for room in draft.rooms(agent)
        if room in near
        for f in usable(draft.scene.scene_id, room, use)
        if f not in draft.used
    ]
