"""What each kind of furniture can do, and which kinds of objects get dirty, fill, or switch on.

Names follow the scenes that the paper shows (Juneja et al. 2026: ``cabinet``, ``couch``, ``stand``,
``chest_of_drawers``, ``washer_dryer``, ...).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kind:
    """What a kind of furniture can do.

    ``top``: things can lie on it; whether they can in one place also depends on its height and on what
    covers it.
    """

    articulated: bool = False
    interior: bool = False
    top: bool = False
    switch: bool = False
    faucet: bool = False


_OPENS = Kind(articulated=True, interior=True)
_CHEST = Kind(articulated=True, interior=True, top=True)
_FLAT = Kind(top=True)

FURNITURE: dict[str, Kind] = {
    "bathtub": Kind(interior=True, faucet=True),
    "bed": _FLAT,
    "bench": _FLAT,
    "cabinet": _CHEST,
    "chair": _FLAT,
    "chest": _CHEST,
    "chest_of_drawers": _CHEST,
    "couch": _FLAT,
    "counter": _FLAT,
    "desk": _FLAT,
    "dishwasher": Kind(articulated=True, interior=True, top=True, switch=True),
    "floor_lamp": Kind(switch=True),
    "fridge": _OPENS,
    "hamper": _CHEST,
    "microwave": Kind(articulated=True, interior=True, switch=True),
    "oven": Kind(articulated=True, interior=True, top=True, switch=True),
    "piano": _FLAT,
    "safe": _OPENS,
    "shelves": _FLAT,
    "shower": Kind(faucet=True),
    "sink": Kind(top=True, faucet=True),
    "stand": _CHEST,
    "stool": _FLAT,
    "stove": Kind(top=True, switch=True),
    "table": _FLAT,
    "toilet": Kind(),
    "trashcan": Kind(interior=True),
    "tv": Kind(switch=True),
    "wardrobe": _OPENS,
    "washer_dryer": Kind(articulated=True, interior=True, top=True, switch=True),
}
FILLABLE = frozenset(
    [
        "bottle",
        "bowl",
        "cup",
        "kettle",
        "mug",
        "pitcher",
        "pot",
        "teapot",
        "vase",
        "watering_can",
        "wine_bottle",
        "glass",
    ]
)
DIRTYABLE = frozenset(
    [
        "bowl",
        "cup",
        "glass",
        "mug",
        "pan",
        "plate",
        "pot",
        "spoon",
        "fork",
        "knife",
        "butter_knife",
        "towel",
        "cloth",
        "tray",
        "ladle",
        "spatula",
        "pillow",
        "blanket",
        "teapot",
    ]
)
SWITCHED = frozenset(
    ["lamp", "laptop", "toaster", "coffee_machine", "radio", "hair_dryer", "blender", "iron"]
)
