"""The two data files that houses are made from, read into plain data.

``ithor_rooms_compact.json.gz``: AI2-THOR's single rooms, from the wheel ``procthor`` 0.0.1.dev2 (its file
``ai2thor-object-metadata.json``; Apache-2.0 by the wheel's licence file). ``behavior_houses_compact.json.gz``:
the scene inventories and model sizes of BEHAVIOR, from ``bddl`` 3.6.0 (MIT).
"""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import TypeVar

import msgspec

from otherminds.core.errors import TaskError
from otherminds.household.scenes.scene import Triple

Shape = TypeVar("Shape")
ROOMS_FILE = "ithor_rooms_compact.json.gz"
HOUSES_FILE = "behavior_houses_compact.json.gz"
ROOMS_SOURCE = (
    "rooms, furniture and objects: AI2-THOR (iTHOR) boxes from procthor 0.0.1.dev2, "
    "ai2thor-object-metadata.json, Apache-2.0 by its LICENSE file"
)
HOUSES_SOURCE = "BEHAVIOR's inventories and model sizes from bddl 3.6.0, MIT"


class Thing(msgspec.Struct, frozen=True):
    """One thing of a real room: type ``t``, name, box centre ``c`` and size ``s`` in metres, flags, parents.

    Flags: ``o`` opens, ``p`` can be picked up, ``r`` holds things, ``t`` switches, ``d`` gets dirty.
    """

    t: str
    id: str
    c: Triple
    s: Triple
    f: str
    p: tuple[str, ...] | None = None


class RealRooms(msgspec.Struct, frozen=True):
    """The real single rooms by type, each a list of things with their boxes."""

    kitchens: list[list[Thing]]
    living_rooms: list[list[Thing]]
    bedrooms: list[list[Thing]]
    bathrooms: list[list[Thing]]


class Inventories(msgspec.Struct, frozen=True):
    """House -> room -> model -> count, and the size of each model: depth, width, height in metres.

    A model is ``category-suffix``; sizes go by the suffix.
    """

    scenes: dict[str, dict[str, dict[str, int]]]
    bbox: dict[str, Triple]


def read_rooms(folder: Path) -> RealRooms:
    """The real rooms in a data folder; `TaskError` if the file is not there or not as expected."""
    return _read(folder / ROOMS_FILE, RealRooms)


def read_inventories(folder: Path) -> Inventories:
    """The inventories in a data folder; `TaskError` if the file is not there or not as expected."""
    return _read(folder / HOUSES_FILE, Inventories)


def _read(path: Path, shape: type[Shape]) -> Shape:
    try:
        return msgspec.json.decode(gzip.decompress(path.read_bytes()), type=shape)
    except (OSError, EOFError, msgspec.DecodeError) as error:
        raise TaskError(f"{path}: cannot be used ({error}); give the folder with the data files") from error
