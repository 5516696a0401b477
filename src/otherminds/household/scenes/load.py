"""Scene files: loading, checking, and the shipped scenes."""

from __future__ import annotations

import gzip
import re
import zlib
from functools import cache
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from typing import Any

import msgspec

from otherminds.core.errors import TaskError
from otherminds.core.near import hint, quoted
from otherminds.core.user_files import LARGEST, check_kind, is_file, json_value, read_bytes
from otherminds.household.scenes.check import faults
from otherminds.household.scenes.scene import Scene

SUFFIX = ".json.gz"
_GZIP = b"\x1f\x8b"
_SHIPPED = files("otherminds.household.scenes") / "shipped"


def shipped_scenes() -> tuple[str, ...]:
    """The names of the shipped scenes, sorted."""
    names = (entry.name for entry in _SHIPPED.iterdir())
    return tuple(sorted(name.removesuffix(SUFFIX) for name in names if name.endswith(SUFFIX)))


def load_scene(name_or_path: str | Path) -> Scene:
    """A shipped scene by its name, or the scene in a file (``.json`` or ``.json.gz``).

    Raises:
        TaskError: there is no such scene, or as `decode` raises.
    """
    name = str(name_or_path)
    if re.fullmatch(r"\w+", name) and (_SHIPPED / f"{name}{SUFFIX}").is_file():
        return _load_shipped(name)
    path = Path(name_or_path)
    if not is_file(path):
        check_kind(path, TaskError)
        others = hint(name, shipped_scenes(), "`otherminds scenes list` names them all")
        raise TaskError(f"scene {quoted(name)}: neither a shipped scene nor a file{others}")
    return decode(read_bytes(path, name, TaskError), name)


@cache
def _load_shipped(name: str) -> Scene:
    """A shipped scene: checked once a process, and shared, for nothing in it is changed."""
    return of_data(msgspec.json.decode(gzip.decompress((_SHIPPED / f"{name}{SUFFIX}").read_bytes())), name)


def decode(data: bytes, where: str) -> Scene:
    """The scene in the bytes of a file.

    Raises:
        TaskError: as :func:`content` and :func:`of_data` raise.
    """
    return of_data(content(data, where), where)


def content(data: bytes, where: str) -> Any:
    """The JSON value in the bytes of a file, which may be packed with gzip.

    Raises:
        TaskError: it is damaged, too large or not JSON; the message names ``where`` and the place.
    """
    return json_value(_unpack(data, where) if data.startswith(_GZIP) else data, where, TaskError)


def of_data(data: object, where: str) -> Scene:
    """The scene in JSON data, with its tables, which are computed if it has none.

    Raises:
        TaskError: it does not have the form of a scene, or has faults (`check.faults`). The message names ``where``
            and all faults, each with its place and a remedy.
    """
    try:
        scene = msgspec.convert(data, Scene)
    except msgspec.ValidationError as error:
        raise TaskError(f"{where}: not a scene: {error}; mend that field") from error
    problems = faults(scene)
    if not problems and not scene.tables.legs:
        # Only this case needs numpy and the grid: a scene with tables loads without them.
        from otherminds.household.scenes.tables import tables

        scene = msgspec.structs.replace(scene, tables=tables(scene))
        problems = faults(scene)
    if problems:
        raise TaskError(f"{where}: {len(problems)} fault(s) in the scene: " + "; ".join(problems))
    return scene


def _unpack(data: bytes, where: str) -> bytes:
    """The content of gzip ``data``, which has at most :data:`LARGEST` bytes."""
    try:
        with gzip.open(BytesIO(data)) as file:
            content = file.read(LARGEST + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise TaskError(f"{where}: a damaged gzip file ({error}); fetch or write it anew") from error
    if len(content) > LARGEST:
        raise TaskError(f"{where}: larger than {LARGEST // 2**20} MiB, unpacked; no scene is so large")
    return content
