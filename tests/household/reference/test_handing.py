"""Handing over: one may not go where a thing must end, another not where it is."""

import pytest

from otherminds.household.reference.mind import LATE, LEVELS, Housemate, LevelThree, LevelTwo
from otherminds.household.task import Binding
from tests.household.reference import team

BARS = (team.barred("agent_0", "study_1"), team.barred("agent_1", "kitchen_1"))
TOLD = {"agent_0": ["You cannot enter study_1."], "agent_1": ["You cannot enter kitchen_1."]}
GOAL = "(is_on_top bowl_0 table_5)"


def secrets(**more: list[str]) -> dict[str, list[str]]:
    return {seat: [*TOLD[seat], *more.get(seat, [])] for seat in TOLD}


def test_who_has_a_thing_in_reach_and_the_goal_brings_it_where_the_other_can_take_it() -> None:
    told = secrets(agent_0=["bowl_0 must end on table_5.", "agent_1 cannot enter kitchen_1."])
    house = team.house(*BARS, goal=GOAL, secrets=told, agents=2)
    played = team.play(house, {"agent_0": LevelTwo(), "agent_1": LevelTwo()}, 30)
    assert played.solved
    assert "Place[bowl_0, on, floor_hallway_1]" in played.calls("agent_0")
    assert "Place[bowl_0, on, table_5]" in played.calls("agent_1")


def test_who_has_the_goal_asks_for_a_thing_that_it_cannot_fetch_and_waits_where_it_will_be() -> None:
    told = secrets(agent_1=["bowl_0 must end on table_5.", "bowl_0 is on counter_0."])
    house = team.house(*BARS, goal=GOAL, secrets=told, agents=2)
    played = team.play(house, {"agent_0": LevelThree(), "agent_1": LevelThree()}, 30)
    asked = ("agent_1", "agent_0", "agent_0, please see to it that bowl_0 ends in hallway_1.")
    assert asked in played.said
    assert "Navigate[hallway_1]" in played.calls("agent_1")
    assert played.solved


def test_without_knowing_whether_others_can_fetch_it_one_waits_before_one_meddles() -> None:
    bars = (team.barred("agent_0", "store_1"), team.barred("agent_1", "kitchen_1"))
    told = {"agent_0": ["You cannot enter store_1.", "bowl_0 must end on cabinet_12."]}
    house = team.house(*bars, goal="(is_on_top bowl_0 cabinet_12)", secrets=told, agents=2)
    played = team.play(house, {"agent_0": LevelTwo(), "agent_1": Housemate()}, 40)
    told_at, moved_at = (
        next(e.turn for e in played.world.log if e.seat == "agent_0" and e.call.startswith(tool))
        for tool in ("Communicate", "Navigate[counter_0]")
    )
    assert moved_at - told_at > LATE
    assert "Place[bowl_0, on, floor_bedroom_1]" in played.calls("agent_0")


def test_a_thing_is_never_carried_to_and_fro() -> None:
    told = {
        "agent_0": ["bowl_0 must end on bed_9.", "You cannot enter bedroom_1."],
        "agent_1": ["bowl_0 must end on bed_9.", "You cannot enter bedroom_1."],
    }
    bars = (team.barred("agent_0", "bedroom_1"), team.barred("agent_1", "bedroom_1"))
    mute = Binding("restricted_communication", allowed_targets={"agent_0": (), "agent_1": ()})
    house = team.house(*bars, mute, goal="(is_on_top bowl_0 bed_9)", secrets=told, agents=2)
    played = team.play(house, {f"agent_{i}": LevelTwo() for i in range(2)}, 60)
    places = [e.call for e in played.world.log if e.call.startswith("Place") and e.ok]
    assert places == ["Place[bowl_0, on, floor_hallway_1]"]


@pytest.mark.parametrize("k", [0, 1])
def test_below_level_2_nobody_thinks_of_where_others_may_go(k: int) -> None:
    told = secrets(agent_0=["bowl_0 must end on table_5.", "agent_1 cannot enter kitchen_1."])
    house = team.house(*BARS, goal=GOAL, secrets=told, agents=2)
    played = team.play(house, {seat: LEVELS[k]() for seat in house.agents}, 30)
    assert not any(call.startswith("Pick") for call in played.calls("agent_0"))
