"""A map as pixels, drawn with Pillow from the same marks as the SVG."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import hypot

from PIL import Image, ImageColor, ImageDraw

from otherminds.household.reports.map import map_of
from otherminds.household.reports.marks import LIGHT, Disc, Mark, Outline, Style, TextLine
from otherminds.household.reports.state import MapState
from otherminds.household.scenes.scene import Point, Scene
from otherminds.reports.replay.replays import sans

FINE = 2
"""The supersampling factor for smooth lines."""
ANCHORS = {"start": "lm", "middle": "mm", "end": "rm"}


def map_png(scene: Scene, state: MapState) -> Image.Image:
    """The map of one moment as an RGB picture."""
    marks, (wide, tall) = map_of(scene, state)
    large = Image.new("RGB", (wide * FINE, tall * FINE), LIGHT.paper)
    for mark in marks:
        style = LIGHT.style(mark.kind, mark.agent)
        if style.opacity < 1:
            _veil(large, mark, style)
        else:
            _stroke(ImageDraw.Draw(large), mark, style)
    return large.resize((wide, tall), Image.Resampling.LANCZOS)


def _veil(image: Image.Image, mark: Mark, style: Style) -> None:
    """Draws a translucent mark."""
    mask = Image.new("L", image.size, 0)
    level = "#" + f"{round(255 * style.opacity):02x}" * 3
    flat = Style(fill=style.fill and level, stroke=style.stroke and level, width=style.width)
    _stroke(ImageDraw.Draw(mask), mark, flat)
    image.paste(ImageColor.getrgb(style.fill or style.stroke), mask=mask)


def _stroke(pen: ImageDraw.ImageDraw, mark: Mark, style: Style) -> None:
    fill, stroke = style.fill or None, style.stroke or None
    width = round(style.width * FINE)
    match mark:
        case TextLine(_, (x, y), text, anchor):
            font = sans(round(style.size * FINE), bold=style.bold)
            halo, ink = (2 * FINE, style.halo) if style.halo else (0, None)
            at = (x * FINE, y * FINE)
            pen.text(at, text, fill, font, ANCHORS[anchor], stroke_width=halo, stroke_fill=ink)
        case Disc(_, (x, y), radius):
            reach = radius * FINE
            box = (x * FINE - reach, y * FINE - reach, x * FINE + reach, y * FINE + reach)
            pen.ellipse(box, fill, stroke, width)
        case Outline(_, points, closed, _, _, wide):
            path = [(x * FINE, y * FINE) for x, y in points]
            width = round(wide * FINE) or width
            if closed and fill:
                pen.polygon(path, fill)
            ring = [*path, *path[:2]] if closed else path
            if stroke and style.dash:
                for dash in dashes([*path, path[0]] if closed else path, style.dash):
                    pen.line(dash, stroke, width)
            elif stroke:
                pen.line(ring, stroke, width, joint="curve")


def dashes(path: Sequence[Point], dash: tuple[float, float]) -> list[tuple[Point, Point]]:
    """The strokes of a dashed line along ``path``; the pattern restarts at each vertex.

    >>> dashes([(0, 0), (10, 0)], (2, 1))
    [((0.0, 0.0), (4.0, 0.0)), ((6.0, 0.0), (10.0, 0.0))]
    """
    on, off = (length * FINE for length in dash)
    strokes: list[tuple[Point, Point]] = []
    for (ax, ay), (bx, by) in pairwise(path):
        long = hypot(bx - ax, by - ay)
        at = 0.0
        while at < long:
            parts = at / long, min(at + on, long) / long
            start, stop = ((ax + part * (bx - ax), ay + part * (by - ay)) for part in parts)
            strokes.append((start, stop))
            at += on + off
    return strokes
