"""The map as pixels shows what the SVG says."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace
from PIL import Image, ImageColor

from otherminds.household.reports.chart import Chart
from otherminds.household.reports.marks import AGENTS, LIGHT
from otherminds.household.reports.png import map_png
from otherminds.household.reports.state import MapState, at_start
from otherminds.household.scenes.scene import Scene


def near(image: Image.Image, at: tuple[float, float], colour: str, within: int = 2) -> bool:
    """Whether a pixel of ``colour`` lies within so many pixels of a place."""
    x, y = (round(place) for place in at)
    part = np.asarray(image, int)[y - within : y + within + 1, x - within : x + within + 1]
    return bool((abs(part - np.array(ImageColor.getrgb(colour))).sum(axis=2) < 12).any())


def test_walls_and_floors_have_their_colours_and_doors_are_gaps(scene: Scene) -> None:
    image, view = map_png(scene, at_start(scene)), Chart(scene).view
    assert image.size == view.size
    assert near(image, view.at((1.0, 3.0)), LIGHT.styles["wall"].stroke)
    (ax, az), (bx, bz) = scene.geometry.doors[0].at
    middle = view.at(((ax + bx) / 2 + 0.1, (az + bz) / 2))
    assert near(image, middle, LIGHT.styles["floor"].fill)
    assert not near(image, (middle[0], middle[1] + 3), LIGHT.styles["wall"].stroke, within=1)


def test_agents_have_their_colours(scene: Scene, state: MapState) -> None:
    image, view = map_png(scene, state), Chart(scene).view
    for n, agent in enumerate(state.agents.values()):
        x, y = view.at(agent.at)
        assert near(image, (x, y + 0.14 * view.scale), AGENTS[n])


def test_a_view_tints_the_floor_and_lets_it_through(scene: Scene, state: MapState) -> None:
    alone = replace(
        state, agents={"agent_0": replace(state.agents["agent_0"], at=(2.0, 1.5), room="kitchen_1")}
    )
    place = Chart(scene).view.at((2.8, 2.2))
    floor = np.array(ImageColor.getrgb(LIGHT.styles["floor"].fill))
    view = np.array(ImageColor.getrgb(AGENTS[0]))
    seen = np.array(map_png(scene, alone).getpixel((round(place[0]), round(place[1]))))
    share = LIGHT.styles["view"].opacity
    assert abs(seen - (floor * (1 - share) + view * share)).max() <= 2
