"""A task in its scene, compiled: facts as bits, what is visible from each spot, and the rules with mechanics.

Built once per task and shared by its episodes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import reduce
from math import dist
from operator import or_
from typing import NamedTuple

from otherminds.core.errors import TaskError
from otherminds.household.commands import Command
from otherminds.household.epistemic.formula import Formula
from otherminds.household.epistemic.parse import goal_of
from otherminds.household.epistemic.predicates import NAME, OPPOSITES, TURNS
from otherminds.household.layout import HouseLayout
from otherminds.household.mechanics.mechanic import (
    Bound,
    barred,
    budget,
    channel_of,
    delay,
    folded,
    mechanic,
    reached,
    statements_limit,
)
from otherminds.household.rules import (
    IN_SIGHT,
    MET,
    OPENED,
    PLACED,
    PLACES,
    RULES,
    BoundedCache,
    Fact,
    Facts,
    GroundRules,
    Meaning,
    Rule,
    bits,
    visible,
)
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


class SightView(NamedTuple):
    """What is seen from a place.

    ``facts`` are seen whether or not furniture is open; ``opens`` are the ``is_open`` facts of the furniture whose contents
    are seen if they hold; ``meets`` are the spots that are seen; ``absent`` has for each agent the fact that is seen not
    to hold if the agent is not met.
    """

    facts: int
    opens: int
    meets: int
    absent: tuple[int, ...]


class SightTables:
    """The masks of what is seen, for a ``plan`` whose facts about places are the first of ``facts``.

    ``places`` and ``owner`` are the place and the object of each of these facts. ``views`` and ``opens`` are lists by spot.
    A view is the mask of the facts that are seen from the spot whether or not furniture is open; ``inside[f]`` is seen if
    ``f`` is open; ``wide`` has what is seen from all spots of a room together. Only caches change.
    """

    def __init__(
        self, plan: HousePlan, facts: Facts, places: Sequence[tuple[str, str]], owner: Sequence[str]
    ) -> None:
        self._plan, self._facts, self._places, self._owner = plan, facts, places, owner
        tables, sees = visible(facts), plan.scene.tables.sees
        self.inside, self.shows = tables[OPENED], tables[MET]
        self._beside = {place[0]: tables[*needs, place] for place, needs in PLACED.items()}
        self.views = tuple(
            reduce(or_, (tables[IN_SIGHT].get(f, 0) for f in sees[spot]), 0) for spot in plan.spots
        )
        self.opens = tuple(
            facts.mask(("is_open", f) for f in sees[spot] if f in self.inside) for spot in plan.spots
        )
        self.absent = tuple(self._absent(i) for i in range(len(plan.spots)))
        self.wide = {room: self._wide(room) for room in plan.rooms}
        self._contents: BoundedCache[int, int] = BoundedCache()
        self._near: BoundedCache[int, int] = BoundedCache()
        self._met: BoundedCache[tuple[int, int], int] = BoundedCache()

    def contents(self, opened: int) -> int:
        """The mask of the facts about the contents of the furniture in ``opened``, a mask of ``is_open`` facts."""
        # The facts about places come first: without them the key is short.
        key = opened >> len(self._places)
        mask = self._contents.get(key)
        if mask is None:
            mask = self._contents.keep(key, sum(self.inside[f] for _, f in self._facts.shown(opened)))
        return mask

    def states_at(self, placed: int) -> int:
        """The mask of the states of the objects that are at the places in ``placed``."""
        mask = self._near.get(placed)
        if mask is None:
            mask = 0
            for number in bits(placed):
                mask |= self._beside[self._places[number][0]].get(self._owner[number], 0)
            self._near.keep(placed, mask)
        return mask

    def view(self, spot: int, met: int) -> int:
        """The mask of what is seen from a spot whether or not furniture is open, with the agents in the mask ``met``."""
        mask = self._met.get((spot, met))
        if mask is None:
            mask = self._met.keep((spot, met), self.around(self.views[spot], met, self.absent[spot]))
        return mask

    def around(self, views: int, met: int, absent: tuple[int, ...]) -> int:
        """``views`` with the facts about the agents in ``met``, and for each other agent the fact in ``absent``."""
        for i, agent in enumerate(self._plan.agents):
            views |= self.shows[agent] if met >> i & 1 else absent[i]
        return views

    def _absent(self, spot: int) -> tuple[int, ...]:
        """For each agent, the fact that it is in this room if the whole room is visible (so that its absence is seen), else 0."""
        plan = self._plan
        room = plan.spot_room[spot]
        visible = all(plan.meets[spot] >> k & 1 for k, other in enumerate(plan.spot_room) if other == room)
        return tuple(
            self._facts.bit(("agent_in_room", agent, room)) if visible else 0 for agent in plan.agents
        )

    def _wide(self, room: str) -> SightView:
        """What is seen from all spots of a room together."""
        plan = self._plan
        views = opens = meets = 0
        absent = [0] * len(plan.agents)
        for i, spot_room in enumerate(plan.spot_room):
            if spot_room == room:
                views |= self.views[i]
                opens |= self.opens[i]
                meets |= plan.meets[i]
                absent = [fact | other for fact, other in zip(absent, self.absent[i], strict=True)]
        return SightView(views, opens, meets, tuple(absent))


class House:
    """A task in its scene with the tables that an episode needs: the :class:`HousePlan`, and what follows from it.

    The values of the ``plan`` that agents, planners and proofs ask for are attributes of the house, too. ``sight_tables``
    have what is seen from where. ``rests[o]`` is the mask of all places where ``o`` can be, including hands; ``states`` are
    all facts about states; ``about[o]`` are all places and states of ``o``. ``budgets[agent]`` has the mask of each number
    of messages that a limited agent can have left, from 0. ``meanings`` are those of calls that last, by call, agent, spot,
    and where the agent believes the object of the call to be. Episodes modify nothing but caches of values that depend on
    the task alone, so that a house can serve several at once.

    Raises:
        TaskError: the goal cannot be read, an agent has no start, or mechanics contradict each other.
    """

    def __init__(self, task: Task, scene: Scene) -> None:
        self.plan = plan = HousePlan(task, scene)
        self.task, self.scene, self.goal, self.private = task, scene, plan.goal, plan.private
        self.agents, self.rooms, self.objects = plan.agents, plan.rooms, plan.objects
        self.furniture, self.room_of, self.doors = plan.furniture, plan.room_of, plan.doors
        self.spots, self.spot_index, self.spot_room = plan.spots, plan.spot_index, plan.spot_room
        self.reaches, self.meets, self.start_spot = plan.reaches, plan.meets, plan.start_spot
        self.bound, self.barred = plan.bound, plan.barred
        self.talk, self.limits, self.statements = plan.talk, plan.limits, plan.statements
        self.facts = Facts()
        self.places: list[tuple[str, str]] = []
        self.owner: list[str] = []
        self.carried: dict[str, int] = {}
        self._place_objects()
        each = sum(1 << at for at in range(0, len(self.places), len(self.objects) or 1))
        self.rests: dict[str, int] = {o: each << k for k, o in enumerate(self.objects)}
        self.turned: dict[str, int] = {}
        self.start = self.facts.mask(self._start())
        self.rooms_mask = {
            agent: self.facts.mask(("agent_in_room", agent, room) for room in self.rooms)
            for agent in self.agents
        }
        self.locations = (1 << len(self.places)) - 1
        self.sight_tables = SightTables(plan, self.facts, self.places, self.owner)
        self.anyone = sum(self.rooms_mask.values())
        self.states = 0
        for mask in self.turned.values():
            self.states |= mask
        self.about = {o: places | self.turned.get(o, 0) for o, places in self.rests.items()}
        self.meanings: BoundedCache[tuple[Command, int, int, int], Meaning] = BoundedCache()
        self.static = plan.static_facts()
        self.rules: tuple[Rule, ...] = folded(plan.bound, plan.turnable(), self.static)
        own = self.rules[len(RULES) :]
        self.own = {(rule.tool, rule.name.partition("__")[2]): rule.name for rule in own}
        self.budgets: dict[str, tuple[int, ...]] = {}
        self._count()
        self.ground = GroundRules(self.rules, self.facts, self.static)
        self.layout = self._layout()

    def place_of(self, o: str, state: int) -> tuple[str, str]:
        """The place of an object in ``state``: a predicate and the furniture or agent."""
        return self.places[(state & self.rests[o]).bit_length() - 1]

    def stand(self, spot: int, f: str) -> int:
        """The spot from which an agent at ``spot`` uses furniture ``f``: its own if ``f`` is in reach already."""
        if f in self.reaches[spot]:
            return spot
        own = self.spot_index.get(f"stand:{f}")
        return own if own is not None else self.spot_index[f"centre:{self.room_of[f]}"]

    def _place_objects(self) -> None:
        pieces = self.scene.geometry.furniture
        tops = [f for f in self.furniture if f in pieces and pieces[f].top]
        interiors = [f for f in self.furniture if f in pieces and pieces[f].interior]
        floors = [f for f in self.furniture if f not in pieces]
        for predicate, several in (("is_on_top", tops), ("is_inside", interiors), ("lies_on", floors)):
            for f in several:
                self._rest(predicate, f)
        self.carried |= {agent: self._rest("is_held_by", agent) for agent in self.agents}

    def _rest(self, predicate: str, where: str) -> int:
        """Numbers the facts that each object is at a place, which come before all other facts; returns their mask."""
        first = len(self.places)
        self.facts.add([(predicate, o, where) for o in self.objects])
        self.places += [(predicate, where)] * len(self.objects)
        self.owner += self.objects
        return ((1 << len(self.objects)) - 1) << first

    def _start(self) -> list[Fact]:
        """The facts that hold at the start: those of the scene, unless the task's initial states replace them."""
        facts: list[Fact] = []
        for o in self.objects:
            item = self.scene.geometry.objects[o]
            predicate, f = self.plan.first_place(o)
            facts.append((predicate, o, f))
            states = {"is_clean": item.dirtyable, "is_filled": item.fillable, "is_powered_on": item.switch}
            facts += self._start_states(o, {s for s, able in states.items() if able}, {"is_clean"})
        for f, piece in self.scene.geometry.furniture.items():
            states = {"is_open": piece.articulated or piece.interior, "is_powered_on": piece.switch}
            by_default: set[str] = set() if piece.articulated else {"is_open"}
            facts += self._start_states(f, {s for s, able in states.items() if able}, by_default)
        for agent in self.agents:
            spot = self.start_spot[agent]
            limit = self.limits[agent]
            facts += [("at", agent, self.spots[spot]), ("agent_in_room", agent, self.spot_room[spot])]
            facts += [("hand_empty", agent), ("left", agent, MANY if limit is None else str(limit))]
        return facts

    def _layout(self) -> HouseLayout:
        """The boxes at the start; the task's initial states put some objects elsewhere than the scene."""
        initial = self.task.initial_states
        moved = {
            o for o, states in initial.items() if any(isinstance(value, str) for value in states.values())
        }
        return HouseLayout(self.scene, {o: self.place_of(o, self.start) for o in self.objects}, moved)

    def _start_states(self, entity: str, states: set[str], by_default: set[str]) -> list[Fact]:
        """The states of a thing at the start; also registers the mask of all its possible states."""
        facts: list[Fact] = []
        for state in sorted(states):
            value = self.task.starts(entity, state, state in by_default)
            facts.append((state if value else OPPOSITES[state], entity))
            pair = self.facts.bit((state, entity)) | self.facts.bit((OPPOSITES[state], entity))
            self.turned[entity] = self.turned.get(entity, 0) | pair
        return facts

    def _count(self) -> None:
        """Numbers the facts that rules can add, so that episodes need no others."""
        for agent in self.agents:
            limit = self.limits[agent]
            self.facts.add([("at", agent, spot) for spot in self.spots])
            budget_facts = () if limit is None else [("left", agent, str(k)) for k in range(limit + 1)]
            self.budgets[agent] = tuple(self.facts.bit(fact) for fact in budget_facts)
