"""The shipped scenes: enough, sound, different from each other, good places for tasks, and honest about sources."""

from __future__ import annotations

from importlib.resources import files

import pytest
from tools.houses.walls import overlap

from otherminds.household.scenes.load import faults, load_scene, shipped_scenes
from otherminds.household.scenes.plane import aside, footprint, inside
from otherminds.household.scenes.scene import Box, Scene
from otherminds.household.scenes.tables import tables

NAMES = shipped_scenes()
FOLDER = files("otherminds.household.scenes") / "shipped"


@pytest.fixture(scope="module")
def scenes() -> dict[str, Scene]:
    return {name: load_scene(name) for name in NAMES}


def test_there_are_thirty_and_more_of_both_kinds(scenes: dict[str, Scene]) -> None:
    assert len(scenes) >= 30
    assert sum("AI2-THOR" in scene.source for scene in scenes.values()) >= 10
    assert sum(scene.source.startswith("BEHAVIOR") for scene in scenes.values()) >= 10


def test_they_are_distinct_in_plan_and_in_furniture(scenes: dict[str, Scene]) -> None:
    assert len({repr(scene.geometry.rooms) for scene in scenes.values()}) == len(scenes)
    assert len({repr(scene.geometry.furniture) for scene in scenes.values()}) == len(scenes)
    assert all(scene.scene_id == name for name, scene in scenes.items())


def test_all_are_sound(scenes: dict[str, Scene]) -> None:
    assert {name: found for name, scene in scenes.items() if (found := faults(scene))} == {}


def test_each_is_a_place_for_tasks(scenes: dict[str, Scene]) -> None:
    for name, scene in scenes.items():
        opening = set(scene.articulated_furniture)
        rooms = [room for room, names in scene.furniture_in_rooms.items() if opening & set(names)]
        relations = {item.relation for item in scene.geometry.objects.values()}
        assert len(scene.rooms) >= 4, name
        assert 18 <= len(scene.furniture) <= 72, name
        assert len(scene.objects) >= 12, name
        assert len(opening) >= 5, name
        assert len(rooms) >= 3, name
        assert {"on", "within"} <= relations, name
        assert list(scene.agent_spawns) == ["agent_0", "agent_1", "agent_2", "agent_3"], name
        assert len({spawn.room for spawn in scene.agent_spawns.values()}) >= 3, name


def test_what_lies_on_the_floor_lies_there_and_in_nobodys_way(scenes: dict[str, Scene]) -> None:
    troubles: list[str] = []
    for name, scene in scenes.items():
        shapes = scene.geometry
        lying = {one: item for one, item in shapes.objects.items() if item.relation == "floor"}
        boxes = {one: Box(item.at, item.size) for one, item in lying.items()}
        standing = {one: piece.box for one, piece in shapes.furniture.items()}
        for one, box in boxes.items():
            x, y, z = box.centre
            if abs(y - box.size[1] / 2) > 0.001:
                troubles.append(f"{name}: {one} is not on the floor")
            troubles += [
                f"{name}: {one} is in {other}" for other in standing if overlap(box, standing[other], 0)
            ]
            troubles += [
                f"{name}: {one} is in {other}"
                for other in boxes
                if other != one and overlap(box, boxes[other], 0)
            ]
            if not any(all(inside(at, r.polygon) for at in footprint(box)) for r in shapes.rooms.values()):
                troubles.append(f"{name}: {one} is in a wall")
            room = max(box.size[0], box.size[2]) / 2 + 0.28
            troubles += [
                f"{name}: {one} is in a doorway" for door in shapes.doors if aside((x, z), door.at) < room
            ]
    assert troubles == []


def test_some_rooms_hide_a_part_of_themselves(scenes: dict[str, Scene]) -> None:
    hiding = [
        name
        for name, scene in scenes.items()
        for spot, room in scene.tables.rooms.items()
        if not set(scene.furniture_in_rooms[room]) <= set(scene.tables.sees[spot])
    ]
    assert len(set(hiding)) >= 10


def test_agents_start_on_their_spots(scenes: dict[str, Scene]) -> None:
    for scene in scenes.values():
        for agent, spawn in scene.agent_spawns.items():
            x, _, z = spawn.position
            assert scene.tables.spots[f"spawn:{agent}"] == (x, z)


def test_no_scene_claims_to_be_what_it_is_not_and_the_sources_name_all(scenes: dict[str, Scene]) -> None:
    sources = (FOLDER / "SOURCES.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in sources for name in scenes)
    assert "Apache-2.0" in sources
    assert "MIT" in sources
    texts = [sources, *(scene.source + scene.scene_id for scene in scenes.values())]
    assert not any("hssd" in text.lower() for text in texts)


def test_all_together_are_small() -> None:
    assert sum(len(entry.read_bytes()) for entry in FOLDER.iterdir()) < 1_500_000


def test_the_tables_of_a_sample_are_those_made_anew(scenes: dict[str, Scene]) -> None:
    for name in NAMES[:: len(NAMES) // 3][:3]:
        assert tables(scenes[name]) == scenes[name].tables, name


@pytest.mark.slow
def test_the_tables_of_all_are_those_made_anew(scenes: dict[str, Scene]) -> None:
    for name, scene in scenes.items():
        assert tables(scene) == scene.tables, name
