"""From JSON data to a :class:`~..task.Task`, with all faults of form at once.

Parts that cannot be decoded are blank in the task, so that the rest can be checked too. Faults that result from blank
parts are dropped (:meth:`ShapedTask.covers`).
"""

from __future__ import annotations

import re
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Struct

from otherminds.core.near import near
from otherminds.household.task import Task
from otherminds.household.tasks.convert import convert_task
from otherminds.household.tasks.diagnostics import Fault

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
