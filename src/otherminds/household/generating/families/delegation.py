"""Delegation: who knows a goal can message several agents, of which one can achieve it."""

from __future__ import annotations

import random

from otherminds.household.generating.draft import Draft
from otherminds.household.generating.families.request import DraftRequest
from otherminds.household.generating.houses import house
from otherminds.household.generating.shared import (
    OWN,
    SIMPLE,
    bottleneck,
    completed,
    line,
    reached,
    simple,
)


def draft(draw: random.Random, request: DraftRequest) -> Draft | None:
    """A draft with at least three agents and a chain of at most two: a deeper one needs a ring, in which nobody chooses."""
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
