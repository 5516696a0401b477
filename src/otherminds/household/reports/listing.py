"""A house as text: the names of its furniture and objects, room by room, with what can be done with each."""

from __future__ import annotations

from collections.abc import Iterator

from otherminds.household.scenes.plane import centroid, inside
from otherminds.household.scenes.scene import Item, Piece, Point, Scene, Triple, floor_of

ABILITIES = {"articulated": "opens", "interior": "holds inside", "top": "holds on top"}
STATES = {"switch": "switches", "faucet": "has a faucet", "dirtyable": "gets dirty", "fillable": "fills"}
RESTS = {"on": "on", "within": "in", "floor": "on"}
"""The word between an object and its furniture, by relation."""


def list_scene(scene: Scene) -> Iterator[str]:
    """A line for each room, piece of furniture and object, with where its middle is; objects follow what they rest on."""
    yield "positions are (x, z) in metres, as on the map: x grows to the right, z downwards"
    for room in scene.rooms:
        yield f"{room:<26} {_at(centroid(scene.geometry.rooms[room].polygon))}"
        for piece in scene.furniture_in_rooms.get(room, ()):
            about = scene.geometry.furniture[piece]
            yield f"  {piece:<24} {_at(_flat(about.box.centre))}  {_abilities(about)}".rstrip()
            for name in scene.objects_on_furniture.get(piece, ()):
                yield _object(scene, name, piece)
        outline = scene.geometry.rooms[room].polygon
        on_floor = [
            name
            for name, item in scene.geometry.objects.items()
            if item.relation == "floor" and inside((item.at[0], item.at[2]), outline)
        ]
        if on_floor:
            yield f"  {floor_of(room)}"
        for name in on_floor:
            yield _object(scene, name, floor_of(room))


def _object(scene: Scene, name: str, place: str) -> str:
    item = scene.geometry.objects[name]
    description = ", ".join(filter(None, (f"{RESTS[item.relation]} {place}", _abilities(item))))
    return f"    {name:<22} {_at(_flat(item.at))}  {description}"


def _flat(place: Triple) -> Point:
    return place[0], place[2]


def _at(place: Point) -> str:
    return f"({place[0]:.2f}, {place[1]:.2f})"


def _abilities(entity: Piece | Item) -> str:
    return ", ".join(text for flag, text in (ABILITIES | STATES).items() if getattr(entity, flag, False))
