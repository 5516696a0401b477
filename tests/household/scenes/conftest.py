"""A small house drawn by hand: an L-shaped hall, a kitchen with cupboards, and a bedroom behind it."""

from __future__ import annotations

import msgspec
import pytest

from otherminds.household.scenes.scene import Box, Door, Geometry, Item, Piece, RoomShape, Scene, Spawn
from otherminds.household.scenes.tables import tables

CUPBOARD = {"articulated": True, "interior": True}


def drawn() -> Scene:
    """Hall: 6 x 2 m, with an arm of 2 x 3 m going up at its left; kitchen right of the arm; bedroom beyond."""
    rooms = {
        "hallway_1": RoomShape(((0, 0), (6, 0), (6, 2), (2, 2), (2, 5), (0, 5))),
        "kitchen_1": RoomShape(((2, 2), (6, 2), (6, 5), (2, 5))),
        "bedroom_1": RoomShape(((6, 0), (9, 0), (9, 5), (6, 5))),
    }
    doors = (
        Door(("hallway_1", "kitchen_1"), ((4, 2), (5, 2))),
        Door(("kitchen_1", "bedroom_1"), ((6, 3), (6, 4))),
        Door(("hallway_1", "bedroom_1"), ((6, 0.5), (6, 1.5))),
    )
    furniture = {
        "stand_0": Piece(Box((1.0, 0.4, 4.75), (0.8, 0.8, 0.4)), top=True, **CUPBOARD),
        "bench_1": Piece(Box((5.0, 0.25, 0.25), (1.0, 0.5, 0.4)), top=True),
        "counter_2": Piece(Box((3.0, 0.45, 4.7), (1.6, 0.9, 0.6)), top=True),
        "cabinet_3": Piece(Box((3.0, 1.9, 4.8), (1.0, 0.7, 0.4)), **CUPBOARD),
        "bed_4": Piece(Box((8.0, 0.3, 4.0), (1.8, 0.6, 1.8)), top=True),
        "lamp_stand_5": Piece(Box((8.0, 0.4, 0.4), (0.5, 0.8, 0.3), yaw=0.4), top=True, switch=True),
    }
    objects = {
        "vase_0": Item((0.1, 0.3, 0.1), (1.0, 0.95, 4.75), "on", fillable=True),
        "cup_0": Item((0.1, 0.1, 0.1), (3.2, 1.7, 4.8), "within", dirtyable=True),
        "teddy_bear_0": Item((0.2, 0.3, 0.2), (7.0, 0.15, 1.0), "floor"),
    }
    return Scene(
        scene_id="drawn",
        episode_id="0",
        rooms=tuple(rooms),
        furniture=tuple(furniture),
        objects=tuple(objects),
        articulated_furniture=("stand_0", "cabinet_3"),
        furniture_in_rooms={
            "hallway_1": ("stand_0", "bench_1"),
            "kitchen_1": ("counter_2", "cabinet_3"),
            "bedroom_1": ("bed_4", "lamp_stand_5"),
        },
        objects_on_furniture={"stand_0": ("vase_0",), "cabinet_3": ("cup_0",)},
        agent_spawns={
            "agent_0": Spawn((0.55, 0.0, 3.05), "hallway_1"),
            "agent_1": Spawn((5.05, 0.0, 1.05), "hallway_1"),
            "agent_2": Spawn((8.05, 0.0, 2.05), "bedroom_1"),
        },
        source="drawn by hand",
        geometry=Geometry(rooms, doors, furniture, objects),
    )


@pytest.fixture(scope="session")
def bare() -> Scene:
    """The house as a file without tables has it."""
    return drawn()


@pytest.fixture(scope="session")
def house(bare: Scene) -> Scene:
    """The house with its tables."""
    return msgspec.structs.replace(bare, tables=tables(bare))
