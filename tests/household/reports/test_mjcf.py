"""MuJoCo's XML of a house: everything is in it, under its own name, where it is."""

from __future__ import annotations

from math import atan2, cos, sin
from xml.etree.ElementTree import fromstring

import pytest
from msgspec.structs import replace

from otherminds.household.reports.mjcf import Leaf, furniture, mjcf
from otherminds.household.scenes.load import load_scene, shipped_scenes
from otherminds.household.scenes.scene import Scene, floor_of
from tests.cases import for_each


@for_each("name", shipped_scenes()[::9])
def test_everything_has_a_shape_under_its_name(name: str) -> None:
    scene = load_scene(name)
    agents = ("agent_0", "agent_1")
    root = fromstring(mjcf(scene, agents))
    names = [geom.attrib["name"] for geom in root.iter("geom")]
    assert len(set(names)) == len(names)
    of = {one.partition("/")[0] for one in names}
    assert of == {"", *map(floor_of, scene.rooms), *scene.furniture, *scene.objects, *agents}
    free = {body.attrib["name"] for body in root.iter("body") if body.get("mocap")}
    assert free == {*scene.objects, *agents, *(f"eye/{agent}" for agent in agents)}
    assert {camera.attrib["name"] for camera in root.iter("camera")} == {f"eye/{agent}" for agent in agents}


@for_each("name", shipped_scenes()[::9])
def test_what_opens_hangs_on_hinges(name: str) -> None:
    scene = load_scene(name)
    root = fromstring(mjcf(scene))
    joints = [joint.attrib["name"].rsplit("/", 1) for joint in root.iter("joint")]
    leaves = [leaf for leaf in furniture(scene) if isinstance(leaf, Leaf)]
    assert joints == [[leaf.of, str(leaf.way)] for leaf in leaves]


def test_a_place_of_the_plan_is_turned_into_mujocos_axes() -> None:
    scene = load_scene(shipped_scenes()[-1])
    root = fromstring(mjcf(scene))
    boxes = {geom.attrib["name"].partition("/")[0]: geom for geom in root.iter("geom")}
    for name, piece in scene.geometry.furniture.items():
        if piece.interior or piece.articulated:
            continue
        x, y, z = map(float, boxes[name].attrib["pos"].split())
        assert (x, z, -y) == pytest.approx(piece.box.centre, abs=1e-3)
        yaw = -float(boxes[name].attrib["euler"].split()[2])
        assert atan2(sin(yaw - piece.box.yaw), cos(yaw - piece.box.yaw)) == pytest.approx(0, abs=1e-3)


def test_a_name_that_looks_like_markup_stays_a_name(scene: Scene) -> None:
    evil = replace(scene, scene_id='"/><evil x="')
    assert fromstring(mjcf(evil)).attrib["model"] == '"/><evil x="'
