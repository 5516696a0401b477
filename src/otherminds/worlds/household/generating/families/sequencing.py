"""Sequencing: an agent has to bring a thing out of its own room before another one can put it in its place."""

from __future__ import annotations

import random

from otherminds.worlds.household.generating.draft import Draft
from otherminds.worlds.household.generating.houses import house
from otherminds.worlds.household.generating.parts import hand_over
from otherminds.worlds.household.generating.shared import completed, line, near, ring


def draft(draw: random.Random, agents: int, depth: int, links: bool = False) -> Draft | None:
    """A draft with ``agents`` agents and a chain of ``depth`` agents."""
    made = house(draw, agents)
    if made is None:
        return None
    if agents > 2 and (depth > 2 or links or draw.random() < 0.5):
        (ring if depth > 2 or draw.random() < 0.5 else line)(made)
    actor = draw.choice(made.agents)
    knower = near(made, actor)
    giver = draw.choice(made.others(actor))
    if not hand_over(made, actor, knower, giver):
        return None
    return completed(made, depth)
