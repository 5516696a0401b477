"""The map of one moment: states of furniture, objects, agents with their views, and their beliefs, as marks and as SVG.

The static part is :mod:`.chart`. The SVG is deterministic and needs no further dependencies; :mod:`.png` draws the same marks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from math import atan2, cos, pi, sin

from otherminds.household.reports import marks
from otherminds.household.reports.chart import Chart, front, legend
from otherminds.household.reports.marks import (
    AGENTS,
    LIGHT,
    Disc,
    Extent,
    Labels,
    Mark,
    Outline,
    TextLine,
    axes,
    rectangle,
    shorten_line,
)
from otherminds.household.reports.state import Falsehood, MapState, Rest, falsehoods
from otherminds.household.scenes.plane import overlook
from otherminds.household.scenes.scene import Point, Scene, floor_of

BODY = 0.2
"""Metres: the radius of an agent."""
SWING, LEAF = 1.25, 0.7
"""Radians: the angle of an open door; metres: the largest length of its leaf."""


Named = dict[object, tuple[tuple[Mark, ...], Labels]]
"""The labels of objects and the remaining free space, by the positions of all objects."""


class ChartMoment:
    """One moment on a chart. ``named`` caches labels between moments without moved objects."""

    def __init__(self, chart: Chart, state: MapState, cache: Named) -> None:
        self._chart, self._state = chart, state
        self._view = chart.view
        self._number = {agent: i for i, agent in enumerate(state.agents)}
        self._stands = self._standing()
        resting = ((o, placement.at) for o, placement in state.objects.items() if placement.at is not None)
        self._places = {o: self._view.at((x, z)) for o, (x, _, z) in resting}
        key = tuple(self._places.items())
        if key not in cache:
            labels = chart.labels.copy()
            cache[key] = tuple(self._names(labels)), labels
        self._names_of_objects, base_labels = cache[key]
        self._labels = base_labels.copy()
        for x, y in self._stands.values():
            reach = 1.5 * BODY * self._view.scale
            self._labels.block((x - reach, y - reach, x + reach, y + reach))

    def marks(self) -> Iterator[Mark]:
        """All marks except the views, the lowest first."""
        yield from self._draw_devices()
        yield from self._objects()
        yield from self._agents()
        for agent in self._state.agents:
            yield from self._wrong(agent)

    def _standing(self) -> dict[str, Point]:
        """The positions of agents in pixels, side by side if they share a spot."""
        together: dict[Point, list[str]] = {}
        for agent, agent_state in self._state.agents.items():
            together.setdefault(agent_state.at, []).append(agent)
        positions: dict[str, Point] = {}
        for at, group in together.items():
            x, y = self._view.at(at)
            wide = 2.2 * BODY * self._view.scale
            for k, agent in enumerate(group):
                positions[agent] = (round(x + (k - (len(group) - 1) / 2) * wide, 1), y)
        return positions

    def views(self) -> Iterator[Mark]:
        """The visible part of the room of each agent."""
        for agent, agent_state in self._state.agents.items():
            polygon = self._chart.scene.geometry.rooms[agent_state.room].polygon
            outline = self._view.outline(overlook(polygon, agent_state.at))
            yield Outline("view", outline, agent=self._number[agent], title=f"what {agent} sees")

    def _draw_devices(self) -> Iterator[Mark]:
        """Doors of open furniture, and lamps of furniture with switches."""
        geometry = self._chart.scene.geometry
        for f, states in self._state.turned.items():
            piece = geometry.furniture.get(f)
            if piece is None:
                continue
            if piece.articulated and "is_open" in states:
                yield from self._leaf(f)
            if piece.switch:
                lit = "on" if "is_powered_on" in states else "off"
                yield Disc(lit, self._chart.corner(f, 1), 4.0, title=f"{f} is {lit}")

    def _leaf(self, f: str) -> Iterator[Mark]:
        """An open door: its leaf, and the arc of its movement."""
        side = front(self._chart.scene, f)
        long = min(side.width, LEAF)
        start = atan2(side.right[1] - side.left[1], side.right[0] - side.left[0])
        (x, z), arc = side.left, [start + SWING * k / 8 for k in range(9)]
        points = self._view.outline([(x + long * cos(angle), z + long * sin(angle)) for angle in arc])
        hinge = self._view.at(side.left)
        yield Outline("swing", points, closed=False)
        yield Outline("leaf", (hinge, points[-1]), closed=False, title=f"{f} is open")

    def _objects(self) -> Iterator[Mark]:
        """Objects at rest with their names and, below each, a dot for every agent that knows its place."""
        yield from self._names_of_objects
        for o, at in self._places.items():
            yield self._object(o, at)
            yield from self._knowing(o, at)

    def _object(self, o: str, at: Point) -> Mark:
        place = self._state.objects[o].rest
        shut = place.how == "within" and "is_open" not in self._state.turned.get(place.where, ())
        return Outline("hidden" if shut else "object", self._box(o, at), title=f"{o} {place}")

    def _box(self, o: str, at: Point) -> tuple[Point, ...]:
        """The outline of an object at a place in pixels."""
        return rectangle(at, self._chart.half(o))

    def _names(self, labels: Labels) -> Iterator[Mark]:
        style = LIGHT.styles["object-name"]
        for o, at in self._places.items():
            box = self._box(o, at)
            labels.block((*box[0], *box[2]))
        for o, at in self._places.items():
            middle, away = labels.place(o, style, at, self._chart.half(o))
            if away:
                yield Outline("leader", shorten_line(at, middle, 4), closed=False)
            yield TextLine("object-name", middle, o)

    def _knowing(self, o: str, at: Point) -> Iterator[Mark]:
        true = self._state.objects[o].rest
        knowing = [agent for agent, mind in self._state.agents.items() if mind.objects.get(o) == true]
        for k, agent in enumerate(knowing):
            x = at[0] + (k - (len(knowing) - 1) / 2) * 5
            place = (round(x, 1), round(at[1] + self._chart.half(o)[1] + 3.5, 1))
            yield Disc("knows", place, 2.0, self._number[agent], f"{agent} knows that {o} is {true}")

    def _agents(self) -> Iterator[Mark]:
        radius = BODY * self._view.scale
        for agent, agent_state in self._state.agents.items():
            x, y = self._stands[agent]
            number = self._number[agent]
            nose = ((0.0, 1.5), (0.28 * pi, 1.0), (-0.28 * pi, 1.0))
            corners = tuple(_away((x, y), agent_state.facing + turn, far * radius) for turn, far in nose)
            yield Outline("nose", corners, agent=number)
            yield Disc("agent", (x, y), round(radius, 1), number, title=f"{agent} in {agent_state.room}")
            yield TextLine("agent-number", (x, y), str(number), agent=number)
            objects = [
                o for o, placement in self._state.objects.items() if placement.rest == Rest("held", agent)
            ]
            for o in objects:
                yield self._object(o, _away((x, y), agent_state.facing, 1.35 * radius))
            name = f"{agent} ({', '.join(objects)})" if objects else agent
            middle, _ = self._labels.place(name, LIGHT.styles["agent-name"], (x, y), (radius + 4, radius))
            yield TextLine("agent-name", middle, name, agent=number)

    def _wrong(self, agent: str) -> Iterator[Mark]:
        for false in falsehoods(self._state, agent):
            title = f"{agent} believes {false.about}: {false.believed}; in truth: {false.true}"
            number = self._number[agent]
            match false.kind:
                case "place":
                    yield from self._ghost(false, number, title)
                case "turned":
                    at = self._free(self._place(false.about), (5.0, 5.0))
                    yield Disc("wrong", at, 4.5, number, title)
                case "room":
                    other = false.about
                    centre = self._chart.scene.tables.spots[f"centre:{false.believed}"]
                    radius = round(0.8 * BODY * self._view.scale, 1)
                    at = self._free(self._view.at(centre), (radius, radius))
                    line = shorten_line(at, self._stands[other], radius)
                    yield Outline("astray", line, closed=False, agent=number)
                    yield Disc("ghost", at, radius, number, title)
                    yield TextLine("ghost-number", at, str(self._number[other]), agent=number)

    def _ghost(self, false: Falsehood, number: int, title: str) -> Iterator[Mark]:
        """An object at a believed but false place, with a line to the true one."""
        place, o = false.rest, false.about
        if place is None:
            return
        at = self._free(self._place(place.where), self._chart.half(o))
        placement = self._state.objects[o]
        true = self._stands[placement.rest.where] if placement.at is None else self._places[o]
        yield Outline("astray", shorten_line(at, true, max(self._chart.half(o))), closed=False, agent=number)
        yield Outline("ghost", self._box(o, at), agent=number, title=title)
        middle, _ = self._labels.place(f"{o}?", LIGHT.styles["ghost-name"], at, self._chart.half(o))
        yield TextLine("ghost-name", middle, f"{o}?", agent=number)

    def _place(self, where: str) -> Point:
        """The middle of furniture or of a floor, an agent, or an object, in pixels."""
        scene = self._chart.scene
        if where in self._stands:
            return self._stands[where]
        if where in scene.geometry.furniture:
            centre = scene.geometry.furniture[where].box.centre
            return self._view.at((centre[0], centre[2]))
        if where in self._state.objects:
            return self._places.get(where) or self._stands[self._state.objects[where].rest.where]
        room = next(room for room in scene.rooms if floor_of(room) == where)
        return self._view.at(scene.tables.spots[f"centre:{room}"])

    def _free(self, at: Point, own: Extent) -> Point:
        """A free position beside ``at`` for a box of half size ``own``, clear of an agent there."""
        clear = 1.5 * BODY * self._view.scale if at in self._stands.values() else 0.0
        return self._labels.beside(own, at, (clear, clear), max(own))[0]


def _away(at: Point, angle: float, far: float) -> Point:
    """The point at a distance from another one in pixels."""
    return round(at[0] + far * cos(angle), 1), round(at[1] + far * sin(angle), 1)


def map_of(scene: Scene, state: MapState) -> tuple[tuple[Mark, ...], tuple[int, int]]:
    """All marks of the map of one moment with its legend, the lowest first, and its size in pixels."""
    chart = Chart(scene)
    below, high = legend(chart.view, tuple(state.agents))
    moment = ChartMoment(chart, state, {})
    wide, tall = chart.view.size
    marks = (*chart.floors, *moment.views(), *chart.still, *moment.marks(), *axes(chart.view), *below)
    return marks, (wide, tall + high)


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
