"""The floor plan: who can come where, and what can be done with furniture."""

from otherminds.household.reference.picture import FloorPlan
from tests.household.reference import team

PLAN = FloorPlan(team.plan())


def test_rooms_are_as_far_as_doors_are_many() -> None:
    hops = PLAN.hops("kitchen_1")
    assert hops == {"kitchen_1": 0, "hallway_1": 1, "study_1": 1, "bedroom_1": 2, "store_1": 3}


def test_a_barred_room_is_neither_entered_nor_crossed() -> None:
    assert set(PLAN.hops("kitchen_1", frozenset({"hallway_1"}))) == {"kitchen_1", "study_1"}


def test_somebody_is_thought_to_be_where_most_rooms_hang_together() -> None:
    assert PLAN.free(frozenset({"hallway_1"})) == {"kitchen_1", "study_1"}
    assert PLAN.free(frozenset()) == set(PLAN.rooms)
    assert PLAN.free(frozenset(PLAN.rooms)) == frozenset()


def test_what_a_hand_can_turn() -> None:
    assert PLAN.turns("fridge_3", "is_closed")
    assert not PLAN.turns("fridge_3", "is_powered_on")
    assert PLAN.turns("stove_4", "is_powered_off")
    assert not PLAN.turns("cabinet_99", "is_open")
    assert PLAN.all_that("faucet") == ("sink_1",)
    assert PLAN.room_of["floor_store_1"] == "store_1"
