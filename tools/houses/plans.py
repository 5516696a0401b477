"""Floor plans: a footprint split into rooms of wanted areas, with a hallway, L-shaped rooms, and doors.

Many plans are drawn by recursive splitting, and the one is kept whose rooms come nearest to fair
proportions with their doors on the hallway.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from tools.houses.corners import Rect, carve
from tools.houses.draft import Draft, Opening
from tools.houses.walls import door_in, shared_walls

from otherminds.core.errors import InternalError
from otherminds.household.scenes.scene import Point

_DRAWN = 400
_HALL = 1.4
_DOOR, _WIDE_DOOR = 0.9, 1.4
_LONGEST = 2.2
# Rooms that open into each other widely, and those that others do not lead through.
_SHARED = frozenset({"kitchen", "living_room", "dining_room", "hallway", "entryway"})
_ENDS = frozenset({"bathroom", "closet", "storage_room", "pantry", "laundryroom", "sauna"})
_EXTRA_DOOR = 0.25
_DETOUR = 4.0


@dataclass(frozen=True, slots=True)
class Space:
    """A room that is wanted: its kind, its area in square metres, and its least side in metres."""

    kind: str
    area: float
    least: float


def floor_plan(spaces: Sequence[Space], corners: int, rng: Random) -> tuple[list[Draft], list[Opening]]:
    """Rooms for the spaces, in their order, and the doors that join them all.

    A first space of kind ``hallway`` becomes a strip that the others lie along.

    Args:
        spaces: what is wanted.
        corners: how many pairs of rooms become L-shaped, at most.
        rng: what draws the plan.

    Raises:
        InternalError: no plan of many joins all rooms.
    """
    draw = _with_hallway if spaces[0].kind == "hallway" else _without_hallway
    plans = sorted((draw(spaces, rng) for _ in range(_DRAWN)), key=lambda plan: _badness(spaces, plan))
    for plan in plans:
        rooms = [Draft(space.kind, rect.outline) for space, rect in zip(spaces, plan, strict=True)]
        for _ in range(corners):
            carve(rooms, _ENDS, rng)
        doors = _doors(rooms, rng)
        if doors:
            return rooms, doors
    raise InternalError(f"no floor plan joins {[space.kind for space in spaces]}; choose another seed")


def _split(rect: Rect, spaces: Sequence[tuple[int, Space]], rng: Random) -> dict[int, Rect]:
    """The rectangle cut in two by area, and so on, until each space has its part."""
    if len(spaces) == 1:
        return {spaces[0][0]: rect}
    total = sum(space.area for _, space in spaces)
    cut = rng.randint(1, len(spaces) - 1)
    if len(spaces) > 2:
        cut = min(
            range(1, len(spaces)),
            key=lambda k: abs(sum(space.area for _, space in spaces[:k]) / total - 0.5) + rng.random() * 0.2,
        )
    share = sum(space.area for _, space in spaces[:cut]) / total
    width, depth = rect.sides
    if width > depth * rng.uniform(0.8, 1.25):
        x = round(rect.x0 + share * width, 1)
        one, other = Rect(rect.x0, rect.z0, x, rect.z1), Rect(x, rect.z0, rect.x1, rect.z1)
    else:
        z = round(rect.z0 + share * depth, 1)
        one, other = Rect(rect.x0, rect.z0, rect.x1, z), Rect(rect.x0, z, rect.x1, rect.z1)
    return _split(one, spaces[:cut], rng) | _split(other, spaces[cut:], rng)


def _footprint(spaces: Sequence[Space], rng: Random) -> tuple[float, float]:
    area = sum(space.area for space in spaces)
    width = round((area * rng.uniform(1.0, 1.8)) ** 0.5, 1)
    return width, round(area / width, 1)


def _without_hallway(spaces: Sequence[Space], rng: Random) -> list[Rect]:
    width, depth = _footprint(spaces, rng)
    order = rng.sample(list(enumerate(spaces)), len(spaces))
    parts = _split(Rect(0.0, 0.0, width, depth), order, rng)
    return [parts[index] for index in range(len(spaces))]


def _with_hallway(spaces: Sequence[Space], rng: Random) -> list[Rect]:
    """The hallway across the whole width, the other rooms above and below it."""
    order = rng.sample(list(enumerate(spaces))[1:], len(spaces) - 1)
    cut = rng.randint(1, len(order) - 1)
    above, below = order[:cut], order[cut:]
    width, _ = _footprint(spaces, rng)
    low = round(sum(space.area for _, space in below) / width, 1)
    top = round(low + _HALL + sum(space.area for _, space in above) / width, 1)
    high = round(low + _HALL, 1)
    parts = _split(Rect(0.0, 0.0, width, low), below, rng)
    parts |= _split(Rect(0.0, high, width, top), above, rng)
    parts[0] = Rect(0.0, low, width, high)
    return [parts[index] for index in range(len(spaces))]


def _badness(spaces: Sequence[Space], plan: Sequence[Rect]) -> float:
    """Too narrow, too long, too far from the wanted area, off the hallway: the less of it the better."""
    bad = 0.0
    hall = plan[0] if spaces[0].kind == "hallway" else None
    for space, rect in zip(spaces, plan, strict=True):
        if rect is hall:
            continue
        short, long = sorted(rect.sides)
        bad += 6 * max(0.0, space.least - short) + max(0.0, long / short - _LONGEST)
        bad += 0.3 * abs(short * long / space.area - 1) + 0.2 * max(0.0, long / short - 1.5)
        if hall and rect.z1 != hall.z0 and rect.z0 != hall.z1:
            bad += 0.6 if space.kind in _ENDS else 1.0
    return bad


def _doors(rooms: Sequence[Draft], rng: Random) -> list[Opening]:
    """Doors over the cheapest tree of walls, and a few more; none at all if some room stays apart."""
    walls = shared_walls(rooms)
    cost = {pair: _price(rooms[pair[0]].kind, rooms[pair[1]].kind) + rng.random() / 2 for pair in walls}
    doors: list[Opening] = []
    joined = {0}
    while len(joined) < len(rooms):
        ahead = [pair for pair in walls if (pair[0] in joined) != (pair[1] in joined)]
        if not ahead:
            return []
        # Nobody should have to pass through a bathroom.
        through = {pair: rooms[pair[0] if pair[0] in joined else pair[1]].kind in _ENDS for pair in ahead}
        pair = min(ahead, key=lambda pair: cost[pair] + (_DETOUR if through[pair] else 0.0))
        door = _door(rooms, pair, walls[pair], rng)
        if door is None:
            return []
        doors.append(door)
        joined.update(pair)
    for pair, stretches in walls.items():
        kinds = {rooms[index].kind for index in pair}
        if all(door.rooms != pair for door in doors) and not kinds & _ENDS:
            likely = 0.8 if kinds <= _SHARED else _EXTRA_DOOR
            extra = _door(rooms, pair, stretches, rng) if rng.random() < likely else None
            doors.extend([extra] if extra else [])
    return doors


def _door(
    rooms: Sequence[Draft], pair: tuple[int, int], stretches: Sequence[tuple[Point, Point]], rng: Random
) -> Opening | None:
    wide = {rooms[index].kind for index in pair} <= _SHARED
    door = door_in(rooms, pair, stretches, _WIDE_DOOR, rng) if wide else None
    return door or door_in(rooms, pair, stretches, _DOOR, rng)


def _price(one: str, other: str) -> float:
    """Which walls doors go into first: the hallway's, then those of rooms that are passed through."""
    if "hallway" in (one, other):
        return 0.0
    if one in _SHARED or other in _SHARED:
        return 1.0
    return 4.0 if one in _ENDS and other in _ENDS else 2.0
