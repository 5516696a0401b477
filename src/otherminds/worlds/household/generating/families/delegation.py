"""Delegation: who knows a goal can message several agents, of which one can achieve it."""

from __future__ import annotations

import random

from otherminds.worlds.household.generating.draft import Draft
from otherminds.worlds.household.generating.houses import house
from otherminds.worlds.household.generating.shared import completed, line, simple


def draft(draw: random.Random, agents: int, depth: int, links: bool = False) -> Draft | None:
    """A draft with ``agents`` agents, at least 3, and a chain of at most 2 agents: a deeper one needs a ring."""
    made = house(draw, agents) if agents > 2 and depth < 3 else None
    if made is None:
        return None
    if links or draw.random() < 0.4:
        line(made)
    chooser = max(made.agents, key=lambda agent: len(made.links.get(agent, made.agents)))
    actors = draw.sample(made.others(chooser), draw.randint(1, len(made.agents) - 1))
    if not all(simple(made, actor, chooser) for actor in actors):
        return None
    return completed(made, depth)
