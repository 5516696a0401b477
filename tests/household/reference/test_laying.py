"""Goals that say several things of one object's place are reached together, by every team that knows them."""

from __future__ import annotations

from otherminds.household.epistemic.formula import physical
from otherminds.household.epistemic.parse import goal_of
from otherminds.household.epistemic.words import Must
from otherminds.household.epistemic.words.sentences import tell
from otherminds.household.reference.roster import ROSTER
from tests.cases import for_each
from tests.household.reference import team

GOALS = (
    "(and (is_on_floor cup_0) (is_in_room cup_0 bedroom_1))",
    "(and (is_in_room cup_0 bedroom_1) (is_on_floor cup_0))",
    "(and (is_in_room ball_0 kitchen_1) (not (is_on_floor ball_0)))",
    "(and (is_on_floor bowl_0) (not (is_in_room bowl_0 kitchen_1)))",
    "(and (not (is_on_top bowl_0 counter_0)) (not (is_on_floor bowl_0)) (is_in_room bowl_0 kitchen_1))",
    "(and (not (is_in_room book_0 study_1)) (not (is_on_floor book_0)))",
    "(and (is_on_top cup_1 stove_4) (is_next_to cup_1 bowl_0))",
    "(and (is_next_to cup_1 bowl_0) (is_in_room cup_1 study_1) (is_on_floor bowl_0))",
    "(and (is_next_to plate_0 book_0) (is_on_floor plate_0))",
    "(and (is_inside cup_1 cabinet_10) (is_in_room cup_1 bedroom_1) (is_closed cabinet_10))",
    "(and (is_clean towel_0) (is_on_floor towel_0) (is_in_room towel_0 hallway_1))",
)
TURNS = 40


def told(goal: str) -> list[str]:
    """The goal as secrets: one sentence a literal."""
    return [tell(Must(literal), you="agent_0") for literal in physical(goal_of(goal))]


@for_each("mind", ["informed", "no_message", "level_k", "broadcast"])
@for_each("goal", GOALS)
def test_several_goals_for_one_place_are_reached_together(goal: str, mind: str) -> None:
    house = team.house(
        goal=goal, secrets={"agent_0": told(goal)}, initial_states={"towel_0": {"is_dirty": True}}
    )
    played = team.play(house, {seat: ROSTER[mind](house) for seat in house.agents}, TURNS)
    assert played.solved


def test_where_others_have_to_hand_the_thing_over_it_still_ends_as_wanted() -> None:
    goal = GOALS[0]
    house = team.house(
        team.barred("agent_0", "bedroom_1"),
        team.barred("agent_1", "kitchen_1"),
        goal=goal,
        secrets={
            "agent_0": [*told(goal), "You cannot enter bedroom_1."],
            "agent_1": ["cup_0 is inside cabinet_2.", "You cannot enter kitchen_1."],
        },
        agents=2,
    )
    played = team.play(house, {seat: ROSTER["informed"](house) for seat in house.agents}, TURNS)
    assert played.solved


def test_goals_that_exclude_one_another_keep_nobody_busy_for_ever() -> None:
    goal = "(and (is_on_floor bowl_0) (is_on_top bowl_0 table_5))"
    house = team.house(goal=goal, secrets={"agent_0": told(goal)})
    played = team.play(house, {seat: ROSTER["informed"](house) for seat in house.agents}, 200)
    assert not played.solved
    assert len(played.calls("agent_0")) < 100
