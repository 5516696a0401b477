"""From data files to scene files: good scenes of both kinds, the same bytes every time, faults in one line."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tools.houses.building import shortcomings
from tools.houses.data import HOUSES_FILE, ROOMS_FILE

from otherminds.core.errors import TaskError
from otherminds.household.scenes.load import load_scene
from otherminds.household.scenes.scene import Scene
from tools.houses import __main__ as command
from tools.houses import catalogue

Plain = dict[str, Any]


def thing(kind: str, x: float, z: float, size: tuple[float, float, float], flags: str, on: str = "") -> Plain:
    low = 1.0 if on else 0.0
    return {
        "t": kind,
        "id": f"{kind}|{x}|{z}",
        "c": [x, low + size[1] / 2, z],
        "s": size,
        "f": flags,
        "p": [on] if on else None,
    }


def real(*kinds: str) -> list[Plain]:
    """A room of 5 x 5 m: furniture along its left and far walls, an object in or on each piece."""
    found = [{"t": "Floor", "id": "Floor", "c": [2.5, -0.05, 2.5], "s": [5, 0.1, 5], "f": "r", "p": None}]
    found += [thing("Painting", x, z, (0.02, 0.5, 0.02), "") for x in (0.0, 5.0) for z in (0.0, 5.0)]
    for number, kind in enumerate(kinds):
        x, z = (0.4, 0.6 + 1.1 * number) if number < 4 else (1.5 + 1.1 * (number - 4), 4.6)
        piece = thing(kind, x, z, (0.42, 1.0, 0.42) if kind == "SideTable" else (0.7, 1.0, 0.7), "or")
        found += [
            piece,
            thing(("Mug", "Book", "Pen", "Vase", "CD")[number % 5], x, z, (0.1, 0.1, 0.1), "p", piece["id"]),
        ]
    return found


CHESTS = ("Dresser", "Fridge", "Dresser", "SideTable", "SideTable", "Safe")
MODELS = {
    "bed": (2.0, 1.6, 0.6),
    "bottom_cabinet": (0.4, 0.8, 0.8),
    "fridge": (0.6, 0.6, 1.7),
    "breakfast_table": (0.8, 1.2, 0.75),
    "straight_chair": (0.45, 0.45, 0.9),
    "bookcase": (0.3, 0.8, 1.2),
    "console_table": (0.3, 0.9, 0.7),
    "wardrobe": (0.6, 1.2, 2.0),
    "cedar_chest": (0.4, 0.6, 0.4),
    "bench": (0.4, 1.0, 0.4),
    "toilet": (0.6, 0.4, 0.6),
}
SMALL = (
    "hardback",
    "mug",
    "bowl",
    "plate",
    "apple",
    "vase",
    "hat",
    "pen",
    "key_chain",
    "bar_soap",
    "toothbrush",
)


def write_data(folder: Path) -> None:
    rooms = {field: [real(*CHESTS)] * 2 for field in ("kitchens", "living_rooms", "bedrooms", "bathrooms")}
    models = dict.fromkeys(("bottom_cabinet-1", "bookcase-5", "cedar_chest-8", "breakfast_table-3"), 2)
    home = {
        "corridor_0": {"console_table-6": 1, "bottom_cabinet-1": 1},
        "kitchen_0": {
            **models,
            "fridge-2": 1,
            "straight_chair-4": 2,
            "mug-s1": 1,
            "bowl-s2": 1,
            "plate-s3": 1,
        },
        "bedroom_0": {**models, "bed-0": 1, "wardrobe-7": 1},
        "bathroom_0": {"toilet-10": 1, "bottom_cabinet-1": 2},
        "living_room_0": {**models, "straight_chair-4": 3, "bench-9": 1, "hardback-s0": 3},
    }
    bbox = {str(number): size for number, size in enumerate(MODELS.values())}
    bbox |= {f"s{number}": (0.1, 0.08, 0.06) for number in range(len(SMALL))}
    shop = {"shop_0": {f"{category}-s{number}": 1 for number, category in enumerate(SMALL)}}
    houses = {"scenes": {"Cottage_0_int": home, "grocery_store": shop}, "bbox": bbox}
    for name, data in ((ROOMS_FILE, rooms), (HOUSES_FILE, houses)):
        (folder / name).write_bytes(gzip.compress(msgspec.json.encode(data)))


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    write_data(folder)
    return folder


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "_STITCHED", 2)


@pytest.fixture(scope="module")
def written(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("written")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(catalogue, "_STITCHED", 2)
        command.write(data, folder)
    return folder


@pytest.fixture(scope="module")
def first(data: Path) -> Scene:
    return next(iter(catalogue.houses(data)))


def test_the_data_give_good_scenes_of_both_kinds_that_load(written: Path) -> None:
    names = sorted(path.name.removesuffix(".json.gz") for path in written.glob("*.json.gz"))
    assert names == ["inventory_cottage_0", "stitched_00", "stitched_01"]
    sources = (written / "SOURCES.md").read_text(encoding="utf-8")
    for name in names:
        scene = load_scene(written / f"{name}.json.gz")
        assert shortcomings(scene) == []
        assert scene.scene_id == name
        assert ("AI2-THOR" in scene.source) == name.startswith("stitched")
        assert f"`{name}`" in sources


def test_made_again_they_are_the_same_bytes(data: Path, written: Path, tmp_path: Path) -> None:
    command.write(data, tmp_path)
    for path in written.iterdir():
        assert path.read_bytes() == (tmp_path / path.name).read_bytes()


def test_rooms_are_numbered_by_type_furniture_by_house_and_objects_by_type(first: Scene) -> None:
    assert first.rooms == ("kitchen_1", "living_room_1", "bedroom_1", "bathroom_1", "hallway_1")
    assert [int(name.rsplit("_", 1)[1]) for name in first.furniture] == list(range(len(first.furniture)))
    mugs = [name for name in first.objects if name.startswith("mug_")]
    assert mugs == [f"mug_{number}" for number in range(len(mugs))]


def test_a_house_that_never_comes_out_well_says_why(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "_ATTEMPTS", 2)
    monkeypatch.setattr(catalogue, "shortcomings", lambda _: ["7 objects"])
    with pytest.raises(catalogue.InternalError, match=r"stitched_00.*7 objects"):
        next(iter(catalogue.houses(data)))


def test_a_folder_without_the_data_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TaskError, match=ROOMS_FILE):
        next(iter(catalogue.houses(tmp_path)))
    monkeypatch.setattr("sys.argv", ["houses", str(tmp_path), str(tmp_path / "out")])
    with pytest.raises(SystemExit, match=ROOMS_FILE):
        command.main()


def test_a_scene_that_falls_short_says_in_what(first: Scene) -> None:
    spawn = first.agent_spawns["agent_0"]
    alone = msgspec.structs.replace(first, agent_spawns=dict.fromkeys(first.agent_spawns, spawn))
    assert any("spawns in 1 rooms" in text for text in shortcomings(alone))
