"""Information-gated action: which act is right depends on a mechanic that only another agent knows."""

from __future__ import annotations

import random

from otherminds.household.generating.draft import Draft
from otherminds.household.generating.families.request import DraftRequest
from otherminds.household.generating.houses import house
from otherminds.household.generating.parts import control, mirror, place_own, reverse
from otherminds.household.generating.shared import OWN, SIMPLE, completed, connected, direct, near

PARTS = {"remote_control": control, "inverse_state": reverse, "state_mirroring": mirror}
"""The part of a goal for each hidden mechanic."""


def draft(draw: random.Random, request: DraftRequest) -> Draft | None:
    """A draft with a hidden mechanic."""
    mechanic = request.mechanic or draw.choice(("remote_control", *PARTS))
    made = house(draw, request.agents, locks=mechanic != "inverse_state")
    if made is None:
        return None
    knowers = connected(made, request)
    actor, knower = direct(made, knowers)
    insider = knower if request.hard else near(made, actor)
    if not PARTS[mechanic](made, actor, knower, insider):
        return None
    # A message that is relayed takes turns, and the limit of turns depends on the longest part.
    if request.hard and not place_own(made, *direct(made, knowers)):
        return None
    return completed(made, request.depth, knowers, OWN if request.hard else SIMPLE)
