"""A map as SVG, without further dependencies; deterministic."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from otherminds.household.reports import marks
from otherminds.household.reports.marks import AGENTS, LIGHT, Disc, Mark, Outline, TextLine
from otherminds.household.reports.moment import map_of
from otherminds.household.reports.state import MapState
from otherminds.household.scenes.scene import Scene

FONT = "DejaVu Sans, Verdana, Helvetica, Arial, sans-serif"


def map_svg(scene: Scene, state: MapState) -> str:
    """The map of one moment as an SVG document."""
    marks, size = map_of(scene, state)
    style = f"<style>{styles(LIGHT, len(state.agents))}</style>"
    paper = f'<rect width="{size[0]}" height="{size[1]}" fill="{LIGHT.paper}"/>'
    label = escape(f"Map of {scene.scene_id}", quote=True)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size[0]} {size[1]}" width="{size[0]}" '
        f'height="{size[1]}" role="img" aria-label="{label}">{style}{paper}\n{elements(marks)}\n</svg>\n'
    )


def elements(marks: Iterable[Mark]) -> str:
    """Marks as SVG elements; their classes are the kind and, if any, the agent's number (``a0``)."""
    return "\n".join(map(_element, marks))


def styles(palette: marks.Palette, agents: int, within: str = "") -> str:
    """The style sheet of a map's classes, below the selector ``within``."""
    rules = [f"{within} text{{font-family:{FONT};dominant-baseline:central}}"]
    for kind, style in palette.styles.items():
        rules.append(f"{within} .{kind}{{{_rule(style)}}}")
        own = [name for name in ("fill", "stroke") if getattr(style, name) == marks.OWN]
        for n in range(agents if own else 0):
            colours = ";".join(f"{name}:{AGENTS[n % len(AGENTS)]}" for name in own)
            rules.append(f"{within} .{kind}.a{n}{{{colours}}}")
    return "".join(rule.strip() for rule in rules)


def _rule(style: marks.Style) -> str:
    parts = {"fill": style.fill or "none", "stroke": style.stroke}
    parts = {name: "" if colour == marks.OWN else colour for name, colour in parts.items()}
    if style.width:
        parts["stroke-width"] = f"{style.width:g}"
    if style.dash:
        parts["stroke-dasharray"] = f"{style.dash[0]:g} {style.dash[1]:g}"
    if style.opacity < 1:
        parts["opacity"] = f"{style.opacity:g}"
    if style.size:
        parts["font-size"] = f"{style.size:g}px"
    if style.bold:
        parts["font-weight"] = "700"
    if style.halo:
        parts |= {"stroke": style.halo, "stroke-width": "3"}
        parts |= {"stroke-linejoin": "round", "paint-order": "stroke"}
    return ";".join(f"{name}:{value}" for name, value in parts.items() if value)


def _element(mark: Mark) -> str:
    of = f'class="{mark.kind}"' if mark.agent == marks.NOBODY else f'class="{mark.kind} a{mark.agent}"'
    match mark:
        case TextLine(_, (x, y), text, anchor):
            side = "" if anchor == "start" else f' text-anchor="{anchor}"'
            return f'<text {of} x="{x:g}" y="{y:g}"{side}>{escape(text)}</text>'
        case Disc(_, (x, y), radius):
            inner = f'<circle {of} cx="{x:g}" cy="{y:g}" r="{radius:g}"'
        case Outline(_, points, closed, _, _, wide):
            path = "L".join(f"{x:g} {y:g}" for x, y in points)
            width = f' style="stroke-width:{wide:g}"' if wide else ""
            inner = f'<path {of} d="M{path}{"Z" if closed else ""}"{width}'
    if not mark.title:
        return f"{inner}/>"
    return f"{inner}><title>{escape(mark.title)}</title></{inner[1 : inner.index(' ')]}>"
