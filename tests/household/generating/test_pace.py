"""Turns of parts: an act takes one, and so does each walk that is needed; the longest part is the shortest plan."""

from __future__ import annotations

import random

import pytest

from otherminds.household.epistemic.fast_downward import program
from otherminds.household.generating.candidate import FAMILIES
from otherminds.household.generating.draft import Draft
from otherminds.household.generating.pace import BROUGHT, fewest, shortest
from otherminds.household.generating.parts import hand_over
from otherminds.household.generating.shared import DraftRequest
from otherminds.household.house import House
from otherminds.household.planning.planned import planned
from otherminds.household.pool.entry import Pattern
from tests.cases import for_each
from tests.household.generating.drafts import drafted

SITTER = "agent_1"
"""It starts in the middle of the living room, where the table, the stands and the chair are in reach, and shelves are not."""


def at_home() -> Draft:
    made = drafted()
    made.homes |= made.own
    return made


@for_each(
    ("parts", "turns"),
    [
        ([], 0),
        ([("stand_20",)], 1),
        ([("stand_20", "stand_23")], 2),
        ([("shelves_25",)], 2),
        # One spot has both in reach, and none has the lamp and the chair.
        ([("shelves_25", "chair_24")], 3),
        ([("floor_lamp_18", "chair_24")], 4),
        # What is in reach at the start comes first.
        ([("floor_lamp_18",), ("chair_24",)], 3),
        ([("chair_24",), ("floor_lamp_18",)], 3),
    ],
)
def test_an_act_takes_a_turn_and_so_does_a_walk(parts: list[tuple[str, ...]], turns: int) -> None:
    assert fewest(at_home(), SITTER, parts) == turns


def test_an_agent_that_starts_elsewhere_walks_to_its_room() -> None:
    assert fewest(drafted(), SITTER, [("stand_20",)]) == 2


def test_agents_act_at_the_same_time() -> None:
    made = at_home()
    made.stops = {SITTER: [("floor_lamp_18", "chair_24"), ("stand_20",)], "agent_0": [("table_3",)]}
    assert shortest(made) == 5


def test_a_thing_that_is_brought_takes_the_turns_of_both_agents() -> None:
    made = at_home()
    assert hand_over(made, "agent_0", SITTER, SITTER)
    ((giver, stops),) = made.brings
    assert giver == SITTER
    assert shortest(made) == fewest(made, SITTER, [stops]) + BROUGHT


@pytest.mark.skipif(
    program() is None, reason="needs the planner Fast Downward: pip install 'otherminds[verify]'"
)
@for_each(("pattern", "hard"), [("relay", True), ("sequencing", False), ("gated", False)])
def test_the_longest_part_takes_as_long_as_the_shortest_plan(pattern: Pattern, hard: bool) -> None:
    drafts = (
        FAMILIES[pattern](random.Random(f"pace {seed}"), DraftRequest(3, 1, hard)) for seed in range(60)
    )
    plans = (
        (made, best)
        for made in drafts
        if made and (best := planned(House(made.task("a_task", "", ""), made.scene), quick=True).calibration)
    )
    made, best = next(plans)
    # A thing that is handed over may lie where the other agent needs one more turn.
    assert 0 <= best.turns - shortest(made) <= (pattern == "sequencing")
