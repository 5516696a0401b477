"""What a task is measured against: its plan, replayed; the turns that follow from it; and the team that says nothing."""

from __future__ import annotations

import msgspec
import pytest

from otherminds.core.record import Record
from otherminds.household import calibrate
from otherminds.household.calibrate import (
    UNCALIBRATED,
    calibration_faults,
    describe_calibration,
    others_secrets,
    played,
    references,
    silent_solves,
    turns_of,
)
from otherminds.household.house import House
from otherminds.household.reference.roster import ROSTER
from otherminds.household.scenes.load import load_scene
from otherminds.household.task import Calibration, Task
from otherminds.household.tasks.load import load_task

TASK = load_task("nested_confirmation")
SCENE = load_scene(TASK.scene_id)
GIVEN = TASK.calibration
assert GIVEN is not None


def changed(**fields: object) -> House:
    return House(msgspec.structs.replace(TASK, **fields), SCENE)


def informed(house: House) -> Record:
    return played(house, {seat: ROSTER["informed"](house) for seat in house.agents}, 40)


def test_a_team_always_does_the_same() -> None:
    first = informed(House(TASK, SCENE))
    assert first.facts["solved"]
    assert (informed(House(TASK, SCENE)).actions, informed(House(TASK, SCENE)).facts) == (
        first.actions,
        first.facts,
    )


def test_the_silent_team_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    house = House(TASK, SCENE)
    assert not silent_solves(house, 20)
    monkeypatch.delattr(calibrate, "played")
    assert not silent_solves(house, 20)


def test_an_episode_has_twice_the_turns_of_the_plan() -> None:
    assert turns_of(House(TASK, SCENE)) == 2 * GIVEN.turns


def test_a_task_without_a_plan_is_not_calibrated_and_nothing_is_claimed_of_it() -> None:
    house = changed(calibration=None)
    assert turns_of(house) == UNCALIBRATED
    assert calibration_faults(house) == []
    text = describe_calibration(house.task)
    assert text.startswith("not calibrated: ")
    assert references(house, UNCALIBRATED).informed is references(house, UNCALIBRATED).blind is None
    for words in (text, references(house, UNCALIBRATED).reason):
        assert "embodied trouble" not in words
        assert "functional theory of mind" not in words


def test_secrets_in_free_words_are_no_fault_of_the_task() -> None:
    free = {
        seat: tuple(f"Somebody said: {text}" for text in told) for seat, told in TASK.agent_secrets.items()
    }
    house = changed(agent_secrets=free, agent_knows={})
    assert not informed(house).facts["solved"]
    assert calibration_faults(house) == []
    assert references(house, turns_of(house)).informed == 1.0


def test_the_references_are_the_plans_value_and_that_of_the_silent_team() -> None:
    house = House(TASK, SCENE)
    bounds = references(house, turns_of(house))
    assert (bounds.informed, bounds.blind) == (1.0, 0.0)
    assert "planner" in bounds.reference
    assert "no_message" in bounds.reference


def test_fewer_turns_than_the_plan_takes_leave_no_reference() -> None:
    bounds = references(House(TASK, SCENE), GIVEN.turns - 1)
    assert bounds.informed is None
    assert str(GIVEN.turns) in bounds.reason


def test_a_plan_that_no_longer_reaches_the_goal_is_a_fault_and_no_reference() -> None:
    stale = msgspec.structs.replace(GIVEN, plan=(*GIVEN.plan[:-1], ("Wait[]",) * TASK.num_agents))
    house = changed(calibration=stale)
    (fault,) = calibration_faults(house)
    assert fault.place == "calibration.plan"
    assert "the goal does not hold" in fault.text
    assert references(house, 40).informed is None
    assert calibration_faults(House(TASK, SCENE)) == []


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (Calibration(4, 4, ()), "calibrated: T* = 4 (proved), 8 turns an episode"),
        (
            Calibration(6, 5, ()),
            "calibrated: T* <= 6 (an upper bound; no plan takes fewer than 5), 12 turns an episode",
        ),
    ],
)
def test_it_is_said_whether_a_plan_is_proved_shortest(given: Calibration, words: str) -> None:
    task: Task = msgspec.structs.replace(TASK, calibration=given)
    assert describe_calibration(task) == words


def test_the_grant_is_the_others_secrets_with_their_owners() -> None:
    given = others_secrets(House(TASK, SCENE), "agent_0")
    assert given == tuple(f"agent_1 was told: {secret}" for secret in TASK.agent_secrets["agent_1"])


def test_an_episode_never_has_more_turns_than_it_may() -> None:
    house = House(TASK, SCENE)
    record = played(house, {seat: ROSTER["random"](house) for seat in house.agents}, 7)
    assert len(record.actions) <= 7
    assert set(record.facts["task"]) >= {"id", "goal"}
