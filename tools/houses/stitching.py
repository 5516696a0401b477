"""Houses of real rooms: the rooms stand in two rows along a hallway, which may turn a corner to a last one.

No room is scaled: each is turned so that a door fits between its furniture, and moved. What then is out
of reach is taken out.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from tools.houses.clearance import repair
from tools.houses.draft import Draft, House, Opening, moved, turned
from tools.houses.placing import Placer, Wish
from tools.houses.walls import door_in, free_places, shared_walls

from otherminds.core.errors import InternalError
from otherminds.household.scenes.scene import Point

_HALL = 1.5
_CONTACT = 1.4
_DOOR = 0.9
_TRIES = 400
_BOTTOM, _RIGHT, _TOP, _LEFT = range(4)
_JOINED = {
    frozenset({"kitchen", "living_room"}): 0.8,
    frozenset({"bedroom", "bathroom"}): 0.35,
    frozenset({"bedroom"}): 0.2,
}


def stitched_house(
    rooms: Sequence[Draft], hall: Sequence[Wish], bend: bool, source: str, rng: Random
) -> House:
    """A house of these rooms, whose outlines are rectangles from (0, 0), and a hallway, the last room.

    Args:
        rooms: at least three drafts.
        hall: what is placed in the hallway.
        bend: whether the hallway turns a corner, so that one of its arms is hidden from the other.
        source: where the rooms come from.
        rng: what draws the order, the turns and the doors.

    Raises:
        InternalError: no arrangement in 400 tries lets a door into every room.
    """
    for _ in range(_TRIES):
        house = House([*_arranged(rooms, bend, rng)], [], source)
        if _joined(house, rng):
            break
    else:
        raise InternalError(
            f"no way to stitch {[room.kind for room in rooms]}; choose other rooms or another seed"
        )
    last = len(house.rooms) - 1
    for index, room in enumerate(house.rooms):
        openings = [door.at for door in house.doors if index in door.rooms]
        if index == last:
            placer = Placer(room, openings, rng)
            for wish in hall:
                placer.place(wish)
        repair(room, openings)
    return house


def _arranged(rooms: Sequence[Draft], bend: bool, rng: Random) -> list[Draft]:
    """The rooms about the hallway, in the order given, and the hallway."""
    order = rng.sample(range(len(rooms)), len(rooms))
    far = order.pop() if bend else None
    half = (len(order) + rng.randint(0, 1)) // 2
    placed: dict[int, Draft] = {}
    ends: list[float] = []
    needed: list[float] = []
    for row, side in ((order[:half], _BOTTOM), (order[half:], _TOP)):
        x = 0.0
        for index in row:
            room = _facing(rooms[index], side, rng)
            width, depth = room.polygon[2]
            placed[index] = moved(room, x, _HALL if side == _BOTTOM else -depth)
            needed.append(x + min(width, _CONTACT))
            x = round(x + width, 2)
        ends.append(x)
    if far is None:
        length = round(rng.uniform(max(needed), max(*needed, min(ends))), 1)
        outline: tuple[Point, ...] = ((0.0, 0.0), (length, 0.0), (length, _HALL), (0.0, _HALL))
    else:
        room = _facing(rooms[far], _LEFT, rng)
        corner = max(ends[0], round(max(needed) - _HALL, 1))
        length = round(corner + _HALL, 2)
        arm = round(_HALL + rng.uniform(2.0, max(2.5, room.polygon[2][1] - _HALL)), 1)
        placed[far] = moved(room, length, 0.0)
        outline = ((0.0, 0.0), (length, 0.0), (length, arm), (corner, arm), (corner, _HALL), (0.0, _HALL))
    return [*(placed[index] for index in range(len(rooms))), Draft("hallway", outline)]


def _facing(room: Draft, side: int, rng: Random) -> Draft:
    """The room turned so that one of its walls with the most room for a door comes to a side."""
    turns = [turned(room, quarters, mirrored) for quarters in range(4) for mirrored in (False, True)]
    counts = [len(free_places(one, (one.polygon[side], one.polygon[(side + 1) % 4]), _DOOR)) for one in turns]
    good = [one for one, count in zip(turns, counts, strict=True) if count >= 0.5 * max(counts)]
    return rng.choice(good)


def _joined(house: House, rng: Random) -> bool:
    """Puts the doors in: from each room to the hallway, and some between neighbours; False if one fails."""
    hall = len(house.rooms) - 1
    walls = shared_walls(house.rooms)
    for index in range(hall):
        door = door_in(house.rooms, (index, hall), walls.get((index, hall), []), _DOOR, rng)
        if door is None:
            return False
        house.doors.append(door)
    for pair, stretches in walls.items():
        kinds = frozenset(house.rooms[index].kind for index in pair)
        if hall not in pair and rng.random() < _JOINED.get(kinds, 0.0):
            door: Opening | None = door_in(house.rooms, pair, stretches, _DOOR, rng)
            house.doors.extend([door] if door else [])
    return True
