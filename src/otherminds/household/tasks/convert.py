"""Conversion of task files of the public release (Juneja et al. 2026) to our form, with a note for each change.

It follows the paper's description (section 4.1, appendices E, F and H), because the released files were not available:
where the paper leaves a form open, all forms that its words allow are accepted. A file in our form is not changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from difflib import get_close_matches
from typing import Any

from msgspec import Struct

from otherminds.household.epistemic.formula import FormulaError, Literal, Not, atom, show
from otherminds.household.epistemic.parse import goal_of
from otherminds.household.epistemic.problem import (
    INIT,
    OBJECTS,
    OWNERS,
    owners,
    sections,
    start,
    typed_objects,
    without,
)
from otherminds.household.mechanics.mechanic import mechanics
from otherminds.household.scenes.scene import Spawn
from otherminds.household.task import Binding, Task
from otherminds.household.tasks.convert_parts import (
    BINDING_NAMES,
    Data,
    binding_list,
    by_facts,
    by_thing,
    strip_types,
)
from otherminds.household.tasks.publish import CONSTANTS, plan_of
from otherminds.household.tasks.things import NEEDED, PLACES

OTHER_NAMES: Mapping[str, str] = {
    "pddl_goal": "problem_pddl",
    "goal": "problem_pddl",
    "description": "task",
    "secrets": "agent_secrets",
    "mechanics": "mechanic_bindings",
    "private_objectives": "private_goals",
}
"""The names of fields in figure 1, algorithm 1 and appendices F and H, where they differ from section 4.1."""
CATEGORIES = {
    "coop": "cooperative",
    **dict.fromkeys(("mixed-motive", "mixed_motive", "mixed motive"), "mixed"),
}
SLIP = 0.8
"""The difflib ratio above which an unknown field is considered a misspelling of ours."""
SEVERAL = ("agent_secrets", "agent_knows", "agent_actions", "message_targets")
"""Mappings by agent whose values are lists; a file may have a single text instead."""
BY_AGENT = (*SEVERAL, "private_goals", "agent_spawns")
"""Mappings by agent, which a file may also write as a list in the order of agents."""
KEPT = "kept in release"
USED = (":domain", ":requirements", ":goal", OBJECTS, INIT, OWNERS)
"""The sections of a problem that are read, or say nothing about a task."""


class Converted(Struct, frozen=True):
    """A task's data in our form; ``aside`` has the fields that do not exist in our form, by place.

    The data contain them too, in ``release``.
    """

    data: object
    notes: tuple[str, ...] = ()
    aside: dict[str, Any] = {}


def convert_task(data: object) -> Converted:
    """The JSON ``data`` of a task file in our form. Parts in neither form are left unchanged, for the check to report."""
    if not isinstance(data, dict):
        return Converted(data)
    conversion = _Conversion(deepcopy(data))
    conversion.run()
    return Converted(conversion.task, tuple(conversion.notes), conversion.aside)


def without_unknown_mechanics(data: object) -> tuple[object, tuple[str, ...]]:
    """The JSON ``data`` of a task file without bindings of mechanics that are not ours, and a note for each.

    They are kept in ``release``. A likely misspelling of one of ours is left where it is, for the check to report.
    """
    bindings = data.get("mechanic_bindings") if isinstance(data, dict) else None
    if not isinstance(data, dict) or not isinstance(bindings, list):
        return data, ()
    unknown = {k: kind for k, binding in enumerate(bindings) if (kind := _unknown_mechanic(binding))}
    if not unknown:
        return data, ()
    release, active = data.get("release", {}), data.get("active_mechanics", [])
    removed = {f"mechanic_bindings[{k}]": bindings[k] for k in unknown}
    changed = data | {
        "mechanic_bindings": [binding for k, binding in enumerate(bindings) if k not in unknown],
        "release": (release | removed) if isinstance(release, dict) else release,
    }
    if isinstance(active, list) and active:
        changed["active_mechanics"] = [name for name in active if name not in unknown.values()]
    notes = tuple(
        f"mechanic_bindings[{k}]: {kind} is none of the paper's mechanics; the task is played without it, and it is {KEPT}"
        for k, kind in unknown.items()
    )
    return changed, notes


def _unknown_mechanic(binding: object) -> str:
    """The mechanic of a binding if it is none of ours and resembles none; else empty."""
    names = ("mechanic_type", *(theirs for theirs, ours in BINDING_NAMES.items() if ours == "mechanic_type"))
    values = (binding.get(name) for name in names) if isinstance(binding, dict) else ()
    kind = next((value for value in values if isinstance(value, str) and value), "")
    return "" if kind in mechanics or get_close_matches(kind, tuple(mechanics), 1, SLIP) else kind


class _Conversion:
    """The conversion of one file in place; each step handles one possible form of a part."""

    def __init__(self, task: Data) -> None:
        self.task = task
        self.notes: list[str] = []
        self._note = self.notes.append
        self.aside: Data = {}

    def run(self) -> None:
        self._names()
        self._by_agent()
        self._constants()
        self._private_goals()
        if "initial_states" in self.task:
            self.task["initial_states"] = by_thing(self.task["initial_states"], self.notes.append)
        self._note_unused()
        self._start()
        self._spawns()
        self._bindings()
        self._untyped_goals()
        self._count_agents()
        self._calibration()
        self._set_aside(self.task, Task, "")
        for agent, spawn in self._mapping("agent_spawns").items():
            self._set_aside(spawn, Spawn, f"agent_spawns.{agent}.")
        bindings = self.task.get("mechanic_bindings")
        for k, binding in enumerate(bindings if isinstance(bindings, list) else ()):
            self._set_aside(binding, Binding, f"mechanic_bindings[{k}].")
        for place, value in self.aside.items():
            self._keep(place, value)
        self.notes += [
            f"{place}: the format of Other Minds has no such field; {KEPT}" for place in self.aside
        ]

    def _mapping(self, name: str) -> Data:
        value = self.task.get(name)
        return value if isinstance(value, dict) else {}

    def _keep(self, place: str, value: object) -> None:
        """Adds a value without a field in our form to ``release``, under its place."""
        release = self.task.setdefault("release", {})
        if isinstance(release, dict):
            release[place] = value

    def _names(self) -> None:
        """Other names of fields, nulls, numbers for names, and the category's other spellings."""
        task = self.task
        for theirs, ours in OTHER_NAMES.items():
            if theirs in task and ours not in task:
                task[ours] = task.pop(theirs)
                self._note(f"{theirs}: called {ours} here")
        for name in [name for name, value in task.items() if value is None]:
            del task[name]
            self._note(f"{name}: null, left out")
        for name in ("task_id", "scene_id", "episode_id"):
            if isinstance(task.get(name), int) and not isinstance(task[name], bool):
                task[name] = str(task[name])
                self._note(f"{name}: a number, now a text")
        category = task.get("category")
        if isinstance(category, str):
            plain = category.strip().lower()
            task["category"] = CATEGORIES.get(plain, plain)
            if task["category"] != category:
                self._note(f"category: {category!r} is {task['category']!r} here")

    def _by_agent(self) -> None:
        for name in BY_AGENT:
            value = self.task.get(name)
            if isinstance(value, list):
                self.task[name] = {f"agent_{k}": inner for k, inner in enumerate(value)}
                self._note(f"{name}: a list in the order of agents, now by agent")
            value = self._mapping(name) if name in SEVERAL else {}
            for agent, inner in value.items():
                if isinstance(inner, str) or inner is None:
                    value[agent] = [inner] if inner else []
                    self._note(f"{name}.{agent}: {'one text' if inner else 'nothing'}, now a list")

    def _constants(self) -> None:
        """Removes the fields that are equal in all files of the release."""
        constants = [name for name, value in CONSTANTS.items() if self.task.get(name) == value]
        for name in constants:
            del self.task[name]
        if constants:
            self._note(f"{', '.join(constants)}: as in every file of the release; left out")

    def _private_goals(self) -> None:
        """Moves ``(:goal-owners ...)`` of the problem into ``private_goals``; if both differ, the check reports it."""
        text, private_goals = self.task.get("problem_pddl"), self.task.get("private_goals", {})
        if not isinstance(text, str) or not isinstance(private_goals, dict):
            return
        try:
            goals_by_owner = owners(text)
            same = (
                isinstance(private_goals[agent], str) and goal_of(private_goals[agent]) == goal
                for agent, goal in goals_by_owner.items()
                if agent in private_goals
            )
            if not goals_by_owner or not all(same):
                return
            self.task["problem_pddl"] = without(text, OWNERS)
        except FormulaError:
            return
        self.task["private_goals"] = {
            agent: show(goal) for agent, goal in goals_by_owner.items()
        } | private_goals
        self._note(f"problem_pddl: ({OWNERS} ...), now private_goals of {', '.join(goals_by_owner)}")

    def _note_unused(self) -> None:
        """Notes the sections of the problem that say nothing here, and names with two types."""
        text = self.task.get("problem_pddl")
        try:
            heads = sections(text) if isinstance(text, str) else ()
            typed = typed_objects(text) if isinstance(text, str) else ()
        except FormulaError:
            return
        for head in heads:
            if head not in USED:
                self._note(f"problem_pddl: ({head} ...) is left in the text, and not used here")
        types: dict[str, list[str]] = {}
        for name, kind in typed:
            types.setdefault(name, []).append(kind)
        for name, kinds in types.items():
            if len(set(kinds)) > 1:
                self._note(
                    f"problem_pddl: {name} has the types {' and '.join(dict.fromkeys(kinds))}; its use decides"
                )

    def _start(self) -> None:
        """Reads the start from ``(:init ...)``: rooms of agents, places and states of things."""
        text = self.task.get("problem_pddl")
        try:
            facts = start(text) if isinstance(text, str) else ()
        except FormulaError:
            return
        states, spawns = self.task.get("initial_states", {}), self.task.get("agent_spawns", {})
        if not isinstance(states, dict) or not isinstance(spawns, dict):
            return
        added_facts: list[Literal] = []
        for fact in facts:
            inside, holds = atom(fact), not isinstance(fact, Not)
            if holds and inside.predicate == "agent_in_room":
                agent, room = inside.args
                spawn = spawns.get(agent)
                if isinstance(spawn, dict) and "position" in spawn and spawn.get("room") is None:
                    spawns[agent] = spawn | {"room": room}
                    self._note(f"agent_spawns.{agent}: without a room; {room}, as (:init ...) says")
            # The initial states of the file take precedence.
            elif inside.args[0] not in states and (
                inside.predicate in NEEDED or (holds and inside.predicate in PLACES)
            ):
                added_facts.append(fact)
        if added_facts:
            added = by_facts(added_facts)
            self.task["initial_states"] = states | added
            self._note(f"initial_states: states of {', '.join(added)} added from (:init ...) of problem_pddl")

    def _spawns(self) -> None:
        spawns = self._mapping("agent_spawns")
        for agent, spawn in list(spawns.items()):
            roomless = isinstance(spawn, dict) and "position" in spawn and spawn.get("room") is None
            if isinstance(spawn, list) or roomless:
                self._keep(f"agent_spawns.{agent}", spawns.pop(agent))
                self._note(f"agent_spawns.{agent}: a position without a room; left to the scene, and {KEPT}")

    def _bindings(self) -> None:
        task = self.task
        if "mechanic_bindings" in task:
            agents = sorted(self._mapping("agent_secrets"))
            task["mechanic_bindings"] = binding_list(task["mechanic_bindings"], agents, self._note)
        bindings = task.get("mechanic_bindings")
        if "active_mechanics" not in task and isinstance(bindings, list) and bindings:
            types = [binding.get("mechanic_type") for binding in bindings if isinstance(binding, dict)]
            task["active_mechanics"] = list(dict.fromkeys(name for name in types if isinstance(name, str)))
            self._note("active_mechanics: not given, taken from the bindings")

    def _untyped_goals(self) -> None:
        """Removes types behind names in goals, as in PDDL's lists of objects."""
        private = self._mapping("private_goals")
        texts = [(self.task, "problem_pddl", "problem_pddl")]
        texts += [(private, agent, f"private_goals.{agent}") for agent in private]
        for holder, key, place in texts:
            text = holder.get(key)
            plain = strip_types(text) if isinstance(text, str) else text
            if plain != text:
                holder[key] = plain
                self._note(f"{place}: the types of names left out")

    def _count_agents(self) -> None:
        fields = ("agent_secrets", "agent_spawns")
        mappings_by_agent = [self.task[name] for name in fields if isinstance(self.task.get(name), dict)]
        if "num_agents" not in self.task and mappings_by_agent:
            self.task["num_agents"] = max(map(len, mappings_by_agent))
            self._note("num_agents: not given, counted")

    def _calibration(self) -> None:
        """Reads the release's list of runs: our plan becomes a calibration, runs of models are kept in ``release``."""
        calibration = self.task.get("calibration")
        if isinstance(calibration, dict) and "messages" in calibration:
            self._keep("calibration", self.task.pop("calibration"))
            self._note(
                f"calibration: a team's turns and messages, of an earlier form; {KEPT}, and the task is not calibrated"
            )
        if not isinstance(calibration, list):
            return
        del self.task["calibration"]
        read = [(run, plan_of(run)) for run in calibration]
        plans = [plan for _, plan in read if plan]
        others = [run for run, plan in read if not plan]
        if plans:
            self.task["calibration"] = plans[-1]
            self._note("calibration: the planner's run in the list, now a plan")
        if others:
            self._keep("calibration", others)
            self._note(
                f"calibration: {len(others)} run(s) of models; {KEPT}, and the task is not calibrated by them"
            )

    def _set_aside(self, part: object, form: type[Struct], lead: str) -> None:
        """Moves unknown fields to ``aside``, except likely misspellings, which the check reports."""
        names = form.__struct_fields__
        if isinstance(part, dict):
            for name in [name for name in part if not get_close_matches(name, names, 1, SLIP)]:
                self.aside[f"{lead}{name}"] = part.pop(name)
