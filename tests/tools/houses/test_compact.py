"""The houses' data files are made from the published archives, in the form that the houses are made from."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest
from tools.houses.compact import LICENCE, METADATA, MODELS, SCENES, write
from tools.houses.data import HOUSES_FILE, ROOMS_FILE, Thing, read_inventories, read_rooms

from otherminds.core.errors import TaskError

ROOT = Path(__file__).parents[3]
GROUPS = ("bathrooms", "bedrooms", "kitchens", "living_rooms", "robothor")
FRIDGE: dict[str, Any] = {
    "objectType": "Fridge",
    "objectId": "Fridge|1",
    "axisAlignedBoundingBox": {
        "center": {"x": 1.23456, "y": 0.9, "z": -2.0004},
        "size": {"x": 0.7, "y": 1.8, "z": 0.65051},
        "cornerPoints": [[0, 0, 0]],
    },
    "openable": True,
    "pickupable": False,
    "receptacle": True,
    "toggleable": False,
    "dirtyable": False,
    "parentReceptacles": None,
    "mass": 90.0,
}
CUP = FRIDGE | {
    "objectType": "Cup",
    "objectId": "Cup|1",
    "openable": False,
    "pickupable": True,
    "toggleable": True,
    "dirtyable": True,
    "parentReceptacles": ["Fridge|1"],
}
HOUSES = {"Cottage_0_int": {"kitchen_0": {"swivel_chair-abc": 2, "bed-no_size": 1}}}
SIZES = {"zzz": [9.0, 9.0, 9.0], "abc": [0.12345, 1.0, 0.00049]}


def wheel(folder: Path, licence: str = LICENCE) -> Path:
    path = folder / "rooms.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(licence, "a licence")
        archive.writestr(METADATA, json.dumps({group: [[FRIDGE, CUP]] for group in GROUPS}))
    return path


def sdist(folder: Path, scenes: str = SCENES) -> Path:
    path = folder / "inventories.tar.gz"
    parts = {scenes: {"success": False, "scenes": HOUSES}, MODELS: {"bounding_box_sizes": SIZES}}
    with tarfile.open(path, "w:gz") as archive:
        for name, content in parts.items():
            text = json.dumps(content).encode()
            entry = tarfile.TarInfo(name)
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text))
    return path


def test_the_houses_read_what_is_made(tmp_path: Path) -> None:
    write(wheel(tmp_path), sdist(tmp_path), tmp_path / "out")
    rooms = read_rooms(tmp_path / "out")
    assert rooms.kitchens == rooms.bathrooms == rooms.bedrooms == rooms.living_rooms
    at, size = (1.235, 0.9, -2.0), (0.7, 1.8, 0.651)
    assert rooms.kitchens == [
        [Thing("Fridge", "Fridge|1", at, size, "or"), Thing("Cup", "Cup|1", at, size, "prtd", ("Fridge|1",))]
    ]
    inventories = read_inventories(tmp_path / "out")
    assert inventories.scenes == HOUSES
    # Only the models that stand somewhere, and only those whose size is known.
    assert inventories.bbox == {"abc": (0.123, 1.0, 0.0)}


def test_no_group_of_rooms_is_lost(tmp_path: Path) -> None:
    write(wheel(tmp_path), sdist(tmp_path), tmp_path)
    made = json.loads(gzip.decompress((tmp_path / ROOMS_FILE).read_bytes()))
    assert tuple(made) == GROUPS


def test_made_again_they_are_the_same_bytes(tmp_path: Path) -> None:
    archives = wheel(tmp_path), sdist(tmp_path)
    for folder in ("one", "two"):
        write(*archives, tmp_path / folder)
    for name in (ROOMS_FILE, HOUSES_FILE):
        one, two = ((tmp_path / folder / name).read_bytes() for folder in ("one", "two"))
        assert one == two
        # No time in the header of the file (RFC 1952, MTIME).
        assert one[4:8] == bytes(4)


def test_another_version_is_refused_and_nothing_written(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(TaskError, match=r"rooms\.whl.*give the wheel procthor 0\.0\.1\.dev2"):
        write(wheel(tmp_path, LICENCE.replace("dev2", "dev1")), sdist(tmp_path), out)
    with pytest.raises(TaskError, match=r"inventories\.tar\.gz.*give the sdist bddl 3\.6\.0"):
        write(wheel(tmp_path), sdist(tmp_path, SCENES.replace("3.6.0", "3.5.0")), out)
    assert not out.exists()


@pytest.mark.parametrize("content", [None, b"no archive"], ids=["missing", "no archive"])
def test_what_is_no_archive_is_named_in_one_line(tmp_path: Path, content: bytes | None) -> None:
    other = tmp_path / "other"
    if content is not None:
        other.write_bytes(content)
    with pytest.raises(TaskError, match="other: cannot be used"):
        write(other, sdist(tmp_path), tmp_path)
    with pytest.raises(TaskError, match="other: cannot be used"):
        write(wheel(tmp_path), other, tmp_path)


def test_a_damaged_archive_is_refused(tmp_path: Path) -> None:
    sound = wheel(tmp_path), sdist(tmp_path)
    for number, path in enumerate(sound):
        whole = path.read_bytes()
        middle = len(whole) // 2
        damaged = tmp_path / f"damaged_{number}"
        damaged.write_bytes(whole[:middle] + b"\xff" * 40 + whole[middle + 40 :])
        with pytest.raises(TaskError, match="damaged"):
            write(*(damaged if one == path else one for one in sound), out=tmp_path / "out")


def test_the_command_ends_with_the_fault_in_one_line(tmp_path: Path) -> None:
    missing = str(tmp_path / "missing")
    command = [sys.executable, "-m", "tools.houses.compact", missing, missing, str(tmp_path)]
    ended = subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT)
    assert ended.returncode == 1
    assert ended.stderr.startswith(missing)
    assert ended.stderr.count("\n") == 1
