"""Conversion of parts of a task file from the forms that the paper allows: bindings, initial states, goals."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from otherminds.household.epistemic.formula import Atom, Formula, FormulaError, Literal, Not, atom, conjuncts
from otherminds.household.epistemic.parse import parse
from otherminds.household.epistemic.predicates import goal_predicates
from otherminds.household.mechanics.mechanic import mechanics

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
