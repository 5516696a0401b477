"""Task files: loading, checking, and the shipped tasks."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TypeAlias

import msgspec
from msgspec import Struct

from otherminds.core.errors import TaskError
from otherminds.core.near import hint, near, quoted
from otherminds.core.quoting import shell_command
from otherminds.core.user_files import check_kind, is_file, is_folder, json_value, read_bytes
from otherminds.household.house import House
from otherminds.household.scenes.scene import Scene
from otherminds.household.task import Task
from otherminds.household.tasks import things as known
from otherminds.household.tasks.check import check_task
from otherminds.household.tasks.convert_parts import spawns_in_rooms
from otherminds.household.tasks.diagnostics import Diagnostics
from otherminds.household.tasks.shape import shape_task
from otherminds.household.tasks.things import Things

Own: TypeAlias = tuple[Things, tuple[str, ...]]
"""The content of a scene file, with notes, as :func:`~.things.from_file` returns it."""
SUFFIX = ".json"
_SHIPPED = files("otherminds.household.tasks") / "shipped"


def shipped_tasks() -> tuple[str, ...]:
    """The names of the shipped tasks, sorted."""
    names = (entry.name for entry in _SHIPPED.iterdir())
    return tuple(sorted(name.removesuffix(SUFFIX) for name in names if name.endswith(SUFFIX)))


def load_task(name_or_path: str | Path) -> Task:
    """A shipped task by its name, or the task in a file, in our form or the public release's, checked in its scene.

    Raises:
        TaskError: as :func:`loaded`, or the task has faults; the message names all, each with its place.
    """
    name = str(name_or_path)
    return _sound(name) if is_shipped(name) else loaded(name).sound(name)


@cache
def _sound(name: str) -> Task:
    """A shipped task: examined once a process, and shared, for nothing in it is changed."""
    return loaded(name).sound(name)


def is_shipped(name: str) -> bool:
    """Whether ``name`` is a shipped task."""
    return re.fullmatch(r"\w+", name) is not None and (_SHIPPED / f"{name}{SUFFIX}").is_file()


class Loaded(Struct, frozen=True):
    """A task as far as it could be decoded, the known part of its scene, and its diagnostics."""

    task: Task
    things: Things | None
    account: Diagnostics

    def house(self) -> House | None:
        """The task ready to be played; ``None`` if it has faults or no scene with geometry."""
        place = self.things.scene if self.things else None
        return House(self.task, place) if place and not self.account.faults else None

    def sound(self, where: str) -> Task:
        """The task.

        Raises:
            TaskError: it has faults; the message names ``where`` and all faults, each with its place.
        """
        if faults := self.account.faults:
            summary = "; ".join(map(str, faults))
            raise TaskError(f"{where}: {len(faults)} fault(s) in the task: {summary}")
        return self.task


def loaded(name_or_path: str | Path, own: Own | None = None) -> Loaded:
    """A task in its scene: ``own``, or else the shipped scene that it names, or the one in the folder of its file.

    Raises:
        TaskError: there is no such task, or it or its scene cannot be read.
    """
    file = None if is_shipped(str(name_or_path)) else Path(name_or_path)
    return examined(read_json(name_or_path), own, file)


def examined(data: object, own: Own | None = None, file: Path | None = None) -> Loaded:
    """JSON data decoded and checked in its scene: ``own``, the shipped one, or the one in the folder of ``file``."""
    scene_id = data.get("scene_id") if isinstance(data, dict) else None
    contents, notes = own or known.of_task(scene_id if isinstance(scene_id, str) else "", file)
    placed: list[str] = []
    if contents and contents.scene and isinstance(data, dict) and "agent_spawns" in data:
        spots = contents.scene.tables.spots
        middles = {room: spots[f"centre:{room}"] for room in contents.rooms}
        data = data | {"agent_spawns": spawns_in_rooms(data["agent_spawns"], middles, placed.append)}
    read = shape_task(data)
    account = check_task(read.task, contents)
    faults = (*read.faults, *(fault for fault in account.faults if not read.covers(fault)))
    return Loaded(
        read.task,
        contents,
        Diagnostics(faults, account.missing, (*placed, *read.notes, *notes, *account.notes)),
    )


def read_json(name_or_path: str | Path) -> object:
    """The data of a shipped task by its name, or of a file.

    Raises:
        TaskError: there is no such task, or its file is not JSON.
    """
    name = str(name_or_path)
    if is_shipped(name):
        return msgspec.json.decode((_SHIPPED / f"{name}{SUFFIX}").read_bytes())
    path = Path(name_or_path)
    if not name or not is_file(path):
        if name:
            check_kind(path, TaskError)
        others = hint(path.name.removesuffix(SUFFIX), shipped_tasks())
        raise TaskError(f"task {quoted(name)}: neither a shipped task nor a file{others}")
    return json_value(read_bytes(path, name, TaskError), name, TaskError)


def read_ours(path: Path) -> str:
    """The text of a task file to which a calibration in our form can be written.

    Raises:
        TaskError: as :func:`read_json`, or its calibration is a list, as in the release.
    """
    data = read_json(path)
    if isinstance(data, dict) and isinstance(data.get("calibration"), list):
        raise TaskError(
            f"{path}: calibration is a list, as the release has it; convert the file first: "
            f"{shell_command('tasks', 'convert', path)} OUT"
        )
    return path.read_text(encoding="utf-8")


def of_data(data: object, where: str, scene: Scene | None = None) -> Task:
    """The task in JSON data, checked in ``scene``, or else in the shipped scene that it names, if there is one.

    Raises:
        TaskError: it has faults; the message names ``where`` and all faults, each with its place.
    """
    return examined(data, (known.of_scene(scene), ()) if scene else None).sound(where)


def playable(name_or_path: str | Path, own: Own | None = None) -> House:
    """A task in its scene, ready to be played.

    Raises:
        TaskError: as :func:`loaded`, or it has faults, or its scene is missing.
    """
    examination = loaded(name_or_path, own)
    house = examination.house()
    if house is None:
        why = "; ".join(map(str, examination.account.faults)) or "; ".join(examination.account.missing)
        raise TaskError(f"{name_or_path}: cannot be played: {why}")
    return house


def holds_scene(path: Path) -> bool:
    """Whether ``path`` is a file with a scene or a scene graph, and hence without a task."""
    try:
        return is_file(path) and known.is_scene(read_json(path))
    except TaskError:
        return False


def tasks_in(path: Path) -> list[Path]:
    """The task files in a folder and its subfolders, sorted; for a file, the file itself. Scenes are left out.

    Raises:
        TaskError: there is no such path, or it has no task file.
    """
    if is_file(path):
        if holds_scene(path):
            raise TaskError(f"{path}: a scene, and no task; name a task that happens in it")
        return [path]
    if not is_folder(path):
        check_kind(path, TaskError)
    files = sorted(path.rglob(f"*{SUFFIX}")) if is_folder(path) else []
    task_files = [file for file in files if file.is_file() and not holds_scene(file)]
    if not task_files:
        others = near(path.name, shipped_tasks()) or f"; give a {SUFFIX} file, or a folder with some"
        raise TaskError(f"{path}: no task file there{others}")
    return task_files
