"""The shortest plan by parts of the goal: equal to the plan for the whole goal, and given up quickly if asked for."""

from __future__ import annotations

import pytest
from msgspec import structs

from otherminds.household.epistemic.fast_downward import SearchResult, program
from otherminds.household.house import House
from otherminds.household.planning import planned as planning
from otherminds.household.planning.planned import QUICK, failure, planned
from otherminds.household.scenes.load import load_scene
from otherminds.household.task import Binding
from otherminds.household.tasks.load import load_task, shipped_tasks
from tests.cases import for_each
from tests.household import small_house as small

installed = pytest.mark.skipif(
    program() is None, reason="needs Fast Downward: pip install 'otherminds[verify]'"
)
APART = (
    Binding("room_restriction", restricted_rooms=("study_1",), for_agents=("agent_0",)),
    Binding("room_restriction", restricted_rooms=("bedroom_1", "store_1"), for_agents=("agent_1",)),
)
"""Agent 0 alone enters the bedroom, and agent 1 the study."""
TWO = "(and (is_open cabinet_10) (is_open cabinet_6))"
PARTS = {
    "cabinet_confirmation": 2,
    "inspection_staging": 1,
    "nested_confirmation": 2,
    "one_shot_relay": 3,
    "relay_inspection": 1,
    "safety_staging": 1,
    "silent_inspection": 3,
    "staging_fridge_verification": 2,
}
"""Parts of the goal for which the quick plans of included tasks are joined."""


def apart(goal: str = TWO) -> House:
    return small.house(*APART, agents=2, goal=goal)


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """The quick search without its limit of half a second, which a busy machine exceeds."""
    monkeypatch.setattr(planning, "QUICK", {"astar(cpdbs(systematic(2)))": 60.0})


def quick(name: str) -> planning.CalibrationResult:
    task = load_task(name)
    return planned(House(task, load_scene(task.scene_id)), 60, quick=True)


def of_parts(found: planning.CalibrationResult) -> int:
    """The number of parts that the plan was joined of; 1 for a plan for the whole goal."""
    assert found.calibration is not None
    _, parts, count = found.calibration.found.partition(", for ")
    return int(count.split()[0]) if parts else 1


@installed
def test_parts_of_different_agents_are_planned_for_apart() -> None:
    house = apart()
    found = planned(house)
    assert of_parts(found) == 2
    assert found.calibration is not None
    assert found.calibration.proved
    assert failure(house, found.calibration.plan) == ""
    assert found.calibration.turns == found.least == planning._whole(house, 60, False).least  # pyright: ignore[reportPrivateUsage]


@installed
def test_a_plan_by_parts_is_as_long_as_its_longest_part() -> None:
    far, near = (planned(apart(goal)).least for goal in ("(is_open cabinet_10)", "(is_open cabinet_6)"))
    assert planned(apart()).least == max(far, near)
    assert far != near


@installed
def test_parts_of_one_agent_are_planned_for_together() -> None:
    """Agent 1 waits in a room of its own; the other one has to open both."""
    shut = Binding("room_restriction", restricted_rooms=("kitchen_1", "hallway_1"), for_agents=("agent_1",))
    house = small.house(shut, agents=2, goal="(and (is_open cabinet_10) (is_open cabinet_12))")
    found = planned(house)
    assert of_parts(found) == 1
    assert found.calibration is not None
    assert failure(house, found.calibration.plan) == ""
    alone = planned(small.house(shut, agents=2, goal="(is_open cabinet_12)")).least
    assert found.least > alone


@installed
def test_parts_that_share_an_agent_are_joined_and_others_stay_apart() -> None:
    """Agent 0 opens two cabinets, and agent 1 one."""
    house = apart("(and (is_open cabinet_10) (is_open cabinet_12) (is_open cabinet_6))")
    found = planned(house)
    assert of_parts(found) == 2
    assert found.calibration is not None
    assert failure(house, found.calibration.plan) == ""
    together = planned(apart("(and (is_open cabinet_10) (is_open cabinet_12))"))
    assert found.least == found.calibration.turns == together.least


@installed
def test_a_part_that_holds_at_the_start_is_left_out_and_kept() -> None:
    house = apart("(and (is_open cabinet_10) (is_closed cabinet_6))")
    found = planned(house)
    assert found.calibration is not None
    assert failure(house, found.calibration.plan) == ""
    assert {call for turn in found.calibration.plan for call in turn[1:]} == {"Wait[]"}


@installed
def test_in_a_plan_by_parts_agents_without_a_part_wait() -> None:
    house = small.house(*APART, agents=3, goal=TWO)
    found = planned(house).calibration
    assert found is not None
    assert all(len(turn) == 3 for turn in found.plan)
    busy = {k for turn in found.plan for k, call in enumerate(turn) if call != "Wait[]"}
    assert 1 <= len(busy) <= 2


@installed
@pytest.mark.usefixtures("unhurried")
@for_each("name", PARTS)
def test_the_quick_plan_of_an_included_task_is_as_short_as_its_calibration(name: str) -> None:
    """The calibrations of these tasks were proved shortest by searches for the whole goal."""
    found, task = quick(name), load_task(name)
    given = task.calibration
    assert given is not None
    assert given.proved
    assert found.calibration is not None
    assert (found.calibration.turns, found.least) == (given.turns, given.turns)
    assert failure(House(task, load_scene(task.scene_id)), found.calibration.plan) == ""
    assert of_parts(found) == PARTS[name]


@installed
@pytest.mark.slow
@for_each("name", shipped_tasks())
def test_by_parts_and_as_a_whole_the_shortest_plans_are_equally_long(name: str) -> None:
    task = load_task(name)
    house = House(task, load_scene(task.scene_id))
    found, whole = planned(house), planning._whole(house, 60, False)  # pyright: ignore[reportPrivateUsage]
    assert found.calibration is not None
    assert whole.calibration is not None
    assert found.calibration.proved
    assert whole.calibration.proved
    assert found.calibration.turns == whole.calibration.turns


@installed
@pytest.mark.usefixtures("unhurried")
def test_a_quick_search_gives_up_a_plan_that_the_simulator_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "solo_plan", lambda *_: None)
    found = quick("staging_fridge_verification")
    assert (found.calibration, found.why) == (None, "the plans that were found fail in the simulator")


@for_each(("fast", "searches"), [(True, set(QUICK)), (False, {*planning.SHORTEST, planning.ANY})], ids=str)
def test_a_quick_plan_takes_one_search_and_gives_its_reason(fast: bool, searches: set[str]) -> None:
    asked: list[str] = []

    def solve(task: object, search: str, seconds: float) -> SearchResult:
        assert seconds <= (1.0 if fast else 60.0)
        asked.append(search)
        return SearchResult("unknown", least=1, why="out of time")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(planning, "solve", solve)
        patch.setattr(planning, "solo_plan", lambda *_: None)
        found = planned(apart(), 1.0 if fast else 60.0, quick=fast)
    assert (found.calibration, found.why) == (None, "out of time")
    assert set(asked) == searches
    assert (len(asked) == 1) == fast


def test_plans_of_parts_that_do_not_fit_together_are_replaced_by_one_for_the_whole_goal() -> None:
    """The plan that is said to open both cabinets for a part opens neither, so that the goal is planned for as a whole."""
    tried: list[str] = []
    whole = planning._whole  # pyright: ignore[reportPrivateUsage]

    def claimed(house: House, seconds: float, fast: bool) -> planning.CalibrationResult:
        tried.append(house.task.problem_pddl)
        found = whole(house, seconds, fast)
        if len(tried) > 2 or found.calibration is None:
            return found
        return structs.replace(
            found, calibration=structs.replace(found.calibration, plan=(("Wait[]", "Wait[]"),))
        )

    if program() is None:
        pytest.skip("needs the planner")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(planning, "_whole", claimed)
        patch.setattr(planning, "solo_plan", lambda *_: None)
        found = planned(apart())
    assert len(tried) == 3
    assert tried[-1] == TWO
    assert of_parts(found) == 1
    assert found.calibration is not None
    assert failure(apart(), found.calibration.plan) == ""
