"""Distances form a metric, bars never shorten a way, and the drawn way is as long as it says."""

from __future__ import annotations

from itertools import combinations, product
from math import inf, isinf

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.worlds.household.scenes.load import load_scene, shipped_scenes
from otherminds.worlds.household.scenes.paths import distances, way
from otherminds.worlds.household.scenes.scene import Door, Scene
from tests.cases import for_each

NAMES = shipped_scenes()
# Legs are rounded to the centimetre, and a way is a handful of legs.
ROUNDED = 0.1


def closed(scene: Scene, *shut: int) -> Scene:
    doors = tuple(Door(door.rooms, door.at, closed=i in shut) for i, door in enumerate(scene.geometry.doors))
    return msgspec.structs.replace(scene, geometry=msgspec.structs.replace(scene.geometry, doors=doors))


@for_each("name", NAMES[:: len(NAMES) // 3])
def test_distances_are_symmetric_and_obey_the_triangle(name: str) -> None:
    found = distances(load_scene(name))
    spots = list(found)[::3]
    for one, other in combinations(spots, 2):
        assert found[one][other] == pytest.approx(found[other][one])
        assert 0 <= found[one][other] < inf
    for a, b, c in product(spots, repeat=3):
        assert found[a][c] <= found[a][b] + found[b][c] + ROUNDED


@given(st.data())
def test_barring_a_room_never_shortens_a_way(data: st.DataObject) -> None:
    scene = load_scene(data.draw(st.sampled_from(NAMES)))
    rooms = st.sets(st.sampled_from(scene.rooms), max_size=3)
    barred, more = data.draw(rooms), data.draw(rooms)
    start, goal = (data.draw(st.sampled_from(sorted(scene.tables.spots))) for _ in range(2))
    before = distances(scene, barred)[start][goal]
    after = distances(scene, barred | more)[start][goal]
    assert after >= before - 1e-9


@given(st.data())
def test_the_way_is_as_long_as_the_distance_and_crosses_no_barred_room(data: st.DataObject) -> None:
    scene = load_scene(data.draw(st.sampled_from(NAMES)))
    barred = data.draw(st.sets(st.sampled_from(scene.rooms), max_size=2))
    start, goal = (data.draw(st.sampled_from(sorted(scene.tables.spots))) for _ in range(2))
    metres = distances(scene, barred)[start][goal]
    found = way(scene, start, goal, barred)
    if found is None:
        assert isinf(metres)
        return
    assert found.metres == pytest.approx(metres)
    assert (found.rooms[0], found.rooms[-1]) == (scene.tables.rooms[start], scene.tables.rooms[goal])
    assert (found.line[0], found.line[-1]) == (scene.tables.spots[start], scene.tables.spots[goal])
    if start != goal:
        assert not barred & set(found.rooms)
    joined = {frozenset(door.rooms) for door in scene.geometry.doors}
    assert all(frozenset(pair) in joined for pair in zip(found.rooms, found.rooms[1:], strict=False))


def test_a_bar_sends_one_round_it(house: Scene) -> None:
    start, goal = "stand:bench_1", "stand:lamp_stand_5"
    direct = way(house, start, goal)
    assert direct is not None
    assert direct.rooms == ("hallway_1", "bedroom_1")
    shut = way(closed(house, 2), start, goal)
    assert shut is not None
    assert shut.rooms == ("hallway_1", "kitchen_1", "bedroom_1")
    assert shut.metres > direct.metres


def test_with_every_door_closed_there_is_no_way_out(house: Scene) -> None:
    shut = closed(house, 0, 1, 2)
    assert way(shut, "centre:hallway_1", "centre:kitchen_1") is None
    assert isinf(distances(shut)["centre:hallway_1"]["centre:kitchen_1"])
    assert distances(shut)["centre:hallway_1"]["stand:bench_1"] < inf


def test_a_spot_in_a_barred_room_is_cut_off_from_all_but_itself(house: Scene) -> None:
    row = distances(house, {"bedroom_1"})["stand:bed_4"]
    assert row["stand:bed_4"] == 0
    assert all(isinf(metres) for spot, metres in row.items() if spot != "stand:bed_4")


def test_the_shortest_way_within_a_room_may_lead_through_the_next(house: Scene) -> None:
    legs = house.tables.legs["hallway_1"]
    for start, goal in combinations([p for p in legs.points if not p.startswith("door:")], 2):
        inside = legs.metres[legs.points.index(start)][legs.points.index(goal)]
        assert distances(house)[start][goal] <= inside + 1e-9
