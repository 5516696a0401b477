"""Every task is a scenario that keeps what every scenario keeps; its references of F are exact."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from otherminds.core.errors import StudyError, TaskError
from otherminds.core.scenario import Scenario, scenario, scenarios
from otherminds.household.calibrate import UNCALIBRATED
from otherminds.household.scenarios import ANY, named
from otherminds.household.scenes.load import load_scene
from otherminds.household.tasks.load import load_task, shipped_tasks
from otherminds.testing import ScenarioConformance

TASK = "nested_confirmation"


class TestTwoAgents(ScenarioConformance):
    def make_scenario(self) -> Scenario:
        return scenario(named(TASK), {"turns": 6})


class TestFourAgentsOfOnesOwnTask(ScenarioConformance):
    """Given whole, as a user's own task is."""

    seeds = (0, 1)

    def make_scenario(self) -> Scenario:
        return scenario(ANY, {"task": whole("silent_inspection"), "turns": 4})

    def test_same_in_another_process(self) -> None:
        pytest.skip("shown once for all tasks, with two agents")


def whole(task_id: str) -> dict[str, Any]:
    return msgspec.to_builtins(load_task(task_id))


def test_every_shipped_task_is_a_scenario() -> None:
    assert {named(task_id) for task_id in shipped_tasks()} <= set(scenarios)


@pytest.mark.parametrize("task_id", shipped_tasks())
def test_the_references_lie_a_whole_success_apart(task_id: str) -> None:
    built = scenario(named(task_id), {})
    assert built.bounds is not None
    bounds = built.bounds({})
    assert (bounds.informed, bounds.blind) == (1.0, 0.0)


def test_a_task_without_calibration_has_turns_all_the_same_and_says_so() -> None:
    task = whole(TASK)
    del task["calibration"]
    built = scenario(ANY, {"task": task})
    world = built.world()
    world.reset(0)
    assert world.brief("agent_0").horizon == UNCALIBRATED
    assert "not calibrated: no plan" in built.caution
    assert built.bounds is not None
    assert built.bounds({}).reason.startswith("not calibrated: ")


def test_an_imported_task_is_played_and_called_unverified() -> None:
    task = whole(TASK)
    del task["agent_knows"]
    task["agent_secrets"] = {"agent_0": ["Somebody wants the remote control on counter_20."]}
    built = scenario(ANY, {"task": task})
    assert "unverified: what agents are told" in built.caution
    assert "unverified" not in scenario(named(TASK), {}).caution
    assert "not calibrated" not in scenario(named(TASK), {}).caution


def test_a_scene_of_ones_own_is_used() -> None:
    scene = msgspec.to_builtins(load_scene(load_task(TASK).scene_id))
    task = {**whole(TASK), "scene_id": "my_flat"}
    mine = {**scene, "scene_id": "my_flat"}
    assert scenario(ANY, {"task": task, "scene": mine}).world().possible_agents == ["agent_0", "agent_1"]
    with pytest.raises(TaskError, match="my_flat"):
        scenario(ANY, {"task": task})


@pytest.mark.parametrize("turns", [0, -1, True, "six"])
def test_turns_are_a_number(turns: object) -> None:
    with pytest.raises(StudyError, match="turns must be a whole number of at least 1"):
        scenario(named(TASK), {"turns": turns})
