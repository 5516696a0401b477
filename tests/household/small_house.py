"""A house of five rooms written by hand, and tasks in it: every rule and every failure has a place here.

::

    kitchen_1 | study_1        a door between them, and one each to the hallway
    hallway_1 (L-shaped: stand_14 stands round the corner, out of sight of most of it)
              | bedroom_1 | store_1       the store has one door, to the bedroom
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from functools import cache
from operator import attrgetter

import msgspec

from otherminds.household.engine import HouseEngine
from otherminds.household.house import House
from otherminds.household.layout import HouseLayout
from otherminds.household.rules import How
from otherminds.household.scenes.load import faults
from otherminds.household.scenes.scene import Box, Door, Geometry, Item, Piece, RoomShape, Scene, Spawn
from otherminds.household.scenes.tables import tables
from otherminds.household.task import Binding, Task
from otherminds.household.world import HouseholdWorld

Point = tuple[float, float]
ROOMS = {
    "kitchen_1": ((0.0, 0.0), (4.0, 0.0), (4.0, 3.0), (0.0, 3.0)),
    "study_1": ((4.0, 0.0), (8.0, 0.0), (8.0, 3.0), (4.0, 3.0)),
    "hallway_1": ((0.0, 3.0), (8.0, 3.0), (8.0, 4.5), (1.5, 4.5), (1.5, 8.0), (0.0, 8.0)),
    "bedroom_1": ((1.5, 4.5), (5.0, 4.5), (5.0, 8.0), (1.5, 8.0)),
    "store_1": ((5.0, 4.5), (8.0, 4.5), (8.0, 8.0), (5.0, 8.0)),
}
DOORS = (
    (("kitchen_1", "hallway_1"), ((1.5, 3.0), (2.5, 3.0))),
    (("kitchen_1", "study_1"), ((4.0, 1.0), (4.0, 2.0))),
    (("study_1", "hallway_1"), ((5.5, 3.0), (6.5, 3.0))),
    (("hallway_1", "bedroom_1"), ((3.0, 4.5), (4.0, 4.5))),
    (("bedroom_1", "store_1"), ((5.0, 6.0), (5.0, 7.0))),
)
# Where each piece stands (x, z), and what it is: Articulated, with an Interior, a Top, a Switch, a Faucet.
FURNITURE = {
    "kitchen_1": {
        "counter_0": (0.8, 0.3, "T"),
        "sink_1": (1.7, 0.3, "TF"),
        "cabinet_2": (2.6, 0.3, "AIT"),
        "fridge_3": (3.6, 0.4, "AI"),
        "stove_4": (0.4, 1.8, "TS"),
        "oven_17": (3.6, 2.6, "AIS"),
    },
    "study_1": {
        "table_5": (6.0, 0.4, "T"),
        "cabinet_6": (7.6, 0.4, "AIT"),
        "tv_7": (7.7, 1.8, "S"),
        "shelves_8": (4.7, 0.3, "IT"),
        "window_16": (6.8, 0.2, "A"),
    },
    "bedroom_1": {"bed_9": (2.2, 7.3, "T"), "cabinet_10": (4.4, 7.6, "AIT"), "chest_11": (2.0, 5.1, "AI")},
    "store_1": {"cabinet_12": (7.6, 7.6, "AIT"), "heater_13": (7.6, 5.0, "TS")},
    "hallway_1": {"stand_14": (0.4, 7.5, "AIT")},
}
# Where each object is, and what it is: Washable, Fillable, with a Switch.
OBJECTS: Mapping[str, tuple[How, str, str]] = {
    "bowl_0": ("on", "counter_0", "WF"),
    "cup_0": ("within", "cabinet_2", "WF"),
    "cup_1": ("on", "table_5", "WF"),
    "kettle_0": ("on", "counter_0", "FS"),
    "plate_0": ("on", "counter_0", "W"),
    "book_0": ("on", "table_5", ""),
    "key_0": ("within", "cabinet_12", ""),
    "lamp_0": ("on", "bed_9", "S"),
    "ball_0": ("floor", "bedroom_1", "W"),
    "jug_0": ("within", "shelves_8", "WF"),
    "radio_0": ("within", "cabinet_10", "S"),
    "towel_0": ("within", "fridge_3", "W"),
}
SPAWNS = {
    "agent_0": ((2.0, 0.0, 1.5), "kitchen_1"),
    "agent_1": ((6.0, 0.0, 1.5), "study_1"),
    "agent_2": ((3.0, 0.0, 6.0), "bedroom_1"),
}
SIDE, HEIGHT = 0.5, 0.8
GOAL = "(and (is_on_top bowl_0 table_5) (K agent_0 (is_on_top bowl_0 table_5)))"


def built(
    name: str,
    rooms: Mapping[str, tuple[Point, ...]],
    doors: Iterable[tuple[tuple[str, str], tuple[Point, Point]]],
    furniture: Mapping[str, Mapping[str, tuple[float, float, str]]],
    objects: Mapping[str, tuple[How, str, str]],
    spawns: Mapping[str, tuple[tuple[float, float, float], str]],
) -> Scene:
    """A scene from tables like those of this module, checked, with its tables."""
    pieces = {
        piece: Piece(
            Box((x, HEIGHT / 2, z), (SIDE, HEIGHT, SIDE)),
            *(letter in able for letter in ("A", "I", "T", "S", "F")),
        )
        for inside in furniture.values()
        for piece, (x, z, able) in inside.items()
    }
    at = {piece: (x, z) for inside in furniture.values() for piece, (x, z, _) in inside.items()}
    high = {"on": HEIGHT + 0.05, "within": 0.2, "floor": 0.05}
    items = {}
    for k, (item, (relation, where, able)) in enumerate(objects.items()):
        x, z = (3.0, 5.5) if relation == "floor" else at[where]
        items[item] = Item(
            (0.1, 0.1, 0.1),
            (x - 0.15 + 0.1 * (k % 4), high[relation], z),
            relation,
            *(letter in able for letter in ("W", "F", "S")),
        )
    made = Scene(
        scene_id=name,
        episode_id="0",
        rooms=tuple(rooms),
        furniture=tuple(pieces),
        objects=tuple(objects),
        articulated_furniture=tuple(piece for piece, one in pieces.items() if one.articulated),
        furniture_in_rooms={room: tuple(inside) for room, inside in furniture.items()},
        objects_on_furniture={
            f: inside
            for f in pieces
            if (inside := tuple(o for o, (_, where, _) in objects.items() if where == f))
        },
        agent_spawns={agent: Spawn(position, room) for agent, (position, room) in spawns.items()},
        source="written by hand",
        geometry=Geometry(
            {room: RoomShape(outline) for room, outline in rooms.items()},
            tuple(Door(*one) for one in doors),
            pieces,
            items,
        ),
    )
    made = msgspec.structs.replace(made, tables=tables(made))
    assert faults(made) == []
    return made


@cache
def scene() -> Scene:
    """The house."""
    return built("small", ROOMS, DOORS, FURNITURE, OBJECTS, SPAWNS)


def task(*bindings: Binding, agents: int = 3, goal: str = GOAL, **fields: object) -> Task:
    """A task in the house. ``fields`` are further ones of the task."""
    return Task(
        task_id="small",
        task="Tidy up.",
        scene_id="small",
        num_agents=agents,
        mechanic_bindings=bindings,
        problem_pddl=goal,
        **fields,  # pyright: ignore[reportArgumentType]
    )


def house(*bindings: Binding, agents: int = 3, goal: str = GOAL, **fields: object) -> House:
    """A task in the house, compiled."""
    return House(task(*bindings, agents=agents, goal=goal, **fields), scene())


def world(*bindings: Binding, agents: int = 3, turns: int = 40, **fields: object) -> HouseholdWorld:
    """A world for a task in the house, reset."""
    made = HouseholdWorld(house(*bindings, agents=agents, **fields), turns)
    made.reset()
    return made


def turn(made: HouseholdWorld, calls: Mapping[str, str]) -> tuple[dict, dict]:
    """One turn, in which who is not named waits: observations and infos."""
    observations, _, _, _, infos = made.step(
        {seat: calls.get(seat, "Wait[]") for seat in made.possible_agents}
    )
    return observations, infos


def play(made: HouseholdWorld, *turns: Mapping[str, str]) -> tuple[dict, dict]:
    """Several turns; observations and infos after the last."""
    return [turn(made, calls) for calls in turns][-1]


def facts(engine: HouseEngine) -> frozenset[tuple[str, ...]]:
    """What holds, as facts."""
    return frozenset(engine.house.facts.shown(engine.state))


ALL_SIX = (
    Binding("room_restriction", restricted_rooms=("study_1",), for_agents=("agent_0",)),
    Binding("limited_bandwidth", message_limits={"agent_0": 2, "agent_1": 3}),
    Binding("restricted_communication", allowed_targets={"agent_0": ("agent_1",)}),
    Binding("inverse_state", trigger_object="cabinet_2"),
    Binding("remote_control", trigger_object="cabinet_10", target_object="fridge_3", target_state="open"),
    Binding("state_mirroring", trigger_object="cabinet_6", target_object="cabinet_12"),
)
"""One binding of each mechanic."""


def many_states() -> dict[str, dict[str, bool | str]]:
    """Initial states in which everything is dirty that can be, and three things are filled."""
    states: dict[str, dict[str, bool | str]] = {
        o: {"is_dirty": True} for o, (_, _, able) in OBJECTS.items() if "W" in able
    }
    for o in ("jug_0", "kettle_0", "cup_0"):
        states.setdefault(o, {})["is_filled"] = True
    return states


STATE = (
    *("current.facts", "current.spot", "current.handled", "current.layout", "sight.believed", "sight.known"),
    *("over", "mail", "acts", "passed", "glimpsed", "sent", "heard", "under_way"),
)
"""The attributes of an engine and of its parts that change."""


def saved(engine: HouseEngine) -> dict[str, object]:
    """All of an engine's state; give it to :func:`restore` once or more often."""
    return {name: _copied(attrgetter(name)(engine)) for name in STATE}


def restore(engine: HouseEngine, state: dict[str, object]) -> None:
    """The engine as it was when ``state`` was saved."""
    for name, value in state.items():
        part, _, attribute = name.rpartition(".")
        setattr(getattr(engine, part) if part else engine, attribute, _copied(value))


def _copied(value: object) -> object:
    return value.fresh() if isinstance(value, HouseLayout) else copy(value)
