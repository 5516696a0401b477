"""A house as text: the names of its furniture and objects, room by room, with what can be done with each."""

from __future__ import annotations

from collections.abc import Iterator

from otherminds.worlds.household.scenes.plane import inside
from otherminds.worlds.household.scenes.scene import Item, Piece, Scene, floor_of

ABILITIES = {"articulated": "opens", "interior": "holds inside", "top": "holds on top"}
STATES = {"switch": "switches", "faucet": "has a faucet", "dirtyable": "gets dirty", "fillable": "fills"}
RESTS = {"on": "on", "within": "in", "floor": "on"}
"""The word between an object and its furniture, by relation."""


def listed(scene: Scene) -> Iterator[str]:
    """A line for each room, piece of furniture and object; objects follow what they rest on."""
    for room in scene.rooms:
        yield room
        for piece in scene.furniture_in_rooms.get(room, ()):
            yield f"  {piece:<24} {_abilities(scene.geometry.furniture[piece])}".rstrip()
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
    what = ", ".join(filter(None, (f"{RESTS[item.relation]} {place}", _abilities(item))))
    return f"    {name:<22} {what}"


def _abilities(thing: Piece | Item) -> str:
    return ", ".join(text for flag, text in (ABILITIES | STATES).items() if getattr(thing, flag, False))
