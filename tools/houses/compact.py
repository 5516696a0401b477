"""Makes the two data files of the houses from the archives that AI2-THOR's and BEHAVIOR's makers published.

    python -m tools.houses.compact WHEEL SDIST OUT

WHEEL is the wheel ``procthor`` 0.0.1.dev2 of the Python Package Index, SDIST the sdist ``bddl`` 3.6.0 of the
same, OUT the folder for the two files, which ``python -m tools.houses`` reads. Runs in the
library's Python (see README.md). The same archives give the same JSON; lengths are rounded to millimetres.
"""

from __future__ import annotations

import argparse
import gzip
import sys
import tarfile
import zipfile
import zlib
from pathlib import Path
from typing import Any

import msgspec
from tools.houses.data import HOUSES_FILE, ROOMS_FILE, Inventories, Thing

from otherminds.core.errors import TaskError
from otherminds.household.scenes.scene import Triple

METADATA = "procthor/databases/ai2thor-object-metadata.json"
# Its folder is what says of which version a wheel is.
LICENCE = "procthor-0.0.1.dev2.dist-info/LICENSE"
SCENES = "bddl-3.6.0/bddl/generated_data/combined_room_object_list.json"
MODELS = "bddl-3.6.0/bddl/generated_data/object_inventory.json"
DIGITS = 3


class Vector(msgspec.Struct, frozen=True):
    """A point or a size as AI2-THOR writes it, in metres."""

    x: float
    y: float
    z: float


class Bounds(msgspec.Struct, frozen=True):
    """A box along the axes."""

    center: Vector
    size: Vector


class Listed(msgspec.Struct, frozen=True, rename="camel"):
    """One object of a room in AI2-THOR's metadata, as far as houses need it."""

    object_type: str
    object_id: str
    axis_aligned_bounding_box: Bounds
    openable: bool
    pickupable: bool
    receptacle: bool
    toggleable: bool
    dirtyable: bool
    parent_receptacles: tuple[str, ...] | None


class RoomLists(msgspec.Struct, frozen=True):
    """BEHAVIOR's inventories: house, room, model, count."""

    scenes: dict[str, dict[str, dict[str, int]]]


class Models(msgspec.Struct, frozen=True):
    """The size of each of BEHAVIOR's models, by its suffix: depth, width, height in metres."""

    bounding_box_sizes: dict[str, Triple]


def rooms(wheel: Path) -> dict[str, list[list[Thing]]]:
    """AI2-THOR's rooms by group, each a list of things.

    Raises:
        TaskError: the file is not that wheel, or its metadata are not as expected.
    """
    try:
        with zipfile.ZipFile(wheel) as archive:
            archive.getinfo(LICENCE)
            groups = msgspec.json.decode(archive.read(METADATA), type=dict[str, list[list[Listed]]])
    except (OSError, KeyError, zipfile.BadZipFile, zlib.error, msgspec.DecodeError) as error:
        raise TaskError(f"{wheel}: cannot be used ({error}); give the wheel procthor 0.0.1.dev2") from error
    return {name: [[thing(one) for one in room] for room in group] for name, group in groups.items()}


def thing(listed: Listed) -> Thing:
    """One object in the short form: a letter for each flag that holds, lengths in metres."""
    flags = {
        "o": listed.openable,
        "p": listed.pickupable,
        "r": listed.receptacle,
        "t": listed.toggleable,
        "d": listed.dirtyable,
    }
    box = listed.axis_aligned_bounding_box
    return Thing(
        t=listed.object_type,
        id=listed.object_id,
        c=_rounded((box.center.x, box.center.y, box.center.z)),
        s=_rounded((box.size.x, box.size.y, box.size.z)),
        f="".join(letter for letter, holds in flags.items() if holds),
        p=listed.parent_receptacles,
    )


def inventories(sdist: Path) -> Inventories:
    """BEHAVIOR's inventories, and the sizes of the models that stand in one of its scenes.

    Raises:
        TaskError: the file is not that sdist, or its lists are not as expected.
    """
    try:
        with tarfile.open(sdist) as archive:
            scenes = msgspec.json.decode(_member(archive, SCENES), type=RoomLists).scenes
            sizes = msgspec.json.decode(_member(archive, MODELS), type=Models).bounding_box_sizes
    except (OSError, EOFError, KeyError, tarfile.TarError, zlib.error, msgspec.DecodeError) as error:
        raise TaskError(f"{sdist}: cannot be used ({error}); give the sdist bddl 3.6.0") from error
    used = {
        model.rpartition("-")[2] for house in scenes.values() for room in house.values() for model in room
    }
    return Inventories(scenes, {suffix: _rounded(sizes[suffix]) for suffix in sorted(used & sizes.keys())})


def write(wheel: Path, sdist: Path, out: Path) -> None:
    """Writes both files into the folder ``out``; `TaskError` if one of the archives cannot be used."""
    made: dict[str, Any] = {ROOMS_FILE: rooms(wheel), HOUSES_FILE: inventories(sdist)}
    out.mkdir(parents=True, exist_ok=True)
    for name, content in made.items():
        (out / name).write_bytes(gzip.compress(msgspec.json.encode(content), 9, mtime=0))


def _member(archive: tarfile.TarFile, name: str) -> bytes:
    found = archive.extractfile(name)
    if found is None:
        raise KeyError(name)
    return found.read()


def _rounded(metres: Triple) -> Triple:
    return round(metres[0], DIGITS), round(metres[1], DIGITS), round(metres[2], DIGITS)


def main() -> None:
    """Writes the files; ends with the fault in one line if an archive cannot be used."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.houses.compact", description="Makes the houses' data."
    )
    parser.add_argument("wheel", type=Path, help="the wheel procthor 0.0.1.dev2")
    parser.add_argument("sdist", type=Path, help="the sdist bddl 3.6.0")
    parser.add_argument("out", type=Path, help="the folder to write to")
    asked = parser.parse_args()
    try:
        write(asked.wheel, asked.sdist, asked.out)
    except TaskError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
