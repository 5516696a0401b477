"""Real rooms as drafts: AI2-THOR's things named and grouped as the household's furniture and objects.

Boxes stay where they are, but for these: a drawer or cabinet becomes part of what holds it; burners become
one stove; the flat box of a countertop reaches down to the floor and, where it spans a corner, becomes a
strip along each of the room's walls; what juts out of the room's outline is cut off there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import inf

from tools.houses.data import Thing
from tools.houses.draft import Draft, Lying, Placed, has_top, rectangle

from otherminds.household.scenes.plane import beside, inside
from otherminds.household.scenes.scene import FURNITURE, Box, Triple

_KINDS = {
    "ArmChair": "chair",
    "Bathtub": "bathtub",
    "Bed": "bed",
    "Chair": "chair",
    "CoffeeTable": "table",
    "Desk": "desk",
    "DiningTable": "table",
    "Dresser": "chest_of_drawers",
    "FloorLamp": "floor_lamp",
    "Footstool": "stool",
    "Fridge": "fridge",
    "GarbageCan": "trashcan",
    "LaundryHamper": "hamper",
    "Microwave": "microwave",
    "Ottoman": "stool",
    "Safe": "safe",
    "ShelvingUnit": "shelves",
    "SideTable": "stand",
    "Sink": "sink",
    "Sofa": "couch",
    "Stool": "stool",
    "TVStand": "stand",
    "Television": "tv",
    "Toilet": "toilet",
}
_OBJECTS = {"DeskLamp": "lamp", "CoffeeMachine": "coffee_machine", "Toaster": "toaster"}
_LEFT_OUT = frozenset({"BaseballBat", "Footstool", "TennisRacket", "Painting", "HandTowel", "ToiletPaper"})
# What makes up furniture: the kind it becomes alone, the kinds it may be part of, and how far apart (m) two
# of it may be to become one piece.
_GROUPS: dict[str, tuple[str, frozenset[str], float]] = {
    "Cabinet": ("cabinet", frozenset({"chest_of_drawers", "stand"}), -inf),
    "Drawer": ("cabinet", frozenset({"chest_of_drawers", "desk", "stand", "shelves", "table", "bed"}), -0.1),
    "Shelf": ("shelves", frozenset({"shelves", "desk", "chest_of_drawers", "stand", "table"}), 0.0),
    "StoveBurner": ("stove", frozenset(), 0.3),
}
_BASE_CABINETS, _HANGING_CABINETS = 4, 3
_DEEPEST_COUNTER, _COUNTER = 0.8, 0.65
_AT_WALL = 0.25
_LEAST_SIDE = 2.0


def real_room(kind: str, things: Sequence[Thing]) -> Draft:
    """The draft of one real room, its outline a rectangle from (0, 0) in steps of 0.1 m.

    The outline is where the room's things end, doors and windows and pictures on the walls included, but
    nowhere beyond its floor.
    """
    corner, width, depth = _extent(things)
    room = Draft(kind, rectangle(width, depth))
    boxes = {thing.id: _box(thing, corner) for thing in things}
    of: dict[str, Placed] = {}
    for thing in things:
        if thing.t in _KINDS and "p" not in thing.f:
            box = _kept_inside(boxes[thing.id], width, depth)
            if box:
                of[thing.id] = Placed(_KINDS[thing.t], box)
                room.pieces.append(of[thing.id])
    _add_groups(room, things, boxes, of)
    for thing in things:
        if thing.t == "CounterTop":
            room.pieces.extend(Placed("counter", box) for box in _counters(boxes[thing.id], width, depth))
    lying = (_lying(thing, boxes[thing.id], of, room) for thing in things)
    room.objects.extend(one for one in lying if one)
    _thinned(room)
    return room


def _box(thing: Thing, corner: Triple) -> Box:
    return Box((thing.c[0] - corner[0], thing.c[1] - corner[1], thing.c[2] - corner[2]), thing.s)


def _extent(things: Sequence[Thing]) -> tuple[Triple, float, float]:
    """The room's corner (least x, the floor's level, least z), its width and depth in whole decimetres."""
    floor = next(thing for thing in things if thing.t == "Floor")
    found: list[tuple[float, float]] = []
    for axis in (0, 2):
        low, high = (floor.c[axis] + sign * floor.s[axis] / 2 for sign in (-1, 1))
        others = [thing for thing in things if thing is not floor and _is_over(thing, floor)]
        least = max(low, min(thing.c[axis] - thing.s[axis] / 2 for thing in others))
        most = min(high, max(thing.c[axis] + thing.s[axis] / 2 for thing in others))
        found.append((least, max(_LEAST_SIDE, round(most - least + 0.05, 1))))
    level = floor.c[1] + floor.s[1] / 2
    return (found[0][0], level, found[1][0]), found[0][1], found[1][1]


def _is_over(thing: Thing, floor: Thing) -> bool:
    return all(abs(thing.c[axis] - floor.c[axis]) < floor.s[axis] / 2 for axis in (0, 2))


def _kept_inside(box: Box, width: float, depth: float) -> Box | None:
    """The box cut off at the outline; None if its middle is outside or little is left of it."""
    x, y, z = box.centre
    if not (0 < x < width and 0 < z < depth):
        return None
    left, right = max(x - box.size[0] / 2, 0.0), min(x + box.size[0] / 2, width)
    front, back = max(z - box.size[2] / 2, 0.0), min(z + box.size[2] / 2, depth)
    low, high = max(y - box.size[1] / 2, 0.0), y + box.size[1] / 2
    if min(right - left, back - front, high - low) < 0.05:
        return None
    return Box(
        ((left + right) / 2, (low + high) / 2, (front + back) / 2), (right - left, high - low, back - front)
    )


def _around(boxes: Sequence[Box], low: float | None = None) -> Box:
    """The least box round some boxes, reaching down to ``low`` if given."""
    lows = [min(b.centre[i] - b.size[i] / 2 for b in boxes) for i in range(3)]
    highs = [max(b.centre[i] + b.size[i] / 2 for b in boxes) for i in range(3)]
    if low is not None:
        lows[1] = low
    centre = [(a + b) / 2 for a, b in zip(lows, highs, strict=True)]
    return Box(
        (centre[0], centre[1], centre[2]), (highs[0] - lows[0], highs[1] - lows[1], highs[2] - lows[2])
    )


def _add_groups(room: Draft, things: Sequence[Thing], boxes: dict[str, Box], of: dict[str, Placed]) -> None:
    """Adds cabinets, drawers, shelves and burners: to the piece that holds them, or as pieces of their own."""
    width, depth = room.polygon[2]
    for group, (kind, holders, apart) in _GROUPS.items():
        loose: list[list[str]] = []
        for thing in things:
            if thing.t != group:
                continue
            box = boxes[thing.id]
            middle = (box.centre[0], box.centre[2])
            holder = next(
                (p for p in room.pieces if p.kind in holders and beside(middle, p.box) < 0.05), None
            )
            if holder:
                of[thing.id] = holder
                continue
            near = (names for names in loose if _touch(box, _around([boxes[n] for n in names]), apart))
            found = next(near, None)
            if found:
                found.append(thing.id)
            else:
                loose.append([thing.id])
        for names in loose:
            own = [boxes[name] for name in names]
            low = 0.0 if min(b.centre[1] - b.size[1] / 2 for b in own) < 1.0 else None
            box = _kept_inside(_around(own, low), width, depth)
            if box:
                piece = Placed(kind, box)
                room.pieces.append(piece)
                of |= dict.fromkeys(names, piece)


def _touch(one: Box, other: Box, apart: float) -> bool:
    return all(
        abs(one.centre[i] - other.centre[i]) < (one.size[i] + other.size[i]) / 2 + apart for i in (0, 2)
    )


def _counters(top: Box, width: float, depth: float) -> list[Box]:
    """The counters under a countertop: one, or strips along the walls that a wide one touches."""
    box = _kept_inside(_around([top], 0.0), width, depth)
    if box is None:
        return []
    x0, x1 = box.centre[0] - box.size[0] / 2, box.centre[0] + box.size[0] / 2
    z0, z1 = box.centre[2] - box.size[2] / 2, box.centre[2] + box.size[2] / 2
    touched = [x0 < _AT_WALL, x1 > width - _AT_WALL, z0 < _AT_WALL, z1 > depth - _AT_WALL]
    if min(box.size[0], box.size[2]) <= _DEEPEST_COUNTER or not any(touched):
        return [box]
    strips: list[tuple[float, float, float, float]] = []
    low, high = z0, z1
    if touched[2]:
        strips.append((x0, z0, x1, z0 + _COUNTER))
        low = z0 + _COUNTER
    if touched[3] and z1 - low > _COUNTER:
        strips.append((x0, z1 - _COUNTER, x1, z1))
        high = z1 - _COUNTER
    if touched[0] and high - low > 0.2:
        strips.append((x0, low, x0 + _COUNTER, high))
    if touched[1] and high - low > 0.2 and x1 - x0 > 2 * _COUNTER:
        strips.append((x1 - _COUNTER, low, x1, high))
    y, high = box.centre[1], box.size[1]
    return [Box(((a + c) / 2, y, (b + d) / 2), (c - a, high, d - b)) for a, b, c, d in strips]


def _lying(thing: Thing, box: Box, of: dict[str, Placed], room: Draft) -> Lying | None:
    """The object that a thing is, if it is one and what bears it is in the room."""
    if thing.t in _LEFT_OUT or not ("p" in thing.f or thing.t in _OBJECTS):
        return None
    name = _OBJECTS.get(thing.t) or re.sub(r"(?<=[a-z])(?=[A-Z])", "_", thing.t).lower()
    place = (box.centre[0], box.centre[2])
    for parent in thing.p or ():
        if parent.startswith("CounterTop"):
            bearer = next((p for p in room.pieces if p.kind == "counter" and beside(place, p.box) == 0), None)
        else:
            bearer = of.get(parent.removesuffix("|SinkBasin").removesuffix("|BathtubBasin"))
        if bearer and beside(place, bearer.box) < 0.05:
            inner = parent.startswith(("Drawer", "Cabinet")) or not has_top(bearer, room)
            if not inner or FURNITURE[bearer.kind].interior:
                return Lying(name, thing.s, box.centre, "within" if inner else "on", bearer)
        if parent.startswith("Floor") and inside(place, room.polygon, slack=-0.1):
            return Lying(name, thing.s, box.centre, "floor", None)
    return None


def _thinned(room: Draft) -> None:
    """Leaves out what a kitchen has too many of: cabinets beyond a few, those with something within first."""
    bearers = {id(one.bearer) for one in room.objects}
    for hanging, most in ((True, _HANGING_CABINETS), (False, _BASE_CABINETS)):
        cabinets = [p for p in room.pieces if p.kind == "cabinet" and (p.ends[0] > 1.0) == hanging]
        cabinets.sort(key=lambda p: (id(p) not in bearers, -p.box.size[0] * p.box.size[1] * p.box.size[2]))
        for piece in cabinets[most:]:
            room.drop(piece)
