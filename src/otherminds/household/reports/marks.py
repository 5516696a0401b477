"""The marks of a map (outlines, discs and text, in pixels), their colours and lines, and the placement of names.

Each name is placed where it covers the least."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, cos, floor, hypot, inf, pi, sin
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from otherminds.household.scenes.plane import bounds
from otherminds.household.scenes.scene import Point, Scene

NOBODY = -1


class Outline(Struct, frozen=True):
    """A line or, if ``closed``, an area. ``wide`` is a width in pixels that overrides that of the palette.

    ``agent`` is the number of the agent whose colour is used; ``title`` is the tooltip.
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
    """A line of text, vertically centred at ``at``."""

    kind: str
    at: Point
    text: str
    anchor: Literal["start", "middle", "end"] = "middle"
    agent: int = NOBODY


Mark: TypeAlias = Outline | Disc | TextLine

TICK = 2
"""Metres between two ticks of an axis."""
MARGIN = 14
"""Pixels round the house."""
LONGEST = 1180
"""Pixels: the larger of width and height of the drawn house, within the limits of ``SCALES``."""
SCALES = (56.0, 110.0)
"""Pixels a metre."""


class PlanView(Struct, frozen=True):
    """The mapping from the plan to the picture: ``scale`` in pixels per metre; ``size`` of the picture in pixels.

    A view from above: x points right and z down.
    """

    scale: float
    left: float
    top: float
    size: tuple[int, int]

    def at(self, point: Sequence[float]) -> Point:
        """A point (x, z) in pixels, rounded to a tenth."""
        x, z = point
        return round((x - self.left) * self.scale + MARGIN, 1), round((z - self.top) * self.scale + MARGIN, 1)

    def outline(self, points: Sequence[Point]) -> tuple[Point, ...]:
        return tuple(self.at(point) for point in points)


def view_of(scene: Scene) -> PlanView:
    """The view of the whole house, as large as possible."""
    corners = [point for shape in scene.geometry.rooms.values() for point in shape.polygon]
    x0, z0, x1, z1 = bounds(corners)
    scale = min(max(LONGEST / max(x1 - x0, z1 - z0), SCALES[0]), SCALES[1])
    size = (round((x1 - x0) * scale) + 2 * MARGIN, round((z1 - z0) * scale) + 2 * MARGIN)
    return PlanView(scale, x0, z0, size)


def axes(view: PlanView) -> tuple[Mark, ...]:
    """Ticks with metres along the upper side (x) and the left side (z) of a map, in its margin."""
    ticks: list[Mark] = []
    for side, name in enumerate(("x", "z")):
        low = (view.left, view.top)[side]
        metres = (view.size[side] - 2 * MARGIN) / view.scale
        for tick in range(ceil(low / TICK), floor((low + metres) / TICK) + 1):
            here = view.at((tick * TICK, view.top) if side == 0 else (view.left, tick * TICK))[side]
            near, far = MARGIN - 4.0, float(MARGIN)
            line = ((here, near), (here, far)) if side == 0 else ((near, here), (far, here))
            text = f"{name} {tick * TICK}" if tick * TICK == ceil(low / TICK) * TICK else str(tick * TICK)
            ticks.append(Outline("tick", line, closed=False))
            at = (max(here, 8.0), 5.0) if side == 0 else (1.0, max(here, 12.0) - 5.0)
            ticks.append(TextLine("axis", at, text, "middle" if side == 0 else "start"))
    return tuple(ticks)


def rectangle(at: Point, half: tuple[float, float]) -> tuple[Point, ...]:
    """The corners of a rectangle about a point, given half its width and height."""
    (x, y), (wide, deep) = at, half
    return ((x - wide, y - deep), (x + wide, y - deep), (x + wide, y + deep), (x - wide, y + deep))


def shorten_line(start: Point, end: Point, by: float) -> tuple[Point, Point]:
    """The line between two points, shortened by ``by`` pixels at both ends; a point if it is too short."""
    long = hypot(end[0] - start[0], end[1] - start[1])
    part = min(by / long, 0.5) if long else 0.5
    dx, dy = (end[0] - start[0]) * part, (end[1] - start[1]) * part
    return (round(start[0] + dx, 1), round(start[1] + dy, 1)), (round(end[0] - dx, 1), round(end[1] - dy, 1))


AGENTS = ("#0072B2", "#E08A00", "#009E73", "#B5478F", "#3FA7E0", "#8C6D31", "#6E56CF", "#5C6670")
"""Colours that are distinguishable with colour blindness (after Okabe & Ito 2008); red is reserved for false beliefs."""
OWN = "agent"
"""A placeholder for the colour of the mark's agent."""


class Style(Struct, frozen=True):
    """The style of a kind of mark; ``size`` is the font size, ``width`` and ``dash`` are in pixels."""

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
        """The style of a mark, with its agent's colour."""
        style = self.styles[kind]
        if agent == NOBODY:
            return style
        colour = AGENTS[agent % len(AGENTS)]
        own = {name: colour for name in ("fill", "stroke") if getattr(style, name) == OWN}
        return replace(style, **own)


INKS = {
    "paper": ("#ffffff", "#0d1117"),
    "floor": ("#f7f6f2", "#171c23"),
    "wall": ("#3b4148", "#8b949e"),
    "soft": ("#59636e", "#a6afb9"),
    "plain": ("#e6e6e3", "#2a3038"),
    "plain edge": ("#a3a7a8", "#59626c"),
    "top": ("#ece2d2", "#39342b"),
    "top edge": ("#b09c7b", "#8a7a5f"),
    "store": ("#d8e3ee", "#22303f"),
    "store edge": ("#6f8fae", "#6a8cae"),
    "object": ("#b9a7f2", "#5a4b9c"),
    "object edge": ("#5b3fc4", "#b3a1f7"),
    "open": ("#1a7f37", "#3fb950"),
    "on": ("#ffd43b", "#ffd43b"),
    "water": ("#3fa7e0", "#3fa7e0"),
    "wrong": ("#cf222e", "#f85149"),
}
"""The colours, on light and on dark paper."""


PIECES = ("plain", "top", "store")
"""The kinds of furniture on the floor."""


def _palette(paper: int) -> Palette:
    """Every style, on light (0) or dark (1) paper."""
    ink = {name: shades[paper] for name, shades in INKS.items()}
    edge = ink["object edge"]
    styles = {
        "floor": Style(fill=ink["floor"]),
        "wall": Style(stroke=ink["wall"], width=6),
        "gap": Style(stroke=ink["floor"], width=8),
        "sill": Style(stroke=ink["wall"], width=1, dash=(2, 3)),
        "shut": Style(stroke=ink["wall"], width=2.5),
        **{name: Style(fill=ink[name], stroke=ink[f"{name} edge"], width=1) for name in PIECES},
        "hung": Style(stroke=ink["store edge"], width=1, dash=(4, 3)),
        "front": Style(stroke=ink["store edge"], width=3),
        "leaf": Style(stroke=ink["open"], width=2.5),
        "swing": Style(stroke=ink["open"], width=0.8, dash=(2, 2)),
        "on": Style(fill=ink["on"], stroke=ink["wall"], width=0.8),
        "off": Style(fill=ink["paper"], stroke=ink["soft"], width=0.8),
        "faucet": Style(fill=ink["water"]),
        "object": Style(fill=ink["object"], stroke=edge, width=1.2),
        "hidden": Style(fill=ink["paper"], stroke=edge, width=1.2, dash=(2, 1.5)),
        "leader": Style(stroke=edge, width=0.6, opacity=0.7),
        "view": Style(fill=OWN, opacity=0.13),
        "agent": Style(fill=OWN, stroke=ink["paper"], width=1.5),
        "nose": Style(fill=OWN, stroke=ink["paper"], width=1.5),
        "knows": Style(fill=OWN),
        "ghost": Style(fill=ink["paper"], stroke=OWN, width=1.8, dash=(3, 2)),
        "astray": Style(stroke=ink["wrong"], width=1.2, opacity=0.8),
        "wrong": Style(fill=OWN, stroke=ink["wrong"], width=1.6),
        "room-name": Style(fill=ink["soft"], size=13, bold=True, halo=ink["floor"]),
        "piece-name": Style(fill=ink["soft"], size=8.5, halo=ink["floor"]),
        "object-name": Style(fill=edge, size=9, halo=ink["floor"]),
        "agent-name": Style(fill=OWN, size=11, bold=True, halo=ink["paper"]),
        "agent-number": Style(fill="#ffffff", size=11, bold=True),
        "ghost-number": Style(fill=OWN, size=10, bold=True),
        "ghost-name": Style(fill=ink["wrong"], size=9, halo=ink["floor"]),
        "legend": Style(fill=ink["soft"], size=10.5),
        "axis": Style(fill=ink["soft"], size=8),
        "tick": Style(stroke=ink["soft"], width=0.8),
    }
    return Palette(ink["paper"], styles)


LIGHT, DARK = _palette(0), _palette(1)


Rect = tuple[float, float, float, float]
"""Left, top, right, bottom in pixels."""
Extent = tuple[float, float]
"""Pixels across and along."""
LETTER, BOLD, LINE = 0.6, 0.7, 1.2
"""The width of a letter, of a bold one, and the height of a line, in parts of the size of the font (estimated)."""
DIRECTIONS = 8
RINGS = (1.0, 9.0, 18.0, 30.0)
"""Pixels between a thing and its name, the nearest first."""
FAR = 0.35
"""The cost of a pixel of distance, in covered square pixels per pixel of font size."""


class Labels:
    """The positions of names. ``obstacles`` are boxes that should be left free, with the cost of covering them, at least 0."""

    def __init__(self, size: tuple[int, int], obstacles: Sequence[tuple[Rect, float]] = ()) -> None:
        self._size = size
        self._taken = list(obstacles)

    def block(self, rect: Rect, cost: float = 1.0) -> None:
        self._taken.append((rect, cost))

    def copy(self) -> Labels:
        return Labels(self._size, self._taken)

    def place(self, text: str, style: Style, at: Point, half: Extent) -> tuple[Point, bool]:
        """The middle of a name near ``at`` for a thing of half size ``half``, and whether it needs a leader line."""
        wide, high = extent(text, style.size, bold=style.bold)
        middle, ring = self.beside((wide / 2, high / 2), at, half, FAR * style.size)
        return middle, ring > RINGS[1]

    def beside(self, own: Extent, at: Point, half: Extent, far: float) -> tuple[Point, float]:
        """The middle of a box of half size ``own`` beside ``at``, and its distance.

        A pixel of distance costs as much as ``far`` covered square pixels.
        """
        wide, high = 2 * own[0], 2 * own[1]
        best, cost, away = at, inf, 0.0
        for ring in RINGS:
            for k in range(DIRECTIONS):
                angle = 2 * pi * k / DIRECTIONS
                dx, dy = cos(angle), sin(angle)
                middle = (at[0] + dx * (half[0] + ring + own[0]), at[1] + dy * (half[1] + ring + own[1]))
                if far * ring + 0.01 * k >= cost:  # whatever it covers, it is no better
                    continue
                penalty = self._cover(middle, wide, high, cost) + far * ring + 0.01 * k
                if penalty < cost:
                    best, cost, away = middle, penalty, ring
        self._keep(best, wide, high)
        return (round(best[0], 1), round(best[1], 1)), away

    def within(self, text: str, style: Style, places: Sequence[Point]) -> Point:
        """The best of ``places`` for the middle of a name; the first in a tie."""
        wide, high = extent(text, style.size, bold=style.bold)
        best = min(places, key=lambda place: self._cover(place, wide, high))
        self._keep(best, wide, high)
        return best

    def _keep(self, middle: Point, wide: float, high: float) -> None:
        self.block((middle[0] - wide / 2, middle[1] - high / 2, middle[0] + wide / 2, middle[1] + high / 2))

    def _cover(self, middle: Point, wide: float, high: float, most: float = inf) -> float:
        """The weighted area in square pixels that a name would cover; area outside the picture counts tenfold.

        Counting ends at ``most``.
        """
        left, top = middle[0] - wide / 2, middle[1] - high / 2
        right, bottom = left + wide, top + high
        off = max(-left, 0, right - self._size[0]) * high + max(-top, 0, bottom - self._size[1]) * wide
        total = 10 * off
        for (x0, y0, x1, y1), cost in self._taken:
            across = (right if right < x1 else x1) - (left if left > x0 else x0)
            if across > 0:
                along = (bottom if bottom < y1 else y1) - (top if top > y0 else y0)
                if along > 0:
                    total += across * along * cost
                    if total >= most:
                        break
        return total


def extent(text: str, size: float, *, bold: bool = False) -> Extent:
    """The approximate width and height of a line of text in pixels."""
    return (BOLD if bold else LETTER) * size * len(text), LINE * size
