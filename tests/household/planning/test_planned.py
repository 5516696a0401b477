"""With the planner installed: every plan reaches its goal in the simulator, in no fewer turns than its bound says."""

from __future__ import annotations

import pytest

from otherminds.household.epistemic import fast_downward
from otherminds.household.epistemic.fast_downward import SearchResult, program
from otherminds.household.house import House
from otherminds.household.planning import planned as planning
from otherminds.household.planning.planned import failure, planned
from otherminds.household.scenes.load import load_scene, shipped_scenes
from otherminds.household.task import Binding
from otherminds.household.tasks.load import load_task, shipped_tasks
from tests.cases import for_each
from tests.household import drawn_tasks as drawn
from tests.household import small_house as small

installed = pytest.mark.skipif(
    program() is None, reason="needs Fast Downward: pip install 'otherminds[verify]'"
)


@installed
@pytest.mark.slow
@pytest.mark.parametrize("name", shipped_tasks())
def test_the_calibration_in_a_shipped_file_is_what_the_planner_proves(name: str) -> None:
    task = load_task(name)
    house = House(task, load_scene(task.scene_id))
    found = planned(house).calibration
    given = task.calibration
    assert found is not None
    assert given is not None
    assert (found.turns, found.least) == (given.turns, given.least)
    assert failure(house, found.plan) == ""


@installed
@for_each("scene", shipped_scenes()[::8])
def test_a_drawn_task_has_a_plan_or_none_and_never_a_wrong_one(scene: str) -> None:
    house = drawn.house(load_scene(scene), 1)
    found = planned(house, seconds=20)
    if found.calibration is None:
        assert found.why
        return
    assert failure(house, found.calibration.plan) == ""
    assert found.least == found.calibration.least <= found.calibration.turns == len(found.calibration.plan)


@installed
def test_a_counter_as_trigger_is_touched() -> None:
    binding = Binding(
        "remote_control", trigger_object="counter_0", target_object="cabinet_12", target_state="is_open"
    )
    found = planned(small.house(binding, agents=2, goal="(is_open cabinet_12)")).calibration
    assert found is not None
    assert found.plan == (("Open[counter_0]", "Wait[]"),)


@installed
def test_what_cannot_be_reached_is_proved_to_have_no_plan() -> None:
    everybody = Binding("room_restriction", restricted_rooms=("store_1",), for_agents=("agent_0", "agent_1"))
    found = planned(small.house(everybody, agents=2, goal="(is_open cabinet_12)"))
    assert (found.calibration, found.least) == (None, 0)
    assert found.why == "no plan reaches the goal, though all secrets are public"


def test_a_search_that_did_not_end_bounds_what_another_one_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bound of a search that ran out of time stays, and the plan is an upper bound."""
    steps = (
        "navigate agent_0 spawn:agent_0 kitchen_1 stand:cabinet_10 bedroom_1",
        "end of turn",
        "end of turn",
        "open_furniture agent_0 stand:cabinet_10 cabinet_10",
    )

    def solve(task: object, search: str, seconds: float) -> SearchResult:
        if search == planning.ANY:
            return SearchResult("plan", steps, 2)
        return SearchResult("unknown", least=1, why="out of time")

    monkeypatch.setattr(planning, "solve", solve)
    found = planned(small.house(agents=2, goal="(is_open cabinet_10)"))
    assert found.calibration is not None
    assert (found.calibration.turns, found.calibration.least, found.calibration.proved) == (2, 2, True)
    assert found.calibration.plan == (("Navigate[cabinet_10]", "Wait[]"), ("Open[cabinet_10]", "Wait[]"))


def test_without_any_plan_the_reason_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "solve", lambda *_: SearchResult("unknown", least=3, why="out of memory"))
    found = planned(small.house(agents=2, goal="(is_open cabinet_10)"))
    assert (found.calibration, found.least, found.why) == (None, 4, "out of memory")


def test_a_plan_that_the_simulator_refuses_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = ("open_furniture agent_0 spawn:agent_0 cabinet_10",)
    monkeypatch.setattr(planning, "solve", lambda *_: SearchResult("plan", steps, 0))
    found = planned(small.house(agents=2, goal="(is_open cabinet_10)"))
    assert (found.calibration, found.why) == (None, "the plans that were found fail in the simulator")


def test_a_goal_that_holds_at_the_start_needs_no_plan() -> None:
    found = planned(small.house(agents=2, goal="(is_closed cabinet_10)"))
    assert (found.calibration, found.why) == (None, "the goal holds at the start")


def test_the_planner_is_asked_for_by_name_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    from otherminds.core.errors import StudyError

    monkeypatch.setattr(fast_downward, "find_spec", lambda name: None)
    with pytest.raises(StudyError, match="pip install"):
        planned(small.house(agents=2, goal="(is_open cabinet_10)"))
