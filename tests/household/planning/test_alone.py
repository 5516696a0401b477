"""Plans of one agent alone: as short as the planner's, carried out by the simulator, and none where others may take part."""

from __future__ import annotations

import pytest
from msgspec import structs

from otherminds.household.epistemic.fast_downward import program
from otherminds.household.epistemic.formula import And, physical, show
from otherminds.household.house import House
from otherminds.household.planning import planned as planning
from otherminds.household.planning.planned import failure, planned, solo_plan
from otherminds.household.pool.store import load_split
from otherminds.household.scenes.load import load_scene
from otherminds.household.task import Binding
from tests.cases import for_each
from tests.household import small_house as small

installed = pytest.mark.skipif(
    program() is None, reason="needs Fast Downward: pip install 'otherminds[verify]'"
)
APART = (
    Binding("room_restriction", restricted_rooms=("study_1",), for_agents=("agent_0",)),
    Binding("room_restriction", restricted_rooms=("kitchen_1", "store_1"), for_agents=("agent_1",)),
)
"""Agent 0 alone enters the kitchen and the store, and agent 1 the study."""
CLOSED = Binding(
    "room_restriction", restricted_rooms=("bedroom_1", "store_1"), for_agents=("agent_0", "agent_1")
)
"""Nobody enters the bedroom or the store."""


def house(goal: str, *bindings: Binding) -> House:
    return small.house(*APART, *bindings, agents=2, goal=goal)


def calls(made: House) -> tuple[str, ...] | None:
    found = solo_plan(made, physical(made.goal))
    return None if found is None else found.calls


def carried_out(made: House) -> bool:
    """Whether the simulator reaches the goal by the calls, in which the other agent waits."""
    found = solo_plan(made, physical(made.goal))
    assert found is not None
    return not failure(
        made, [["Wait[]"] * found.agent + [call] + ["Wait[]"] * (1 - found.agent) for call in found.calls]
    )


@installed
@for_each(
    "goal",
    [
        "(is_open cabinet_2)",
        "(and (is_open cabinet_2) (is_open fridge_3))",
        "(is_on_top bowl_0 sink_1)",
        "(is_inside bowl_0 fridge_3)",
        "(and (is_inside bowl_0 fridge_3) (is_closed fridge_3))",
        "(and (is_on_top bowl_0 sink_1) (is_open oven_17) (is_closed cabinet_2))",
        "(is_open cabinet_6)",
    ],
)
def test_they_are_as_short_as_those_of_the_planner(goal: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = house(goal)
    found = calls(made)
    assert found is not None
    assert carried_out(made)
    monkeypatch.setattr(planning, "solo_plan", lambda *_: None)
    best = planned(made).calibration
    assert best is not None
    assert best.proved
    assert best.turns == len(found)


@installed
def test_the_shortest_plans_of_included_tasks_have_the_turns_that_the_planner_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tasks = [pooled.task for pooled in load_split("hard").values()][:12]
    houses = [House(structs.replace(task, calibration=None), load_scene(task.scene_id)) for task in tasks]
    found = [planned(one, quick=True).calibration for one in houses]
    monkeypatch.setattr(planning, "solo_plan", lambda *_: None)
    checked = 0
    for one, best in zip(houses, found, strict=True):
        other = planned(one, 5, quick=True).calibration
        if best and other:
            assert (best.turns, best.proved) == (other.turns, other.proved)
            checked += best.found != other.found
    assert checked > 2


@for_each(
    "goal",
    [
        "(is_open cabinet_10)",
        "(is_on_top bowl_0 table_5)",
        "(and (is_open cabinet_2) (is_open cabinet_6))",
        "(is_powered_on stove_4)",
        "(not (is_on_top bowl_0 counter_0))",
        "(is_in_room bowl_0 kitchen_1)",
    ],
)
def test_there_is_none_where_others_can_take_part_or_for_other_predicates(goal: str) -> None:
    assert calls(house(goal)) is None


def test_there_is_none_if_a_mechanic_binds_what_is_acted_on() -> None:
    for mechanic in (
        Binding("inverse_state", trigger_object="cabinet_2"),
        Binding("state_mirroring", trigger_object="cabinet_2", target_object="cabinet_6"),
        Binding("remote_control", trigger_object="cabinet_6", target_object="cabinet_2", target_state="open"),
    ):
        assert calls(house("(is_open cabinet_2)", mechanic)) is None


@for_each(
    "mechanic",
    [
        Binding(
            "remote_control", trigger_object="cabinet_2", target_object="cabinet_10", target_state="open"
        ),
        Binding("state_mirroring", trigger_object="cabinet_2", target_object="cabinet_10"),
    ],
)
def test_what_nobody_can_reach_is_opened_by_its_trigger(mechanic: Binding) -> None:
    made = house("(is_open cabinet_10)", mechanic, CLOSED)
    assert calls(made) == ("Open[cabinet_2]",)
    assert carried_out(made)


def test_a_trigger_that_closes_its_target_does_not_open_it() -> None:
    closes = Binding(
        "remote_control", trigger_object="cabinet_2", target_object="cabinet_10", target_state="closed"
    )
    assert calls(house("(is_open cabinet_10)", closes, CLOSED)) is None


def test_a_goal_that_holds_takes_no_calls() -> None:
    made = house(show(And(physical(house("(and (is_closed cabinet_2) (is_closed fridge_3))").goal))))
    assert calls(made) == ()
