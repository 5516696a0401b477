"""Sequencing: an agent has to bring a thing out of its own room before another one can put it in its place."""

from __future__ import annotations

import random

from otherminds.household.generating.draft import Draft
from otherminds.household.generating.families.request import DraftRequest
from otherminds.household.generating.houses import house
from otherminds.household.generating.parts import hand_over
from otherminds.household.generating.shared import (
    OPENING,
    SHORT,
    completed,
    connected,
    direct,
    reached,
)


def draft(draw: random.Random, request: DraftRequest) -> Draft | None:
    """A draft in which the giver knows the goal, or the actor can ask the giver."""
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
