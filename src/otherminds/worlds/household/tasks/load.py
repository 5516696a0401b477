"""Task files: reading, checking, and those that are shipped."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import msgspec
from msgspec import structs

from otherminds.core.errors import TaskError
from otherminds.worlds.household.house import House
from otherminds.worlds.household.scenes.scene import Scene
from otherminds.worlds.household.task import Task
from otherminds.worlds.household.tasks import things as known
from otherminds.worlds.household.tasks.account import Account
from otherminds.worlds.household.tasks.check import checked
from otherminds.worlds.household.tasks.convert import converted
from otherminds.worlds.household.tasks.shape import shaped
from otherminds.worlds.household.tasks.things import Things

SUFFIX = ".json"
_SHIPPED = files("otherminds.worlds.household.tasks") / "shipped"


def shipped_tasks() -> tuple[str, ...]:
    """The names of the shipped tasks, sorted."""
    names = (entry.name for entry in _SHIPPED.iterdir())
    return tuple(sorted(name.removesuffix(SUFFIX) for name in names if name.endswith(SUFFIX)))


def load_task(name_or_path: str | Path) -> Task:
    """A shipped task by its name, or the task in a file, in our form or the public release's.

    Raises:
        TaskError: there is no such task, or :func:`of_data` refuses it.
    """
    name = str(name_or_path)
    return of_data(read_json(name_or_path), name)


def read_json(name_or_path: str | Path) -> object:
    """The data of a shipped task by its name, or of a file.

    Raises:
        TaskError: there is no such task, or it is not JSON.
    """
    name = str(name_or_path)
    entry = _SHIPPED / f"{name}{SUFFIX}"
    if not (re.fullmatch(r"\w+", name) and entry.is_file()):
        entry = Path(name_or_path)
        if not entry.is_file():
            raise TaskError(
                f"task {name!r}: neither a shipped task nor a file; the shipped ones are {', '.join(shipped_tasks())}"
            )
    try:
        return msgspec.json.decode(entry.read_bytes())
    except msgspec.DecodeError as error:
        raise TaskError(f"{name}: not JSON: {error}; mend the file's syntax") from error


def of_data(data: object, where: str, scene: Scene | None = None) -> Task:
    """The task in JSON data, checked in ``scene``, or else in the shipped scene that it names, if there is one.

    Raises:
        TaskError: any fault; the text names ``where`` and all faults at once, each with its place.
    """
    task, account = examined(data, known.of_scene(scene) if scene else None)
    if account.faults:
        told = "; ".join(map(str, account.faults))
        raise TaskError(f"{where}: {len(account.faults)} fault(s) in the task: {told}")
    return task


def examined(data: object, things: Things | None = None) -> tuple[Task, Account]:
    """A task as far as JSON data gives one, and the whole account of it.

    ``things`` is what is known of its scene; by default, what the shipped scene of that name says.
    """
    found = converted(data)
    read = shaped(found.data)
    things = things or known.shipped(read.task.scene_id)
    account = checked(read.task, things)
    own = (fault for fault in account.faults if not read.covers(fault))
    return read.task, Account((*read.faults, *own), account.missing, found.notes)


def house_of(name_or_path: str | Path, scene: Path | None = None) -> tuple[House | None, Account]:
    """A task in its scene, ready to be played, with the account of it; no house where there are faults or no scene.

    ``scene`` is the file of its scene or scene graph, if it is not a shipped one.

    Raises:
        TaskError: a file is not there, or cannot be read at all.
    """
    things, notes = known.from_file(scene) if scene else (None, ())
    task, account = examined(read_json(name_or_path), things)
    things = things or known.shipped(task.scene_id)
    account = structs.replace(account, notes=(*account.notes, *notes))
    place = things.scene if things else None
    return House(task, place) if place and not account.faults else None, account


def tasks_in(path: Path) -> list[Path]:
    """The task files in a folder and the folders under it, sorted; of a file, itself.

    Raises:
        TaskError: there is no such path, or no task file under it.
    """
    if path.is_file():
        return [path]
    found = sorted(path.rglob(f"*{SUFFIX}")) if path.is_dir() else []
    if not found:
        raise TaskError(f"{path}: no task file there; give a {SUFFIX} file, or a folder with some")
    return found
