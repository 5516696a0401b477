"""Relay: who knows a goal cannot message the agent that can achieve it, and another agent can."""

from __future__ import annotations

import random

from otherminds.worlds.household.generating.draft import Draft
from otherminds.worlds.household.generating.houses import house
from otherminds.worlds.household.generating.shared import completed, far, line, near, ring, simple


def draft(draw: random.Random, agents: int, depth: int, links: bool = False) -> Draft | None:
    """A draft with ``agents`` agents, at least 3, in a ring or a line, and a chain of ``depth`` agents."""
    made = house(draw, agents) if agents > 2 else None
    if made is None:
        return None
    (ring if depth > 2 or draw.random() < 0.6 else line)(made)
    actors = draw.sample(made.agents, draw.randint(1, len(made.agents)))
    for actor in actors:
        knower = far(made, actor)
        if knower is not None and not simple(made, actor, knower):
            return None
    return completed(made, depth, near) if made.parts else None
