"""BEHAVIOR's homes as lists of rooms to plan: what furniture is wanted in each, and which objects.

Categories become the household's kinds. Rooms that have no name or no furniture of ours are left out; a
few closets and storerooms, which the inventories leave empty, are kept and get cupboards of the same data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from tools.houses.data import Inventories
from tools.houses.placing import Wish
from tools.houses.plans import Space

from otherminds.household.scenes.scene import Triple

_ROOMS: dict[str, tuple[str, float, float, float]] = {
    # BEHAVIOR's room: ours, least and greatest area in square metres, least side in metres.
    "bathroom": ("bathroom", 6.0, 11.0, 2.1),
    "bedroom": ("bedroom", 12.0, 20.0, 2.9),
    "childs_room": ("bedroom", 11.0, 18.0, 2.8),
    "closet": ("closet", 4.0, 6.0, 1.8),
    "corridor": ("hallway", 6.0, 12.0, 1.4),
    "dining_room": ("dining_room", 13.0, 20.0, 3.2),
    "entryway": ("entryway", 5.0, 8.0, 2.0),
    "exercise_room": ("gym", 10.0, 16.0, 2.8),
    "garage": ("garage", 15.0, 20.0, 3.2),
    "kitchen": ("kitchen", 13.0, 22.0, 2.9),
    "living_room": ("living_room", 18.0, 34.0, 3.6),
    "pantry_room": ("pantry", 4.0, 7.0, 1.8),
    "playroom": ("playroom", 14.0, 22.0, 3.2),
    "private_office": ("office", 10.0, 16.0, 2.8),
    "sauna": ("sauna", 6.0, 9.0, 2.2),
    "storage_room": ("storage_room", 4.0, 7.0, 1.8),
    "television_room": ("living_room", 15.0, 24.0, 3.3),
    "utility_room": ("laundryroom", 7.0, 11.0, 2.3),
}
_FURNITURE: dict[str, str] = {
    "armchair": "chair",
    "bar": "counter",
    "bathtub": "bathtub",
    "bed": "bed",
    "bench": "bench",
    "bookcase": "shelves",
    "bottom_cabinet": "chest_of_drawers",
    "bottom_cabinet_no_top": "cabinet",
    "breakfast_table": "table",
    "cedar_chest": "chest",
    "clothes_dryer": "washer_dryer",
    "coffee_table": "table",
    "console_table": "stand",
    "countertop": "counter",
    "desk": "desk",
    "dishwasher": "dishwasher",
    "eames_chair": "chair",
    "floor_lamp": "floor_lamp",
    "fridge": "fridge",
    "furniture_sink": "sink",
    "hamper": "hamper",
    "locker": "cabinet",
    "massage_bed": "bed",
    "microwave": "microwave",
    "nightstand": "stand",
    "ottoman": "stool",
    "oven": "oven",
    "pedestal_sink": "sink",
    "pedestal_table": "table",
    "piano": "piano",
    "public_trash_can": "trashcan",
    "sauna_bench": "bench",
    "shower_stall": "shower",
    "sofa": "couch",
    "stand": "stand",
    "standing_tv": "tv",
    "stove": "stove",
    "straight_chair": "chair",
    "swivel_chair": "chair",
    "taboret": "stool",
    "toilet": "toilet",
    "top_cabinet": "cabinet",
    "toy_box": "chest",
    "trash_can": "trashcan",
    "wall_mounted_sink": "sink",
    "wall_mounted_tv": "tv",
    "wardrobe": "wardrobe",
    "washer": "washer_dryer",
}
_HANGS = {"top_cabinet": 1.5, "wall_mounted_tv": 1.0}
_BARE = {
    "closet": ("wardrobe", "bottom_cabinet", "bookcase"),
    "storage_room": ("bookcase", "cedar_chest", "bottom_cabinet"),
    "corridor": ("console_table", "bottom_cabinet", "bench"),
    "entryway": ("console_table", "bottom_cabinet"),
}
_FITTED_ROOMS = frozenset({"kitchen", "bathroom", "utility_room", "garage", "pantry_room"})
_DEEPEST, _WIDEST, _TALLEST = 2.3, 3.4, 2.4
_COUNTER_TOP = 0.9
_MOST = {"chair": 6, "shelves": 3, "cabinet": 4, "counter": 3, "table": 3}
_MOST_OF_A_KIND, _MOST_IN_A_ROOM, _MOST_BARE = 2, 13, 2
_FLOOR_PER_FURNITURE = 3.2


@dataclass(frozen=True, slots=True)
class PlannedRoom:
    """A room to plan: its space, what is to be placed in it, largest first, and its objects by category."""

    space: Space
    wishes: tuple[Wish, ...]
    objects: tuple[tuple[str, Triple], ...]


def planned_rooms(data: Inventories, house: str, most: int, rng: Random) -> list[PlannedRoom]:
    """At most ``most`` rooms of one home, the hallway first if it has one, then the best furnished."""
    found: list[tuple[int, PlannedRoom]] = []
    bare = 0
    for name, models in data.scenes[house].items():
        kind = name.rsplit("_", 1)[0]
        if kind not in _ROOMS:
            continue
        wishes = _wishes(data, kind, models)
        if not wishes and kind in _BARE:
            bare += 1
            wishes = _cupboards(data, kind, rng) if bare <= _MOST_BARE or kind == "corridor" else []
        if wishes:
            found.append(
                (len(wishes), PlannedRoom(_space(kind, wishes), tuple(wishes), _objects(data, models)))
            )
    found.sort(key=lambda pair: (pair[1].space.kind != "hallway", -pair[0]))
    return [room for _, room in found[:most]]


def homes(data: Inventories) -> tuple[str, ...]:
    """The homes among BEHAVIOR's scenes, without those that only add a garden, by name."""
    return tuple(
        name
        for name in sorted(data.scenes)
        if not name.endswith("_garden") and (name[0].isupper() or name.startswith("house_"))
    )


def sizes(data: Inventories) -> dict[str, list[Triple]]:
    """The sizes of every category's models, as (width, depth, height), in the order of their names."""
    models = sorted({model for rooms in data.scenes.values() for room in rooms.values() for model in room})
    found: dict[str, list[Triple]] = {}
    for model in models:
        category, suffix = model.rsplit("-", 1)
        if suffix in data.bbox:
            depth, width, height = data.bbox[suffix]
            found.setdefault(category, []).append((width, depth, height))
    return found


def _wishes(data: Inventories, kind: str, models: Mapping[str, int]) -> list[Wish]:
    wishes: list[Wish] = []
    counts: dict[str, int] = {}
    for model, count in models.items():
        category, suffix = model.rsplit("-", 1)
        if category not in _FURNITURE or suffix not in data.bbox:
            continue
        depth, width, height = data.bbox[suffix]
        wish = _wish(category, kind, (width, depth, height))
        if (
            wish.depth > _DEEPEST
            or wish.width > _WIDEST
            or (wish.kind == "counter" and kind not in _FITTED_ROOMS)
        ):
            continue
        for _ in range(count):
            group = category if category in _HANGS else wish.kind
            counts[group] = counts.get(group, 0) + 1
            if counts[group] <= _MOST.get(group, _MOST_OF_A_KIND):
                wishes.append(wish)
    return sorted(wishes, key=_order)[:_MOST_IN_A_ROOM]


def _wish(category: str, room: str, size: Triple) -> Wish:
    width, depth, height = size
    kind = _FURNITURE[category]
    if category == "bottom_cabinet" and room in _FITTED_ROOMS:
        kind = "cabinet"
    if kind == "counter":
        # The inventory's countertop is the slab alone.
        width, depth, height = max(width, depth), min(width, depth), _COUNTER_TOP
    if kind == "chest_of_drawers" and width > 2 * height:
        kind = "stand"
    return Wish(
        kind, round(width, 2), round(depth, 2), round(min(height, _TALLEST), 2), _HANGS.get(category, 0.0)
    )


def _order(wish: Wish) -> tuple[bool, bool, bool, float]:
    """Large pieces before small ones; what goes with or above others comes after them."""
    return (
        wish.hangs > 0,
        wish.kind in ("tv", "microwave"),
        wish.kind in ("chair", "stool"),
        -wish.width * wish.depth,
    )


def _cupboards(data: Inventories, kind: str, rng: Random) -> list[Wish]:
    known = sizes(data)
    found = (_wish(category, kind, rng.choice(known[category])) for category in _BARE[kind])
    return [wish for wish in found if wish.depth <= 0.7 and wish.width <= 1.6]


def _space(kind: str, wishes: Sequence[Wish]) -> Space:
    ours, least, most, side = _ROOMS[kind]
    ground = sum(wish.width * wish.depth for wish in wishes if not wish.hangs)
    return Space(ours, round(min(max(least, 3.0 + _FLOOR_PER_FURNITURE * ground), most), 1), side)


def _objects(data: Inventories, models: Mapping[str, int]) -> tuple[tuple[str, Triple], ...]:
    """The room's own models that are no furniture, each category once, with sizes (width, depth, height)."""
    found: dict[str, Triple] = {}
    for model in models:
        category, suffix = model.rsplit("-", 1)
        if category not in _FURNITURE and suffix in data.bbox:
            depth, width, height = data.bbox[suffix]
            found.setdefault(category, (width, depth, height))
    return tuple(found.items())
