"""Tasks are found by name, by file and in folders, and given as data with a scene of one's own."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from types import FrameType

import msgspec
import pytest

from otherminds.core.errors import TaskError
from otherminds.household.scenarios import ANY
from otherminds.household.scenes.load import load_scene
from otherminds.household.scenes.load import of_data as scene_of_data
from otherminds.household.study_source import HouseholdTasks
from otherminds.household.task import Task
from otherminds.household.tasks.load import (
    load_task,
    loaded,
    of_data,
    read_json,
    shipped_tasks,
    tasks_in,
)
from tests.cases import for_each
from tests.household.tasks.examining import examined

NAME = "one_shot_relay"
TASKS = HouseholdTasks()


def test_a_shipped_task_is_found_by_its_name_and_a_file_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(read_json(NAME)))
    assert load_task(NAME) == load_task(path)
    assert load_task(NAME).task_id == NAME


@for_each("name", ["one_shot_rely", "../tasks/one_shot_relay", "", "nowhere.json"])
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


def own_scene(folder: Path, *, packed: bool = False, name: str = "my_house") -> Path:
    """A task in a scene of its own that lies beside it; the file of the task."""
    data = read_json(NAME)
    assert isinstance(data, dict)
    scene = msgspec.to_builtins(load_scene(data["scene_id"])) | {"scene_id": name}
    body = json.dumps(scene).encode()
    (folder / f"{name}.json{'.gz' if packed else ''}").write_bytes(gzip.compress(body) if packed else body)
    path = folder / "t.json"
    path.write_text(json.dumps(data | {"scene_id": name}))
    return path


@pytest.mark.parametrize("packed", [False, True])
def test_a_scene_beside_its_task_is_no_task_and_is_its_scene(tmp_path: Path, packed: bool) -> None:
    path = own_scene(tmp_path, packed=packed)
    assert tasks_in(tmp_path) == [path]
    found = loaded(path)
    house, account = found.house(), found.account
    assert (account.faults, account.missing) == ((), ())
    assert house is not None
    assert house.scene.scene_id == "my_house"
    assert load_task(path).scene_id == "my_house"
    assert TASKS.scenarios_of(tmp_path) == TASKS.scenarios_of(path)
    ((task_id, scenario, options),) = TASKS.scenarios_of(path)
    assert (task_id, scenario, options["scene"]["scene_id"]) == (NAME, ANY, "my_house")


def test_a_task_is_checked_in_the_scene_beside_it(tmp_path: Path) -> None:
    path = own_scene(tmp_path)
    path.write_text(
        path.read_text().replace('"problem_pddl": "', '"problem_pddl": "(is_open wardrobe_999)", "_": "')
    )
    with pytest.raises(TaskError, match="no furniture 'wardrobe_999' in scene my_house"):
        load_task(path)
    with pytest.raises(TaskError, match="no furniture 'wardrobe_999' in scene my_house"):
        TASKS.scenarios_of(path)


def test_a_faulty_scene_beside_a_task_is_named(tmp_path: Path) -> None:
    path = own_scene(tmp_path)
    (tmp_path / "my_house.json").write_text('{"geometry": 3}')
    with pytest.raises(TaskError, match=r"my_house\.json: not a scene"):
        loaded(path)


def test_a_scene_graph_beside_a_task_gives_names_and_is_no_task(tmp_path: Path) -> None:
    path = own_scene(tmp_path)
    scene = json.loads((tmp_path / "my_house.json").read_text())
    graph = {name: value for name, value in scene.items() if name not in ("geometry", "tables")}
    (tmp_path / "my_house.json").write_text(json.dumps(graph))
    assert tasks_in(tmp_path) == [path]
    found = loaded(path)
    house, account = found.house(), found.account
    assert (house, account.faults) == (None, ())
    assert account.missing[0].startswith("scene graph my_house has names and no geometry")
    with pytest.raises(TaskError, match="cannot be played: scene graph my_house"):
        TASKS.scenarios_of(path)


def test_a_folder_of_scenes_alone_has_no_task_and_a_scene_is_none(tmp_path: Path) -> None:
    own_scene(tmp_path).unlink()
    with pytest.raises(TaskError, match="no task file there"):
        tasks_in(tmp_path)
    with pytest.raises(TaskError, match=r"my_house\.json: a scene, and no task"):
        tasks_in(tmp_path / "my_house.json")


@pytest.mark.parametrize("scene_id", ["t", "../my_house", "x" * 5000, "a\0b", "", ".."])
def test_a_scene_that_has_no_file_of_its_own_is_missing(tmp_path: Path, scene_id: str) -> None:
    (tmp_path / "deep").mkdir()
    own_scene(tmp_path)
    path = tmp_path / "deep" / "t.json"
    data = read_json(NAME)
    assert isinstance(data, dict)
    path.write_text(json.dumps(data | {"scene_id": scene_id}))
    found = loaded(path)
    house, account = found.house(), found.account
    assert house is None
    assert "is missing, neither shipped nor beside the task" in account.missing[0]


@pytest.mark.parametrize("text", [b'{"task": "\xff"}', b"[" * 100_000, b"", b"\x1f\x8b"])
def test_bytes_that_are_no_json_are_refused_and_hold_no_scene(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "t.json"
    path.write_bytes(text)
    assert tasks_in(tmp_path) == [path]
    with pytest.raises(TaskError, match=r"t\.json: (not JSON|line 1, column 65: nested)"):
        load_task(path)


def test_scene_data_is_checked_as_a_file_is() -> None:
    with pytest.raises(TaskError, match=r"options\.scene: not a scene"):
        scene_of_data({"scene_id": "x"}, "options.scene")


def test_a_house_comes_only_of_a_sound_task_in_a_scene_that_is_here(tmp_path: Path) -> None:
    found = loaded(NAME)
    house, account = found.house(), found.account
    assert house is not None
    assert house.task.task_id == NAME
    assert account.faults == ()
    data = read_json(NAME)
    assert isinstance(data, dict)
    path = tmp_path / "far.json"
    path.write_text(json.dumps(data | {"scene_id": "far"}))
    assert loaded(path).house() is None
    path.write_text(json.dumps(data | {"num_agents": 1}))
    assert loaded(path).house() is None


def test_the_list_of_shipped_tasks_is_sorted_and_whole() -> None:
    assert shipped_tasks() == tuple(sorted(shipped_tasks()))
    assert len(shipped_tasks()) == 12


def test_a_task_file_is_handed_through_few_modules_and_never_back_and_forth() -> None:
    loaded(NAME)
    visited: list[str] = []

    def follow(frame: FrameType, event: str, _: object) -> None:
        module = frame.f_globals.get("__name__", "")
        if event == "call" and module.startswith("otherminds"):
            code = frame.f_code
            given = [frame.f_locals.get(name) for name in code.co_varnames[: code.co_argcount]]
            whole = any(
                isinstance(one, Task) or (isinstance(one, dict) and "scene_id" in one) for one in given
            )
            if whole and visited[-1:] != [module]:
                visited.append(module)

    sys.setprofile(follow)
    try:
        loaded(NAME)
    finally:
        sys.setprofile(None)
    returns = len(visited) - len(set(visited))
    assert len(set(visited)) <= 8, visited
    assert returns <= 10, visited


def test_a_spawn_that_is_a_room_is_at_its_middle(tmp_path: Path) -> None:
    data = read_json(NAME)
    assert isinstance(data, dict)
    scene = load_scene(data["scene_id"])
    room = data["agent_spawns"]["agent_0"]["room"]
    path = tmp_path / "task.json"
    for spawn in (room, {"room": room}):
        path.write_text(json.dumps(data | {"agent_spawns": data["agent_spawns"] | {"agent_0": spawn}}))
        found = loaded(path)
        x, z = scene.tables.spots[f"centre:{room}"]
        assert found.account.faults == ()
        assert found.task.agent_spawns["agent_0"].position == (x, 0.0, z)
        assert any(f"it starts in the middle of {room}" in note for note in found.account.notes)


def test_a_start_in_a_barred_room_is_a_note() -> None:
    data = read_json(NAME)
    assert isinstance(data, dict)
    spawn = data["agent_spawns"]["agent_1"]
    bar = {
        "mechanic_type": "room_restriction",
        "restricted_rooms": [spawn["room"]],
        "for_agents": ["agent_1"],
    }
    bindings = [*data["mechanic_bindings"], bar]
    mechanics = [*dict.fromkeys((*data["active_mechanics"], "room_restriction"))]
    _, account = examined(data | {"mechanic_bindings": bindings, "active_mechanics": mechanics})
    assert any(f"agent_1 starts in {spawn['room']}, which it may leave" in note for note in account.notes)
    assert not any("agent_spawns" in fault.place for fault in account.faults)
