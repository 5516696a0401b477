"""A house in space: openings are open, furniture keeps to its box, doors close it."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, pi, sin

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from otherminds.core.errors import TaskError
from otherminds.household.reports.chart import front
from otherminds.household.reports.mjcf import HEIGHT, LINTEL, Block, Leaf, furniture, triangles, walls
from otherminds.household.scenes.load import load_scene, shipped_scenes
from otherminds.household.scenes.plane import area, aside, beside, edges, footprint, inside
from otherminds.household.scenes.scene import Point, Scene
from tests.cases import for_each

SCENES = shipped_scenes()[::9]


def holds(block: Block, place: tuple[float, float, float]) -> bool:
    """Whether a place (x, y, z) lies in a box."""
    low = block.box.centre[1] - block.box.size[1] / 2
    return low <= place[1] <= low + block.box.size[1] and beside((place[0], place[2]), block.box) == 0


@for_each("name", SCENES)
def test_walls_stand_round_every_room_but_not_in_its_openings(name: str) -> None:
    scene = load_scene(name)
    solid = list(walls(scene))
    for door in scene.geometry.doors:
        (ax, az), (bx, bz) = door.at
        for part in (0.15, 0.5, 0.85):
            x, z = ax + part * (bx - ax), az + part * (bz - az)
            assert not any(holds(block, (x, y, z)) for block in solid for y in (0.1, 1.0, LINTEL - 0.05))
            assert any(holds(block, (x, HEIGHT - 0.1, z)) for block in solid)
    for shape in scene.geometry.rooms.values():
        for (ax, az), (bx, bz) in edges(shape.polygon):
            for part in range(11):
                x, z = ax + part * (bx - ax) / 10, az + part * (bz - az) / 10
                if all(aside((x, z), door.at) > 0.06 for door in scene.geometry.doors):
                    assert any(holds(block, (x, 1.0, z)) for block in solid)


def test_a_closed_door_fills_its_opening(scene: Scene) -> None:
    first, *others = scene.geometry.doors
    shut = replace(scene, geometry=replace(scene.geometry, doors=(replace(first, closed=True), *others)))
    (ax, az), (bx, bz) = first.at
    for y in (0.1, 1.0, LINTEL - 0.05):
        assert any(holds(block, ((ax + bx) / 2, y, (az + bz) / 2)) for block in walls(shut))


@for_each("name", SCENES)
def test_furniture_keeps_to_its_box(name: str) -> None:
    scene = load_scene(name)
    for block in furniture(scene):
        if isinstance(block, Leaf):
            continue
        box = scene.geometry.furniture[block.of].box
        assert all(beside(corner, box) < 1e-6 for corner in footprint(block.box))
        low, high = box.centre[1] - box.size[1] / 2, box.centre[1] + box.size[1] / 2
        assert low - 1e-6 <= block.box.centre[1] - block.box.size[1] / 2
        assert block.box.centre[1] + block.box.size[1] / 2 <= high + 1e-6


@for_each("name", SCENES)
def test_doors_cover_the_whole_front_and_open_outwards(name: str) -> None:
    scene = load_scene(name)
    leaves = [block for block in furniture(scene) if isinstance(block, Leaf)]
    assert {leaf.of for leaf in leaves} == set(scene.articulated_furniture)
    for f in scene.articulated_furniture:
        side = front(scene, f)
        own = [leaf for leaf in leaves if leaf.of == f]
        assert sum(leaf.width for leaf in own) == pytest.approx(side.width)
        for leaf in own:
            ajar = leaf.yaw + leaf.way * 0.5
            assert cos(ajar) * side.outward[0] + sin(ajar) * side.outward[1] > 0.4


def test_what_opens_has_no_fixed_front_and_so_shows_what_is_inside(scene: Scene) -> None:
    fridge = scene.geometry.furniture["fridge_3"]
    side = front(scene, "fridge_3")
    x = (side.left[0] + side.right[0]) / 2 - 0.01 * side.outward[0]
    z = (side.left[1] + side.right[1]) / 2 - 0.01 * side.outward[1]
    panels = [block for block in furniture(scene) if isinstance(block, Block) and block.of == "fridge_3"]
    assert panels
    assert not any(holds(panel, (x, fridge.box.centre[1] + 0.1, z)) for panel in panels)


@given(st.lists(st.floats(0.5, 3.0), min_size=3, max_size=12))
def test_triangles_fill_a_polygon_exactly(radii: list[float]) -> None:
    around: Sequence[Point] = [
        (far * cos(2 * pi * k / len(radii)), far * sin(2 * pi * k / len(radii)))
        for k, far in enumerate(radii)
    ]
    cut = triangles(around)
    parts = [[around[k] for k in corners] for corners in cut]
    assert len(cut) == len(radii) - 2
    assert sum(map(area, parts)) == pytest.approx(area(around))
    assert all(area(part) >= 0 for part in parts)


@for_each("name", SCENES)
def test_triangles_of_a_room_lie_in_it(name: str) -> None:
    for shape in load_scene(name).geometry.rooms.values():
        for corners in triangles(shape.polygon):
            middle = tuple(sum(shape.polygon[k][axis] for k in corners) / 3 for axis in (0, 1))
            assert inside((middle[0], middle[1]), shape.polygon)


def test_an_outline_that_runs_clockwise_is_refused() -> None:
    with pytest.raises(TaskError, match="counter-clockwise"):
        triangles([(0, 0), (0, 2), (2, 2), (2, 0)])
