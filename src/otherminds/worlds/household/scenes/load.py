"""Scene files: loading, checking, and the shipped scenes."""

from __future__ import annotations

import gzip
import re
import zlib
from functools import cache
from importlib.resources import files
from pathlib import Path

import msgspec

from otherminds.core.errors import TaskError
from otherminds.worlds.household.scenes.check import faults
from otherminds.worlds.household.scenes.scene import Scene

SUFFIX = ".json.gz"
_GZIP = b"\x1f\x8b"
_SHIPPED = files("otherminds.worlds.household.scenes") / "shipped"


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
        return _decoded(name)
    path = Path(name_or_path)
    if not path.is_file():
        first, *_, last = shipped_scenes()
        raise TaskError(
            f"scene {name!r}: neither a shipped scene nor a file; the shipped ones are {first!r} ... {last!r} "
            "(`otherminds scenes list` names them all)"
        )
    return decode(path.read_bytes(), name)


@cache
def _decoded(name: str) -> Scene:
    """A shipped scene: checked once a process, and shared, for nothing in it is changed."""
    return decode((_SHIPPED / f"{name}{SUFFIX}").read_bytes(), name)


def decode(data: bytes, where: str) -> Scene:
    """The scene in the bytes of a file, with its tables, which are computed if the file has none.

    Raises:
        TaskError: the data are not gzip or JSON, do not have the form of a scene, or have faults (`check.faults`). The
            message names ``where`` and all faults, each with its place and a remedy.
    """
    if data.startswith(_GZIP):
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError, zlib.error) as error:
            raise TaskError(f"{where}: a damaged gzip file ({error}); fetch or write it anew") from error
    try:
        scene = msgspec.json.decode(data, type=Scene)
    except msgspec.ValidationError as error:
        raise TaskError(f"{where}: not a scene: {error}; mend that field") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise TaskError(f"{where}: not JSON: {error}; mend the file's syntax") from error
    found = faults(scene)
    if not found and not scene.tables.legs:
        # Only this case needs numpy and the grid: a scene with tables loads without them.
        from otherminds.worlds.household.scenes.tables import tables

        scene = msgspec.structs.replace(scene, tables=tables(scene))
        found = faults(scene)
    if found:
        raise TaskError(f"{where}: {len(found)} fault(s) in the scene: " + "; ".join(found))
    return scene


def of_data(data: object, where: str) -> Scene:
    """The scene in JSON data, as :func:`decode` reads it."""
    return decode(msgspec.json.encode(data), where)
