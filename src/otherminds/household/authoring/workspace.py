"""The folder of an attempt (Juneja et al. 2026, appendix F), and typed edits of the task that is written in it.

The folder has the task being written, the scene, seed tasks, and references. An author with a shell may put anything there.
What is read back is therefore bounded and regular, no link is followed, and what is written replaces whatever has its name.

An author without a shell has typed edits instead. An edit is JSON: ``{"path": "agent_secrets.agent_0[1]", "value": ...}``
sets, ``"append"`` adds to a list, and ``"remove": true`` takes out. Paths are those of messages about faults. What is not
there is said with what is."""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any, TypeAlias, cast

import msgspec

from otherminds.core.disk import replace_file
from otherminds.core.errors import TaskError
from otherminds.core.text import hint, quote_name
from otherminds.core.user_files import json_value
from otherminds.household.authoring.checking import FILE
from otherminds.household.authoring.references import (
    DrawnScene,
    abridge_scene,
    actions_reference,
    mechanics_reference,
    predicates_reference,
    template,
)
from otherminds.household.authoring.results import Assignment, SampledTask
from otherminds.household.pool.store import task_json
from otherminds.household.task import Task
from otherminds.sandbox.supervised import CommandLimits

Key: TypeAlias = "str | int"
FORM = (
    '{"path": "agent_secrets.agent_0[1]", "value": ...}, or with "append": ... or "remove": true for "value"'
)
DOING = ("value", "append", "remove")
LONGEST_PATH = 200
PART = re.compile(r"(?:^|\.)(?P<key>[A-Za-z_]\w*)|\[(?P<at>\d{1,6})\]", re.ASCII)


def whole(argument: str, where: str) -> dict[str, Any]:
    """A task given as a whole: a JSON object.

    Raises:
        TaskError: it is not JSON, nested too deeply, or no object.
    """
    data = json_value(argument.encode("utf-8", "replace"), where, TaskError)
    if not isinstance(data, dict):
        raise TaskError(f"{where}: a task is a JSON object; write {{...}} with the fields of template.json")
    return cast("dict[str, Any]", data)


def apply_edit(task: dict[str, Any], argument: str) -> str:
    """Changes ``task`` by the edit in ``argument``; returns what was done.

    >>> task = {"agent_secrets": {"agent_0": ["You can send 2 messages."]}}
    >>> apply_edit(task, '{"path": "agent_secrets.agent_0", "append": "cabinet_3 must end open."}')
    'added agent_secrets.agent_0[1]'
    >>> apply_edit(task, '{"path": "agent_secrets.agent_0[0]", "remove": true}'), task
    ('removed agent_secrets.agent_0[0]', {'agent_secrets': {'agent_0': ['cabinet_3 must end open.']}})

    Raises:
        TaskError: the edit is malformed, or its path leads nowhere; ``task`` is as it was.
    """
    edit: Any = json_value(argument.encode("utf-8", "replace"), "edit", TaskError)
    done = [operation for operation in DOING if isinstance(edit, dict) and operation in edit]
    if not isinstance(edit, dict) or {*edit} != {"path", *done} or len(done) != 1:
        raise TaskError(f"edit: write {FORM}")
    path = edit["path"]
    if not isinstance(path, str):
        raise TaskError(f"edit: the path is a text; write {FORM}")
    keys = keys_of(path)
    holder: Any = task
    for number, key in enumerate(keys[:-1]):
        holder = _inside(holder, key, keys[:number])
    last, value = keys[-1], edit[done[0]]
    if done == ["value"]:
        return _set(holder, last, value, keys)
    target = _inside(holder, last, keys[:-1])
    if done == ["append"]:
        if not isinstance(target, list):
            raise TaskError(f"edit: {path} is {_kind(target)} and no list; set it with value")
        cast("list[Any]", target).append(value)
        return f"added {path}[{len(cast('list[Any]', target)) - 1}]"
    if value is not True:
        raise TaskError('edit: write "remove": true')
    del holder[last]
    return f"removed {path}"


def keys_of(path: str) -> list[Key]:
    """The keys and places of a path.

    >>> keys_of("agent_secrets.agent_0[1]")
    ['agent_secrets', 'agent_0', 1]

    Raises:
        TaskError: it is no path.
    """
    keys: list[Key] = []
    at = 0
    while len(path) <= LONGEST_PATH and (part := PART.match(path, at)):
        keys.append(part["key"] if part["at"] is None else int(part["at"]))
        at = part.end()
    if at != len(path) or not keys or isinstance(keys[0], int):
        raise TaskError(f"edit: {quote_name(path)} is no path; write one such as agent_secrets.agent_0[1]")
    return keys


def _set(holder: Any, key: Key, value: Any, keys: list[Key]) -> str:
    if isinstance(holder, dict) and isinstance(key, str):
        new = key not in holder
        holder[key] = value
        return f"{'added' if new else 'set'} {_format_path(keys)}"
    _inside(holder, key, keys[:-1])
    holder[key] = value
    return f"set {_format_path(keys)}"


def _inside(holder: Any, key: Key, before: list[Key]) -> Any:
    """The value at ``key`` of ``holder``, whose path is ``before``."""
    where = _format_path(before) or "the task"
    if isinstance(key, int):
        if not isinstance(holder, list):
            raise TaskError(f"edit: {where} is {_kind(holder)} and has no [{key}]; {_there(holder)}")
        items = cast("list[Any]", holder)
        if key >= len(items):
            last = f"the last one is [{len(items) - 1}]" if items else "it is empty"
            raise TaskError(f"edit: {where} has no [{key}]; {last}; append adds one")
        return items[key]
    if not isinstance(holder, dict):
        raise TaskError(
            f"edit: {where} is {_kind(holder)} and has no field {quote_name(key)}; {_there(holder)}"
        )
    fields = cast("dict[str, Any]", holder)
    if key not in fields:
        raise TaskError(f"edit: {where} has no field {quote_name(key)}{hint(key, fields)}")
    return fields[key]


def _there(holder: Any) -> str:
    if isinstance(holder, dict):
        return f"its fields are {', '.join(map(quote_name, cast('dict[str, Any]', holder))) or 'none'}"
    if isinstance(holder, list):
        return f"it has {len(cast('list[Any]', holder))} items, from [0]"
    return "set it as a whole"


def _kind(value: Any) -> str:
    kinds = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}
    return kinds.get(type(value), "a number")


def _format_path(keys: list[Key]) -> str:
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in keys).removeprefix(".")


TEMPLATE, SCENE = "template.json", "current_scene.json"
SAMPLED, SUBMITTED = "sampled_tasks", "submitted_tasks"
LARGEST = 256 * 2**10
"""Bytes of a file that is read; a task has about 5 KB, a scene 20 KB."""
MOST_NAMES = 40
"""Names of files that a message lists."""
ROOM = CommandLimits()
"""What a workspace may hold: as much as a sandbox returns."""


class Workspace:
    """The workspace in ``folder``; :meth:`fill` makes it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def fill(self, assignment: Assignment, sampled: Sequence[SampledTask]) -> None:
        """Makes the workspace, unless it is there: the blank task, references and seed tasks, and what became of them."""
        if self.folder.exists():
            return
        part = Workspace(self.folder.with_name(f"{self.folder.name}.part"))
        remove(part.folder)
        for name in (SAMPLED, SUBMITTED):
            (part.folder / name).mkdir(parents=True)
        part.reset(assignment)
        part.put("available_mechanics.md", mechanics_reference())
        part.put("available_predicates.md", predicates_reference())
        part.put("available_actions.md", actions_reference())
        for number, seed_task in enumerate(sampled, 1):
            part.put(seed_file(number), _seed_task(seed_task))
        part.folder.rename(self.folder)

    def reset(self, assignment: Assignment, scene_draw: DrawnScene | None = None) -> None:
        """Replaces the task by the blank one, and the scene by ``scene_draw``."""
        blank = pretty(template(assignment, scene_draw))
        self.put(SCENE, pretty(abridge_scene(scene_draw)) if scene_draw else "{}\n")
        self.put(TEMPLATE, blank)
        self.put(FILE, blank)

    def task(self) -> str:
        """The text of the task being written.

        Raises:
            TaskError: as :meth:`read`.
        """
        return self.read(FILE)

    def read(self, name: str) -> str:
        """The text of a file of the workspace.

        Raises:
            TaskError: it is outside, a link or no regular file, larger than :data:`LARGEST`, or not UTF-8.
        """
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts or not path.parts or "\0" in name:
            raise TaskError(f"{quote_name(name)} is no file of the workspace; {self._there()}")
        handles: list[int] = []
        try:
            handles.append(os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY))
            for part in path.parts[:-1]:
                flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
                handles.append(os.open(part, flags, dir_fd=handles[-1]))
            flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
            handles.append(os.open(path.name, flags, dir_fd=handles[-1]))
            if not stat.S_ISREG(os.fstat(handles[-1]).st_mode):
                raise TaskError(f"{quote_name(name)} is no regular file; {self._there()}")
            data = _head(handles[-1], LARGEST + 1)
        except OSError as error:
            why = "is a link" if error.errno == errno.ELOOP else f"cannot be read ({error.strerror})"
            raise TaskError(f"{quote_name(name)} {why}; {self._there()}") from None
        finally:
            for handle in reversed(handles):
                os.close(handle)
        if len(data) > LARGEST:
            raise TaskError(f"{quote_name(name)}: larger than {LARGEST // 2**10} KiB, the most that is read")
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise TaskError(
                f"{quote_name(name)}: not UTF-8 text (byte {error.start}); write it again"
            ) from None

    def put(self, name: str, text: str) -> None:
        """Writes a file of the workspace in place of whatever has its name.

        Raises:
            StudyError: it cannot be written.
        """
        path = self.folder / name
        if path.parent != self.folder and (path.parent.is_symlink() or not path.parent.is_dir()):
            remove(path.parent)
            path.parent.mkdir()
        for target in (path, path.with_name(f"{path.name}.part")):
            if target.is_symlink() or not target.is_file():
                remove(target)
        replace_file(path, text)

    def add_accepted(self, task_id: str, task: Task) -> None:
        """Adds a task that was submitted, under its id in the pool."""
        self.put(f"{SUBMITTED}/{task_id}.json", pretty(msgspec.json.decode(task_json(task))))

    @property
    def crowded(self) -> bool:
        """Whether it holds more than :data:`ROOM`; an author without a sandbox may have filled it."""
        size = number = 0
        for folder, folders, files in os.walk(self.folder):
            number += len(folders) + len(files)
            for name in files:
                size += os.lstat(os.path.join(folder, name)).st_size
            if size > ROOM.file_bytes or number > ROOM.files:
                return True
        return False

    def _there(self) -> str:
        """The files that there are, for messages."""
        names: list[str] = []
        for folder, folders, files in os.walk(self.folder):
            folders.sort()
            lead = os.path.relpath(folder, self.folder)
            names += [os.path.normpath(os.path.join(lead, name)) for name in sorted(files)]
            if len(names) > MOST_NAMES:
                names[MOST_NAMES:] = ["..."]
                break
        return f"the workspace has {', '.join(map(quote_name, names))}"


class WorkspaceCopies:
    """Copies of a workspace, each as it was before a turn that changes it, to go back to if that turn is not finished.

    Links are copied as links; what is neither file, folder nor link is left out.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._folder = workspace.folder

    def take(self, turn: int) -> None:
        """Copies the workspace as it is before ``turn``."""
        part = self._folder.with_name(f"{self._folder.name}.part")
        remove(part)
        shutil.copytree(self._folder, part, symlinks=True, ignore=_special)
        part.rename(self._copy(turn))

    def restore(self, turn: int) -> None:
        """Makes the workspace as it was before ``turn``, if there is that copy, and removes all copies."""
        copy = self._copy(turn)
        if copy.exists():
            remove(self._folder)
            copy.rename(self._folder)
        self.drop()

    def drop(self) -> None:
        """Removes all copies."""
        for copy in self._folder.parent.glob(f"{self._folder.name}.before_*"):
            remove(copy)

    def _copy(self, turn: int) -> Path:
        return self._folder.with_name(f"{self._folder.name}.before_{turn:04}")


def seed_file(number: int) -> str:
    """The file of the ``number``-th seed task, from 1."""
    return f"{SAMPLED}/{number:02}.json"


def pretty(data: Any) -> str:
    """JSON with line breaks, as an author reads it."""
    return msgspec.json.format(msgspec.json.encode(data), indent=2).decode() + "\n"


def _seed_task(seed_task: SampledTask) -> str:
    data: dict[str, Any] = {
        "what_became_of_it": {
            "result": "failed by the target models" if seed_task.failed else "solved by the target models",
            "failure_patterns": seed_task.patterns,
        }
    }
    return pretty(data | {"task": msgspec.json.decode(task_json(seed_task.task))})


def _head(handle: int, most: int) -> bytes:
    """The first bytes of an open file."""
    parts: list[bytes] = []
    while most and (part := os.read(handle, most)):
        parts.append(part)
        most -= len(part)
    return b"".join(parts)


def _special(folder: str, names: list[str]) -> list[str]:
    """What is no file, folder or link."""
    kinds = (stat.S_ISREG, stat.S_ISDIR, stat.S_ISLNK)
    modes = {name: os.lstat(os.path.join(folder, name)).st_mode for name in names}
    return [name for name, mode in modes.items() if not any(kind(mode) for kind in kinds)]


def remove(path: Path) -> None:
    """Removes a file, a link or a folder with all that is in it."""
    if path.is_dir() and not path.is_symlink():
        for folder, folders, _ in os.walk(path):
            for name in folders:  # an author may have made a folder that cannot be entered
                inner = os.path.join(folder, name)
                if not os.path.islink(inner):
                    os.chmod(inner, 0o700)
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
