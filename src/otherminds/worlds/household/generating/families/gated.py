"""Information-gated action: which act is right depends on a mechanic that only another agent knows."""

from __future__ import annotations

import random

from otherminds.worlds.household.generating.draft import Draft
from otherminds.worlds.household.generating.houses import house
from otherminds.worlds.household.generating.parts import control, mirror, reverse
from otherminds.worlds.household.generating.shared import completed, line, near, ring

HIDDEN = {"remote_control": control, "inverse_state": reverse, "state_mirroring": mirror}


def draft(
    draw: random.Random, agents: int, depth: int, links: bool = False, mechanic: str = ""
) -> Draft | None:
    """A draft with ``agents`` agents, a chain of ``depth`` agents, and a hidden ``mechanic``, by default any of three."""
    mechanic = mechanic or draw.choice(("remote_control", *HIDDEN))
    made = house(draw, agents, locks=mechanic != "inverse_state")
    if made is None:
        return None
    if agents > 2 and (depth > 2 or links or draw.random() < 0.5):
        (ring if depth > 2 or draw.random() < 0.5 else line)(made)
    actor = draw.choice(made.agents)
    if not HIDDEN[mechanic](made, actor, near(made, actor), near(made, actor)):
        return None
    return completed(made, depth)
