"""A map's state is that of the episode, or of the scene before any."""

from __future__ import annotations

from math import atan2, cos, sin

import pytest

from otherminds.household.commands import parse
from otherminds.household.engine import HouseEngine
from otherminds.household.reports.state import HOW, at_start, standing, taken
from otherminds.household.scenes.load import load_scene, shipped_scenes
from otherminds.household.scenes.plane import inside
from otherminds.household.scenes.scene import Scene
from tests.cases import for_each


def test_things_are_where_the_engine_has_them_and_beliefs_are_those_of_each_agent(
    engine: HouseEngine,
) -> None:
    state = taken(engine)
    for o, thing in state.objects.items():
        predicate, where = engine.current.place_of(o)
        assert (thing.rest.how, thing.rest.where) == (HOW[predicate], where)
        assert thing.at == engine.layout.at.get(o)
    for i, agent in enumerate(engine.agents):
        for o in engine.house.objects:
            believed = engine.sight.where(i, o)
            assert (o in state.agents[agent].objects) == engine.sight.knows(i, o)
            if believed:
                rest = state.agents[agent].objects[o]
                assert rest is not None
                assert (rest.how, rest.where) == (HOW[believed[0]], believed[1])


def test_what_is_held_has_no_place(engine: HouseEngine) -> None:
    thing = taken(engine).objects["book_0"]
    assert (thing.at, str(thing.rest)) == (None, "held by agent_2")


def test_states_are_those_that_hold(engine: HouseEngine) -> None:
    turned = taken(engine).turned
    assert "is_open" in turned["cabinet_6"]
    assert "is_closed" in turned["cabinet_10"]


def test_who_acts_on_furniture_looks_at_it(engine: HouseEngine) -> None:
    engine.step([parse("Navigate[cabinet_2]"), parse("Wait[]"), parse("Wait[]")])
    engine.step([parse("Close[cabinet_2]"), parse("Wait[]"), parse("Wait[]")])
    agent = taken(engine).agents["agent_0"]
    x, _, z = engine.house.scene.geometry.furniture["cabinet_2"].box.centre
    assert agent.facing == pytest.approx(atan2(z - agent.at[1], x - agent.at[0]))
    assert agent.gaze < 0  # it is lower than an eye


def test_from_elsewhere_one_faces_where_one_sees_farthest(scene: Scene) -> None:
    for spot in (spot for spot in scene.tables.spots if spot.startswith("centre:")):
        x, z = scene.tables.spots[spot]
        way = standing(scene, spot).facing
        polygon = scene.geometry.rooms[scene.tables.rooms[spot]].polygon
        assert inside((x + 0.3 * cos(way), z + 0.3 * sin(way)), polygon)


@for_each("name", shipped_scenes()[::6])
def test_before_any_episode_a_scene_is_as_its_file_says(name: str) -> None:
    scene = load_scene(name)
    state = at_start(scene, agents=True)
    assert set(state.agents) == set(scene.agent_spawns)
    assert state.objects.keys() == set(scene.objects)
    for f, borne in scene.objects_on_furniture.items():
        assert all(state.objects[o].rest.where == f for o in borne)
    for o, item in scene.geometry.objects.items():
        assert (state.objects[o].rest.how, state.objects[o].at) == (item.relation, item.at)
    assert all("is_closed" in state.turned[f] for f in scene.articulated_furniture)
    assert at_start(scene).agents == {}
