"""Whether a name in a task file is a name of what it should be."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Literal

from otherminds.worlds.household.task import Task
from otherminds.worlds.household.tasks.account import Fault, near, quoted
from otherminds.worlds.household.tasks.things import Things

Kind = Literal["agent", "room", "furniture", "object"]


def known(kind: Kind, task: Task, things: Things | None) -> Collection[str] | None:
    """The names of that kind; ``None`` where the scene is not known."""
    if kind == "agent":
        return task.agents
    if things is None:
        return None
    names: Mapping[str, Collection[str]] = {
        "room": things.rooms,
        "furniture": things.furniture,
        "object": things.objects,
    }
    return names[kind]


def unknown(kind: Kind, name: str, task: Task, things: Things | None) -> str:
    """What is wrong with ``name`` as a name of that kind; empty if nothing is, or if it cannot be known.

    What is no name of an agent is looked for among the others all the same.
    """
    names = known(kind, task, things)
    if names is None or name in names:
        return f"{name} is an agent, not {article(kind)}" if names is None and name in task.agents else ""
    others: tuple[Kind, ...] = ("agent", "room", "furniture", "object")
    for other in others:
        if other != kind and name in (known(other, task, things) or ()):
            return f"{name} is {article(other)}, not {article(kind)}"
    if kind == "agent":
        return f"no agent {quoted(name)} in this task; they are {task.agents[0]} to {task.agents[-1]}"
    hint = near(name, names) or f"; see its list of {'rooms' if kind == 'room' else kind.removesuffix('s')}"
    return f"no {kind} {quoted(name)} in {things.called if things else 'the scene'}{hint}"


def article(kind: Kind) -> str:
    """``kind`` with its article."""
    return {"agent": "an agent", "room": "a room", "furniture": "furniture", "object": "an object"}[kind]


def wrong(place: str, kind: Kind, name: str, task: Task, things: Things | None) -> Iterator[Fault]:
    """The fault of a name that is none of that kind, if it is not."""
    text = unknown(kind, name, task, things)
    if text:
        yield Fault(place, text)
