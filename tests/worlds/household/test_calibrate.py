"""The calibrator: one episode of the reference team that shares all secrets, and what it says of a task."""

from __future__ import annotations

import msgspec
import pytest

from otherminds.core.errors import StudyError
from otherminds.worlds.household.calibrate import (
    UNSOLVED,
    calibrated,
    others_secrets,
    played,
    trouble,
    turns_of,
)
from otherminds.worlds.household.house import House
from otherminds.worlds.household.reference.roster import ROSTER
from otherminds.worlds.household.scenes.load import load_scene
from otherminds.worlds.household.task import Calibration
from otherminds.worlds.household.tasks.load import load_task

TASK = load_task("nested_confirmation")
SCENE = load_scene(TASK.scene_id)


def test_the_reference_team_solves_it_and_is_asked_once() -> None:
    house = House(TASK, SCENE)
    first = calibrated(house)
    assert first.solved
    assert calibrated(house) is first
    assert calibrated(House(TASK, SCENE)) == first


def test_a_team_that_says_nothing_does_not() -> None:
    assert not calibrated(House(TASK, SCENE), "no_message", 20).solved


def test_the_turns_of_an_episode_are_twice_those_of_the_file_or_of_the_team() -> None:
    measured = calibrated(House(TASK, SCENE))
    bare = msgspec.structs.replace(TASK, calibration=None)
    assert turns_of(House(bare, SCENE)) == 2 * measured.turns
    other = msgspec.structs.replace(TASK, calibration=Calibration(measured.turns + 3, 0))
    assert turns_of(House(other, SCENE)) == 2 * (measured.turns + 3)


def test_what_the_team_fails_is_embodied_trouble_and_has_turns_all_the_same() -> None:
    nowhere = f"(agent_in_room agent_0 {SCENE.rooms[0]})"
    impossible = msgspec.structs.replace(TASK, problem_pddl=nowhere, agent_secrets={}, calibration=None)
    house = House(impossible, SCENE)
    assert not calibrated(house).solved
    assert turns_of(house) == UNSOLVED
    assert [fault.place for fault in trouble(house)] == ["problem_pddl"]
    assert "embodied trouble" in trouble(house)[0].text


def test_a_calibration_that_is_no_longer_so_is_said() -> None:
    measured = calibrated(House(TASK, SCENE))
    assert trouble(House(TASK, SCENE)) == []
    stale = House(msgspec.structs.replace(TASK, calibration=Calibration(measured.turns + 1, 2)), SCENE)
    assert "write that" in trouble(stale)[0].text


def test_an_unknown_mind_is_refused() -> None:
    with pytest.raises(StudyError, match="no reference mind is called 'oracle'"):
        calibrated(House(TASK, SCENE), "oracle")


def test_the_grant_is_the_others_secrets_with_their_owners() -> None:
    given = others_secrets(House(TASK, SCENE), "agent_0")
    assert given == tuple(f"agent_1 was told: {secret}" for secret in TASK.agent_secrets["agent_1"])


def test_an_episode_never_has_more_turns_than_it_may() -> None:
    house = House(TASK, SCENE)
    record = played(house, {seat: ROSTER["random"](house) for seat in house.agents}, 7)
    assert len(record.actions) <= 7
    assert set(record.facts["task"]) >= {"id", "goal"}
