"""Relay: who knows a goal cannot message the agent that can achieve it, and another agent can."""

from __future__ import annotations

import random

from otherminds.household.generating.draft import Draft
from otherminds.household.generating.families.request import DraftRequest
from otherminds.household.generating.houses import house
from otherminds.household.generating.shared import OWN, bottleneck, completed, far, line, ring, simple


def draft(draw: random.Random, request: DraftRequest) -> Draft | None:
    """A draft with at least three agents."""
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
