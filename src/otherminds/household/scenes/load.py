"""Scene files: loading, the shipped scenes, and the check of a scene, which gives all its faults at once, each with its place and
a remedy."""

from __future__ import annotations

import gzip
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from io import BytesIO
from itertools import combinations, pairwise, product
from math import dist
from pathlib import Path
from typing import Any

import msgspec

from otherminds.core.errors import TaskError
from otherminds.core.text import hint, quote_name
from otherminds.core.user_files import LARGEST, check_kind, is_file, json_value, read_bytes
from otherminds.household.scenes.plane import area, aside, beside, bounds, edges, footprint, inside
from otherminds.household.scenes.scene import Point, Scene, floor_of

_NARROWEST = 0.8
_SHORTEST_WALL, _LONGEST = 0.01, 50.0
# Real furniture dips into its wall, and objects jut out over the edge of furniture.
_DIP = 0.06
_JUT = 0.15
_ANEW = "leave the tables out and they are made anew"


def faults(scene: Scene) -> list[str]:
    """All faults of a scene; empty if it is valid.

    Names and shapes are checked first, then places, and then the tables (if the scene has any). Each of these checks runs
    only if the previous ones found no fault.
    """
    problems = [*_names(scene), *_shapes(scene)]
    if not problems:
        problems = [*_rooms(scene), *_doors(scene), *_furniture(scene), *_objects(scene), *_spawns(scene)]
    if not problems and scene.tables.legs:
        problems = list(_tables(scene))
    return problems


def _names(scene: Scene) -> Iterator[str]:
    for name, count in Counter((*scene.rooms, *scene.furniture, *scene.objects)).items():
        if count > 1:
            yield f"{name}: named {count} times; names are unique"
    if not scene.rooms:
        yield "rooms: there is none; a scene needs one"
    geometry = scene.geometry
    for field, listed, shaped in (
        ("rooms", scene.rooms, geometry.rooms),
        ("furniture", scene.furniture, geometry.furniture),
        ("objects", scene.objects, geometry.objects),
    ):
        where = f"geometry.{field}"
        yield from (f"{where}: {name} is missing; give its shape" for name in listed if name not in shaped)
        unlisted = [name for name in shaped if name not in listed]
        yield from (f"{where}: {name} is in no list {field}; name it there" for name in unlisted)
    yield from _members("furniture_in_rooms", scene.furniture_in_rooms, scene.rooms, scene.furniture)
    yield from _members("objects_on_furniture", scene.objects_on_furniture, scene.furniture, scene.objects)
    placed = {name for names in scene.furniture_in_rooms.values() for name in names}
    for name in scene.furniture:
        if name not in placed:
            yield f"furniture_in_rooms: {name} stands in no room; place it"
    flagged = {name for name, piece in geometry.furniture.items() if piece.articulated}
    for name in sorted(flagged ^ set(scene.articulated_furniture)):
        yield f"articulated_furniture: {name} disagrees with its geometry's 'articulated'; make them agree"
    for i, door in enumerate(geometry.doors):
        yield from (f"doors[{i}]: unknown room {room}" for room in door.rooms if room not in scene.rooms)
        if door.rooms[0] == door.rooms[1]:
            yield f"doors[{i}]: leads from {door.rooms[0]} to itself; a door joins two rooms"
    for agent, spawn in scene.agent_spawns.items():
        if spawn.room not in scene.rooms:
            yield f"agent_spawns.{agent}: unknown room {spawn.room}"


def _members(
    field: str, lists: dict[str, tuple[str, ...]], keys: Iterable[str], names: Iterable[str]
) -> Iterator[str]:
    known_keys, valid_names = set(keys), set(names)
    yield from (f"{field}: unknown name {key}" for key in lists if key not in known_keys)
    counted = Counter(name for members in lists.values() for name in members)
    for name, count in counted.items():
        if name not in valid_names:
            yield f"{field}: unknown name {name}"
        elif count > 1:
            yield f"{field}: {name} is listed {count} times; it is in one place"


def _shapes(scene: Scene) -> Iterator[str]:
    for room, shape in scene.geometry.rooms.items():
        if len(shape.polygon) < 3 or area(shape.polygon) <= 0:
            yield f"geometry.rooms.{room}: not a counter-clockwise outline of at least 3 corners; list them so"
        elif min(dist(*side) for side in edges(shape.polygon)) < _SHORTEST_WALL:
            yield f"geometry.rooms.{room}: two corners in a row are one; leave the second out"
        x0, z0, x1, z1 = bounds(shape.polygon or ((0.0, 0.0),))
        if max(x1 - x0, z1 - z0) > _LONGEST:
            yield f"geometry.rooms.{room}: more than {_LONGEST:.0f} m long; lengths are metres"
    sizes = {f"furniture.{name}": piece.box.size for name, piece in scene.geometry.furniture.items()}
    sizes |= {f"objects.{name}": item.size for name, item in scene.geometry.objects.items()}
    for name, size in sizes.items():
        if min(size) <= 0:
            yield f"geometry.{name}: size {list(size)} is not positive in all three; give metres"


def _rooms(scene: Scene) -> Iterator[str]:
    outlines = {room: scene.geometry.rooms[room].polygon for room in scene.rooms}
    for here, other in combinations(scene.rooms, 2):
        if _overlap(outlines[here], outlines[other]):
            yield f"geometry.rooms: {here} and {other} overlap; move one"
    near: dict[str, set[str]] = {room: set() for room in scene.rooms}
    for door in scene.geometry.doors:
        here, other = door.rooms
        near[here].add(other)
        near[other].add(here)
    first = scene.rooms[0]
    reached, waiting = {first}, [first]
    while waiting:
        beyond = near[waiting.pop()] - reached
        reached |= beyond
        waiting += beyond
    for room in scene.rooms:
        if room not in reached:
            yield f"geometry.doors: {room} is not connected with {first}; give it a door"


def _overlap(outline: tuple[Point, ...], other: tuple[Point, ...]) -> bool:
    """Whether two outlines share the middle of a cell of the grid through their corners: exact for right angles."""
    x0, z0, x1, z1 = bounds(outline)
    x2, z2, x3, z3 = bounds(other)
    if min(x1, x3) - max(x0, x2) < 0.01 or min(z1, z3) - max(z0, z2) < 0.01:
        return False
    xs, zs = (sorted({corner[k] for corner in (*outline, *other)}) for k in (0, 1))
    middle_xs, middle_zs = ([(a + b) / 2 for a, b in pairwise(line) if b - a > 0.01] for line in (xs, zs))
    middles = product(middle_xs, middle_zs)
    return any(inside(point, outline) and inside(point, other) for point in middles)


def _doors(scene: Scene) -> Iterator[str]:
    for i, door in enumerate(scene.geometry.doors):
        width = dist(*door.at)
        if width < _NARROWEST - 1e-6:
            yield f"doors[{i}] ({door.rooms[0]} to {door.rooms[1]}): {width:.2f} m wide; at least {_NARROWEST} m"
        for room in door.rooms:
            sides = list(edges(scene.geometry.rooms[room].polygon))
            if not any(all(aside(end, side) < 0.011 for end in door.at) for side in sides):
                yield f"doors[{i}]: not in a wall of {room}; put both ends on one side of its outline"


def _furniture(scene: Scene) -> Iterator[str]:
    for room, names in scene.furniture_in_rooms.items():
        outline = scene.geometry.rooms[room].polygon
        for name in names:
            corners = footprint(scene.geometry.furniture[name].box, _DIP)
            if not all(inside(corner, outline) for corner in corners) or any(
                inside(corner, corners, slack=-0.001) for corner in outline
            ):
                yield f"geometry.furniture.{name}: stands outside its room {room}; move it or its entry"


def _objects(scene: Scene) -> Iterator[str]:
    bearers = {name: bearer for bearer, names in scene.objects_on_furniture.items() for name in names}
    for name, item in scene.geometry.objects.items():
        where = f"geometry.objects.{name}"
        place = (item.at[0], item.at[2])
        bearer = bearers.get(name)
        if item.relation == "floor":
            if bearer:
                yield f"{where}: lies on the floor and on {bearer}; choose one"
            elif not any(inside(place, shape.polygon) for shape in scene.geometry.rooms.values()):
                yield f"{where}: lies on no room's floor; move it"
        elif bearer is None:
            yield f"{where}: relation {item.relation!r}, but no list of objects_on_furniture has it; add it"
        else:
            piece = scene.geometry.furniture[bearer]
            if item.relation == "on" and not piece.top:
                yield f"{where}: on {bearer}, which has no top; choose another place"
            if item.relation == "within" and not piece.interior:
                yield f"{where}: within {bearer}, which has no interior; choose another place"
            if beside(place, piece.box) > _JUT:
                yield f"{where}: lies {beside(place, piece.box):.2f} m beside {bearer}; move it there"


def _spawns(scene: Scene) -> Iterator[str]:
    for agent, spawn in scene.agent_spawns.items():
        place = (spawn.position[0], spawn.position[2])
        if not inside(place, scene.geometry.rooms[spawn.room].polygon):
            yield f"agent_spawns.{agent}: its position is outside {spawn.room}; move it"


def _tables(scene: Scene) -> Iterator[str]:
    tables = scene.tables
    expected = {f"centre:{room}": room for room in scene.rooms}
    expected |= {f"stand:{name}": room for room, names in scene.furniture_in_rooms.items() for name in names}
    expected |= {f"spawn:{agent}": spawn.room for agent, spawn in scene.agent_spawns.items()}
    for spot in expected:
        if spot not in tables.spots:
            yield f"tables.spots: no {spot}: nowhere to stand that the room's doors lead to; clear some floor"
    for spot in tables.spots:
        if spot not in expected:
            yield f"tables.spots: unknown spot {spot}; {_ANEW}"
    receptacles = {*scene.furniture, *map(floor_of, scene.rooms)}
    for field, rows, valid_names in (
        ("rooms", {spot: (room,) for spot, room in tables.rooms.items()}, set(scene.rooms)),
        ("sees", tables.sees, receptacles),
        ("meets", tables.meets, set(tables.spots)),
        ("reaches", tables.reaches, receptacles),
    ):
        if rows.keys() != tables.spots.keys() or not all(
            valid_names.issuperset(row) for row in rows.values()
        ):
            yield f"tables.{field}: does not fit the spots and names; {_ANEW}"
    for room in scene.rooms:
        sides = {f"door:{i}:{room}" for i, door in enumerate(scene.geometry.doors) if room in door.rooms}
        legs = tables.legs.get(room)
        if (
            legs is None
            or {p for p in legs.points if not p.startswith("door:")}
            != {spot for spot in tables.spots if tables.rooms.get(spot) == room}
            or any(len(row) != len(legs.points) for row in (legs.points, legs.metres, *legs.metres))
        ):
            yield f"tables.legs.{room}: does not fit the room's spots; {_ANEW}"
            continue
        for side in sorted(sides - set(legs.points)):
            yield f"doors[{side.split(':')[1]}]: furniture blocks it in {room}; clear its threshold"


SUFFIX = ".json.gz"
_GZIP = b"\x1f\x8b"
_SHIPPED = files("otherminds.household.scenes") / "shipped"


def shipped_scenes() -> tuple[str, ...]:
    """The names of the shipped scenes, sorted."""
    names = (entry.name for entry in _SHIPPED.iterdir())
    return tuple(sorted(name.removesuffix(SUFFIX) for name in names if name.endswith(SUFFIX)))


def load_scene(name_or_path: str | Path) -> Scene:
    """A shipped scene by its name, or the scene in a file (``.json`` or ``.json.gz``).

    Raises:
        TaskError: there is no such scene, or as `decode` raises.
    """
    name = str(name_or_path)
    if re.fullmatch(r"\w+", name) and (_SHIPPED / f"{name}{SUFFIX}").is_file():
        return _load_shipped(name)
    path = Path(name_or_path)
    if not is_file(path):
        check_kind(path, TaskError)
        others = hint(name, shipped_scenes(), "`otherminds scenes list` names them all")
        raise TaskError(f"scene {quote_name(name)}: neither a shipped scene nor a file{others}")
    return decode(read_bytes(path, name, TaskError), name)


@cache
def _load_shipped(name: str) -> Scene:
    """A shipped scene: checked once a process, and shared, for nothing in it is changed."""
    return of_data(msgspec.json.decode(gzip.decompress((_SHIPPED / f"{name}{SUFFIX}").read_bytes())), name)


def decode(data: bytes, where: str) -> Scene:
    """The scene in the bytes of a file.

    Raises:
        TaskError: as :func:`content` and :func:`of_data` raise.
    """
    return of_data(content(data, where), where)


def content(data: bytes, where: str) -> Any:
    """The JSON value in the bytes of a file, which may be packed with gzip.

    Raises:
        TaskError: it is damaged, too large or not JSON; the message names ``where`` and the place.
    """
    return json_value(_unpack(data, where) if data.startswith(_GZIP) else data, where, TaskError)


def of_data(data: object, where: str) -> Scene:
    """The scene in JSON data, with its tables, which are computed if it has none.

    Raises:
        TaskError: it does not have the form of a scene, or has faults (`check.faults`). The message names ``where``
            and all faults, each with its place and a remedy.
    """
    try:
        scene = msgspec.convert(data, Scene)
    except msgspec.ValidationError as error:
        raise TaskError(f"{where}: not a scene: {error}; mend that field") from error
    problems = faults(scene)
    if not problems and not scene.tables.legs:
        # Only this case needs numpy and the grid: a scene with tables loads without them.
        from otherminds.household.scenes.tables import tables

        scene = msgspec.structs.replace(scene, tables=tables(scene))
        problems = faults(scene)
    if problems:
        raise TaskError(f"{where}: {len(problems)} fault(s) in the scene: " + "; ".join(problems))
    return scene


def _unpack(data: bytes, where: str) -> bytes:
    """The content of gzip ``data``, which has at most :data:`LARGEST` bytes."""
    try:
        with gzip.open(BytesIO(data)) as file:
            content = file.read(LARGEST + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise TaskError(f"{where}: a damaged gzip file ({error}); fetch or write it anew") from error
    if len(content) > LARGEST:
        raise TaskError(f"{where}: larger than {LARGEST // 2**20} MiB, unpacked; no scene is so large")
    return content
