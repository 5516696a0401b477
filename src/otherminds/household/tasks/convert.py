"""Conversion of task files of the public release (Juneja et al. 2026) to our form, with a note for each change.

It follows the paper's description (section 4.1, appendices E, F and H), because the released files were not available:
where the paper leaves a form open, all forms that its words allow are accepted. A file in our form is not changed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from difflib import get_close_matches
from typing import Any

from msgspec import Struct

from otherminds.household.epistemic.formula import (
    Atom,
    Formula,
    FormulaError,
    Literal,
    Not,
    atom,
    conjuncts,
    show,
)
from otherminds.household.epistemic.parse import (
    INIT,
    OBJECTS,
    OWNERS,
    drop_section,
    goal_of,
    parse,
    read_owners,
    sections,
    start_facts,
    typed_objects,
)
from otherminds.household.epistemic.predicates import goal_predicates
from otherminds.household.mechanics.mechanic import mechanics
from otherminds.household.scenes.scene import Spawn
from otherminds.household.task import Binding, Task
from otherminds.household.tasks.diagnostics import NEEDED, PLACES
from otherminds.household.tasks.publish import CONSTANTS, plan_of

Data = dict[str, Any]
Note = Callable[[str], None]
States = dict[str, dict[str, Any]]

BINDING_NAMES: dict[str, str] = {
    "type": "mechanic_type",
    "mechanic": "mechanic_type",
    "trigger": "trigger_object",
    "target": "target_object",
    "rooms": "restricted_rooms",
    "agents": "for_agents",
    "agent": "for_agents",
    "limits": "message_limits",
    "limit": "message_limits",
    "message_limit": "message_limits",
    "targets": "allowed_targets",
}


def spawns_in_rooms(spawns: object, middles: Mapping[str, Sequence[float]] | None, note: Note) -> object:
    """Spawns by agent, each with a position: one that gives only its room is at the middle of it.

    ``middles`` are the positions (x, z) of the middles of rooms; ``None``: the scene is made later, with positions of its
    own. A spawn in an unknown room is left as it is.
    """
    if not isinstance(spawns, dict):
        return spawns
    placed_spawns: Data = {}
    for agent, spawn in spawns.items():
        with_room = {"room": spawn} if isinstance(spawn, str) else spawn
        room = with_room.get("room") if isinstance(with_room, dict) and "position" not in with_room else None
        if isinstance(room, str) and (middles is None or room in middles):
            x, z = (0.0, 0.0) if middles is None else middles[room]
            placed_spawns[agent] = {**with_room, "position": [x, 0.0, z]}
            note(f"agent_spawns.{agent}: a room without a position; it starts in the middle of {room}")
        else:
            placed_spawns[agent] = spawn
    return placed_spawns


def binding_list(bindings: object, agents: list[str], note: Note) -> object:
    """The bindings as a list; ``agents`` are those that a limit without names applies to."""
    if isinstance(bindings, dict):
        note("mechanic_bindings: by mechanic, now a list")
        bindings = [
            {"mechanic_type": name} | binding if isinstance(binding, dict) else binding
            for name, several in bindings.items()
            for binding in (several if isinstance(several, list) else [several])
        ]
    if not isinstance(bindings, list):
        return bindings
    return [
        _binding(binding, agents, lambda text, k=k: note(f"mechanic_bindings[{k}].{text}"))
        if isinstance(binding, dict)
        else binding
        for k, binding in enumerate(bindings)
    ]


def _binding(binding: Data, agents: list[str], note: Note) -> Data:
    renamed: Data = {}
    for name, value in binding.items():
        ours = BINDING_NAMES.get(name, name)
        if ours != name and ours not in binding:
            note(f"{name}: called {ours} here")
            renamed[ours] = value
        else:
            renamed[name] = value
    for name in ("restricted_rooms", "for_agents"):
        if isinstance(renamed.get(name), str):
            renamed[name] = [renamed[name]]
            note(f"{name}: one name, now a list")
    bound_agents = renamed.get("for_agents")
    theirs = bound_agents if isinstance(bound_agents, list) and bound_agents else agents
    for name, turned in (("message_limits", _limits), ("allowed_targets", _targets)):
        if name in renamed:
            renamed[name] = turned(renamed[name], theirs, lambda text, name=name: note(f"{name}: {text}"))
    return _without(renamed, note)


def _limits(limits: object, agents: list[str], note: Note) -> object:
    """Converts one number for all agents, or a list of {agent, limit}, to a mapping by agent."""
    if isinstance(limits, int) and not isinstance(limits, bool):
        note("one number, now one for each agent")
        return dict.fromkeys(agents, limits)
    if isinstance(limits, list) and all(
        isinstance(entry, dict) and isinstance(entry.get("agent"), str) for entry in limits
    ):
        note("a list, now by agent")
        return {
            entry["agent"]: next((value for name, value in entry.items() if name != "agent"), None)
            for entry in limits
        }
    return limits


def _targets(targets: object, agents: list[str], note: Note) -> object:
    """Converts one list for all agents of the binding, or single names, to a mapping from agents to lists."""
    if isinstance(targets, list):
        note("one list, now one for each agent")
        return {agent: [other for other in targets if other != agent] for agent in agents}
    if isinstance(targets, dict) and any(isinstance(value, str) for value in targets.values()):
        note("one name, now a list")
        return {agent: [value] if isinstance(value, str) else value for agent, value in targets.items()}
    return targets


def _without(binding: Data, note: Note) -> Data:
    """Removes nulls, and a list of agents that the limits or targets of the binding repeat."""
    for name in [name for name, value in binding.items() if value is None]:
        del binding[name]
        note(f"{name}: null, left out")
    kind = binding.get("mechanic_type")
    fields = mechanics.get(kind).fields if isinstance(kind, str) and kind in mechanics else ()
    by_agent = next(
        (
            binding[name]
            for name in ("message_limits", "allowed_targets")
            if name in fields and name in binding
        ),
        None,
    )
    bound_agents = binding.get("for_agents")
    again = (
        isinstance(by_agent, dict)
        and isinstance(bound_agents, list)
        and set(map(str, bound_agents)) <= set(by_agent)
    )
    if "for_agents" not in fields and again:
        del binding["for_agents"]
        note("for_agents: said again by the agents named in it; left out")
    if kind == "inverse_state" and "target_state" in binding:
        # The release copies it to every mechanic of states; a thing that works in reverse does so for all its states.
        del binding["target_state"]
        note("target_state: inverse_state reverses all states; left out")
    return binding


TYPED = re.compile(r"(?<=[\w]) +- +(?:agent|object|furniture|room|item|receptacle)(?=[\s)])")
GOAL = ":goal"


def strip_types(text: str) -> str:
    """A goal without the types behind its names; other sections of a problem are not changed.

    >>> strip_types("(K agent_0 - agent (is_open cabinet_3 - furniture))")
    '(K agent_0 (is_open cabinet_3))'
    """
    before, goal, after = text.rpartition(GOAL)
    return f"{before}{goal}{TYPED.sub('', after)}"


def by_thing(states: object, note: Note) -> object:
    """Initial states as {thing: {predicate: value}}, from literals, a mapping by predicate, or one word per thing."""
    if isinstance(states, list) and all(isinstance(literal, str) for literal in states):
        note("initial_states: literals, now by thing")
        return _of_literals(states)
    if not isinstance(states, dict):
        return states
    by_entity: States = {}
    unread: dict[str, Any] = {}
    for name, value in states.items():
        values_by_entity = value if isinstance(value, dict) else dict.fromkeys(_words(value), True)
        if _predicate(name) and values_by_entity:
            note(f"initial_states.{name}: by predicate, now by thing")
            for entity, inner in values_by_entity.items():
                by_entity.setdefault(entity, {})[_predicate(name)] = inner
        elif isinstance(value, dict) or values_by_entity:
            by_entity.setdefault(name, {}).update(_states(name, value, note))
        else:
            unread[name] = value
    return by_entity | unread


def _words(value: object) -> list[str]:
    """A word or a list of words as a list; empty for any other value."""
    words = value if isinstance(value, list) else [value]
    strings = [word for word in words if isinstance(word, str)]
    return strings if len(strings) == len(words) else []


def _states(entity: str, value: object, note: Note) -> dict[str, Any]:
    """The states of one thing, given as {predicate: value} or as words."""
    if not isinstance(value, dict):
        note(f"initial_states.{entity}: words, now predicates")
        return {_predicate(word) or word: True for word in _words(value)}
    renamed = {name: _predicate(name) or name for name in value}
    for name, ours in renamed.items():
        if name != ours:
            note(f"initial_states.{entity}.{name}: called {ours} here")
    return {renamed[name]: inner for name, inner in value.items()}


def _predicate(word: str) -> str:
    """The predicate that a word abbreviates: ``open`` gives ``is_open``; empty if none."""
    return next(
        (name for name in (word, f"is_{word}", f"is_powered_{word}") if name in goal_predicates()), ""
    )


def _of_literals(texts: list[str]) -> object:
    literals: list[Formula] = []
    for text in texts:
        try:
            literals += conjuncts(parse(text))
        except FormulaError:
            return texts
    facts = [literal for literal in literals if isinstance(literal, Atom | Not)]
    return by_facts(facts) if len(facts) == len(literals) else texts


def by_facts(facts: Iterable[Literal]) -> States:
    """Literals about places and states as initial states."""
    states: States = {}
    for fact in facts:
        entity, *where = atom(fact).args
        holds = isinstance(fact, Atom)
        states.setdefault(entity, {})[atom(fact).predicate] = where[0] if where and holds else holds
    return states


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
            goals_by_owner = read_owners(text)
            same = (
                isinstance(private_goals[agent], str) and goal_of(private_goals[agent]) == goal
                for agent, goal in goals_by_owner.items()
                if agent in private_goals
            )
            if not goals_by_owner or not all(same):
                return
            self.task["problem_pddl"] = drop_section(text, OWNERS)
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
            facts = start_facts(text) if isinstance(text, str) else ()
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
