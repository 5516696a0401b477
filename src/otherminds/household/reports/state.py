"""The state shown on a map: places of things and agents, states of things, and the beliefs of each agent.

Renderers of 3-D pictures register in :data:`renderers`; each needs an extra and is a bridge.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from math import atan2, hypot
from operator import or_
from pathlib import Path
from typing import Literal, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from otherminds.core.registry import Registry
from otherminds.household.engine import HouseEngine
from otherminds.household.rules import HOW as RESTING
from otherminds.household.scenes.plane import inside, overlook
from otherminds.household.scenes.scene import Point, Scene, Triple, floor_of

How = Literal["on", "within", "floor", "held"]
EYE = 1.5
"""Metres: the height of an agent's eye."""
SHOWN: Mapping[How, str] = {"on": "on", "within": "in", "floor": "on", "held": "held by"}
HOW: Mapping[str, How] = {**RESTING, "is_held_by": "held"}


class Rest(Struct, frozen=True):
    """The place of an object: ``how`` it rests, and its furniture, or the agent that holds it.

    >>> str(Rest("within", "cabinet_3"))
    'in cabinet_3'
    """

    how: How
    where: str

    def __str__(self) -> str:
        return f"{SHOWN[self.how]} {self.where}"


class Thing(Struct, frozen=True):
    """An object: its place, and the middle of its box in metres; ``None`` if it is held."""

    rest: Rest
    at: Triple | None


class AgentState(Struct, frozen=True):
    """An agent: its position on the plan, its direction, and its beliefs.

    ``facing`` is in radians in (x, z); ``gaze`` in radians above the horizon. ``objects`` are the believed places of the
    objects that it knows, ``None`` if unknown; ``turned`` the believed states of things (``is_open``); ``others`` the
    believed rooms of the other agents.
    """

    at: Point
    room: str
    facing: float
    gaze: float = 0.0
    objects: dict[str, Rest | None] = field(default_factory=dict[str, Rest | None])
    turned: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    others: dict[str, str] = field(default_factory=dict[str, str])


class MapState(Struct, frozen=True):
    """One moment of a house. ``turned`` are the states of furniture and objects."""

    objects: dict[str, Thing]
    turned: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    agents: dict[str, AgentState] = field(default_factory=dict[str, AgentState])


class Falsehood(Struct, frozen=True):
    """A false belief: its subject, the believed value and the true value.

    ``kind`` is the kind of belief: the place of an object (``rest`` is the believed place), the state of a thing, or the
    room of another agent.
    """

    kind: Literal["place", "turned", "room"]
    about: str
    believed: str
    true: str
    rest: Rest | None = None


def falsehoods(state: MapState, agent: str) -> tuple[Falsehood, ...]:
    """All false beliefs of ``agent``: about places, then states, then rooms of other agents."""
    mind = state.agents[agent]
    beliefs = [
        Falsehood("place", o, str(place), str(state.objects[o].rest), place)
        for o, place in mind.objects.items()
        if place is not None and place != state.objects[o].rest
    ]
    for entity, believed in mind.turned.items():
        true = state.turned.get(entity, frozenset())
        if believed - true:
            beliefs.append(Falsehood("turned", entity, words(believed - true), words(true - believed)))
    for other, room in mind.others.items():
        if room != state.agents[other].room:
            beliefs.append(Falsehood("room", other, room, state.agents[other].room))
    return tuple(beliefs)


def words(predicates: frozenset[str]) -> str:
    """Predicates as words.

    >>> words(frozenset({"is_open", "is_powered_on"}))
    'open, powered on'
    """
    return ", ".join(sorted(name.removeprefix("is_").replace("_", " ") for name in predicates))


AHEAD, LOWEST, HIGHEST = -0.2, -0.9, 0.35
"""Radians above the horizon: the gaze into a room, and the limits of the gaze at furniture."""


def taken(engine: HouseEngine) -> MapState:
    """The present state of an episode, with the beliefs of all agents."""
    house = engine.house
    objects = {o: Thing(_rest(engine.current.place_of(o)), engine.layout.at.get(o)) for o in house.objects}
    turned: dict[str, set[str]] = {}
    for predicate, entity in house.facts.shown(engine.state & reduce(or_, house.turned.values(), 0)):
        turned.setdefault(entity, set()).add(predicate)
    agents: dict[str, AgentState] = {}
    for i, agent in enumerate(house.agents):
        spot = house.spots[engine.spot[i]]
        believed = engine.sight.graph(i)
        agents[agent] = replace(
            standing(house.scene, spot, _find_handled(engine, i)),
            objects={o: _rest((*place,)) if place else None for o, place in believed["objects"].items()},
            turned={entity: frozenset(states) for entity, states in believed["states"].items()},
            others={other: where["room"] for other, where in believed["agents"].items()},
        )
    return MapState(objects, {entity: frozenset(states) for entity, states in turned.items()}, agents)


def at_start(scene: Scene, *, agents: bool = False) -> MapState:
    """A scene without a task: furniture closed and off, objects at their places; with ``agents`` without beliefs at all spawns."""
    bearers = {o: f for f, borne in scene.objects_on_furniture.items() for o in borne}
    placements: dict[str, Thing] = {}
    for o, item in scene.geometry.objects.items():
        where = bearers.get(o) or floor_of(_room(scene, (item.at[0], item.at[2])))
        placements[o] = Thing(Rest(item.relation, where), item.at)
    spawns = scene.agent_spawns if agents else ()
    there = {agent: standing(scene, f"spawn:{agent}") for agent in spawns}
    turned: dict[str, frozenset[str]] = {}
    for f, piece in scene.geometry.furniture.items():
        shut = ["is_closed"] * piece.articulated or ["is_open"] * piece.interior  # no door: always open
        turned[f] = frozenset(shut + ["is_powered_off"] * piece.switch)
    return MapState(placements, turned, there)


def standing(scene: Scene, spot: str, handled: str = "") -> AgentState:
    """An agent at a spot, without beliefs.

    It faces the furniture that it has just ``handled``, or else the furniture of its spot, or else the farthest visible
    point. The engine has no directions: agents see all round.
    """
    x, z = scene.tables.spots[spot]
    room = scene.tables.rooms[spot]
    piece = scene.geometry.furniture.get(handled or spot.removeprefix("stand:"))
    if piece is None:
        corners = overlook(scene.geometry.rooms[room].polygon, (x, z))
        far = max(corners, key=lambda corner: (round(hypot(corner[0] - x, corner[1] - z), 3), corner))
        return AgentState((x, z), room, atan2(far[1] - z, far[0] - x), AHEAD)
    (to_x, y, to_z), (_, high, _) = piece.box.centre, piece.box.size
    gaze = atan2(y + high / 2 - EYE, hypot(to_x - x, to_z - z))
    return AgentState((x, z), room, atan2(to_z - z, to_x - x), min(max(gaze, LOWEST), HIGHEST))


def _find_handled(engine: HouseEngine, i: int) -> str:
    """The furniture on which agent ``i`` acted in the last step."""
    names = (name for act in engine.acts if act[0] == i and act[2] == act[3] for name in act[1].args)
    return next((name for name in names if name in engine.house.scene.geometry.furniture), "")


def _rest(place: tuple[str, ...]) -> Rest:
    predicate, where = place
    return Rest(HOW[predicate], where)


def _room(scene: Scene, at: Point) -> str:
    """The room on whose floor a point lies."""
    return next(room for room, shape in scene.geometry.rooms.items() if inside(at, shape.polygon))


Renderer: TypeAlias = Callable[[Scene, MapState, Path, str], None]
"""Draws one moment of a house to a file, from the view of an agent, or from above if its name is empty.

It raises a ``StudyError`` if a dependency is not installed or does not work, or there is no such agent.
"""
renderers: Registry[Renderer] = Registry("renderer")
