"""Scene files load with their tables, or are refused with a text that says what to mend."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from otherminds.core.errors import TaskError
from otherminds.household.scenes.load import decode, load_scene
from otherminds.household.scenes.scene import Scene, floor_of
from tests.cases import for_each

Plain = dict[str, Any]


def plain(scene: Scene) -> Plain:
    return json.loads(msgspec.json.encode(scene))


def without(field: str) -> Callable[[Plain], None]:
    return lambda data: data.pop(field)


def a_size_in_words(data: Plain) -> None:
    data["geometry"]["objects"]["vase_0"]["size"] = "small"


def an_unknown_relation(data: Plain) -> None:
    data["geometry"]["objects"]["vase_0"]["relation"] = "under"


def a_flat_point(data: Plain) -> None:
    data["geometry"]["rooms"]["hallway_1"]["polygon"][0] = [0]


def an_unknown_room(data: Plain) -> None:
    data["furniture_in_rooms"]["attic_1"] = ["bed_4"]


def two_faults(data: Plain) -> None:
    data["furniture_in_rooms"]["attic_1"] = []
    data["objects_on_furniture"]["sofa_7"] = []


def an_object_on_nothing(data: Plain) -> None:
    data["objects_on_furniture"] = {}


def no_way_to_stand(data: Plain) -> None:
    data["geometry"]["furniture"]["bed_4"]["box"] = {"centre": [7.5, 0.5, 2.5], "size": [2.9, 1.0, 4.9]}


@for_each(
    ("spoil", "texts"),
    [
        (without("rooms"), ["rooms"]),
        (without("geometry"), ["geometry"]),
        (a_size_in_words, ["geometry.objects", "size"]),
        (an_unknown_relation, ["under", "relation"]),
        (a_flat_point, ["geometry.rooms", "length"]),
        (an_unknown_room, ["unknown name attic_1"]),
        (two_faults, ["2 fault(s)", "attic_1", "sofa_7"]),
        (an_object_on_nothing, ["vase_0", "cup_0", "add it"]),
        (no_way_to_stand, ["nowhere to stand", "stand:bed_4"]),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_malformed_file_is_refused_with_its_place(
    bare: Scene, spoil: Callable[[Plain], None], texts: list[str]
) -> None:
    data = plain(bare)
    spoil(data)
    with pytest.raises(TaskError) as error:
        decode(json.dumps(data).encode(), "house.json")
    assert str(error.value).startswith("house.json: ")
    assert all(text in str(error.value) for text in texts), str(error.value)


@for_each(
    ("data", "text"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b'{"scene_id": "\xff"}', "not JSON"),
        (b"[]", "not a scene"),
        (gzip.compress(b"{}", mtime=0)[:-4], "damaged gzip"),
        (b"\x1f\x8b junk", "damaged gzip"),
    ],
)
def test_bytes_that_are_no_scene_are_refused(data: bytes, text: str) -> None:
    with pytest.raises(TaskError, match=text):
        decode(data, "house.json")


def test_a_scene_survives_its_file_with_and_without_tables_and_gzip(bare: Scene, house: Scene) -> None:
    assert decode(msgspec.json.encode(house), "house") == house
    assert decode(gzip.compress(msgspec.json.encode(house)), "house") == house
    assert decode(msgspec.json.encode(bare), "house") == house
    tableless = plain(bare)
    del tableless["tables"]
    assert decode(json.dumps(tableless).encode(), "house") == house


def test_a_file_is_loaded_by_its_path(tmp_path: Path, house: Scene) -> None:
    path = tmp_path / "mine.json"
    path.write_bytes(msgspec.json.encode(house))
    assert load_scene(path) == load_scene(str(path)) == house


def test_an_unknown_scene_says_which_there_are() -> None:
    with pytest.raises(TaskError) as error:
        load_scene("inventory_beechwod_0")
    assert "'inventory_beechwod_0'" in str(error.value)
    assert "did you mean inventory_beechwood_0" in str(error.value)


def test_loading_a_shipped_scene_needs_no_numpy() -> None:
    script = (
        "import sys\n"
        "from otherminds.household.scenes.load import load_scene, shipped_scenes\n"
        "load_scene(shipped_scenes()[0])\n"
        "sys.exit('numpy' in sys.modules)\n"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_a_floor_is_named_after_its_room() -> None:
    assert floor_of("hallway_2") == "floor_hallway_2"
