"""A house as MuJoCo's XML, generated as text without MuJoCo.

MuJoCo's z is up: a place (x, y, z) of a scene is (x, -z, y) there.
"""

from __future__ import annotations

from colorsys import hsv_to_rgb
from xml.etree.ElementTree import Element, SubElement, tostring
from zlib import crc32

from otherminds.household.reports.marks import AGENTS
from otherminds.household.reports.solids import HEIGHT, PANEL, Block, Leaf, furniture, triangles, walls
from otherminds.household.reports.state import EYE
from otherminds.household.scenes.scene import Scene, floor_of, kind_of

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
