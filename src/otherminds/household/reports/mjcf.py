"""A house for 3-D pictures: walls with openings and furniture with hinged doors, as MuJoCo's XML, made without MuJoCo.

Boxes are as in scenes: centre and size as (x, y, z) in metres, y up, rotated by ``yaw``. MuJoCo's z is up: a place (x, y, z) of
a scene is (x, -z, y) there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from colorsys import hsv_to_rgb
from math import atan2, cos, hypot, sin
from xml.etree.ElementTree import Element, SubElement, tostring
from zlib import crc32

from msgspec import Struct

from otherminds.core.errors import TaskError
from otherminds.household.reports.chart import Front, front
from otherminds.household.reports.marks import AGENTS
from otherminds.household.reports.state import EYE
from otherminds.household.scenes.plane import area, edges
from otherminds.household.scenes.scene import Box, Point, Scene, floor_of, kind_of
from otherminds.household.scenes.tables import solid

HEIGHT, CUT, LINTEL = 2.5, 1.25, 2.05
"""Metres: the height of walls, the height at which the overview cuts them, and the height of openings."""
THICK, PANEL = 0.1, 0.02
"""Metres: walls, and the panels of furniture."""
WIDEST = 0.9
"""Metres: wider fronts have two doors."""
SHELF = 0.5
"""Metres: higher furniture has a shelf at half height, on which its contents are drawn."""


class Block(Struct, frozen=True):
    """A fixed box. ``of`` is the name of its furniture or room, or empty.

    Boxes ``over`` the cut of the overview are left out there.
    """

    of: str
    kind: str
    box: Box
    over: bool = False


class Leaf(Struct, frozen=True):
    """A closed door of furniture ``of``. ``hinge`` is a point of the plan; ``way`` is the sense of rotation.

    It extends ``width`` metres from the hinge in the direction ``yaw``; with ``way`` 1 it opens from x towards z.
    """

    of: str
    hinge: Point
    yaw: float
    width: float
    bottom: float
    top: float
    way: int


def walls(scene: Scene) -> Iterator[Block]:
    """All walls, once for each adjacent room, with openings, lintels and closed doors."""
    doors = scene.geometry.doors
    for room, shape in scene.geometry.rooms.items():
        for side in edges(shape.polygon):
            for start, end in solid(side, [door.at for door in doors]):
                yield Block(room, "wall", upright(start, end, 0.0, CUT))
                yield Block(room, "wall", upright(start, end, CUT, HEIGHT), over=True)
    for door in doors:
        yield Block("", "wall", upright(*door.at, LINTEL, HEIGHT), over=True)
        if door.closed:
            yield Block("", "door", upright(*door.at, 0.0, CUT))
            yield Block("", "door", upright(*door.at, CUT, LINTEL), over=True)


def upright(start: Point, end: Point, low: float, high: float) -> Box:
    """A wall between two points of the plan and two heights, extended by its thickness for the corners."""
    (ax, az), (bx, bz) = start, end
    centre = ((ax + bx) / 2, (low + high) / 2, (az + bz) / 2)
    return Box(centre, (hypot(bx - ax, bz - az) + THICK, high - low, THICK), atan2(bz - az, bx - ax))


def furniture(scene: Scene) -> Iterator[Block | Leaf]:
    """Furniture: shells with doors for pieces with an interior or a door, boxes for all others."""
    for name, piece in scene.geometry.furniture.items():
        if not (piece.interior or piece.articulated):
            yield Block(name, "piece", piece.box)
            continue
        side = front(scene, name)
        lidless = not (piece.top or piece.articulated)
        yield from _shell(name, piece.box, side, lidless=lidless)
        if piece.articulated:
            yield from _leaves(name, piece.box, side)


def _shell(name: str, box: Box, side: Front, *, lidless: bool) -> Iterator[Block]:
    """The panels round an interior: without a top if ``lidless``, else without a front, with a shelf."""
    (x, y, z), (ox, oz) = box.centre, side.outward
    high, wide = box.size[1], side.width
    yaw = atan2(side.right[1] - side.left[1], side.right[0] - side.left[0])
    deep = 2 * hypot(side.middle[0] - x, side.middle[1] - z)

    def panel(across: float, up: float, out: float, size: tuple[float, float, float]) -> Block:
        centre = (x + across * cos(yaw) + out * ox, y + up, z + across * sin(yaw) + out * oz)
        return Block(name, "shell", Box(centre, size, yaw))

    for way in (-1, 1):
        yield panel(way * (wide - PANEL) / 2, 0, 0, (PANEL, high, deep))
    yield panel(0, 0, (PANEL - deep) / 2, (wide, high, PANEL))
    yield panel(0, (PANEL - high) / 2, 0, (wide, PANEL, deep))
    if lidless:
        yield panel(0, 0, (deep - PANEL) / 2, (wide, high, PANEL))
        return
    yield panel(0, (high - PANEL) / 2, 0, (wide, PANEL, deep))
    if high > SHELF:
        yield panel(0, -PANEL / 2, -PANEL, (wide, PANEL, deep - 2 * PANEL))


def _leaves(name: str, box: Box, side: Front) -> Iterator[Leaf]:
    """One door hinged at the left end of the front, or two that meet in its middle."""
    low, high = box.centre[1] - box.size[1] / 2, box.centre[1] + box.size[1] / 2
    two = side.width > WIDEST
    width = side.width / 2 if two else side.width
    yaw = atan2(side.right[1] - side.left[1], side.right[0] - side.left[0])
    yield Leaf(name, side.left, yaw, width, low, high, 1)
    if two:
        back = atan2(side.left[1] - side.right[1], side.left[0] - side.right[0])
        yield Leaf(name, side.right, back, width, low, high, -1)


def triangles(polygon: Sequence[Point]) -> list[tuple[int, int, int]]:
    """The triangulation of a counter-clockwise polygon by ear clipping, as indices of corners.

    Raises:
        TaskError: there is no ear, because the polygon crosses itself or is clockwise.

    >>> triangles([(0, 0), (2, 0), (2, 2), (0, 2)])
    [(3, 0, 1), (1, 2, 3)]
    """
    remaining = list(range(len(polygon)))
    ears: list[tuple[int, int, int]] = []
    while len(remaining) > 3:
        for k in range(len(remaining)):
            ear = (remaining[k - 1], remaining[k], remaining[(k + 1) % len(remaining)])
            if _is_ear(polygon, ear, remaining):
                ears.append(ear)
                del remaining[k]
                break
        else:
            fault = f"an outline of {len(polygon)} corners crosses itself or runs clockwise"
            raise TaskError(f"{fault}; list its corners in order, counter-clockwise")
    return [*ears, (remaining[0], remaining[1], remaining[2])]


def _is_ear(polygon: Sequence[Point], ear: tuple[int, int, int], remaining: Sequence[int]) -> bool:
    """Whether a triangle is counter-clockwise and contains no other corner."""
    corners = [polygon[k] for k in ear]
    others = [polygon[k] for k in remaining if k not in ear]
    return area(corners) > 0 and not any(
        all(area((start, end, point)) >= 0 for start, end in edges(corners)) for point in others
    )


Size = tuple[int, int]
"""Width and height of a picture in pixels."""
SMALL: Size = (640, 480)
TALL, RADIUS = 1.65, 0.2
"""Metres: the height of an agent's head, and half of its width."""
WIDE = 66.0
"""Degrees: an agent's field of view from top to bottom."""
LOOKED = 45.0
"""Degrees: the field of view of the camera that sees the whole house."""
ALWAYS, CEILING = 0, 1
"""Groups of geoms: those in every picture, and those left out in the view from above."""
SURFACES = {"wall": "0.93 0.92 0.89 1", "door": "0.55 0.42 0.31 1"}


def mjcf(scene: Scene, agents: tuple[str, ...] = (), size: Size = SMALL) -> str:
    """The house as MuJoCo's XML. The name of a geom begins with the name of its thing.

    Joints are ``FURNITURE/WAY``, cameras ``eye/AGENT``; objects, agents and eyes are movable (mocap) bodies.
    """
    root = Element("mujoco", model=scene.scene_id)
    SubElement(root, "compiler", angle="radian")
    SubElement(SubElement(root, "option"), "flag", contact="disable", gravity="disable")
    visual = SubElement(root, "visual")
    SubElement(visual, "global", offwidth=str(size[0]), offheight=str(size[1]), fovy=f"{LOOKED:g}")
    # Antialiasing takes more than half of the time on a CPU; a larger picture has the same effect.
    SubElement(visual, "quality", offsamples="0")
    SubElement(visual, "headlight", ambient="0.46 0.46 0.46", diffuse="0.36 0.36 0.36", specular="0 0 0")
    SubElement(visual, "map", znear="0.002", zfar="4")
    SubElement(visual, "rgba", haze="0.97 0.97 0.98 1")
    assets = SubElement(root, "asset")
    sky = {"rgb1": "0.97 0.97 0.98", "rgb2": "0.97 0.97 0.98"}
    SubElement(assets, "texture", {"type": "skybox", "builtin": "flat", **sky, "width": "16", "height": "16"})
    world = SubElement(root, "worldbody")
    light = {"type": "directional", "dir": "-0.35 0.5 -1", "diffuse": "0.34 0.34 0.34", "specular": "0 0 0"}
    SubElement(world, "light", light)
    _rooms(scene, assets, world)
    for k, block in enumerate([*walls(scene), *furniture(scene)]):
        if isinstance(block, Leaf):
            _leaf(world, block)
        else:
            _box(world, block, k)
    for o, item in scene.geometry.objects.items():
        body = SubElement(world, "body", name=o, mocap="true")
        wide, high, deep = item.size
        size_of = _row(wide / 2, deep / 2, high / 2)
        SubElement(body, "geom", name=f"{o}/box", type="box", size=size_of, rgba=_tint(o, 0.62, 0.88))
    for n, agent in enumerate(agents):
        _agent(world, agent, AGENTS[n % len(AGENTS)])
    return tostring(root, encoding="unicode")


def _rooms(scene: Scene, assets: Element, world: Element) -> None:
    """Floors and ceilings: slabs of the rooms' outlines, 5 cm thick."""
    for room, shape in scene.geometry.rooms.items():
        corners, count = shape.polygon, len(shape.polygon)
        flat = triangles(corners)
        # A polygon of the plan is clockwise in MuJoCo's (x, y).
        faces = [(c, b, a) for a, b, c in flat] + [(a + count, b + count, c + count) for a, b, c in flat]
        sides = [(k, (k + 1) % count) for k in range(count)]
        faces += [face for a, b in sides for face in ((a, b, b + count), (a, b + count, a + count))]
        slab = f"slab/{room}"
        vertices = " ".join(_row(x, -z, y) for y in (0.0, -0.05) for x, z in corners)
        shape_of = " ".join(f"{a} {b} {c}" for a, b, c in faces)
        SubElement(assets, "mesh", name=slab, inertia="shell", vertex=vertices, face=shape_of)
        floor = _tint(room, 0.13, 0.82)
        SubElement(world, "geom", name=f"{floor_of(room)}/floor", type="mesh", mesh=slab, rgba=floor)
        over = {"pos": _row(0, 0, HEIGHT + 0.05), "rgba": "0.97 0.97 0.96 1", "group": str(CEILING)}
        SubElement(world, "geom", {"name": f"/ceiling {room}", "type": "mesh", "mesh": slab, **over})


def _box(world: Element, block: Block, k: int) -> None:
    x, y, z = block.box.centre
    wide, high, deep = block.box.size
    SubElement(
        world,
        "geom",
        name=f"{block.of if block.kind not in SURFACES else ''}/{k}",
        type="box",
        pos=_row(x, -z, y),
        size=_row(wide / 2, deep / 2, high / 2),
        euler=_row(0, 0, -block.box.yaw),
        rgba=SURFACES.get(block.kind) or _tint(block.of, 0.24, 0.74),
        group=str(CEILING if block.over else ALWAYS),
    )


def _leaf(world: Element, leaf: Leaf) -> None:
    """A hinged door; its joint's angle is 0 closed and ``-way * SWING`` open, since (x, z) turns the other way."""
    x, z = leaf.hinge
    middle = (leaf.bottom + leaf.top) / 2
    body = SubElement(world, "body", pos=_row(x, -z, middle), euler=_row(0, 0, -leaf.yaw))
    SubElement(body, "joint", name=f"{leaf.of}/{leaf.way}", type="hinge", axis="0 0 1")
    SubElement(
        body,
        "geom",
        name=f"{leaf.of}/leaf {leaf.way}",
        type="box",
        pos=_row(leaf.width / 2, 0, 0),
        size=_row(leaf.width / 2 - 0.004, PANEL / 2, (leaf.top - leaf.bottom) / 2 - 0.004),
        rgba=_tint(leaf.of, 0.3, 0.62),
        mass="1",
    )
    knob = _row(leaf.width * 0.9, leaf.way * 0.03, 0)
    name = f"{leaf.of}/knob {leaf.way}"
    SubElement(body, "geom", name=name, size="0.02", pos=knob, rgba="0.25 0.25 0.25 1")


def _agent(world: Element, agent: str, colour: str) -> None:
    """A capsule that faces along its own x axis, with a camera."""
    rgba = " ".join(f"{int(colour[k : k + 2], 16) / 255:.3f}" for k in (1, 3, 5)) + " 1"
    body = SubElement(world, "body", name=agent, mocap="true")
    size, middle = _row(RADIUS, (TALL - 2 * RADIUS) / 2), _row(0, 0, TALL / 2)
    SubElement(body, "geom", name=f"{agent}/body", type="capsule", size=size, pos=middle, rgba=rgba)
    visor = {"size": "0.05 0.13 0.05", "pos": _row(RADIUS - 0.02, 0, EYE), "rgba": "0.15 0.17 0.2 1"}
    SubElement(body, "geom", {"name": f"{agent}/visor", "type": "box", **visor})
    # A camera looks along its own -z, with y up: turned to look along the x axis of a body of its own.
    eye = SubElement(world, "body", name=f"eye/{agent}", mocap="true")
    SubElement(eye, "camera", name=f"eye/{agent}", xyaxes="0 -1 0 0 0 1", fovy=f"{WIDE:g}")


def _tint(name: str, saturation: float, value: float) -> str:
    """The colour of a type of things (``cabinet_3``: cabinet), equal in all scenes."""
    hue = crc32(kind_of(name).encode()) % 360 / 360
    return f"{_row(*hsv_to_rgb(hue, saturation, value))} 1"


def _row(*numbers: float) -> str:
    return " ".join(f"{number:.4f}" for number in numbers)
