"""The scene of an attempt and the blank task in it: ``template.json``, ``current_scene.json`` and the scene in short."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from otherminds.core.errors import TaskError
from otherminds.core.seeds import stream
from otherminds.household.authoring.results import Assignment
from otherminds.household.generating.composition import AGENTS
from otherminds.household.generating.houses import house
from otherminds.household.scenes.scene import Scene, Spawn

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
