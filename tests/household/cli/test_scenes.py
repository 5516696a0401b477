"""``otherminds scenes show`` and ``otherminds tasks show`` draw; what does not fit is refused in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from otherminds.core.errors import StudyError, TaskError
from otherminds.household.reports.state import MapState, renderers
from otherminds.household.scenes.load import load_scene, shipped_scenes
from otherminds.household.scenes.scene import Scene
from otherminds.household.tasks.load import load_task, shipped_tasks
from tests.cases import for_each
from tests.cli.running import invoked

SCENE, TASK = shipped_scenes()[0], shipped_tasks()[0]


def otherminds(*words: object) -> str:
    """What a command prints; its error, if it has one, is raised."""
    done = invoked(*words)
    if done.exception:
        raise done.exception
    return done.stdout


def test_a_scene_is_drawn_as_a_map(tmp_path: Path) -> None:
    svg, png = tmp_path / "new" / "a.svg", tmp_path / "a.png"
    assert otherminds("scenes", "show", SCENE, "--out", svg).strip() == str(svg)
    assert svg.read_text().startswith("<svg ")
    assert "agent_0" not in svg.read_text()
    otherminds("scenes", "show", SCENE, "--out", png)
    assert png.read_bytes().startswith(b"\x89PNG")


def test_a_task_is_drawn_with_its_agents(tmp_path: Path) -> None:
    path = tmp_path / "a.svg"
    otherminds("tasks", "show", TASK, "--out", path)
    assert all(f">{agent}<" in path.read_text() for agent in load_task(TASK).agents)


def test_solid_pictures_are_left_to_a_renderer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, tuple[str, ...], str]] = []

    def draw(scene: Scene, state: MapState, path: Path, agent: str = "") -> None:
        asked.append((scene.scene_id, tuple(state.agents), agent))

    assert "mujoco" in renderers, "what is installed is loaded before one of them is exchanged"
    monkeypatch.setitem(renderers._known, "mujoco", draw)
    otherminds("scenes", "show", SCENE, "--3d", "--out", tmp_path / "a.png")
    otherminds("scenes", "show", SCENE, "--3d", "--agent", "agent_1", "--out", tmp_path / "a.png")
    (above, none, nobody), (_, agents, one) = asked
    assert (above, none, nobody) == (SCENE, (), "")
    assert "agent_1" in agents
    assert one == "agent_1"


@for_each(
    ("words", "said"),
    [
        (("--out", "a.gif"), "a.gif: this picture is a .svg or a .png"),
        (("--out", "a.svg", "--3d"), "a.svg: this picture is a .png"),
        (("--out", "a.png", "--agent", "agent_0"), "a map shows all agents; with --3d"),
    ],
)
def test_what_does_not_fit_is_refused(words: tuple[str, ...], said: str) -> None:
    with pytest.raises(StudyError, match=said):
        otherminds("scenes", "show", SCENE, *words)


def test_a_scene_that_is_not_there_is_named() -> None:
    with pytest.raises(TaskError, match=r"scene 'nowhere'.*`otherminds scenes list` names them all"):
        otherminds("scenes", "show", "nowhere", "--out", "a.png")


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StudyError, match="cannot be written"):
        otherminds("scenes", "show", SCENE, "--out", tmp_path / "file" / "a.svg")


def test_the_names_of_a_house_are_listed_by_room() -> None:
    scene = load_scene(SCENE)
    legend, *lines = otherminds("scenes", "objects", SCENE).splitlines()
    assert "(x, z) in metres" in legend
    names = [line.split()[0] for line in lines]
    assert {*scene.rooms, *scene.furniture, *scene.objects} <= set(names)
    assert [name for name, line in zip(names, lines, strict=True) if line[0] != " "] == list(scene.rooms)
    place, (thing, *_) = next(iter(scene.objects_on_furniture.items()))
    assert f" {place}" in lines[names.index(thing)], "with the furniture that it rests on"
    for name, piece in scene.geometry.furniture.items():
        x, _, z = piece.box.centre
        assert f"({x:.2f}, {z:.2f})" in lines[names.index(name)]
