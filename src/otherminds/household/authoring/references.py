"""What an author is given to read: the scene of an attempt, the blank task in it, mechanics, predicates and actions.

The references of mechanics, predicates and actions are written from the registries: what a plugin adds appears without a
change here."""

from __future__ import annotations

from inspect import getdoc
from typing import Any, NamedTuple

import msgspec

from otherminds.core.encoding import stream
from otherminds.core.errors import TaskError
from otherminds.household.authoring.results import Assignment
from otherminds.household.commands import TOOLS
from otherminds.household.epistemic.forms import forms
from otherminds.household.epistemic.predicates import PREDICATES, Predicate, Use
from otherminds.household.epistemic.words.sentences import tell
from otherminds.household.generating.draft import house
from otherminds.household.generating.properties import AGENTS
from otherminds.household.mechanics.mechanic import EXAMPLES, Binding, mechanic, mechanics
from otherminds.household.scenes.scene import Scene, Spawn

EXAMPLE_AGENTS = ("agent_0", "agent_1")
HEADINGS: dict[Use, str] = {
    "goal": "Allowed in goals",
    "mechanic": "Facts of mechanics, not allowed in goals",
    "refused": "Not of this household",
}


def mechanics_reference() -> str:
    """``available_mechanics.md``: what each mechanic does, its binding, and how a secret states it."""
    return "\n\n".join(["# Mechanics", *(_mechanic(name) for name in mechanics)]) + "\n"


def predicates_reference() -> str:
    """``available_predicates.md``: the vocabulary of goals, with what cannot be a goal and why."""
    parts = [
        "# Predicates",
        "A goal is `(and ...)` of facts, `(not FACT)` and `(K agent FACT)`: the agent knows it at the end. `K` nests: "
        "`(K agent_0 (K agent_1 (is_open cabinet_3)))` has depth 2. `K` is never negated.",
    ]
    for use, heading in HEADINGS.items():
        rows = [_predicate(predicate) for predicate in PREDICATES.values() if predicate.use == use]
        parts.append("\n".join([f"## {heading}", "", *rows]))
    return "\n\n".join(parts) + "\n"


def actions_reference() -> str:
    """``available_actions.md``: the tools by which agents act; one call is one turn."""
    rows = (f"- `{tool.form}`: {tool.about}" for tool in TOOLS.values())
    return "\n".join(["# Actions of agents", "", *rows]) + "\n"


def _mechanic(name: str) -> str:
    example = mechanic(name)
    field_names = (*example.fields, *example.optional)
    fields = {"mechanic_type": name} | {field: EXAMPLES[field] for field in field_names}
    binding = msgspec.convert(fields, Binding)
    about = (getdoc(type(example)) or "").strip()
    optional = f"; optional: {', '.join(example.optional)}" if example.optional else ""
    lines = [f"## {name}", "", about, "", f"Fields: {', '.join(example.fields) or 'none'}{optional}."]
    lines.append(f"Binding: `{msgspec.json.encode(fields).decode()}`")
    for statement in example.secrets(binding):
        formulas = " ".join(forms(statement, EXAMPLE_AGENTS))
        lines.append(
            f"In a secret of agent_0: {tell(statement, you=EXAMPLE_AGENTS[0])} In agent_knows: `{formulas}`"
        )
    return "\n".join(lines)


def _predicate(predicate: Predicate) -> str:
    means = predicate.words.format(*_placeholders(predicate))
    return f"- `{predicate.signature}`: {means}" + (
        f". {predicate.why[0].upper()}{predicate.why[1:]}." if predicate.why else ""
    )


def _placeholders(predicate: Predicate) -> list[str]:
    """The kinds of the arguments, numbered where two are equal."""
    twice = {kind for kind in predicate.kinds if predicate.kinds.count(kind) > 1}
    return [
        f"{kind} {number}" if kind in twice else f"the {kind}"
        for number, kind in enumerate(predicate.kinds, 1)
    ]


FEWEST, MOST = min(AGENTS), max(AGENTS)
"""The numbers of agents for which a scene is drawn."""
DRAWS = 200
"""Houses that are drawn until one has a room for each agent."""
USES = {
    "articulated": "opens",
    "top": "holds things on top",
    "interior": "holds things inside",
    "switch": "switches",
}
"""The properties of furniture in the scene in short."""


class DrawnScene(NamedTuple):
    """A house and the start of each agent in it."""

    scene: Scene
    spawns: dict[str, Spawn]


def draw_scene(seed: int, number: int, agents: int) -> DrawnScene:
    """The scene of the ``number``-th draw (from 0) under ``seed``, for ``agents`` agents.

    Each agent could have a room with usable furniture to itself and still meet the others.

    Raises:
        TaskError: the number of agents is out of range, or no house was found.
    """
    if not FEWEST <= agents <= MOST:
        raise TaskError(f"new_scene: {agents} agents; write a number from {FEWEST} to {MOST}")
    draw = stream(seed, "scene", number, agents)
    for _ in range(DRAWS):
        candidate = house(draw, agents)
        if candidate is not None:
            spots = candidate.scene.tables.spots
            spawns = {
                agent: Spawn((x, 0.0, z), room)
                for agent, room in sorted(candidate.homes.items())
                for x, z in (spots[f"centre:{room}"],)
            }
            return DrawnScene(candidate.scene, spawns)
    raise TaskError(f"new_scene: no house for {agents} agents was found; draw again, or with fewer agents")


def template(assignment: Assignment, scene_draw: DrawnScene | None = None) -> dict[str, Any]:
    """The blank task of an assignment, with the agents of a drawn scene if there is one."""
    agents = sorted(scene_draw.spawns) if scene_draw else []
    blank: dict[str, Any] = {
        "task_id": "new_task",
        "title": "",
        "category": assignment.category,
        "pattern": "",
        "task": "",
        "scene_id": scene_draw.scene.scene_id if scene_draw else "",
        "num_agents": len(agents),
        "agent_spawns": msgspec.to_builtins(scene_draw.spawns) if scene_draw else {},
        "initial_states": {},
        "active_mechanics": [],
        "mechanic_bindings": [],
        "agent_secrets": {agent: [] for agent in agents},
        "problem_pddl": "(and )",
    }
    return blank | ({"private_goals": {}} if assignment.category == "mixed" else {})


def abridge_scene(scene_draw: DrawnScene) -> dict[str, Any]:
    """The scene graph as Juneja et al. 2026, appendix F, abridge it, with doors and the uses of furniture."""
    scene = scene_draw.scene
    pieces = scene.geometry.furniture
    return {
        "scene_id": scene.scene_id,
        "episode_id": scene.episode_id,
        "rooms": scene.rooms,
        "doors": [door.rooms for door in scene.geometry.doors if not door.closed],
        "furniture": scene.furniture,
        "objects": scene.objects,
        "articulated_furniture": scene.articulated_furniture,
        "furniture_with_top": [name for name in scene.furniture if pieces[name].top],
        "furniture_with_inside": [name for name in scene.furniture if pieces[name].interior],
        "furniture_with_switch": [name for name in scene.furniture if pieces[name].switch],
        "furniture_in_rooms": scene.furniture_in_rooms,
        "objects_on_furniture": scene.objects_on_furniture,
        "agent_spawns": msgspec.to_builtins(scene_draw.spawns),
    }


def in_short(scene_draw: DrawnScene) -> str:
    """The scene in a few lines: rooms with furniture and its uses, objects with places, doors, and where agents start."""
    scene = scene_draw.scene
    lines = [f"scene {scene.scene_id}: {len(scene.rooms)} rooms, {len(scene.objects)} objects"]
    for room in scene.rooms:
        inside = ", ".join(_piece(scene, name) for name in scene.furniture_in_rooms.get(room, ()))
        lines.append(f"{room}: {inside or 'no furniture'}")
    doors = (" - ".join(door.rooms) for door in scene.geometry.doors if not door.closed)
    lines.append(f"open doors: {'; '.join(doors)}")
    lines += [f"{agent} starts in {spawn.room}" for agent, spawn in scene_draw.spawns.items()]
    return "\n".join(lines)


def _piece(scene: Scene, name: str) -> str:
    """A piece of furniture with its uses and the objects at it."""
    about = [word for use, word in USES.items() if getattr(scene.geometry.furniture[name], use)]
    if objects := scene.objects_on_furniture.get(name, ()):
        about.append(f"has {' '.join(objects)}")
    return f"{name} ({', '.join(about)})" if about else name
