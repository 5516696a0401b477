"""The workspace: its files, and what an author may have put in their place."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from otherminds.core.errors import TaskError
from otherminds.household.authoring import references
from otherminds.household.authoring.references import MOST, draw_scene
from otherminds.household.authoring.results import SampledTask
from otherminds.household.authoring.workspace import LARGEST, Workspace, WorkspaceCopies
from otherminds.household.commands import TOOLS
from otherminds.household.epistemic.predicates import PREDICATES, Predicate
from otherminds.household.mechanics.mechanic import Mechanic, mechanics
from otherminds.household.task import Binding
from otherminds.household.tasks.load import shape_task
from tests.household.authoring.authors import ASKED, SOUND


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    made = Workspace(tmp_path / "workspace")
    made.fill(ASKED, [SampledTask(SOUND, True, ("relay_dropped",)), SampledTask(SOUND, False)])
    return made


def test_it_has_the_files_of_the_paper(workspace: Workspace) -> None:
    """Juneja et al. 2026, appendix F."""
    assert sorted(path.name for path in workspace.folder.iterdir()) == [
        "available_actions.md",
        "available_mechanics.md",
        "available_predicates.md",
        "current_scene.json",
        "sampled_tasks",
        "submitted_tasks",
        "template.json",
        "working_task.json",
    ]
    failed, solved = (msgspec.json.decode(workspace.read(f"sampled_tasks/0{k}.json")) for k in (1, 2))
    assert failed["what_became_of_it"] == {
        "result": "failed by the target models",
        "failure_patterns": ["relay_dropped"],
    }
    assert solved["what_became_of_it"]["result"] == "solved by the target models"
    assert msgspec.convert(failed["task"], type(SOUND)) == SOUND


@pytest.mark.parametrize("agents", range(2, MOST + 1))
def test_a_drawn_scene_resets_the_task_to_one_with_nothing_but_what_the_author_writes_missing(
    workspace: Workspace, agents: int
) -> None:
    drawn = draw_scene(ASKED.seed, 0, agents)
    assert draw_scene(ASKED.seed, 0, agents) == drawn
    workspace.reset(ASKED, drawn)
    read = shape_task(msgspec.json.decode(workspace.task()))
    assert not read.faults
    assert read.task.category == ASKED.category
    assert (read.task.scene_id, read.task.agent_spawns) == (drawn.scene.scene_id, drawn.spawns)
    scene = msgspec.json.decode(workspace.read("current_scene.json"))
    assert scene["rooms"] == list(drawn.scene.rooms)
    assert {*scene["articulated_furniture"]} <= {*scene["furniture"]}


def test_draws_differ_by_number_and_seed() -> None:
    drawn = {draw_scene(seed, number, 2).scene.scene_id for seed in range(3) for number in range(3)}
    assert len(drawn) > 3


def link(path: Path) -> None:
    path.symlink_to("/etc/passwd")


def link_inside(path: Path) -> None:
    path.symlink_to(path.with_name("template.json"))


def sparse(path: Path) -> None:
    path.touch()
    os.truncate(path, 2**40)


HOSTILE: dict[str, tuple[Callable[[Path], object], str]] = {
    "link": (link, "is a link"),
    "link inside": (link_inside, "is a link"),
    "named pipe": (os.mkfifo, "no regular file"),
    "folder": (Path.mkdir, "no regular file"),
    "nothing": (lambda path: None, "cannot be read"),
    "large": (lambda path: path.write_bytes(b" " * (LARGEST + 1)), "larger"),
    "sparse": (sparse, "larger"),
    "not UTF-8": (lambda path: path.write_bytes(b'{"task": "\xff"}'), "not UTF-8"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_what_is_no_text_file_is_refused_and_replaced_by_the_next_write(
    workspace: Workspace, case: str
) -> None:
    put, why = HOSTILE[case]
    path = workspace.folder / "working_task.json"
    path.unlink()
    put(path)
    with pytest.raises(TaskError, match=why):
        workspace.task()
    workspace.put("working_task.json", "{}")
    assert workspace.task() == "{}"
    assert not path.is_symlink()


@pytest.mark.parametrize(
    "name", ["../secret", "/etc/passwd", "", "a/../../secret", "out/secret", "x\0y", "nope"]
)
def test_only_files_of_the_workspace_are_read(workspace: Workspace, name: str) -> None:
    (workspace.folder.parent / "secret").write_text("key")
    (workspace.folder / "out").symlink_to(workspace.folder.parent)
    with pytest.raises(TaskError) as refused:
        workspace.read(name)
    assert "key" not in str(refused.value)


def test_nothing_is_written_through_a_link(workspace: Workspace, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (workspace.folder / "submitted_tasks").rmdir()
    (workspace.folder / "submitted_tasks").symlink_to(outside)
    (workspace.folder / "template.json.part").symlink_to(outside / "part")
    workspace.add_accepted("authored_0", SOUND)
    workspace.reset(ASKED)
    assert not list(outside.iterdir())
    assert workspace.read("submitted_tasks/authored_0.json")


def test_a_copy_brings_back_what_an_unfinished_turn_changed(workspace: Workspace) -> None:
    (workspace.folder / "notes").symlink_to("template.json")
    kept = WorkspaceCopies(workspace)
    kept.take(3)
    workspace.put("working_task.json", "half")
    os.mkfifo(workspace.folder / "pipe")
    locked = workspace.folder / "locked"
    (locked / "inner").mkdir(parents=True)
    locked.chmod(0)
    kept.restore(3)
    assert "half" not in workspace.task()
    assert (workspace.folder / "notes").is_symlink()
    assert not locked.exists()
    kept.take(3)
    workspace.put("working_task.json", "whole")
    kept.restore(4)
    assert workspace.task() == "whole", "turn 3 was finished"
    assert sorted(path.name for path in workspace.folder.parent.iterdir()) == ["workspace"]


def test_a_workspace_has_room_for_so_much(workspace: Workspace) -> None:
    assert not workspace.crowded
    sparse(workspace.folder / "big")
    assert workspace.crowded


def test_references_have_every_entry_of_the_registries() -> None:
    said = references.mechanics_reference()
    assert all(f"## {name}\n" in said for name in mechanics)
    assert all(predicate.signature in references.predicates_reference() for predicate in PREDICATES.values())
    assert all(f"`{tool.form}`" in references.actions_reference() for tool in TOOLS.values())
    assert {*references.EXAMPLES} == {*Binding.__struct_fields__} - {"mechanic_type"}


def test_what_is_added_to_a_registry_appears_in_the_references(monkeypatch: pytest.MonkeyPatch) -> None:
    class Sticky(Mechanic):
        """``trigger_object`` sticks."""

        fields = ("trigger_object",)

    monkeypatch.setitem(mechanics._known, "sticky", Sticky)
    monkeypatch.setitem(PREDICATES, "is_warm", Predicate("is_warm", ("object",), "{0} is warm"))
    said = references.mechanics_reference()
    assert "## sticky\n\n``trigger_object`` sticks." in said
    assert '`{"mechanic_type":"sticky","trigger_object":"cabinet_3"}`' in said
    assert "`(is_warm object)`: the object is warm" in references.predicates_reference()
