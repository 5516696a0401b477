"""What a map shows of one moment beside the scene: where things and agents are, and what each agent believes.

A renderer of pictures in 3-D registers itself in :data:`renderers`; each needs an extra, and is a bridge.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import atan2, hypot
from pathlib import Path
from typing import Literal, Protocol

from msgspec import Struct, field
from msgspec.structs import replace

from otherminds.core.registry import Registry
from otherminds.worlds.household.engine import HouseEngine
from otherminds.worlds.household.rules.actions import HOW as RESTING
from otherminds.worlds.household.scenes.plane import inside, overlook
from otherminds.worlds.household.scenes.scene import Piece, Point, Scene, Triple, floor_of

How = Literal["on", "within", "floor", "held"]
EYE = 1.5
"""Metres: the height of an agent's eye."""
SHOWN: Mapping[How, str] = {"on": "on", "within": "in", "floor": "on", "held": "held by"}
HOW: Mapping[str, How] = {**RESTING, "is_held_by": "held"}


class Rest(Struct, frozen=True):
    """Where an object is: ``how`` it rests, on or in which furniture, or by which agent it is held.

    >>> str(Rest("within", "cabinet_3"))
    'in cabinet_3'
    """

    how: How
    where: str

    def __str__(self) -> str:
        return f"{SHOWN[self.how]} {self.where}"


class Thing(Struct, frozen=True):
    """An object: where it rests, and the middle of its box in metres; ``None`` where it is held."""

    rest: Rest
    at: Triple | None


class AgentState(Struct, frozen=True):
    """An agent: where it stands on the plan, which way it looks, and its beliefs.

    ``facing`` is in radians in (x, z); ``gaze`` in radians above the horizon.
    ``objects`` are those it knows of, ``None`` where it does not know where they are;
    ``turned`` the predicates that it believes of things (``is_open``); ``others`` the
    rooms where it believes the other agents to be.
    """

    at: Point
    room: str
    facing: float
    gaze: float = 0.0
    objects: dict[str, Rest | None] = field(default_factory=dict[str, Rest | None])
    turned: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    others: dict[str, str] = field(default_factory=dict[str, str])


class MapState(Struct, frozen=True):
    """One moment of a house. ``turned`` are the predicates that hold of furniture and objects."""

    objects: dict[str, Thing]
    turned: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    agents: dict[str, AgentState] = field(default_factory=dict[str, AgentState])


class Falsehood(Struct, frozen=True):
    """A belief that does not hold: of what, what is believed, and how it is.

    ``kind`` says which belief: where an object is (``rest`` is that place), how a
    thing is turned, or in which room (``believed``) another agent is.
    """

    kind: Literal["place", "turned", "room"]
    about: str
    believed: str
    true: str
    rest: Rest | None = None


def falsehoods(state: MapState, agent: str) -> tuple[Falsehood, ...]:
    """All false beliefs of ``agent``: of places, then of states, then of other agents' rooms."""
    mind = state.agents[agent]
    found = [
        Falsehood("place", o, str(rest), str(state.objects[o].rest), rest)
        for o, rest in mind.objects.items()
        if rest is not None and rest != state.objects[o].rest
    ]
    for thing, believed in mind.turned.items():
        true = state.turned.get(thing, frozenset())
        if believed - true:
            found.append(Falsehood("turned", thing, words(believed - true), words(true - believed)))
    for other, room in mind.others.items():
        if room != state.agents[other].room:
            found.append(Falsehood("room", other, room, state.agents[other].room))
    return tuple(found)


def words(predicates: frozenset[str]) -> str:
    """Predicates as one reads them.

    >>> words(frozenset({"is_open", "is_powered_on"}))
    'open, powered on'
    """
    return ", ".join(sorted(name.removeprefix("is_").replace("_", " ") for name in predicates))


AHEAD, LOWEST, HIGHEST = -0.2, -0.9, 0.35
"""Radians above the horizon: how one looks into a room, and how far down and up at furniture."""


def taken(engine: HouseEngine) -> MapState:
    """The moment at which an episode is, with what everybody believes."""
    house = engine.house
    objects = {o: Thing(_rest(engine.is_at(o)), engine.layout.at.get(o)) for o in house.objects}
    mask = 0
    for turned in house.turned.values():
        mask |= turned
    agents: dict[str, AgentState] = {}
    for i, agent in enumerate(house.agents):
        spot = house.spots[engine.spot[i]]
        believed = engine.graph(i)
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


def _handled(engine: HouseEngine, i: int) -> str:
    """The furniture on which agent ``i`` acted in the last step."""
    named = (name for act in engine.acts if act[0] == i and act[2] == act[3] for name in act[1].args)
    return next((name for name in named if name in engine.house.scene.geometry.furniture), "")


def _rest(place: tuple[str, ...]) -> Rest:
    predicate, where = place
    return Rest(HOW[predicate], where)


def _turned(engine: HouseEngine, mask: int) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for predicate, thing in engine.house.facts.shown(engine.state & mask):
        found.setdefault(thing, set()).add(predicate)
    return {thing: frozenset(said) for thing, said in found.items()}


def _room(scene: Scene, at: Point) -> str:
    """The room on whose floor a point lies."""
    return next(room for room, shape in scene.geometry.rooms.items() if inside(at, shape.polygon))


class Renderer(Protocol):
    """Draws one moment of a house to a file, as ``agent`` sees it, or else the whole of it from above."""

    def __call__(self, scene: Scene, state: MapState, path: Path, agent: str = "") -> None:
        """Writes the picture.

        Raises:
            StudyError: what it needs is not installed or does not work, or there is no such agent.
        """
        ...


renderers: Registry[Renderer] = Registry("renderer", "otherminds.reports.household")
