"""Tasks are found by name, by file and in folders, and given as data with a scene of one's own."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from otherminds.core.errors import TaskError
from otherminds.worlds.household.scenes.load import load_scene
from otherminds.worlds.household.scenes.load import of_data as scene_of_data
from otherminds.worlds.household.tasks.load import (
    examined,
    house_of,
    load_task,
    of_data,
    read_json,
    shipped_tasks,
    tasks_in,
)

NAME = "one_shot_relay"


def test_a_shipped_task_is_found_by_its_name_and_a_file_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(read_json(NAME)))
    assert load_task(NAME) == load_task(path)
    assert load_task(NAME).task_id == NAME


@pytest.mark.parametrize("name", ["one_shot_rely", "../tasks/one_shot_relay", "", "nowhere.json"])
def test_a_name_of_no_task_is_refused_with_the_names_that_there_are(name: str) -> None:
    with pytest.raises(TaskError, match=f"neither a shipped task nor a file.*{NAME}"):
        load_task(name)


def test_what_is_not_json_is_said_to_be_none(tmp_path: Path) -> None:
    path = tmp_path / "broken.json"
    path.write_text('{"task_id": ')
    with pytest.raises(TaskError, match="not JSON"):
        load_task(path)


def test_a_folder_gives_its_files_in_order(tmp_path: Path) -> None:
    for name in ("b.json", "a.json", "deep/c.json", "notes.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("{}")
    assert [path.name for path in tasks_in(tmp_path)] == ["a.json", "b.json", "c.json"]
    assert tasks_in(tmp_path / "b.json") == [tmp_path / "b.json"]


@pytest.mark.parametrize("name", ["", "gone"])
def test_a_path_without_task_files_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(TaskError, match="no task file there"):
        tasks_in(tmp_path / name)


def test_a_scene_of_ones_own_counts_instead_of_the_shipped_one() -> None:
    data = read_json(NAME)
    assert isinstance(data, dict)
    scene = msgspec.to_builtins(load_scene(data["scene_id"])) | {"scene_id": "my_house"}
    data["scene_id"] = "my_house"
    _, account = examined(data)
    assert account.missing
    assert of_data(data, "options.task", scene_of_data(scene, "options.scene")).scene_id == "my_house"
    data["problem_pddl"] = "(is_open wardrobe_999)"
    with pytest.raises(TaskError, match=r"options\.task: .*no furniture 'wardrobe_999' in scene my_house"):
        of_data(data, "options.task", scene_of_data(scene, "options.scene"))


def test_scene_data_is_checked_as_a_file_is() -> None:
    with pytest.raises(TaskError, match=r"options\.scene: not a scene"):
        scene_of_data({"scene_id": "x"}, "options.scene")


def test_a_house_comes_only_of_a_sound_task_in_a_scene_that_is_here(tmp_path: Path) -> None:
    house, account = house_of(NAME)
    assert house is not None
    assert house.task.task_id == NAME
    assert account.faults == ()
    data = read_json(NAME)
    assert isinstance(data, dict)
    path = tmp_path / "far.json"
    path.write_text(json.dumps(data | {"scene_id": "far"}))
    assert house_of(path)[0] is None
    path.write_text(json.dumps(data | {"num_agents": 1}))
    assert house_of(path)[0] is None


def test_the_list_of_shipped_tasks_is_sorted_and_whole() -> None:
    assert shipped_tasks() == tuple(sorted(shipped_tasks()))
    assert len(shipped_tasks()) == 12
