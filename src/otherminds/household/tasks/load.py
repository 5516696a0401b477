"""Task files: from JSON data to a :class:`~..task.Task` with all faults of form at once, checked in its scene; and the shipped tasks.

Parts that cannot be decoded are blank in the task, so that the rest can be checked too. Faults that result from blank
parts are dropped (:meth:`ShapedTask.covers`)."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Struct

from otherminds.core.errors import TaskError
from otherminds.core.text import hint, near, quote_name, shell_command
from otherminds.core.user_files import check_kind, is_file, is_folder, json_value, read_bytes
from otherminds.household.house import House
from otherminds.household.scenes.scene import Scene
from otherminds.household.task import Task
from otherminds.household.tasks import diagnostics as known
from otherminds.household.tasks.check import check_task
from otherminds.household.tasks.convert import convert_task, spawns_in_rooms
from otherminds.household.tasks.diagnostics import Diagnostics, Fault, Things

AGENT = re.compile(r"agent_(\d{1,2})")
FEWEST, MOST = 2, 64
"""The possible numbers of agents; a larger number is considered a mistake."""
INSIDE = re.compile(r" - at `\$(.*)`")
MEANING = {
    "task_id": "the name of the task",
    "task": "what everybody is told of the task",
    "scene_id": "the scene in which it happens",
    "num_agents": "how many agents there are",
    "problem_pddl": "the goal",
    "mechanic_type": "which mechanic it binds",
    "position": "metres as [x, y, z]",
    "room": "the room that the position lies in",
    "turns": "the joint turns of the plan",
    "least": "the turns that no plan is shorter than",
    "plan": "the calls of each turn, in the order of seats",
}
"""The meaning of required fields, for the message that one is missing."""


class ShapedTask(Struct, frozen=True):
    """A task as far as it could be decoded, its faults of form, and the changes made in conversion."""

    task: Task
    faults: tuple[Fault, ...]
    notes: tuple[str, ...]

    def covers(self, fault: Fault) -> bool:
        """Whether ``fault`` is about, or depends on, a part that could not be decoded."""
        return any(
            _within(fault.place, mine.place)
            or any(_within(place, mine.place) or _within(mine.place, place) for place in fault.by)
            for mine in self.faults
        )


def _within(place: str, parent: str) -> bool:
    return place == parent or place.startswith((f"{parent}.", f"{parent}["))


def shape_task(data: object) -> ShapedTask:
    """JSON ``data`` in either form as a task, with all faults of form: missing, unknown and ill-typed fields."""
    conversion = convert_task(data)
    data = conversion.data
    faults: list[Fault] = []
    if not isinstance(data, dict):
        faults.append(Fault("task", "a task is a JSON object; write {...} with the fields of a task"))
        data = {}
    task: Task = _struct(data, Task, "", faults)
    unread = any(fault.place == "num_agents" for fault in faults)
    if not unread and not FEWEST <= task.num_agents <= MOST:
        faults.append(Fault("num_agents", f"{task.num_agents} agents; a task has {FEWEST} to {MOST}"))
        unread = True
    if unread:
        task = msgspec.structs.replace(task, num_agents=_count_agents(task))
    return ShapedTask(task, tuple(faults), conversion.notes)


def _count_agents(task: Task) -> int:
    names = (*task.agent_spawns, *task.agent_secrets, *task.agent_actions, *task.message_targets)
    numbers = [int(match[1]) for name in names if (match := AGENT.fullmatch(name))]
    return min(max((FEWEST, *(number + 1 for number in numbers))), MOST)


def _read(value: object, kind: Any, place: str, faults: list[Fault]) -> Any:
    """``value`` converted to ``kind``, or a blank and a fault."""
    origin, args = get_origin(kind), get_args(kind)
    if isinstance(kind, type) and issubclass(kind, Struct) and isinstance(value, dict):
        return _struct(value, kind, place, faults)
    if origin is dict and isinstance(value, dict):
        return {str(key): _read(inner, args[1], f"{place}.{key}", faults) for key, inner in value.items()}
    if origin is tuple and args[-1] is ... and isinstance(value, list | tuple):
        return tuple(_read(inner, args[0], f"{place}[{k}]", faults) for k, inner in enumerate(value))
    if type(None) in args and isinstance(value, dict):
        return _read(value, args[0], place, faults)
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        place_match = INSIDE.search(str(error))
        text = INSIDE.sub("", str(error)).replace("`", "")
        place = f"{place}{place_match[1] if place_match else ''}"
        faults.append(Fault(place, f"{text[0].lower()}{text[1:]}; mend its form"))
        return _blank(kind)


def _struct(value: dict[Any, Any], kind: type[Any], place: str, faults: list[Fault]) -> Any:
    hints = get_type_hints(kind)
    fields = msgspec.structs.fields(kind)
    names = [field.name for field in fields]
    lead = f"{place}." if place else ""
    faults += [
        Fault(f"{lead}{key}", f"there is no such field{near(str(key), names) or '; take it out'}")
        for key in value
        if key not in names
    ]
    read: dict[str, Any] = {}
    for field in fields:
        if field.name in value:
            read[field.name] = _read(value[field.name], hints[field.name], f"{lead}{field.name}", faults)
        elif field.required:
            faults.append(Fault(f"{lead}{field.name}", f"missing; write {MEANING[field.name]}"))
            read[field.name] = _blank(hints[field.name])
    return kind(**read)


def _blank(kind: Any) -> Any:
    origin, args = get_origin(kind), get_args(kind)
    if origin is Literal:
        return args[0]
    if type(None) in args:
        return None
    if origin is tuple and args[-1] is not ...:
        return tuple(_blank(argument) for argument in args)
    if origin in (Union, type(int | str)):
        return _blank(args[0])
    if isinstance(kind, type) and issubclass(kind, Struct):
        hints = get_type_hints(kind)
        required = (field.name for field in msgspec.structs.fields(kind) if field.required)
        return kind(**{name: _blank(hints[name]) for name in required})
    return (origin or kind)()


Own: TypeAlias = tuple[Things, tuple[str, ...]]
"""The content of a scene file, with notes, as :func:`~.diagnostics.from_file` returns it."""
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
        raise TaskError(f"task {quote_name(name)}: neither a shipped task nor a file{others}")
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
