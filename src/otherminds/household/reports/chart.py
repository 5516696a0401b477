"""The static part of a map: rooms, doors, furniture with its front sides, their names, and the legend."""

from __future__ import annotations

from collections.abc import Iterator
from math import cos, dist, sin

from msgspec import Struct

from otherminds.household.reports.marks import (
    LIGHT,
    MARGIN,
    Disc,
    Extent,
    Labels,
    Mark,
    Outline,
    PlanView,
    Rect,
    TextLine,
    extent,
    rectangle,
    view_of,
)
from otherminds.household.scenes.plane import aside, bounds, edges, footprint, inside
from otherminds.household.scenes.scene import Box, Piece, Point, Scene

AT_WALL, FREE = 0.15, 0.3
"""Metres: the largest distance of a back from its wall, and the free floor in front of a front."""


class Front(Struct, frozen=True):
    """A side of a box on the plan: its ends, and the outward unit normal."""

    left: Point
    right: Point
    outward: Point

    @property
    def width(self) -> float:
        """Metres."""
        return dist(self.left, self.right)

    @property
    def middle(self) -> Point:
        """The midpoint of the ends."""
        return (self.left[0] + self.right[0]) / 2, (self.left[1] + self.right[1]) / 2

    def beyond(self, metres: float) -> Point:
        """The point at a (signed) distance in front of the middle."""
        (x, z), (ox, oz) = self.middle, self.outward
        return x + metres * ox, z + metres * oz


def front(scene: Scene, name: str) -> Front:
    """The side of furniture ``name`` with a wall behind it and floor in front of it.

    If several sides or none qualify, the one whose outward direction points most to the spot ``stand:NAME``.
    """
    piece = scene.geometry.furniture[name]
    room = next(room for room, names in scene.furniture_in_rooms.items() if name in names)
    outline = scene.geometry.rooms[room].polygon
    all_sides = sides(piece.box)
    backed = [
        side
        for k, side in enumerate(all_sides)
        if min(aside(all_sides[k ^ 1].middle, wall) for wall in edges(outline)) < AT_WALL
    ] or all_sides
    free = [side for side in backed if inside(side.beyond(FREE), outline)] or backed
    x, z = scene.tables.spots[f"stand:{name}"]
    return max(
        free, key=lambda side: (x - side.middle[0]) * side.outward[0] + (z - side.middle[1]) * side.outward[1]
    )


def sides(box: Box) -> list[Front]:
    """The four sides of a box, opposite ones next to each other."""
    x, _, z = box.centre
    c, s = cos(box.yaw), sin(box.yaw)
    fronts: list[Front] = []
    for (ux, uz), deep, half in (
        ((c, s), box.size[0] / 2, box.size[2] / 2),
        ((-s, c), box.size[2] / 2, box.size[0] / 2),
    ):
        for way in (1, -1):
            ox, oz = ux * way, uz * way
            mx, mz = x + ox * deep, z + oz * deep
            fronts.append(Front((mx - oz * half, mz + ox * half), (mx + oz * half, mz - ox * half), (ox, oz)))
    return fronts


WALL = 0.1
"""Metres: the drawn thickness of walls."""
HUNG = 1.2
"""Metres: furniture above this height hangs on a wall and is drawn as an outline only."""
LEAST = 3.5
"""Pixels: half the side of the smallest object."""
UNDER = 0.35
"""The cost of covering furniture with a name, relative to that of covering another name."""
INSET = 0.07
"""Metres between the edges of furniture and a mark in its corner."""
STEP = 0.25
"""Metres between candidate places for a room's name."""


class Chart:
    """The static part of a map: ``floors`` below the views, ``still`` above them, and ``labels``, the free space for names."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.view: PlanView = view_of(scene)
        self.labels = Labels(self.view.size)
        self.floors: tuple[Mark, ...] = tuple(
            Outline("floor", self.view.outline(shape.polygon), title=room)
            for room, shape in scene.geometry.rooms.items()
        )
        self.still: tuple[Mark, ...] = (*self._walls(), *self._furniture(), *self._names())

    def _walls(self) -> Iterator[Mark]:
        geometry, view = self.scene.geometry, self.view
        for shape in geometry.rooms.values():
            yield Outline("wall", view.outline(shape.polygon), wide=round(WALL * view.scale, 1))
        for door in geometry.doors:
            ends = view.outline(door.at)
            kind, state = ("shut", "closed") if door.closed else ("sill", "open")
            title = f"door between {door.rooms[0]} and {door.rooms[1]}, {state}"
            yield Outline("gap", ends, closed=False, wide=round(WALL * view.scale + 2, 1))
            yield Outline(kind, ends, closed=False, title=title)

    def _furniture(self) -> Iterator[Mark]:
        """Furniture in ascending order of height, so that hanging pieces cover those below."""
        pieces = self.scene.geometry.furniture
        for name in sorted(pieces, key=lambda f: (bottom(pieces[f]), pieces[f].box.size[1])):
            piece = pieces[name]
            corners = self.view.outline(footprint(piece.box))
            yield Outline(kind(piece), corners, title=f"{name}: {describe_piece(piece)}")
            if piece.articulated:
                side = front(self.scene, name)
                yield Outline("front", self.view.outline((side.left, side.right)), closed=False)
            if piece.faucet:
                yield Disc("faucet", self.corner(name, 0), 3.0, title=f"{name}: faucet")

    def half(self, o: str) -> Extent:
        """Half of an object's drawn width and depth in pixels."""
        wide, _, deep = self.scene.geometry.objects[o].size
        scale = self.view.scale / 2
        return max(LEAST, round(wide * scale, 1)), max(LEAST, round(deep * scale, 1))

    def corner(self, name: str, number: int) -> Point:
        """A position inside a corner of furniture, in pixels, where a small mark does not cover the name."""
        return self.view.at(footprint(self.scene.geometry.furniture[name].box, INSET)[number])

    def _names(self) -> Iterator[Mark]:
        """Names of furniture, each on its own piece if possible; then names of rooms on free floor."""
        pieces, view = self.scene.geometry.furniture, self.view
        for o, item in self.scene.geometry.objects.items():
            (x, y), (wide, deep) = view.at((item.at[0], item.at[2])), self.half(o)
            self.labels.block((x - wide, y - deep, x + wide, y + deep))
        boxes = {f: bounds(view.outline(footprint(piece.box))) for f, piece in pieces.items()}
        style = LIGHT.styles["piece-name"]
        for f, (x0, y0, x1, y1) in sorted(boxes.items(), key=lambda entry: area(entry[1])):
            line = extent(f, style.size)[1]
            places = [((x0 + x1) / 2, (y0 + y1) / 2 + k * line / 2) for k in sorted(range(-6, 7), key=abs)]
            x, y = self.labels.within(f, style, places)
            yield TextLine("piece-name", (round(x, 1), round(y, 1)), f)
        for box in boxes.values():
            self.labels.block(box, UNDER)
        for room in self.scene.rooms:
            place = self.labels.within(room, LIGHT.styles["room-name"], self._floor(room))
            yield TextLine("room-name", place, room)

    def _floor(self, room: str) -> list[Point]:
        """Candidate places on a room's floor, from top to bottom."""
        polygon = self.scene.geometry.rooms[room].polygon
        x0, z0, x1, z1 = bounds(polygon)
        columns, rows = range(1, int((x1 - x0) / STEP)), range(1, int((z1 - z0) / STEP))
        style = LIGHT.styles["room-name"]
        wide = extent(room, style.size, bold=style.bold)[0] / 2 / self.view.scale
        places = [(x0 + i * STEP, z0 + j * STEP) for j in rows for i in columns]
        for dx in (-wide, 0, wide):
            places = [(x, z) for x, z in places if inside((x + dx, z), polygon, slack=-0.05)]
        return [self.view.at(at) for at in places or [self.scene.tables.spots[f"centre:{room}"]]]


def area(rect: Rect) -> float:
    """Square pixels."""
    return (rect[2] - rect[0]) * (rect[3] - rect[1])


def bottom(piece: Piece) -> float:
    """Metres from the floor to the underside."""
    return piece.box.centre[1] - piece.box.size[1] / 2


def kind(piece: Piece) -> str:
    """The kind of mark for a piece of furniture."""
    if bottom(piece) > HUNG:
        return "hung"
    if piece.interior:
        return "store"
    return "top" if piece.top else "plain"


def describe_piece(piece: Piece) -> str:
    """The properties of a piece of furniture, in words."""
    able = {
        "opens": piece.articulated,
        "holds things inside": piece.interior,
        "holds things on top": piece.top,
        "switches on": piece.switch,
        "has a faucet": piece.faucet,
    }
    return ", ".join(words for words, is_so in able.items() if is_so) or "only stands there"


ROW, SAMPLE, GAP = 20, 22, 18


def legend(view: PlanView, agents: tuple[str, ...]) -> tuple[tuple[Mark, ...], int]:
    """The marks of the legend, and its height in pixels; empty for a map without agents."""
    if not agents:
        return (), 0
    texts = {
        "view": "what an agent sees",
        "knows": "knows where it is",
        "hidden": "shut away",
        "ghost": "believed to be here, but is where the red line leads",
        "wrong": "believed to be turned otherwise",
    }
    marks: list[Mark] = []
    x, y = float(MARGIN), view.size[1] + ROW / 2
    size = LIGHT.styles["legend"].size
    for kind, text in texts.items():
        wide = SAMPLE + extent(text, size)[0] + GAP
        if x + wide > view.size[0] and x > MARGIN:
            x, y = float(MARGIN), y + ROW
        marks += [*_sample(kind, (x + SAMPLE / 2, y)), TextLine("legend", (x + SAMPLE + 4, y), text, "start")]
        x += wide
    return tuple(marks), round(y + ROW / 2 - view.size[1]) + MARGIN // 2


def _sample(kind: str, at: Point) -> tuple[Mark, ...]:
    """The sample mark of an entry, in the colour of the first agent."""
    x, y = at
    match kind:
        case "knows":
            return (Disc(kind, at, 2.5, 0),)
        case "wrong":
            return (Disc(kind, at, 4.5, 0),)
        case "ghost":
            line = Outline("astray", ((x + 5, y), (x + 13, y)), closed=False, agent=0)
            return (line, Outline(kind, rectangle(at, (5, 5)), agent=0))
        case "view":
            return (Outline(kind, rectangle(at, (10, 6)), agent=0),)
        case _:
            return (Outline(kind, rectangle(at, (5, 5))),)
