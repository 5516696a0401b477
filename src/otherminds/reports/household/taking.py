"""The state of a map, taken from an episode that is going on, or from a scene before any."""

from __future__ import annotations

from collections.abc import Mapping
from math import atan2, hypot

from msgspec.structs import replace

from otherminds.reports.household.state import EYE, AgentState, How, MapState, Rest, Thing
from otherminds.worlds.household.engine import Engine
from otherminds.worlds.household.observing import graph
from otherminds.worlds.household.rules.actions import HOW as RESTING
from otherminds.worlds.household.scenes.plane import inside
from otherminds.worlds.household.scenes.scene import Piece, Point, Scene, floor_of
from otherminds.worlds.household.scenes.sight import overlook

AHEAD, LOWEST, HIGHEST = -0.2, -0.9, 0.35
"""Radians above the horizon: how one looks into a room, and how far down and up at furniture."""
HOW: Mapping[str, How] = {**RESTING, "is_held_by": "held"}


def taken(engine: Engine) -> MapState:
    """The moment at which an episode is, with what everybody believes."""
    house = engine.house
    objects = {o: Thing(_rest(engine.is_at(o)), engine.layout.at.get(o)) for o in house.objects}
    mask = 0
    for turned in house.turned.values():
        mask |= turned
    agents: dict[str, AgentState] = {}
    for i, agent in enumerate(house.agents):
        spot = house.spots[engine.spot[i]]
        believed = graph(engine, i)
        agents[agent] = replace(
            standing(house.scene, spot, _handled(engine, i)),
            objects={o: _rest((*place,)) if place else None for o, place in believed["objects"].items()},
            turned={thing: frozenset(said) for thing, said in believed["states"].items()},
            others={other: where["room"] for other, where in believed["agents"].items()},
        )
    return MapState(objects, _turned(engine, mask), agents)


def at_start(scene: Scene, *, agents: bool = False) -> MapState:
    """A scene before any task: furniture shut and off, objects where they lie; with ``agents`` at all spawns, who know nothing."""
    bearers = {o: f for f, borne in scene.objects_on_furniture.items() for o in borne}
    things = {
        o: Thing(
            Rest(item.relation, bearers.get(o) or floor_of(_room(scene, (item.at[0], item.at[2])))), item.at
        )
        for o, item in scene.geometry.objects.items()
    }
    spawns = scene.agent_spawns if agents else ()
    there = {agent: standing(scene, f"spawn:{agent}") for agent in spawns}
    turned = {f: _at_first(piece) for f, piece in scene.geometry.furniture.items()}
    return MapState(things, turned, there)


def _at_first(piece: Piece) -> frozenset[str]:
    """How furniture is turned where no task says otherwise; what has an interior but no door is open."""
    shut = ["is_closed"] * piece.articulated or ["is_open"] * piece.interior
    return frozenset(shut + ["is_powered_off"] * piece.switch)


def standing(scene: Scene, spot: str, handled: str = "") -> AgentState:
    """An agent at a spot, who knows nothing.

    It looks at the top of the furniture that it has just ``handled``, else of that which it
    stands at, else to where it sees farthest. The engine knows no such thing: to see, one looks all round.
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


def _handled(engine: Engine, i: int) -> str:
    """The furniture on which agent ``i`` acted in the last step."""
    named = (name for act in engine.acts if act[0] == i and act[2] == act[3] for name in act[1].args)
    return next((name for name in named if name in engine.house.scene.geometry.furniture), "")


def _rest(place: tuple[str, ...]) -> Rest:
    predicate, where = place
    return Rest(HOW[predicate], where)


def _turned(engine: Engine, mask: int) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for predicate, thing in engine.house.facts.shown(engine.state & mask):
        found.setdefault(thing, set()).add(predicate)
    return {thing: frozenset(said) for thing, said in found.items()}


def _room(scene: Scene, at: Point) -> str:
    """The room on whose floor a point lies."""
    return next(room for room, shape in scene.geometry.rooms.items() if inside(at, shape.polygon))
