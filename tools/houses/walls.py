"""Walls that rooms share, and where doors fit in them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import dist
from random import Random

from tools.houses.draft import Draft, Opening

from otherminds.household.scenes.plane import Segment, edges
from otherminds.household.scenes.scene import Box, Point

# A door stands clear of the next wall, and of furniture before it.
_JAMB = 0.15
_STEP = 0.1
_APPROACH = 0.7
_SHORTEST = 1.0


def shared_walls(rooms: Sequence[Draft]) -> dict[tuple[int, int], list[Segment]]:
    """For each pair of rooms, by index, the stretches of wall between them that are 1.0 m or longer."""
    found: dict[tuple[int, int], list[Segment]] = {}
    for i, j in combinations(range(len(rooms)), 2):
        stretches = [
            stretch
            for one in edges(rooms[i].polygon)
            for other in edges(rooms[j].polygon)
            if (stretch := _common(one, other)) and dist(*stretch) >= _SHORTEST - 1e-6
        ]
        if stretches:
            found[i, j] = stretches
    return found


def _common(one: Segment, other: Segment) -> Segment | None:
    """What two walls along an axis have in common."""
    for along, across in ((0, 1), (1, 0)):
        lines = [end[across] for end in (*one, *other)]
        low = max(min(end[along] for end in wall) for wall in (one, other))
        high = min(max(end[along] for end in wall) for wall in (one, other))
        if max(lines) - min(lines) < 1e-6 and high - low > 1e-6:
            line = lines[0]
            return ((low, line), (high, line)) if along == 0 else ((line, low), (line, high))
    return None


def door_in(
    rooms: Sequence[Draft], pair: tuple[int, int], stretches: Sequence[Segment], width: float, rng: Random
) -> Opening | None:
    """A door of a width (m) between two rooms, where no furniture stands before it on either side.

    Of the places that are free one is drawn; None if there is none.
    """
    free = [
        place
        for stretch in stretches
        for place in free_places(rooms[pair[0]], stretch, width)
        if _is_clear(rooms[pair[1]], place)
    ]
    return Opening(pair, rng.choice(free)) if free else None


def free_places(room: Draft, stretch: Segment, width: float) -> list[Segment]:
    """Where in a stretch of a room's wall a door of a width (m) has no furniture before it."""
    return [place for place in _places(stretch, width) if _is_clear(room, place)]


def _places(stretch: Segment, width: float) -> list[Segment]:
    (ax, az), (bx, bz) = stretch
    length = dist(*stretch)
    ux, uz = (bx - ax) / length, (bz - az) / length

    def at(along: float) -> Point:
        return round(ax + along * ux, 2), round(az + along * uz, 2)

    count = int((length - width - 2 * _JAMB) / _STEP + 1e-6)
    return [(at(_JAMB + k * _STEP), at(_JAMB + k * _STEP + width)) for k in range(count + 1)]


def threshold(opening: Segment) -> Box:
    """The floor before a door, on both sides, that stays clear: its width by 0.7 m each way."""
    (ax, az), (bx, bz) = opening
    size = (abs(bx - ax) or 2 * _APPROACH, 2.0, abs(bz - az) or 2 * _APPROACH)
    return Box(((ax + bx) / 2, 1.0, (az + bz) / 2), size)


def _is_clear(room: Draft, opening: Segment) -> bool:
    zone = threshold(opening)
    return not any(overlap(zone, piece.box) for piece in room.pieces)


def overlap(one: Box, other: Box, gap: float = 0.02) -> bool:
    """Whether two boxes along the axes share space, by more than ``gap`` metres each way."""
    return all(
        abs(one.centre[i] - other.centre[i]) < (one.size[i] + other.size[i]) / 2 - gap for i in range(3)
    )
