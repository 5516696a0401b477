"""Typed edits of the task being written: what an author without a shell has instead of one.

An edit is JSON: ``{"path": "agent_secrets.agent_0[1]", "value": ...}`` sets, ``"append"`` adds to a list, and ``"remove":
true`` takes out. Paths are those of messages about faults. What is not there is said with what is.
"""

from __future__ import annotations

import re
from typing import Any, TypeAlias, cast

from otherminds.core.errors import TaskError
from otherminds.core.near import hint, quoted
from otherminds.core.user_files import json_value

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
        raise TaskError(f"edit: {quoted(path)} is no path; write one such as agent_secrets.agent_0[1]")
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
        raise TaskError(f"edit: {where} is {_kind(holder)} and has no field {quoted(key)}; {_there(holder)}")
    fields = cast("dict[str, Any]", holder)
    if key not in fields:
        raise TaskError(f"edit: {where} has no field {quoted(key)}{hint(key, fields)}")
    return fields[key]


def _there(holder: Any) -> str:
    if isinstance(holder, dict):
        return f"its fields are {', '.join(map(quoted, cast('dict[str, Any]', holder))) or 'none'}"
    if isinstance(holder, list):
        return f"it has {len(cast('list[Any]', holder))} items, from [0]"
    return "set it as a whole"


def _kind(value: Any) -> str:
    kinds = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}
    return kinds.get(type(value), "a number")


def _format_path(keys: list[Key]) -> str:
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in keys).removeprefix(".")
