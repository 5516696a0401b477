"""A task in its scene, before its facts are numbered: places, spots, starts, and what mechanics and messages allow."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from math import dist

from otherminds.core.errors import TaskError
from otherminds.household.epistemic.formula import Formula
from otherminds.household.epistemic.parse import goal_of
from otherminds.household.epistemic.predicates import NAME, TURNS
from otherminds.household.mechanics.mechanic import (
    Bound,
    barred,
    budget,
    channel_of,
    delay,
    mechanic,
    reached,
    statements_limit,
)
from otherminds.household.rules.actions import PLACES
from otherminds.household.rules.rule import Fact
from otherminds.household.scenes.plane import inside
from otherminds.household.scenes.scene import Scene, floor_of
from otherminds.household.task import Task

MANY = "many"
"""The message budget of an agent without a limit."""
FURNITURE: Mapping[str, str] = {
    **{kind: kind for kind in ("articulated", "switch", "faucet")},
    **{"top": "surface", "interior": "container"},
}
OBJECTS: Mapping[str, str] = {"dirtyable": "washable", "fillable": "fillable", "switch": "switch"}
"""The static facts about furniture and objects, by the property in the scene."""


class HousePlan:
    """What the task and the scene say.

    ``furniture`` includes the floors. ``spots`` are numbered in the order of the scene's tables; ``meets`` is the mask of
    the spots that are seen from each spot. ``statements`` is the largest number of statements of a message, ``None`` if
    unlimited; ``names`` are the names that each agent knows without looking. ``doors`` are the rooms next to each room.
    ``channels`` is what each agent is told at the start about its own messages,
    and ``delays`` the turns that they take longer than usual.

    Raises:
        TaskError: the goal cannot be read, or an agent has no start.
    """

    def __init__(self, task: Task, scene: Scene) -> None:
        self.task, self.scene = task, scene
        self.goal: Formula = goal_of(task.problem_pddl)
        self.private: dict[str, Formula] = {seat: goal_of(text) for seat, text in task.private_goals.items()}
        self.agents = task.agents
        self.rooms = scene.rooms
        self.objects = scene.objects
        self.room_of: dict[str, str] = {
            **{f: room for room, inside in scene.furniture_in_rooms.items() for f in inside},
            **{floor_of(room): room for room in scene.rooms},
        }
        self.furniture = tuple(self.room_of)
        self.doors: dict[str, list[str]] = {room: [] for room in self.rooms}
        for door in scene.geometry.doors:
            if not door.closed:
                here, other = door.rooms
                self.doors[here].append(other)
                self.doors[other].append(here)
        self.bound: Bound = [(mechanic(binding.mechanic_type), binding) for binding in task.mechanic_bindings]
        tables = scene.tables
        self.spots = tuple(tables.spots)
        self.spot_index = {spot: i for i, spot in enumerate(self.spots)}
        self.spot_room = tuple(tables.rooms[spot] for spot in self.spots)
        self.reaches = tuple(frozenset(tables.reaches[spot]) for spot in self.spots)
        self.meets = tuple(
            sum(1 << self.spot_index[other] for other in tables.meets[spot]) for spot in self.spots
        )
        self.barred = {agent: barred(self.bound, agent) for agent in self.agents}
        self.talk = {agent: reached(self.bound, self.agents, agent) for agent in self.agents}
        self.limits: dict[str, int | None] = {agent: budget(self.bound, agent) for agent in self.agents}
        self.delays = {agent: delay(self.bound, agent) for agent in self.agents}
        self.statements = statements_limit(self.bound)
        self.names = {agent: self._list_names(agent) for agent in self.agents}
        self.channels = {agent: channel_of(task.told_to(agent), agent) for agent in self.agents}
        self.start_spot = {agent: self._spawn(agent) for agent in self.agents}

    def _list_names(self, agent: str) -> frozenset[str]:
        """The names that an agent knows at the start: those of the house, and those in what it was told."""
        task = self.task
        texts = (*task.agent_secrets.get(agent, ()), *task.agent_knows.get(agent, ()))
        words = " ".join((task.task, task.private_goals.get(agent, ""), *texts))
        return frozenset((*self.rooms, *self.furniture, *self.agents, *NAME.findall(words)))

    def _spawn(self, agent: str) -> int:
        """The spot nearest to the spawn of ``agent``, in the same room."""
        spawn = self.task.agent_spawns.get(agent)
        if spawn is None:
            if f"spawn:{agent}" not in self.spot_index:
                raise TaskError(
                    f"task {self.task.task_id!r}: agent_spawns: none for {agent}, and scene "
                    f"{self.scene.scene_id!r} has none either; give it a position and a room"
                )
            return self.spot_index[f"spawn:{agent}"]
        at = (spawn.position[0], spawn.position[2])
        near = [i for i, room in enumerate(self.spot_room) if room == spawn.room]
        if not near:
            where = f"task {self.task.task_id!r}: agent_spawns.{agent}"
            raise TaskError(f"{where}: no room {spawn.room!r} in the scene")
        return min(near, key=lambda i: (dist(self.scene.tables.spots[self.spots[i]], at), i))

    def room_at(self, o: str) -> str:
        """The room on whose floor an object lies, or else the room of the nearest spot."""
        x, _, z = self.scene.geometry.objects[o].at
        spots = self.scene.tables.spots
        for room, shape in self.scene.geometry.rooms.items():
            if inside((x, z), shape.polygon):
                return room
        near = min(range(len(self.spots)), key=lambda i: dist(spots[self.spots[i]], (x, z)))
        return self.spot_room[near]

    def first_place(self, o: str) -> tuple[str, str]:
        """The place of an object at the start, a predicate and furniture: that of the task, or else of the scene."""
        start = self.task.initial_states.get(o, {})
        placed = next(((p, f) for p, f in start.items() if isinstance(f, str)), None)
        if placed:
            predicate, f = placed
            floor = predicate == "is_on_top" and f in map(floor_of, self.rooms)
            return "lies_on" if floor else predicate, f
        relation = self.scene.geometry.objects[o].relation
        if relation == "floor":
            return "lies_on", floor_of(self.room_at(o))
        on = self.scene.objects_on_furniture.items()
        return PLACES[relation][0], next(f for f, inside in on if o in inside)

    def turnable(self) -> dict[str, tuple[str, ...]]:
        """The furniture that can change its state, with its possible values."""
        able = {
            f: tuple(value for kind, pair in TURNS.items() if getattr(piece, kind) for value in pair)
            for f, piece in self.scene.geometry.furniture.items()
        }
        return {f: values for f, values in able.items() if values}

    def static_facts(self) -> set[Fact]:
        """The facts that no rule changes, except ``plain``, which folding adds."""
        geometry = self.scene.geometry
        spots = [*zip(self.spots, self.spot_room, self.reaches, strict=True)]
        static: set[Fact] = {("spot_in", spot, room) for spot, room, _ in spots}
        static |= {("furniture_in", f, room) for f, room in self.room_of.items()}
        static |= {("reaches", spot, f) for spot, _, near in spots for f in near}
        for f, piece in geometry.furniture.items():
            static |= {(kind, f) for flag, kind in FURNITURE.items() if getattr(piece, flag)}
        static |= {("floor", floor_of(room)) for room in self.rooms}
        for o, item in geometry.objects.items():
            static |= {(kind, o) for flag, kind in OBJECTS.items() if getattr(item, flag)}
        for agent in self.agents:
            near = self.walkable(agent, self.barred[agent])
            static |= {("may_go", agent, spot) for spot, room, _ in spots if room in near}
            static |= {("can_communicate", agent, other) for other in self.talk[agent]}
            static |= {("can_broadcast", agent) for _ in self.talk[agent][:1]}
        most = max((limit for limit in self.limits.values() if limit), default=0)
        static |= {("next", str(k), str(k - 1)) for k in range(1, most + 1)} | {("next", MANY, MANY)}
        for m, b in self.bound:
            static |= set(m.facts(b))
        return static

    def walkable(self, agent: str, barred: Collection[str]) -> set[str]:
        """The rooms that ``agent`` could reach from its start without entering one of the ``barred`` rooms.

        If it starts in a barred room, it can leave it.
        """
        edge = [self.spot_room[self.start_spot[agent]]]
        rooms = set(edge).difference(barred)
        while edge:
            beyond = set(self.doors[edge.pop()]).difference(rooms, barred)
            rooms |= beyond
            edge += beyond
        return rooms
