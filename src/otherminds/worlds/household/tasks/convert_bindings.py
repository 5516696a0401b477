"""Bindings of mechanics in the shapes that the paper's words allow, turned into ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from otherminds.worlds.household.mechanics.mechanic import mechanics

Data = dict[str, Any]
Note = Callable[[str], None]

OTHER_NAMES: Mapping[str, str] = {
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


def binding_list(given: object, agents: list[str], note: Note) -> object:
    """The bindings as a list; ``agents`` are those whom a limit without names is for."""
    if isinstance(given, dict):
        note("mechanic_bindings: by mechanic, now a list")
        given = [
            {"mechanic_type": name} | one if isinstance(one, dict) else one
            for name, several in given.items()
            for one in (several if isinstance(several, list) else [several])
        ]
    if not isinstance(given, list):
        return given
    return [
        _binding(one, agents, lambda text, k=k: note(f"mechanic_bindings[{k}].{text}"))
        if isinstance(one, dict)
        else one
        for k, one in enumerate(given)
    ]


def _binding(given: Data, agents: list[str], note: Note) -> Data:
    made: Data = {}
    for name, value in given.items():
        ours = OTHER_NAMES.get(name, name)
        if ours != name and ours not in given:
            note(f"{name}: called {ours} here")
            made[ours] = value
        else:
            made[name] = value
    for name in ("restricted_rooms", "for_agents"):
        if isinstance(made.get(name), str):
            made[name] = [made[name]]
            note(f"{name}: one name, now a list")
    named = made.get("for_agents")
    theirs = named if isinstance(named, list) and named else agents
    for name, turned in (("message_limits", _limits), ("allowed_targets", _targets)):
        if name in made:
            made[name] = turned(made[name], theirs, lambda text, name=name: note(f"{name}: {text}"))
    return _without(made, note)


def _limits(given: object, agents: list[str], note: Note) -> object:
    """One number for all, or a list of {agent, limit}, as a number an agent."""
    if isinstance(given, int) and not isinstance(given, bool):
        note("one number, now one for each agent")
        return dict.fromkeys(agents, given)
    if isinstance(given, list) and all(
        isinstance(one, dict) and isinstance(one.get("agent"), str) for one in given
    ):
        note("a list, now by agent")
        return {
            one["agent"]: next((value for name, value in one.items() if name != "agent"), None)
            for one in given
        }
    return given


def _targets(given: object, agents: list[str], note: Note) -> object:
    """One list for the agents of the binding, or one name for a list."""
    if isinstance(given, list):
        note("one list, now one for each agent")
        return {agent: [other for other in given if other != agent] for agent in agents}
    if isinstance(given, dict) and any(isinstance(value, str) for value in given.values()):
        note("one name, now a list")
        return {agent: [value] if isinstance(value, str) else value for agent, value in given.items()}
    return given


def _without(made: Data, note: Note) -> Data:
    """Without what says nothing: nulls, and the agents of a binding that names them by limit or target."""
    for name in [name for name, value in made.items() if value is None]:
        del made[name]
        note(f"{name}: null, left out")
    kind = made.get("mechanic_type")
    fields = mechanics.get(kind).fields if isinstance(kind, str) and kind in mechanics else ()
    by_agent = next(
        (made[name] for name in ("message_limits", "allowed_targets") if name in fields and name in made),
        None,
    )
    named = made.get("for_agents")
    again = isinstance(by_agent, dict) and isinstance(named, list) and set(map(str, named)) <= set(by_agent)
    if "for_agents" not in fields and again:
        del made["for_agents"]
        note("for_agents: said again by the agents named in it; left out")
    return made
