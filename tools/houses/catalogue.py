"""The houses that are shipped: which rooms and inventories they are made of, each from a seed of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random

from tools.houses.building import scene_of, shortcomings
from tools.houses.data import (
    HOUSES_SOURCE,
    ROOMS_SOURCE,
    Inventories,
    RealRooms,
    read_inventories,
    read_rooms,
)
from tools.houses.draft import Draft, House, Placed
from tools.houses.inventories import homes, planned_rooms, sizes
from tools.houses.object_placement import drop_to_floor, settle, stow, strew, thin
from tools.houses.placing import Placer, Wish
from tools.houses.plans import floor_plan
from tools.houses.real_rooms import real_room
from tools.houses.stitching import stitched_house
from tools.houses.walls import free_places

from otherminds.core.errors import InternalError
from otherminds.household.scenes.plane import edges
from otherminds.household.scenes.scene import Scene, Triple

_STITCHED = 18
_ATTEMPTS = 40
_LARGEST_ROOM, _LEAST_PIECES = 55.0, 4
_DOOR, _LEAST_PLACES = 0.9, 8
_MOST_ROOMS, _LEAST_ROOMS = 9, 4
_HALL_KINDS = frozenset({"stand", "chest_of_drawers", "shelves", "stool"})
_HALL_PIECES = 4
# What a stitched house has beside one kitchen, one living room, one bedroom and one bathroom.
_MORE = ((), ("bedroom",), ("bathroom",), ("bedroom", "bathroom"))

Sizes = dict[str, list[Triple]]


def houses(folder: Path) -> Iterator[Scene]:
    """Every house of the catalogue in turn, from the data files in a folder.

    Raises:
        TaskError: the data files are missing or damaged.
        InternalError: a house does not come out well with any of its seeds.
    """
    rooms, inventories = read_rooms(folder), read_inventories(folder)
    known = sizes(inventories)
    yield from _stitched(rooms, known)
    for house in homes(inventories):
        if len(planned_rooms(inventories, house, _MOST_ROOMS, Random(0))) >= _LEAST_ROOMS:
            yield _good(
                f"inventory_{house.removesuffix('_int').lower()}", _planner(inventories, house, known)
            )


def _good(name: str, draw: Callable[[Random], House]) -> Scene:
    """The first good scene of a house over its seeds."""
    reasons: list[str] = []
    for attempt in range(_ATTEMPTS):
        rng = Random(f"{name}/{attempt}")
        try:
            scene = scene_of(draw(rng), name, str(attempt), rng)
        except InternalError as error:
            reasons = [str(error)]
            continue
        reasons = shortcomings(scene)
        if not reasons:
            return scene
    raise InternalError(f"house {name}: no good scene in {_ATTEMPTS} attempts ({'; '.join(reasons)})")


def _stitched(data: RealRooms, known: Sizes) -> Iterator[Scene]:
    drafts: dict[str, list[tuple[str, Draft]]] = {}
    for kind, rooms in (
        ("kitchen", data.kitchens),
        ("living_room", data.living_rooms),
        ("bedroom", data.bedrooms),
        ("bathroom", data.bathrooms),
    ):
        numbered = [(f"{kind}s[{i}]", real_room(kind, things)) for i, things in enumerate(rooms)]
        fit = [(label, room) for label, room in numbered if _is_fit(room)]
        drafts[kind] = Random(f"{kind}s").sample(fit, len(fit))
    hall = [
        wish
        for rooms in drafts.values()
        for _, room in rooms
        for piece in room.pieces
        if (wish := _hall_wish(piece))
    ]
    taken = dict.fromkeys(drafts, 0)
    for number in range(_STITCHED):
        chosen: list[tuple[str, Draft]] = []
        for kind in (*drafts, *_MORE[number % len(_MORE)]):
            chosen.append(drafts[kind][taken[kind] % len(drafts[kind])])
            taken[kind] += 1
        yield _good(f"stitched_{number:02}", _stitcher(chosen, hall, known, bend=number % 3 != 0))


def _is_fit(room: Draft) -> bool:
    """Not too large, not too bare, and with a wall that leaves a choice of places for a door."""
    width, depth = room.polygon[2]
    places = max(len(free_places(room, wall, _DOOR)) for wall in edges(room.polygon))
    return width * depth <= _LARGEST_ROOM and len(room.pieces) >= _LEAST_PIECES and places >= _LEAST_PLACES


def _hall_wish(piece: Placed) -> Wish | None:
    short, long = sorted((piece.box.size[0], piece.box.size[2]))
    if piece.kind not in _HALL_KINDS or long > 1.2 or not 0.25 <= short <= 0.45 or piece.ends[1] > 1.3:
        return None
    return Wish(piece.kind, round(long, 2), round(short, 2), round(piece.ends[1], 2))


def _stitcher(
    chosen: Sequence[tuple[str, Draft]], hall: Sequence[Wish], known: Sizes, bend: bool
) -> Callable[[Random], House]:
    labels = ", ".join(label for label, _ in chosen)
    source = f"{ROOMS_SOURCE} ({labels}); objects in the hallway: {HOUSES_SOURCE}; floor plan generated"

    def draw(rng: Random) -> House:
        house = stitched_house(
            [room for _, room in chosen], rng.sample(hall, _HALL_PIECES), bend, source, rng
        )
        for index, room in enumerate(house.rooms):
            if room.kind == "hallway":
                strew(room, (), known, rng)
            else:
                thin(room, rng)
            _finish(house, index, rng)
        return house

    return draw


def _planner(data: Inventories, name: str, known: Sizes) -> Callable[[Random], House]:
    source = f"{HOUSES_SOURCE} ({name}); floor plan and placement generated"

    def draw(rng: Random) -> House:
        planned = planned_rooms(data, name, _MOST_ROOMS, rng)
        rooms, doors = floor_plan([room.space for room in planned], rng.randint(1, 2), rng)
        house = House(rooms, doors, source)
        for index, (room, plan) in enumerate(zip(rooms, planned, strict=True)):
            placer = Placer(room, [door.at for door in doors if index in door.rooms], rng)
            for wish in plan.wishes:
                placer.place(wish)
            strew(room, plan.objects, known, rng)
            _finish(house, index, rng)
        return house

    return draw


def _finish(house: House, index: int, rng: Random) -> None:
    room = house.rooms[index]
    openings = [door.at for door in house.doors if index in door.rooms]
    stow(room, rng)
    drop_to_floor(room, openings, rng)
    settle(room, openings)
