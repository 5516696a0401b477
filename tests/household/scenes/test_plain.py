"""Plain houses: all rooms on a corridor, everything within reach, and no house that is too long."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.core.errors import TaskError
from otherminds.household.scenes.load import faults
from otherminds.household.scenes.scene import floor_of
from otherminds.household.tasks.plain_house import PlainHouse, PlainItem, PlainPiece, plain_scene
from tests.cases import examples


def plain(pieces: list[int], agents: int = 2) -> PlainHouse:
    """A house with so many pieces of furniture in each room, with an object on each, and one on each floor."""
    rooms = tuple(f"office_{k}" for k in range(len(pieces)))
    furniture = {f"table_{k}_{n}": PlainPiece(room) for k, room in enumerate(rooms) for n in range(pieces[k])}
    objects = {f"cup_{f}": PlainItem(f) for f in furniture} | {
        f"box_{room}": PlainItem(floor_of(room)) for room in rooms
    }
    starts = {f"agent_{k}": rooms[k % len(rooms)] for k in range(agents)}
    return PlainHouse("plain", rooms, "corridor_1", furniture, objects, starts)


@examples(0.3)
@given(st.lists(st.integers(0, 6), min_size=1, max_size=9), st.integers(1, 6))
def test_a_plain_house_is_a_sound_scene(pieces: list[int], agents: int) -> None:
    house = plain(pieces, agents)
    scene = plain_scene(house)
    assert faults(scene) == []
    assert {door.rooms for door in scene.geometry.doors} == {("corridor_1", room) for room in house.rooms}
    assert set(scene.furniture) == set(house.furniture)
    for f, piece in house.furniture.items():
        assert f in scene.furniture_in_rooms[piece.room]
        assert f in scene.tables.reaches[f"stand:{f}"]
    assert {agent: spawn.room for agent, spawn in scene.agent_spawns.items()} == house.starts


def test_a_piece_does_what_it_is_said_to_do() -> None:
    house = PlainHouse(
        "plain",
        ("office_1",),
        "corridor_1",
        {"cabinet_1": PlainPiece("office_1", articulated=True, interior=True, top=False, switch=True)},
        {"cup_1": PlainItem("cabinet_1", inside=True, dirtyable=True, fillable=True, switch=True)},
        {"agent_0": "office_1"},
    )
    scene = plain_scene(house)
    piece, item = scene.geometry.furniture["cabinet_1"], scene.geometry.objects["cup_1"]
    assert (piece.articulated, piece.interior, piece.top, piece.switch) == (True, True, False, True)
    assert (item.relation, item.dirtyable, item.fillable, item.switch) == ("within", True, True, True)
    assert scene.articulated_furniture == ("cabinet_1",)


def test_a_house_that_would_be_too_long_is_refused() -> None:
    with pytest.raises(TaskError, match="50 m is the most; give a scene file"):
        plain_scene(plain([46]))
