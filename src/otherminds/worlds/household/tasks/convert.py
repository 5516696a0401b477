"""Task files of the public release (Juneja et al. 2026), turned into our form, with a note for every change.

Written from the paper's description (section 4.1, appendices E, F and H), because the
released files themselves were not at hand: where the paper leaves a shape open, every
shape that its words allow is read. A file in our own form comes out as it went in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from difflib import get_close_matches
from typing import Any

from msgspec import Struct, structs

from otherminds.worlds.household.task import Binding, Spawn, Task
from otherminds.worlds.household.tasks.convert_bindings import binding_list
from otherminds.worlds.household.tasks.convert_release import (
    KEPT,
    calibration,
    constants,
    keep,
    private_goals,
    starts,
)
from otherminds.worlds.household.tasks.convert_states import by_thing, untyped

Data = dict[str, Any]
Note = Callable[[str], None]

OTHER_NAMES: Mapping[str, str] = {
    "pddl_goal": "problem_pddl",
    "goal": "problem_pddl",
    "description": "task",
    "secrets": "agent_secrets",
    "mechanics": "mechanic_bindings",
    "private_objectives": "private_goals",
}
"""What the paper calls fields elsewhere than in section 4.1: in figure 1, algorithm 1 and appendices F and H."""
CATEGORIES = {
    "coop": "cooperative",
    "mixed-motive": "mixed",
    "mixed_motive": "mixed",
    "mixed motive": "mixed",
}
SLIP = 0.8
"""Likeness (of difflib) from which an unknown field is one of ours misspelt."""
BY_AGENT = (
    "agent_secrets",
    "agent_knows",
    "agent_actions",
    "message_targets",
    "private_goals",
    "agent_spawns",
)
"""Fields that are mappings by agent, which a file may also list in the order of agents."""
SEVERAL = ("agent_secrets", "agent_knows", "agent_actions", "message_targets")
"""Those of them whose values are lists, where a file may have one text."""


class Converted(Struct, frozen=True):
    """A task's data in our form; ``aside`` holds the fields that we have none for, under their places.

    The data keep them too, in ``release``.
    """

    data: object
    notes: tuple[str, ...] = ()
    aside: dict[str, Any] = {}


def converted(data: object) -> Converted:
    """``data`` (JSON) of a task file in our form. What is neither form is left, for the check to refuse."""
    if not isinstance(data, dict):
        return Converted(data)
    task: Data = deepcopy(data)
    notes: list[str] = []
    aside: Data = {}
    for step in STEPS:
        step(task, notes.append)
    _set_aside(task, [one.name for one in structs.fields(Task)], "", aside)
    for place, value in aside.items():
        keep(task, place, value)
    notes += [f"{place}: we have no such field; {KEPT}" for place in aside]
    return Converted(task, tuple(notes), aside)


def _renamed(task: Data, note: Note) -> None:
    for theirs, ours in OTHER_NAMES.items():
        if theirs in task and ours not in task:
            task[ours] = task.pop(theirs)
            note(f"{theirs}: called {ours} here")


def _emptied(task: Data, note: Note) -> None:
    for name in [name for name, value in task.items() if value is None]:
        del task[name]
        note(f"{name}: null, left out")


def _simple(task: Data, note: Note) -> None:
    """Numbers for names, and the category's other spellings."""
    for name in ("task_id", "scene_id", "episode_id"):
        if isinstance(task.get(name), int) and not isinstance(task[name], bool):
            task[name] = str(task[name])
            note(f"{name}: a number, now a text")
    given = task.get("category")
    if isinstance(given, str):
        plain = given.strip().lower()
        task["category"] = CATEGORIES.get(plain, plain)
        if task["category"] != given:
            note(f"category: {given!r} is {task['category']!r} here")


def _by_agent(task: Data, note: Note) -> None:
    for name in BY_AGENT:
        value = task.get(name)
        if isinstance(value, list):
            value = task[name] = {f"agent_{k}": inner for k, inner in enumerate(value)}
            note(f"{name}: a list in the order of agents, now by agent")
        if name not in SEVERAL or not isinstance(value, dict):
            continue
        for agent, inner in value.items():
            if isinstance(inner, str) or inner is None:
                value[agent] = [inner] if inner else []
                note(f"{name}.{agent}: {'one text' if inner else 'nothing'}, now a list")


def _spawns(task: Data, note: Note) -> None:
    spawns = task.get("agent_spawns")
    if not isinstance(spawns, dict):
        return
    for agent, spawn in list(spawns.items()):
        room = spawn.get("room") if isinstance(spawn, dict) else None
        if isinstance(spawn, list) or (isinstance(spawn, dict) and "position" in spawn and room is None):
            keep(task, f"agent_spawns.{agent}", spawns.pop(agent))
            note(f"agent_spawns.{agent}: a position without a room; left to the scene, and {KEPT}")


def _bindings(task: Data, note: Note) -> None:
    if "mechanic_bindings" in task:
        agents = sorted(task["agent_secrets"]) if isinstance(task.get("agent_secrets"), dict) else []
        task["mechanic_bindings"] = binding_list(task["mechanic_bindings"], agents, note)
    bindings = task.get("mechanic_bindings")
    if "active_mechanics" not in task and isinstance(bindings, list) and bindings:
        types = [one.get("mechanic_type") for one in bindings if isinstance(one, dict)]
        task["active_mechanics"] = list(dict.fromkeys(name for name in types if isinstance(name, str)))
        note("active_mechanics: not given, taken from the bindings")


def _states(task: Data, note: Note) -> None:
    if "initial_states" in task:
        task["initial_states"] = by_thing(task["initial_states"], note)


def _goals(task: Data, note: Note) -> None:
    """Goals whose names carry their types, as PDDL's lists of objects do."""
    private = task.get("private_goals")
    private = private if isinstance(private, dict) else {}
    texts = [(task, "problem_pddl", "problem_pddl")]
    texts += [(private, agent, f"private_goals.{agent}") for agent in private]
    for holder, key, place in texts:
        text = holder.get(key)
        plain = untyped(text) if isinstance(text, str) else text
        if plain != text:
            holder[key] = plain
            note(f"{place}: the types of names left out")


def _counted(task: Data, note: Note) -> None:
    named = [task[name] for name in ("agent_secrets", "agent_spawns") if isinstance(task.get(name), dict)]
    if "num_agents" not in task and named:
        task["num_agents"] = max(len(agents) for agents in named)
        note("num_agents: not given, counted")


def _set_aside(task: Data, names: list[str], lead: str, aside: Data) -> None:
    """Takes out the fields that are not spelt nearly as ours; one that is is a slip, for the check to name."""
    strange = [name for name in task if not get_close_matches(name, names, 1, SLIP)]
    for name in strange:
        aside[f"{lead}{name}"] = task.pop(name)
    if lead:
        return
    spawns, bindings = task.get("agent_spawns"), task.get("mechanic_bindings")
    for agent, spawn in spawns.items() if isinstance(spawns, dict) else ():
        if isinstance(spawn, dict):
            _set_aside(spawn, list(Spawn.__struct_fields__), f"agent_spawns.{agent}.", aside)
    for k, binding in enumerate(bindings) if isinstance(bindings, list) else ():
        if isinstance(binding, dict):
            _set_aside(binding, list(Binding.__struct_fields__), f"mechanic_bindings[{k}].", aside)


STEPS: tuple[Callable[[Data, Note], None], ...] = (
    _renamed,
    _emptied,
    _simple,
    _by_agent,
    constants,
    private_goals,
    _states,
    starts,
    _spawns,
    _bindings,
    _goals,
    _counted,
    calibration,
)
"""In the order in which they need each other."""
