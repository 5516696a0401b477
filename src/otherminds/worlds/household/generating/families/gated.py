"""Information-gated action: which act is right depends on a mechanic that only another agent knows."""

from __future__ import annotations

import random

from otherminds.worlds.household.generating.draft import Draft
from otherminds.worlds.household.generating.families.wish import Wish
from otherminds.worlds.household.generating.houses import house
from otherminds.worlds.household.generating.parts import control, mirror, place_own, reverse
from otherminds.worlds.household.generating.shared import (
    OWN,
    SIMPLE,
    bottleneck,
    completed,
    direct,
    linked,
    near,
)

PARTS = {"remote_control": control, "inverse_state": reverse, "state_mirroring": mirror}
"""The part of a goal for each hidden mechanic."""


def draft(draw: random.Random, wish: Wish) -> Draft | None:
    """A draft with a hidden mechanic."""
    mechanic = wish.mechanic or draw.choice(("remote_control", *PARTS))
    made = house(draw, wish.agents, locks=mechanic != "inverse_state")
    if made is None:
        return None
    knowers = bottleneck(made, wish.depth) if wish.hard else linked(made, wish.depth, wish.links)
    actor = direct(made, knowers) if knowers else draw.choice(made.agents)
    knower = knowers.get(actor) or near(made, actor)
    insider = knower if knowers else near(made, actor)
    if not PARTS[mechanic](made, actor, knower, insider):
        return None
    if wish.hard:
        # A message that is relayed takes turns, and the limit of turns depends on the longest part.
        longer = direct(made, knowers)
        if not place_own(made, longer, knowers[longer]):
            return None
    return completed(made, wish.depth, knowers, OWN if wish.hard else SIMPLE)
