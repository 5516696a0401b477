"""The marks of a map (outlines, discs and text, in pixels), and their colours and lines on light and on dark paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import hypot
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from otherminds.worlds.household.scenes.plane import bounds
from otherminds.worlds.household.scenes.scene import Point, Scene

NOBODY = -1


class Outline(Struct, frozen=True):
    """A line or, if ``closed``, an area. ``wide`` in pixels, where the palette's width does not count.

    ``agent`` is the number of the agent in whose colour it is; ``title`` shows under the pointer.
    """

    kind: str
    points: tuple[Point, ...]
    closed: bool = True
    agent: int = NOBODY
    title: str = ""
    wide: float = 0.0


class Disc(Struct, frozen=True):
    """A circle, ``radius`` in pixels."""

    kind: str
    at: Point
    radius: float
    agent: int = NOBODY
    title: str = ""


class TextLine(Struct, frozen=True):
    """A line of text, in the middle of whose height ``at`` lies."""

    kind: str
    at: Point
    text: str
    anchor: Literal["start", "middle", "end"] = "middle"
    agent: int = NOBODY


Mark: TypeAlias = Outline | Disc | TextLine

MARGIN = 14
"""Pixels round the house."""
LONGEST = 1180
"""Pixels: how wide or high the house is drawn, within the limits of ``SCALES``."""
SCALES = (56.0, 110.0)
"""Pixels a metre."""


class PlanView(Struct, frozen=True):
    """From the plan to the picture: ``scale`` in pixels a metre; ``size`` of the picture in pixels.

    One looks down: x to the right, z downwards, north wherever z falls.
    """

    scale: float
    left: float
    top: float
    size: tuple[int, int]

    def at(self, point: Sequence[float]) -> Point:
        """A place (x, z) in pixels, to a tenth."""
        x, z = point
        return round((x - self.left) * self.scale + MARGIN, 1), round((z - self.top) * self.scale + MARGIN, 1)

    def outline(self, points: Sequence[Point]) -> tuple[Point, ...]:
        """A polygon in pixels."""
        return tuple(self.at(point) for point in points)


def view_of(scene: Scene) -> PlanView:
    """The view that shows the whole house, as large as there is room."""
    corners = [point for shape in scene.geometry.rooms.values() for point in shape.polygon]
    x0, z0, x1, z1 = bounds(corners)
    scale = min(max(LONGEST / max(x1 - x0, z1 - z0), SCALES[0]), SCALES[1])
    size = (round((x1 - x0) * scale) + 2 * MARGIN, round((z1 - z0) * scale) + 2 * MARGIN)
    return PlanView(scale, x0, z0, size)


def shortened(one: Point, other: Point, by: float) -> tuple[Point, Point]:
    """A line between two points that stops ``by`` pixels before each; both ends in the middle if it is too short."""
    long = hypot(other[0] - one[0], other[1] - one[1])
    part = min(by / long, 0.5) if long else 0.5
    dx, dy = (other[0] - one[0]) * part, (other[1] - one[1]) * part
    return (round(one[0] + dx, 1), round(one[1] + dy, 1)), (round(other[0] - dx, 1), round(other[1] - dy, 1))


AGENTS = ("#0072B2", "#E08A00", "#009E73", "#B5478F", "#3FA7E0", "#8C6D31", "#6E56CF", "#5C6670")
"""Told apart by the colour-blind (after Okabe & Ito 2008); red is left to what is false."""
OWN = "agent"
"""Stands for the colour of the mark's agent."""


class Style(Struct, frozen=True):
    """How a kind of mark looks; ``size`` is that of a font, ``width`` and ``dash`` in pixels."""

    fill: str = ""
    stroke: str = ""
    width: float = 0.0
    dash: tuple[float, float] | None = None
    opacity: float = 1.0
    size: float = 0.0
    bold: bool = False
    halo: str = ""


class Palette(Struct, frozen=True):
    """The colour of the paper, and a style for each kind of mark."""

    paper: str
    styles: Mapping[str, Style]

    def style(self, kind: str, agent: int) -> Style:
        """How a mark looks, with its agent's own colour put in."""
        style = self.styles[kind]
        if agent == NOBODY:
            return style
        colour = AGENTS[agent % len(AGENTS)]
        own = {name: colour for name in ("fill", "stroke") if getattr(style, name) == OWN}
        return replace(style, **own)


class Inks(Struct, frozen=True):
    """The colours in which the two papers differ; pairs are fill and edge."""

    paper: str
    floor: str
    wall: str
    soft: str
    plain: tuple[str, str]
    top: tuple[str, str]
    store: tuple[str, str]
    object: tuple[str, str]
    open: str
    on: str
    water: str
    wrong: str


def palette(inks: Inks) -> Palette:
    """Every style, in the colours of one paper."""

    def piece(colours: tuple[str, str]) -> Style:
        return Style(fill=colours[0], stroke=colours[1], width=1)

    styles = {
        "floor": Style(fill=inks.floor),
        "wall": Style(stroke=inks.wall, width=6),
        "gap": Style(stroke=inks.floor, width=8),
        "sill": Style(stroke=inks.wall, width=1, dash=(2, 3)),
        "shut": Style(stroke=inks.wall, width=2.5),
        "plain": piece(inks.plain),
        "top": piece(inks.top),
        "store": piece(inks.store),
        "hung": Style(stroke=inks.store[1], width=1, dash=(4, 3)),
        "front": Style(stroke=inks.store[1], width=3),
        "leaf": Style(stroke=inks.open, width=2.5),
        "swing": Style(stroke=inks.open, width=0.8, dash=(2, 2)),
        "on": Style(fill=inks.on, stroke=inks.wall, width=0.8),
        "off": Style(fill=inks.paper, stroke=inks.soft, width=0.8),
        "faucet": Style(fill=inks.water),
        "object": Style(fill=inks.object[0], stroke=inks.object[1], width=1.2),
        "hidden": Style(fill=inks.paper, stroke=inks.object[1], width=1.2, dash=(2, 1.5)),
        "leader": Style(stroke=inks.object[1], width=0.6, opacity=0.7),
        "view": Style(fill=OWN, opacity=0.13),
        "agent": Style(fill=OWN, stroke=inks.paper, width=1.5),
        "nose": Style(fill=OWN, stroke=inks.paper, width=1.5),
        "knows": Style(fill=OWN),
        "ghost": Style(fill=inks.paper, stroke=OWN, width=1.8, dash=(3, 2)),
        "astray": Style(stroke=inks.wrong, width=1.2, opacity=0.8),
        "wrong": Style(fill=OWN, stroke=inks.wrong, width=1.6),
        "room-name": Style(fill=inks.soft, size=13, bold=True, halo=inks.floor),
        "piece-name": Style(fill=inks.soft, size=8.5, halo=inks.floor),
        "object-name": Style(fill=inks.object[1], size=9, halo=inks.floor),
        "agent-name": Style(fill=OWN, size=11, bold=True, halo=inks.paper),
        "agent-number": Style(fill="#ffffff", size=11, bold=True),
        "ghost-number": Style(fill=OWN, size=10, bold=True),
        "ghost-name": Style(fill=inks.wrong, size=9, halo=inks.floor),
        "legend": Style(fill=inks.soft, size=10.5),
    }
    return Palette(inks.paper, styles)


LIGHT = palette(
    Inks(
        paper="#ffffff",
        floor="#f7f6f2",
        wall="#3b4148",
        soft="#59636e",
        plain=("#e6e6e3", "#a3a7a8"),
        top=("#ece2d2", "#b09c7b"),
        store=("#d8e3ee", "#6f8fae"),
        object=("#b9a7f2", "#5b3fc4"),
        open="#1a7f37",
        on="#ffd43b",
        water="#3fa7e0",
        wrong="#cf222e",
    )
)
DARK = palette(
    Inks(
        paper="#0d1117",
        floor="#171c23",
        wall="#8b949e",
        soft="#a6afb9",
        plain=("#2a3038", "#59626c"),
        top=("#39342b", "#8a7a5f"),
        store=("#22303f", "#6a8cae"),
        object=("#5a4b9c", "#b3a1f7"),
        open="#3fb950",
        on="#ffd43b",
        water="#3fa7e0",
        wrong="#f85149",
    )
)
