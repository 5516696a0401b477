"""Diagnostics of a task file: faults with their places, what could not be checked, and changes made in conversion; and the known
part of a task's scene that they are judged by (names, and the properties of things).

A scene in our form has all of it. A scene graph in the public release's form (``current_scene.json``, Juneja et al. 2026,
appendix F) has only names and the list of articulated furniture."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct, field

from otherminds.core.errors import TaskError
from otherminds.core.text import near, quote_name
from otherminds.core.user_files import check_kind, is_file, read_bytes
from otherminds.household.epistemic.predicates import OPPOSITES, TURNS
from otherminds.household.scenes.load import content, load_scene, of_data, shipped_scenes
from otherminds.household.scenes.scene import Scene, floor_of

PIECE = ("articulated", "interior", "top", "switch")
ITEM = ("dirtyable", "fillable", "switch")
FLOOR = "floor"
PLAIN = re.compile(r"[\w.-]{1,100}")
"""The names of scenes that can be file names."""

PLACES = {"is_on_top": "top", "is_inside": "interior", "lies_on": FLOOR}
"""How an object can rest at the start, and the required property of its furniture."""
CANNOT = {"top": "has no top", "interior": "has no interior", FLOOR: "is no floor"}
STATES = {active: flag for flag, (active, _) in TURNS.items()} | {
    "is_clean": "dirtyable",
    "is_filled": "fillable",
}
NEEDED: Mapping[str, str] = STATES | {OPPOSITES[state]: flag for state, flag in STATES.items()}
"""The property that each predicate of state requires."""
ABLE = {
    "articulated": "cannot be opened or closed",
    "switch": "cannot be switched on or off",
    "dirtyable": "cannot be cleaned",
    "fillable": "cannot be filled",
}


class Things(Struct, frozen=True):
    """The names of a scene. ``furniture`` gives the room of each piece ("" if unknown) and includes floors.

    ``able`` gives the properties of each thing, as far as they are in ``flags``; others are unknown.
    """

    called: str
    rooms: tuple[str, ...]
    furniture: Mapping[str, str]
    objects: tuple[str, ...]
    able: Mapping[str, frozenset[str]]
    flags: frozenset[str]
    scene: Scene | None = None

    def can(self, entity: str, flag: str) -> bool | None:
        """Whether ``entity`` has ``flag``; ``None`` if unknown."""
        if entity not in self.furniture and entity not in self.objects:
            return None
        return flag in self.able.get(entity, ()) if flag in self.flags else None

    def rest(self, predicate: str, f: str) -> str:
        """The reason why no object can rest at ``f`` by a predicate of :data:`PLACES`; empty if it can or that is unknown."""
        on_floor = predicate == "is_on_top" and f in map(floor_of, self.rooms)
        flag = FLOOR if on_floor else PLACES[predicate]
        return f"{f} {CANNOT[flag]}" if self.can(f, flag) is False else ""


class Graph(Struct):
    """A scene graph in the release's form; other fields are ignored."""

    scene_id: str
    rooms: tuple[str, ...]
    furniture: tuple[str, ...]
    objects: tuple[str, ...]
    articulated_furniture: tuple[str, ...]
    furniture_in_rooms: dict[str, tuple[str, ...]]
    objects_on_furniture: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])


def of_scene(scene: Scene) -> Things:
    """All names and properties of a scene."""
    rooms = {f: room for room, inside in scene.furniture_in_rooms.items() for f in inside}
    geometry = scene.geometry
    able = {
        **{f: frozenset(flag for flag in PIECE if getattr(p, flag)) for f, p in geometry.furniture.items()},
        **{o: frozenset(flag for flag in ITEM if getattr(i, flag)) for o, i in geometry.objects.items()},
        **{floor_of(room): frozenset((FLOOR,)) for room in scene.rooms},
    }
    return Things(
        called=f"scene {scene.scene_id}",
        rooms=scene.rooms,
        furniture=rooms | {floor_of(room): room for room in scene.rooms},
        objects=scene.objects,
        able=able,
        flags=frozenset((*PIECE, *ITEM, FLOOR)),
        scene=scene,
    )


def of_graph(graph: Graph) -> tuple[Things, tuple[str, ...]]:
    """The names of a scene graph, and a note for each name that is missing in its lists.

    The paper's own example puts a bowl on ``chair_10``, which is not in the list of furniture: such a piece is treated as
    furniture of an unknown room.
    """
    rooms = {f: room for room, inside in graph.furniture_in_rooms.items() for f in inside}
    notes: list[str] = []
    unlisted = {
        "furniture": [
            f for f in dict.fromkeys((*rooms, *graph.objects_on_furniture)) if f not in graph.furniture
        ],
        "objects": [
            o
            for o in dict.fromkeys(o for on in graph.objects_on_furniture.values() for o in on)
            if o not in graph.objects
        ],
        "rooms": [room for room in graph.furniture_in_rooms if room not in graph.rooms],
    }
    for kind, names in unlisted.items():
        notes += [f"{name} is used but not in the list {kind}; taken as if it were" for name in names]
    furniture = dict.fromkeys((*graph.furniture, *unlisted["furniture"]), "") | rooms
    every = (*graph.rooms, *unlisted["rooms"])
    contents = Things(
        called=f"scene graph {graph.scene_id}",
        rooms=every,
        furniture=furniture | {floor_of(room): room for room in every},
        objects=(*graph.objects, *unlisted["objects"]),
        able={f: frozenset(("articulated",)) for f in graph.articulated_furniture}
        | {floor_of(room): frozenset((FLOOR,)) for room in every},
        flags=frozenset(("articulated", FLOOR)),
    )
    return contents, tuple(notes)


def is_scene(data: object) -> bool:
    """Whether JSON data is a scene or a scene graph, judged by fields that a task does not have."""
    return isinstance(data, dict) and not {"geometry", "furniture_in_rooms"}.isdisjoint(data)


def of_task(scene_id: str, file: Path | None) -> tuple[Things | None, tuple[str, ...]]:
    """The scene of a task: the shipped one, or that in the folder of the task's ``file``; with notes on the latter.

    The file of a scene is ``SCENE.json`` or ``SCENE.json.gz``. ``None`` if the scene is in neither place.

    Raises:
        TaskError: the file is not a scene or has faults.
    """
    if file is None or scene_id in shipped_scenes() or not PLAIN.fullmatch(scene_id):
        return of_scene(load_scene(scene_id)) if scene_id in shipped_scenes() else None, ()
    beside = (file.parent / f"{scene_id}{end}" for end in (".json", ".json.gz"))
    own = next((scene for scene in beside if scene.is_file() and scene.name != file.name), None)
    return from_file(own) if own else (None, ())


def from_file(path: Path) -> tuple[Things, tuple[str, ...]]:
    """The scene in a file: in our form, or a scene graph of the release; with notes on the latter.

    Raises:
        TaskError: there is no such file, or it is neither.
    """
    if not is_file(path):
        check_kind(path, TaskError)
        raise TaskError(f"{path}: no such scene file; give one, or leave it out for a shipped scene")
    where = str(path)
    value = content(read_bytes(path, where, TaskError), where)
    try:
        graph = msgspec.convert(value, Graph)
    except msgspec.ValidationError:
        return of_scene(of_data(value, where)), ()
    if "geometry" in value:
        return of_scene(of_data(value, where)), ()
    return of_graph(graph)


Kind = Literal["agent", "room", "furniture", "object"]
ARTICLES: dict[Kind, str] = {
    "agent": "an agent",
    "room": "a room",
    "furniture": "furniture",
    "object": "an object",
}


BY = ("mechanic_bindings",)
"""The other place that a fault depends on if it compares bindings with another field."""


class Fault(Struct, frozen=True):
    """A fault with a remedy. ``place`` is a path: ``mechanic_bindings[1].restricted_rooms[0]``.

    ``by`` are the other places that the fault depends on; if one of them could not be decoded, the fault is dropped.
    """

    place: str
    text: str
    by: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.place}: {self.text}"


class Diagnostics(Struct, frozen=True):
    """A task with ``faults`` cannot be used; ``missing`` says what was not checked, and why.

    ``notes`` list changes made in conversion, unknown fields, and what is unusual and no fault.
    """

    faults: tuple[Fault, ...] = ()
    missing: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class Faults:
    """The faults ``found`` so far in a task of these ``agents``, in order, and ``notes`` on what is no fault.

    ``things`` is the known part of its scene; ``names`` are those of all rooms, furniture and objects in it.
    """

    def __init__(self, agents: tuple[str, ...], contents: Things | None) -> None:
        self.agents, self.things = agents, contents
        self.found: list[Fault] = []
        self.notes: list[str] = []
        self.names: tuple[str, ...] = ()
        self._kinds: dict[Kind, Collection[str]] = {"agent": agents}
        if contents:
            self._kinds |= {
                "room": contents.rooms,
                "furniture": contents.furniture,
                "object": contents.objects,
            }
            self.names = (*contents.rooms, *contents.furniture, *contents.objects)

    def add(self, place: str, text: str, by: tuple[str, ...] = ()) -> None:
        self.found.append(Fault(place, text, by))

    def note(self, place: str, text: str) -> None:
        """Adds what is unusual, and no fault."""
        self.notes.append(f"{place}: {text}")

    def check_name(self, place: str, kind: Kind, name: str) -> bool:
        """Whether ``name`` can be a name of that kind; adds a fault if not."""
        text = self.unknown(kind, name)
        if text:
            self.add(place, text)
        return not text

    def unknown(self, kind: Kind, name: str) -> str:
        """The fault of ``name`` as a name of that kind; empty if it is valid or cannot be checked."""
        names = self._kinds.get(kind)
        if names is not None and name in names:
            return ""
        for other, others in self._kinds.items():
            if other != kind and name in others:
                return f"{name} is {ARTICLES[other]}, not {ARTICLES[kind]}"
        if names is None:
            return ""
        if kind == "agent":
            return f"no agent {quote_name(name)} in this task; they are {self.agents[0]} to {self.agents[-1]}"
        assert self.things, "without a scene only agents have names"
        hint = (
            near(name, names) or f"; see its list of {'rooms' if kind == 'room' else kind.removesuffix('s')}"
        )
        return f"no {kind} {quote_name(name)} in {self.things.called}{hint}"

    def cannot(self, entity: str, flag: str) -> bool:
        """Whether it is known that ``entity`` does not have a flag."""
        return self.things is not None and self.things.can(entity, flag) is False
