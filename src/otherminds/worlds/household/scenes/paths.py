"""Ways through the house: shortest walking distances between spots, over doors, round barred rooms.

Inside a room the scene's legs give the distance; between rooms one walks from door to door. A barred
room is never entered or crossed, so that a spot in one is cut off from every other spot. Closed doors
are not passed.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from heapq import heappop, heappush
from math import inf

from otherminds.worlds.household.scenes.scene import Point, Scene

Links = dict[str, list[tuple[str, float]]]


@dataclass(frozen=True, slots=True)
class ShortestPath:
    """A shortest way: its length in metres, the rooms crossed in order, and its line through the doors."""

    metres: float
    rooms: tuple[str, ...]
    line: tuple[Point, ...]


def distances(scene: Scene, barred: Set[str] = frozenset()) -> dict[str, dict[str, float]]:
    """Shortest walking distances in metres from every spot to every spot; ``inf`` where there is no way.

    ``barred`` names the rooms that are neither entered nor crossed.
    """
    links = _links(scene, barred, ())
    between = {side: _walk(links, side)[0] for side in links}
    rooms = scene.tables.rooms
    sides: dict[str, dict[str, list[tuple[str, float]]]] = {}
    inside: dict[str, dict[str, float]] = {}
    for legs in scene.tables.legs.values():
        for point, row in zip(legs.points, legs.metres, strict=True):
            if point in rooms:
                inside[point] = dict(zip(legs.points, row, strict=True))
                doors = [(side, inside[point][side]) for side in legs.points if side in links]
                sides.setdefault(rooms[point], {})[point] = doors
    found: dict[str, dict[str, float]] = {}
    for start, room in rooms.items():
        row = dict.fromkeys(rooms, inf)
        row[start] = 0.0
        found[start] = row
        if room in barred:
            continue
        out: dict[str, float] = {}
        for side, leg in sides[room][start]:
            for far, more in between[side].items():
                out[far] = min(out.get(far, inf), leg + more)
        for goals in sides.values():
            for goal, doors in goals.items():
                row[goal] = min((out[side] + leg for side, leg in doors if side in out), default=inf)
        for goal in sides[room]:
            row[goal] = min(row[goal], inside[start][goal])
    return found


def way(scene: Scene, start: str, goal: str, barred: Set[str] = frozenset()) -> ShortestPath | None:
    """A shortest way from spot to spot, or None; ``barred`` as for `distances`."""
    reached, before = _walk(_links(scene, barred, (start, goal)), start)
    if goal not in reached:
        return None
    points = [goal]
    while points[-1] != start:
        points.append(before[points[-1]])
    points.reverse()
    crossed = [scene.tables.rooms.get(point) or point.split(":")[2] for point in points]
    line = [_place(scene, point) for point in points]
    return ShortestPath(
        reached[goal],
        tuple(room for i, room in enumerate(crossed) if i == 0 or crossed[i - 1] != room),
        tuple(place for i, place in enumerate(line) if i == 0 or line[i - 1] != place),
    )


def _links(scene: Scene, barred: Set[str], ends: tuple[str, ...]) -> Links:
    """The graph of the doors' two sides, and of the spots in ``ends``, without the barred rooms."""
    links: Links = {end: [] for end in ends}
    for room, legs in scene.tables.legs.items():
        if room in barred:
            continue
        kept = [i for i, point in enumerate(legs.points) if point.startswith("door:") or point in ends]
        for i in kept:
            near = links.setdefault(legs.points[i], [])
            near.extend((legs.points[j], legs.metres[i][j]) for j in kept if j != i)
    for i, door in enumerate(scene.geometry.doors):
        one, other = (f"door:{i}:{room}" for room in door.rooms)
        if one in links and other in links and not door.closed:
            links[one].append((other, 0.0))
            links[other].append((one, 0.0))
    return links


def _walk(links: Links, start: str) -> tuple[dict[str, float], dict[str, str]]:
    """Dijkstra: the distance of every point that is reached, and the point before it."""
    reached: dict[str, float] = {}
    before: dict[str, str] = {}
    waiting = [(0.0, start, start)]
    while waiting:
        metres, point, last = heappop(waiting)
        if point in reached:
            continue
        reached[point] = metres
        before[point] = last
        for other, more in links[point]:
            if other not in reached:
                heappush(waiting, (metres + more, other, point))
    return reached, before


def _place(scene: Scene, point: str) -> Point:
    """Where a spot or a door's middle is in (x, z)."""
    if point in scene.tables.spots:
        return scene.tables.spots[point]
    (x1, z1), (x2, z2) = scene.geometry.doors[int(point.split(":")[1])].at
    return ((x1 + x2) / 2, (z1 + z2) / 2)
