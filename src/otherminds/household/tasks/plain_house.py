"""A plain house for a task whose scene is not at hand: what there is, and what stands where, from the task itself.

Names come from ``(:objects ...)``, the start, goals, bindings and secrets. A place that neither ``(:init ...)`` nor a secret
gives is chosen: furniture by its kind, or where few things stand. Each choice is reported. Sizes and positions are made up:
rectangular rooms on both sides of a corridor, with furniture along the walls opposite the doors."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

import msgspec
from msgspec import Struct, structs

from otherminds.core.errors import TaskError
from otherminds.household.epistemic import parse
from otherminds.household.epistemic.formula import Atom, FormulaError, Literal, atom, claims
from otherminds.household.epistemic.parse import goal_of
from otherminds.household.epistemic.predicates import AGENT, NAME, NAMED, PREDICATES, TURNS, positive
from otherminds.household.epistemic.words import Fact
from otherminds.household.epistemic.words.free.grammar import Vocabulary, token_of
from otherminds.household.epistemic.words.free.worded import read_worded
from otherminds.household.mechanics.mechanic import STATES, barred, sound
from otherminds.household.scenes.load import of_data
from otherminds.household.scenes.scene import (
    DIRTYABLE,
    FILLABLE,
    FURNITURE,
    SWITCHED,
    Box,
    Door,
    Geometry,
    Item,
    Kind,
    Names,
    Piece,
    RoomShape,
    Scene,
    Spawn,
    floor_of,
)
from otherminds.household.task import Task
from otherminds.household.tasks.publish import list_start

SOURCE = "made by otherminds tasks convert --house --out from the names in a task file; positions and sizes are made up"
DEPTH, CORRIDOR_WIDTH = 4.0, 1.6
"""Metres: the depth of a room, and the width of the corridor."""
NARROWEST, STEP, DOOR = 3.0, 1.1, 1.0
"""Metres: the least width of a room, the width for each piece of furniture, and that of a door."""
WIDE, DEEP, HIGH = 0.8, 0.5, 0.8
"""Metres: the size of each piece of furniture."""
SMALL = 0.1
"""Metres: the size of each object."""
LONGEST = 50.0
"""Metres: the largest length of a side of a house."""


class PlainPiece(Struct, frozen=True):
    """A piece of furniture in a room, and what it can do (see :class:`~..scenes.scene.Piece`)."""

    room: str
    articulated: bool = False
    interior: bool = False
    top: bool = True
    switch: bool = False


class PlainItem(Struct, frozen=True):
    """An object on or in ``bearer``, or on the floor of a room, and what it can be (see :class:`~..scenes.scene.Item`)."""

    bearer: str
    inside: bool = False
    dirtyable: bool = False
    fillable: bool = False
    switch: bool = False


class PlainHouse(Struct, frozen=True):
    """The content of a house. ``corridor`` is the name of the corridor, and ``starts`` the room of each agent."""

    scene_id: str
    rooms: Names
    corridor: str
    furniture: Mapping[str, PlainPiece]
    objects: Mapping[str, PlainItem]
    starts: Mapping[str, str]


def plain_scene(house: PlainHouse) -> Scene:
    """The scene of a house, with its tables.

    Raises:
        TaskError: it would be longer than :data:`LONGEST`, or its names do not fit together.
    """
    inside = {
        room: tuple(f for f, piece in house.furniture.items() if piece.room == room) for room in house.rooms
    }
    near, far = house.rooms[::2], house.rooms[1::2]
    length = max(_length(near, inside), _length(far, inside))
    if length > LONGEST:
        raise TaskError(
            f"a plain house for {len(house.rooms)} rooms and {len(house.furniture)} pieces of furniture would be "
            f"{length:.0f} m long, and {LONGEST:.0f} m is the most; give a scene file"
        )
    rooms = {house.corridor: _rectangle(0.0, length, DEPTH, DEPTH + CORRIDOR_WIDTH)}
    doors: list[Door] = []
    pieces: dict[str, Piece] = {}
    for side, names in enumerate((near, far)):
        left_edge = 0.0
        for room in names:
            width = _width(len(inside[room]))
            front = DEPTH + side * CORRIDOR_WIDTH
            back = front + (DEPTH if side else -DEPTH)
            rooms[room] = _rectangle(left_edge, left_edge + width, min(front, back), max(front, back))
            middle = left_edge + width / 2
            ends = (_point(middle - DOOR / 2, front), _point(middle + DOOR / 2, front))
            doors.append(Door((house.corridor, room), ends))
            wall = back + (-DEEP / 2 if side else DEEP / 2)
            for k, f in enumerate(inside[room]):
                x = left_edge + width / 2 + (k - (len(inside[room]) - 1) / 2) * STEP
                pieces[f] = _piece(house.furniture[f], round(x, 2), round(wall, 2))
            left_edge += width
    items, borne = _items(house, rooms, pieces)
    scene = Scene(
        scene_id=house.scene_id,
        episode_id="",
        rooms=(*house.rooms, house.corridor),
        furniture=tuple(pieces),
        objects=tuple(items),
        articulated_furniture=tuple(f for f, piece in pieces.items() if piece.articulated),
        furniture_in_rooms={**inside, house.corridor: ()},
        objects_on_furniture={f: tuple(objects) for f, objects in borne.items()},
        agent_spawns={
            agent: _spawn(rooms[room], room, k) for k, (agent, room) in enumerate(house.starts.items())
        },
        source=SOURCE,
        geometry=Geometry(rooms, tuple(doors), pieces, items),
    )
    return of_data(msgspec.to_builtins(scene), house.scene_id)


def _width(pieces: int) -> float:
    return max(NARROWEST, round(STEP * pieces + 0.4, 2))


def _length(rooms: Names, inside: Mapping[str, Names]) -> float:
    return round(sum(_width(len(inside[room])) for room in rooms), 2)


def _point(x: float, z: float) -> tuple[float, float]:
    return round(x, 2), round(z, 2)


def _rectangle(x0: float, x1: float, z0: float, z1: float) -> RoomShape:
    return RoomShape((_point(x0, z0), _point(x1, z0), _point(x1, z1), _point(x0, z1)))


def _piece(piece: PlainPiece, x: float, z: float) -> Piece:
    box = Box((x, HIGH / 2, z), (WIDE, HIGH, DEEP))
    return Piece(box, piece.articulated, piece.interior, piece.top, piece.switch)


def _items(
    house: PlainHouse, rooms: Mapping[str, RoomShape], pieces: Mapping[str, Piece]
) -> tuple[dict[str, Item], dict[str, list[str]]]:
    """The objects, side by side on what bears them, and the objects of each piece of furniture."""
    floors = {floor_of(room): room for room in rooms}
    items: dict[str, Item] = {}
    borne: dict[str, list[str]] = {}
    counted: dict[str, int] = {}
    for name, plain_object in house.objects.items():
        k = counted[plain_object.bearer] = counted.get(plain_object.bearer, -1) + 1
        aside = round(((k + 1) // 2) * (SMALL + 0.02) * (-1 if k % 2 else 1), 3)
        if plain_object.bearer in floors:
            (x0, z0), _, (x1, z1), _ = rooms[floors[plain_object.bearer]].polygon
            at, relation = (round((x0 + x1) / 2 + aside, 3), SMALL / 2, round((z0 + z1) / 2, 3)), "floor"
        else:
            x, y, z = pieces[plain_object.bearer].box.centre
            high = y if plain_object.inside else HIGH + SMALL / 2
            at, relation = (round(x + aside, 3), round(high, 3), z), "within" if plain_object.inside else "on"
            borne.setdefault(plain_object.bearer, []).append(name)
        size = (SMALL, SMALL, SMALL)
        items[name] = Item(
            size, at, relation, plain_object.dirtyable, plain_object.fillable, plain_object.switch
        )
    return items, borne


def _spawn(shape: RoomShape, room: str, number: int) -> Spawn:
    """A start near the middle of a room; agents in the same room stand apart."""
    (x0, z0), _, (x1, z1), _ = shape.polygon
    aside = 0.2 * ((number + 1) // 2) * (-1 if number % 2 else 1)
    return Spawn((round((x0 + x1) / 2 + aside, 2), 0.0, round((z0 + z1) / 2, 2)), room)


IN_ROOM = re.compile(
    rf"(?<!\w)({NAME.pattern})(?!\w)([^.;_]{{1,40}}?\b(?:in|inside|of) (?:the )?|,? \(|\s)({NAME.pattern})(?!\w)"
)
DENIED = re.compile(r"\b(?:not|never|no|cannot|can't|or)\b|n't")
ROOM_TYPES, FURNITURE_TYPES = ("room",), ("furniture", "receptacle", "container", "surface")
HOMES: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("fridge", "oven", "stove", "microwave", "dishwasher", "sink", "counter"), ("kitchen",)),
    **dict.fromkeys(("bed", "wardrobe"), ("bedroom",)),
    **dict.fromkeys(("couch", "tv", "piano"), ("living_room", "tv_room", "lounge")),
    **dict.fromkeys(("bathtub", "shower", "toilet"), ("bathroom",)),
    "washer_dryer": ("laundryroom", "bathroom"),
    "desk": ("office", "study", "bedroom"),
}
"""The kinds of rooms in which a kind of furniture usually stands."""
CORRIDOR = "corridor"


class Inventory(Struct, frozen=True):
    """The names of a task by kind, and the facts of its start that it gives anywhere."""

    rooms: tuple[str, ...]
    furniture: tuple[str, ...]
    objects: tuple[str, ...]
    facts: tuple[Literal, ...]
    agents: tuple[str, ...] = ()

    @property
    def vocabulary(self) -> Vocabulary:
        floors = map(floor_of, self.rooms)
        return Vocabulary(
            frozenset(self.rooms),
            frozenset((*self.furniture, *floors)),
            frozenset(self.objects),
            frozenset(self.agents),
        )


def inventory(task: Task) -> Inventory:
    """The names of a task, classified by their types, or else by their use, or else by their form.

    Raises:
        TaskError: a goal of the task cannot be parsed.
    """
    try:
        typed = parse.typed_objects(task.problem_pddl)
        initial_facts = parse.start_facts(task.problem_pddl)
        goals = [goal_of(text) for text in (task.problem_pddl, *task.private_goals.values())]
    except FormulaError as error:
        raise TaskError(f"{task.task_id}: {error}") from error
    start = (*map(positive, list_start(task)), *initial_facts)  # what fields of the task say comes first
    uses = _used((*start, *(claim.fact for goal in goals for claim in claims(goal))), task)
    texts = [task.task, *(secret for secrets in task.agent_secrets.values() for secret in secrets)]
    text_names = [name for text in texts for name in NAMED.findall(text)]
    types: dict[str, list[str]] = {}
    for name, kind in typed:
        types.setdefault(name, []).append(kind)
    kinds = {
        name: _kind(name, types.get(name, ()), uses.get(name, ())) for name in (*types, *uses, *text_names)
    }
    kinds = {name: kind for name, kind in kinds.items() if not AGENT.fullmatch(name)}
    for name in [name for name in kinds if name.startswith("floor_") and name != "floor_lamp"]:
        if kinds.get(name.removeprefix("floor_")) == "room" or _is_room(name.removeprefix("floor_")):
            del kinds[name]
            kinds.setdefault(name.removeprefix("floor_"), "room")
    names_by_kind = {
        kind: tuple(name for name, name_kind in kinds.items() if name_kind == kind)
        for kind in ("room", "furniture", "object")
    }
    names = Inventory(
        names_by_kind["room"], names_by_kind["furniture"], names_by_kind["object"], start, task.agents
    )
    told_facts = [
        fact
        for agent, secrets in {**task.agent_secrets, "": (task.task,)}.items()
        for secret in secrets
        for statement in read_worded(secret, agent, names.vocabulary).told
        if isinstance(statement, Fact)
        for fact in (claim.fact for claim in claims(statement.formula))
        if isinstance(fact, Atom)
    ]
    return structs.replace(names, facts=(*start, *told_facts))


def _used(facts: Iterable[Literal], task: Task) -> dict[str, list[str]]:
    """The kinds as which names are used in facts and bindings; furniture can be in rooms and be switched, as objects can."""
    uses: dict[str, list[str]] = {}
    for fact in map(atom, facts):
        for kind, name in zip(PREDICATES[fact.predicate].kinds, fact.args, strict=False):
            if kind == "object" and (
                fact.predicate == "is_in_room" or fact.predicate.startswith("is_powered")
            ):
                kind = "thing"
            uses.setdefault(name, []).append(kind)
    for binding in task.mechanic_bindings:
        for room in binding.restricted_rooms:
            uses.setdefault(room, []).append("room")
        for entity in (binding.trigger_object, binding.target_object):
            if entity:
                uses.setdefault(entity, []).append("furniture")
    return uses


def _kind(name: str, types: Collection[str], uses: Collection[str]) -> str:
    """``room``, ``furniture`` or ``object``; types count before use, unless a name has several."""
    type_kinds = {
        "room" if type_name in ROOM_TYPES else "furniture" if type_name in FURNITURE_TYPES else "object"
        for type_name in types
    }
    if len(type_kinds) == 1:
        return type_kinds.pop()
    for kind in ("room", "furniture", "object"):
        if kind in uses:
            return kind
    if _is_room(name):
        return "room"
    return "furniture" if name.rpartition("_")[0] in FURNITURE else "object"


def _is_room(name: str) -> bool:
    return token_of(name).kind == "ROOM"


class FurnishedTask(Struct, frozen=True):
    """A task in a plain house, and what was chosen for it."""

    task: Task
    scene: Scene
    notes: tuple[str, ...]


def furnish_task(task: Task, scene_id: str) -> FurnishedTask:
    """A task in a plain house called ``scene_id``, in which every agent starts in the room that the task says.

    Raises:
        TaskError: a goal cannot be parsed, or the house would be too large.
    """
    furnishing = _Furnishing(task)
    house = furnishing.house(scene_id)
    scene = plain_scene(house)
    positions = {
        f"agent_spawns.{agent}.position": list(spawn.position) for agent, spawn in task.agent_spawns.items()
    }
    release = task.release | ({"scene_id": task.scene_id} | positions)
    moved = structs.replace(task, scene_id=scene_id, agent_spawns=scene.agent_spawns, release=release)
    notes = [f"scene_id: a plain house, {scene_id}; {task.scene_id} and its positions are kept in release"]
    return FurnishedTask(moved, scene, (*notes, *furnishing.notes))


class _Furnishing:
    """What stands where in the plain house of a task; ``notes`` say what was chosen."""

    def __init__(self, task: Task) -> None:
        self._task = task
        names = self._found = inventory(task)
        self.notes: list[str] = []
        bound = sound(task.mechanic_bindings)
        self._open_to = {
            room: [agent for agent in task.agents if room not in barred(bound, agent)] for room in names.rooms
        }
        if not names.rooms:
            raise TaskError(
                f"{task.task_id}: no room is named; name one in (:objects ...), or give a scene file"
            )
        self._room = self._rooms_of_furniture()

    def house(self, scene_id: str) -> PlainHouse:
        names = self._found
        number = next(k for k in range(1, 1000) if f"{CORRIDOR}_{k}" not in names.rooms)
        self.notes.append(f"{CORRIDOR}_{number}: a corridor between all rooms, which every agent can enter")
        return PlainHouse(
            scene_id=scene_id,
            rooms=names.rooms,
            corridor=f"{CORRIDOR}_{number}",
            furniture={f: self._piece(f) for f in names.furniture},
            objects={o: self._item(o) for o in names.objects},
            starts={agent: self._start(agent) for agent in self._task.agents},
        )

    def _atoms(self, *predicates: str) -> list[Atom]:
        return [fact for fact in self._found.facts if isinstance(fact, Atom) and fact.predicate in predicates]

    def _rooms_of_furniture(self) -> dict[str, str]:
        names = self._found
        rooms: dict[str, str] = {}
        lodged = {fact.args[0]: fact.args[1] for fact in reversed(self._atoms("is_in_room"))}
        bearers = [fact.args for fact in self._atoms("is_on_top", "is_inside")]
        beside = self._said_beside()
        for f in names.furniture:
            near = next(
                (lodged[occupant] for occupant, bearer in bearers if bearer == f and occupant in lodged), None
            )
            room = lodged.get(f) or near or beside.get(f)
            if room in names.rooms:
                rooms[f] = room
        chosen: list[str] = []
        for f in names.furniture:
            if f not in rooms:
                rooms[f] = self._likely(f, rooms)
                chosen.append(f"{f} in {rooms[f]}")
        if chosen:
            self.notes.append(f"furniture whose room the file does not say: {', '.join(chosen)}")
        return rooms

    def _said_beside(self) -> dict[str, str]:
        """The room that a text names right after a piece of furniture: "cabinet_17, which stands in kitchen_1"."""
        texts = [
            self._task.task,
            *(secret for secrets in self._task.agent_secrets.values() for secret in secrets),
        ]
        rooms: dict[str, str] = {}
        for text in texts:
            for f, between, room in IN_ROOM.findall(text):
                if f in self._found.furniture and room in self._found.rooms and not DENIED.search(between):
                    rooms.setdefault(f, room)
        return rooms

    def _likely(self, f: str, rooms: Mapping[str, str]) -> str:
        """A room of a kind where such furniture stands, or else one with little furniture; one that somebody may enter."""
        open_rooms = [room for room, agents in self._open_to.items() if agents] or list(self._found.rooms)
        for kind in HOMES.get(f.rpartition("_")[0], ()):
            for room in open_rooms:
                if room.rpartition("_")[0] == kind:
                    return room
        return min(open_rooms, key=lambda room: (list(rooms.values()).count(room), open_rooms.index(room)))

    def _piece(self, f: str) -> PlainPiece:
        kind = FURNITURE.get(f.rpartition("_")[0], Kind(top=True))
        uses = {fact.predicate for fact in self._facts() if fact.args[0] == f}
        bears = {fact.predicate for fact in self._facts() if len(fact.args) > 1 and fact.args[1] == f}
        turns = self._list_required_flags(f)
        opens = kind.articulated or bool(uses & set(TURNS["articulated"])) or "articulated" in turns
        return PlainPiece(
            room=self._room[f],
            articulated=opens,
            interior=opens or kind.interior or "is_inside" in bears,
            top=kind.top or "is_on_top" in bears,
            switch=kind.switch or bool(uses & set(TURNS["switch"])) or "switch" in turns,
        )

    def _list_required_flags(self, f: str) -> set[str]:
        """The properties that bindings need of a piece: targets and mirrors take states, and triggers of remote controls none."""
        flags: set[str] = set()
        for binding in self._task.mechanic_bindings:
            remote = binding.mechanic_type == "remote_control"
            if f == binding.target_object or (f == binding.trigger_object and not remote):
                state = STATES.get(binding.target_state, "is_open")
                flags.add(next(flag for flag, states in TURNS.items() if state in states))
        return flags

    def _facts(self) -> list[Atom]:
        """All atoms of the start and of goals."""
        goals = [goal_of(text) for text in (self._task.problem_pddl, *self._task.private_goals.values())]
        facts = [claim.fact for goal in goals for claim in claims(goal)]
        return [atom(fact) for fact in (*self._found.facts, *facts)]

    def _item(self, o: str) -> PlainItem:
        kind = o.rpartition("_")[0]
        uses = {fact.predicate for fact in self._facts() if fact.args[0] == o}
        bearer, inside = self._bearer(o)
        return PlainItem(
            bearer=bearer,
            inside=inside,
            dirtyable=kind in DIRTYABLE or bool(uses & {"is_clean", "is_dirty"}),
            fillable=kind in FILLABLE or bool(uses & {"is_filled", "is_empty"}),
            switch=kind in SWITCHED or bool(uses & set(TURNS["switch"])),
        )

    def _bearer(self, o: str) -> tuple[str, bool]:
        """What an object is on or in at the start, and whether inside."""
        places = (*self._found.furniture, *map(floor_of, self._found.rooms))
        for fact in self._atoms("is_on_top", "is_inside"):
            if fact.args[0] == o and fact.args[1] in places:
                return fact.args[1], fact.predicate == "is_inside"
        for fact in self._atoms("is_in_room"):
            if fact.args[0] == o and fact.args[1] in self._found.rooms:
                self.notes.append(f"{o}: on the floor of {fact.args[1]}; the file says no place in the room")
                return floor_of(fact.args[1]), False
        aims = {fact.args[1] for fact in self._facts() if fact.args[0] == o and len(fact.args) > 1}
        rooms = [room for room in self._found.rooms if self._open_to[room] and room not in aims]
        free = [floor_of(room) for room in rooms or self._found.rooms]
        bearer = next((floor for floor in free if floor not in aims), free[0])
        self.notes.append(f"{o}: on {bearer}; the file does not say where it starts")
        return bearer, False

    def _start(self, agent: str) -> str:
        """The room in which an agent starts."""
        for fact in self._atoms("agent_in_room"):
            if fact.args[0] == agent and fact.args[1] in self._found.rooms:
                return fact.args[1]
        room = next((room for room, agents in self._open_to.items() if agent in agents), self._found.rooms[0])
        self.notes.append(f"{agent}: starts in {room}; the file does not say where")
        return room
