"""The map as SVG: everything that is there stands on it, names are text, and false beliefs show."""

from __future__ import annotations

import subprocess
import sys
from xml.etree.ElementTree import Element, fromstring

import pytest
from msgspec.structs import replace

from otherminds.household.engine import HouseEngine
from otherminds.household.reports.chart import Chart
from otherminds.household.reports.map import elements, map_svg, styles
from otherminds.household.reports.marks import DARK, LIGHT, Disc, Outline, TextLine
from otherminds.household.reports.state import MapState, Rest, at_start, falsehoods, taken
from otherminds.household.scenes.load import load_scene, shipped_scenes
from otherminds.household.scenes.scene import Scene
from tests.cases import for_each
from tests.household import small_house as small

SVG = "{http://www.w3.org/2000/svg}"


def classed(svg: str, *kinds: str) -> list[Element]:
    """The elements of a map that are of any of ``kinds``."""
    return [
        one for one in fromstring(svg).iter() if one.get("class") and one.attrib["class"].split()[0] in kinds
    ]


def titles(svg: str, *kinds: str) -> list[str]:
    return [one.findtext(f"{SVG}title", "") for one in classed(svg, *kinds)]


@pytest.mark.parametrize("name", shipped_scenes()[::5])
def test_everything_in_a_house_is_named_on_its_map_which_holds_it_all(name: str) -> None:
    scene = load_scene(name)
    svg = map_svg(scene, at_start(scene, agents=True))
    root = fromstring(svg)
    said = [one.text for one in root.iter(f"{SVG}text")]
    for names in (scene.rooms, scene.furniture, scene.objects, scene.agent_spawns):
        assert all(said.count(one) == 1 for one in names)
    assert len(classed(svg, "gap")) == len(scene.geometry.doors)
    assert len(classed(svg, "front")) == len(scene.articulated_furniture)
    wide, high = (float(root.attrib[side]) for side in ("width", "height"))
    for one in root.iter(f"{SVG}text"):
        assert 0 <= float(one.attrib["x"]) <= wide
        assert 0 <= float(one.attrib["y"]) <= high


def test_the_same_moment_gives_the_same_bytes(scene: Scene) -> None:
    one, other = (map_svg(scene, taken(HouseEngine(small.house()))) for _ in range(2))
    assert one == other


def test_a_false_belief_is_a_ghost_with_a_line_to_the_truth(scene: Scene, state: MapState) -> None:
    svg = map_svg(scene, state)
    wrong = {agent: falsehoods(state, agent) for agent in state.agents}
    assert sum(map(len, wrong.values())) > 2
    told = titles(svg, "ghost", "wrong")
    for agent, found in wrong.items():
        for one in found:
            assert f"{agent} believes {one.about}: {one.believed}; in truth: {one.true}" in told
    lines = [one for found in wrong.values() for one in found if one.kind != "turned"]
    assert len(classed(svg, "astray")) == len(lines) + 1  # one of them in the legend


def test_a_line_leads_from_the_believed_place_to_the_true_one(scene: Scene, state: MapState) -> None:
    """Checked with a belief of a place far away."""
    mind = replace(state.agents["agent_0"], objects={"key_0": Rest("on", "counter_0")}, turned={}, others={})
    alone = replace(state, agents={"agent_0": mind})
    chart = Chart(scene)
    true = alone.objects["key_0"].at
    assert true is not None
    believed = scene.geometry.furniture["counter_0"].box.centre
    line = classed(map_svg(scene, alone), "astray")[0].attrib["d"].removeprefix("M")
    ends = [tuple(map(float, point.split())) for point in line.split("L")]
    for end, place in zip(ends, (believed, true), strict=True):
        x, y = chart.view.at((place[0], place[2]))
        assert abs(end[0] - x) + abs(end[1] - y) < 60


def test_who_knows_where_a_thing_is_has_a_dot_below_it(scene: Scene, state: MapState) -> None:
    told = titles(map_svg(scene, state), "knows")
    for o, thing in state.objects.items():
        for agent, mind in state.agents.items():
            knows = thing.at is not None and mind.objects.get(o) == thing.rest
            assert (f"{agent} knows that {o} is {thing.rest}" in told) == knows


def test_open_furniture_has_its_door_open_and_shut_things_are_hollow(scene: Scene, state: MapState) -> None:
    svg = map_svg(scene, state)
    opened = {f for f in scene.articulated_furniture if "is_open" in state.turned[f]}
    assert opened
    assert set(titles(svg, "leaf")) == {f"{f} is open" for f in opened}
    assert "cup_0 in cabinet_2" in titles(svg, "object")
    shut = replace(state, turned={**state.turned, "cabinet_2": frozenset({"is_closed"})})
    assert "cup_0 in cabinet_2" in titles(map_svg(scene, shut), "hidden")


def test_each_agent_has_its_view_and_what_it_holds(scene: Scene, state: MapState) -> None:
    svg = map_svg(scene, state)
    assert titles(svg, "view")[:3] == [f"what {agent} sees" for agent in state.agents]
    assert "agent_2 (book_0)" in [one.text for one in classed(svg, "agent-name")]


def test_agents_on_one_spot_stand_side_by_side(scene: Scene, state: MapState) -> None:
    together = {agent: replace(mind, at=(2.0, 1.5)) for agent, mind in state.agents.items()}
    places = {one.attrib["cx"] for one in classed(map_svg(scene, replace(state, agents=together)), "agent")}
    assert len(places) == 3


def test_a_map_without_agents_needs_no_legend(scene: Scene) -> None:
    assert not classed(map_svg(scene, at_start(scene)), "legend", "view", "knows")


def test_names_are_text_wherever_they_stand() -> None:
    evil = '</text><script>alert(1)</script>"'
    drawn = elements(
        [TextLine("legend", (1, 2), evil), Disc("on", (1, 2), 3, title=evil), Outline("wall", ((0, 0),))]
    )
    assert "<script" not in drawn
    texts = [one for one in fromstring(f"<svg>{drawn}</svg>").itertext() if one.strip()]
    assert texts == [evil, evil]


def test_every_kind_of_mark_has_a_style_on_both_papers(scene: Scene, state: MapState) -> None:
    assert LIGHT.styles.keys() == DARK.styles.keys()
    sheet = styles(LIGHT, 3)
    used = {one.attrib["class"] for one in fromstring(map_svg(scene, state)).iter() if one.get("class")}
    for kinds in used:
        kind, _, agent = kinds.partition(" ")
        assert f".{kind}{{" in sheet
        if agent and f".{kind}.a0{{" in sheet:
            assert f".{kind}.{agent}{{" in sheet


def test_it_needs_neither_matplotlib_nor_numpy() -> None:
    code = "import sys, otherminds.household.reports.map; print(*{'matplotlib', 'numpy', 'PIL'} & set(sys.modules))"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == ""


@for_each("name", shipped_scenes()[::7])
def test_a_map_has_axes_in_metres(name: str) -> None:
    scene = load_scene(name)
    svg = map_svg(scene, at_start(scene, agents=False))
    view = Chart(scene).view
    labels = {one.text: one for one in classed(svg, "axis")}
    assert len(classed(svg, "tick")) == len(classed(svg, "axis")) > 4
    assert {"x 0", "z 0"} <= {text for text in labels if text} or view.left or view.top
    for text, one in labels.items():
        if text == "2" and float(one.attrib["y"]) < 10:
            assert float(one.attrib["x"]) == pytest.approx(view.at((2.0, 0.0))[0])
