"""Objects strewn over a room, and where agents start.

Real rooms bring their objects, of which some stay; other rooms get those of their inventory and, beside
them, what such rooms commonly hold. Then some are stowed away, so that not all that matters is in sight.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import dist
from random import Random

from tools.houses.clearance import open_floor
from tools.houses.draft import Draft, House, Lying, Placed, has_top
from tools.houses.walls import overlap

from otherminds.core.errors import InternalError
from otherminds.household.scenes.plane import Segment, aside, bounds, footprint, inside
from otherminds.household.scenes.scene import FURNITURE, Box, Point, Triple

# BEHAVIOR's categories by our names, and what each kind of room commonly holds.
CATEGORIES: dict[str, str] = {
    "alarm_clock": "alarm_clock",
    "apple": "apple",
    "banana": "banana",
    "bar_soap": "soap",
    "blanket": "blanket",
    "bottle_of_shampoo": "shampoo",
    "bottle_of_water": "bottle",
    "bowl": "bowl",
    "box_of_tissues": "tissue_box",
    "carafe": "pitcher",
    "chopping_board": "cutting_board",
    "coffee_cup": "cup",
    "desk_phone": "phone",
    "digital_camera": "camera",
    "frying_pan": "pan",
    "gym_shoe": "shoe",
    "hand_towel": "towel",
    "hardback": "book",
    "hat": "hat",
    "key_chain": "key_chain",
    "laptop": "laptop",
    "mug": "mug",
    "notebook": "notebook",
    "orange": "orange",
    "pen": "pen",
    "picture_frame": "picture_frame",
    "pillar_candle": "candle",
    "pillow": "cushion",
    "plate": "plate",
    "saucepot": "pot",
    "shoulder_bag": "bag",
    "soap_dispenser": "soap_dispenser",
    "spatula": "spatula",
    "statue": "statue",
    "storage_box": "box",
    "table_lamp": "lamp",
    "teapot": "teapot",
    "teddy_bear": "teddy_bear",
    "toilet_paper": "toilet_paper",
    "toothbrush": "toothbrush",
    "toy_car": "toy_car",
    "toy_figure": "toy_figure",
    "tray": "tray",
    "vase": "vase",
    "water_glass": "glass",
    "wicker_basket": "basket",
}
_COMMON: dict[str, str] = {
    "bathroom": "hand_towel bar_soap toothbrush bottle_of_shampoo toilet_paper soap_dispenser",
    "bedroom": "pillow hardback alarm_clock table_lamp teddy_bear blanket picture_frame",
    "kitchen": "bowl plate mug frying_pan apple saucepot water_glass spatula teapot carafe",
    "dining_room": "plate bowl water_glass vase tray pillar_candle",
    "living_room": "hardback vase pillow pillar_candle laptop picture_frame box_of_tissues",
    "office": "laptop notebook pen mug desk_phone hardback",
    "hallway": "key_chain vase hat shoulder_bag",
    "entryway": "key_chain gym_shoe hat",
    "playroom": "toy_car toy_figure teddy_bear hardback",
    "laundryroom": "hand_towel storage_box wicker_basket",
    "pantry": "bottle_of_water orange storage_box",
}
_ELSEWHERE = "storage_box wicker_basket hat gym_shoe shoulder_bag"
_MOST, _MOST_IN_KITCHEN, _LARGEST = 6, 9, 0.62
_FLOOR_SHARE, _STOWED = 0.08, 0.35
_TRIES = 30
_EDGE = 0.02
_STEP = 0.05
_APART = 0.8
_TWO_BOARDS = 0.6
_DOORWAY = 0.3


def thin(room: Draft, rng: Random) -> None:
    """Keeps some of a room's objects, more in a kitchen: each kind once, those stowed away first."""
    most = _MOST_IN_KITCHEN if room.kind == "kitchen" else _MOST
    order = sorted(rng.sample(room.objects, len(room.objects)), key=lambda one: one.relation != "within")
    chosen: dict[str, Lying] = {}
    for one in order:
        if max(one.size) <= _LARGEST and len(chosen) < most:
            chosen.setdefault(one.kind, one)
    room.objects = list(chosen.values())


def strew(
    room: Draft, own: Sequence[tuple[str, Triple]], known: Mapping[str, Sequence[Triple]], rng: Random
) -> None:
    """Puts objects into a room: some of its own (category and size), then common ones of known sizes."""
    wanted = [(CATEGORIES[category], size) for category, size in own if category in CATEGORIES][: _MOST // 2]
    common = [category for category in _COMMON.get(room.kind, _ELSEWHERE).split() if category in known]
    count = min(_MOST, 3 + len(room.pieces) // 2)
    for category in rng.sample(common, len(common)):
        if len(wanted) < count and CATEGORIES[category] not in dict(wanted):
            wanted.append((CATEGORIES[category], rng.choice(known[category])))
    for kind, (width, depth, height) in wanted:
        size = (round(width, 3), round(max(height, 0.005), 3), round(depth, 3))
        spots = _spots(room, kind, size, rng)
        found = next(spots, None) if max(size) <= _LARGEST else None
        if found:
            room.objects.append(found)


def stow(room: Draft, rng: Random) -> None:
    """Moves some of the objects on tops into furniture that opens, where they fit and nothing is yet."""
    for index, one in enumerate(room.objects):
        if one.relation != "on" or rng.random() > _STOWED:
            continue
        used = {id(other.bearer) for other in room.objects}
        holders = [
            piece for piece in room.pieces if FURNITURE[piece.kind].articulated and id(piece) not in used
        ]
        for holder in rng.sample(holders, len(holders)):
            at = _place_in(holder, one.size, rng)
            if at:
                room.objects[index] = replace(one, at=at, relation="within", bearer=holder)
                break


def drop_to_floor(room: Draft, openings: Sequence[Segment], rng: Random) -> None:
    """Lays some of a room's objects on its open floor instead."""
    cells = _open_cells(room, openings)
    for index, one in enumerate(room.objects):
        if one.relation == "on" and cells and rng.random() < _FLOOR_SHARE:
            x, z = rng.choice(cells)
            room.objects[index] = replace(one, at=(x, one.size[1] / 2, z), relation="floor", bearer=None)


def settle(room: Draft, openings: Sequence[Segment]) -> None:
    """Puts what lies on the floor down on it, at the nearest place clear of furniture, doorways and other objects.

    In the rooms of AI2-THOR, plungers stand inside the boxes of toilets, and cushions on seats count as on the floor.

    Raises:
        InternalError: an object fits nowhere on the room's floor.
    """
    settled: list[Box] = []
    for index, one in enumerate(room.objects):
        if one.relation != "floor":
            continue
        box = next((box for box in _floor_places(room, one) if _is_clear(box, room, openings, settled)), None)
        if box is None:
            raise InternalError(
                f"no place on the floor of the {room.kind} for the {one.kind}; choose another seed"
            )
        settled.append(box)
        room.objects[index] = replace(one, at=box.centre)


def spawns(house: House, agents: int, rng: Random) -> list[tuple[int, Point]]:
    """Where agents start: the index of a room and a place in (x, z), all but the last in rooms of their own."""
    rooms = list(range(len(house.rooms)))
    order = rng.sample(rooms, len(rooms)) * agents
    drawn: list[tuple[int, Point]] = []
    for index in (*order[: agents - 1], rng.choice(rooms)):
        room = house.rooms[index]
        openings = [door.at for door in house.doors if index in door.rooms]
        cells = _open_cells(room, openings)
        free = [cell for cell in cells if all(dist(cell, other) >= _APART for _, other in drawn)]
        drawn.append((index, rng.choice(free or cells)))
    return drawn


def _floor_places(room: Draft, one: Lying) -> Iterator[Box]:
    """The object on the floor: where it lies, and at the corners of a grid over the room, the nearest first."""
    x, _, z = one.at
    x0, z0, x1, z1 = bounds(room.polygon)
    xs, zs = (
        [low + _STEP * n for n in range(int((high - low) / _STEP) + 1)] for low, high in ((x0, x1), (z0, z1))
    )
    for to_x, to_z in sorted([(x, z), *product(xs, zs)], key=lambda place: (dist(place, (x, z)), place)):
        yield Box((to_x, one.size[1] / 2, to_z), one.size)


def _is_clear(box: Box, room: Draft, openings: Sequence[Segment], others: Sequence[Box]) -> bool:
    """Whether a box on the floor is inside the room, and not in furniture, in another box or before a door."""
    x, _, z = box.centre
    half = max(box.size[0], box.size[2]) / 2
    return (
        all(inside(corner, room.polygon, slack=0.0) for corner in footprint(box))
        and all(aside((x, z), opening) >= _DOORWAY + half for opening in openings)
        and not any(overlap(box, other, -_EDGE) for other in (*(piece.box for piece in room.pieces), *others))
    )


def _open_cells(room: Draft, openings: Sequence[Segment]) -> list[Point]:
    grid, reached = open_floor(room, openings)
    return [grid.point((int(i), int(k))) for i, k in zip(*reached.nonzero(), strict=True)]


def _spots(room: Draft, kind: str, size: Triple, rng: Random) -> Iterator[Lying]:
    """Places for an object: on any top of the room, clear of what lies there already."""
    tops = [piece for piece in room.pieces if has_top(piece, room) and piece.kind != "sink"]
    for bearer in rng.sample(tops, len(tops)):
        (x, _, z), (sx, _, sz) = bearer.box.centre, bearer.box.size
        y = bearer.ends[1] + size[1] / 2
        spare = (sx / 2 - size[0] / 2 - _EDGE, sz / 2 - size[2] / 2 - _EDGE)
        if min(spare) < 0:
            continue
        for _ in range(_TRIES):
            at = (x + rng.uniform(-1, 1) * spare[0], y, z + rng.uniform(-1, 1) * spare[1])
            box = Box(at, size)
            lying = (Box(other.at, other.size) for other in room.objects)
            standing = (piece.box for piece in room.pieces if piece is not bearer)
            if not any(overlap(box, other, 0.0) for other in (*lying, *standing)):
                yield Lying(kind, size, at, "on", bearer)
                break


def _place_in(holder: Placed, size: Triple, rng: Random) -> Triple | None:
    """A place on the floor or a board of a piece's interior; None if the object is too large for it."""
    (x, _, z), (sx, sy, sz) = holder.box.centre, holder.box.size
    spare = (sx / 2 - size[0] / 2 - _EDGE, sz / 2 - size[2] / 2 - _EDGE)
    if min(spare) < 0 or size[1] > sy / 2 - _EDGE:
        return None
    boards = [holder.ends[0] + _EDGE] if sy < _TWO_BOARDS else [holder.ends[0] + _EDGE, holder.box.centre[1]]
    y = rng.choice(boards) + size[1] / 2
    return x + rng.uniform(-1, 1) * spare[0], y, z + rng.uniform(-1, 1) * spare[1]
