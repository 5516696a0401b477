"""The positions of objects in metres, for ``is_next_to``, maps and pictures.

Rules only know what an object rests on. Its position there follows deterministically from the order in which objects
were put down.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from itertools import count
from typing import TYPE_CHECKING

from otherminds.worlds.household.rules.actions import HOW
from otherminds.worlds.household.scenes.scene import Triple

if TYPE_CHECKING:
    from otherminds.worlds.household.house import House

NEAR, LEVEL = 0.5, 0.1
"""Metres: the largest horizontal and vertical gap between two boxes that are next to each other."""
GAP = 0.1
STEP = 0.2
"""Metres between objects put down beside one another, and between places on a surface."""


class HouseLayout:
    """The boxes of all objects of an episode; an object in a hand has none."""

    def __init__(self, house: House) -> None:
        self._house = house
        geometry = house.scene.geometry
        self._size = {o: geometry.objects[o].size for o in house.objects}
        self.at: dict[str, Triple] = {o: geometry.objects[o].at for o in house.objects}
        starts = {o: house.place_of(o, house.start) for o in house.objects}
        self._on = {o: f for o, (_, f) in starts.items()}
        for o, (predicate, f) in starts.items():
            if any(isinstance(value, str) for value in house.task.initial_states.get(o, {}).values()):
                self.put(o, HOW[predicate], f, "")

    def fresh(self) -> HouseLayout:
        """A copy with the same positions, for another episode or to keep."""
        made = copy(self)
        made.at, made._on = dict(self.at), dict(self._on)
        return made

    def lift(self, o: str) -> None:
        """Removes ``o``, which is in a hand now."""
        del self.at[o], self._on[o]

    def put(self, o: str, how: str, f: str, beside: str) -> None:
        """Puts ``o`` on or within ``f``, next to ``beside`` unless that is empty, at a place that no other object takes."""
        x, y, z = self._origin(how, f)
        others = [self.at[other] for other, on in self._on.items() if on == f and other != o]
        taken = {(other_x, other_z) for other_x, _, other_z in others}
        if beside:
            y = self.at[beside][1] - self._size[beside][1] / 2
        places = self._round(o, beside) if beside else _slots(x, z, len(taken))
        x, z = next(place for place in places if place not in taken)
        self.at[o] = (x, y + self._size[o][1] / 2, z)
        self._on[o] = f

    def next_to(self, one: str, other: str) -> bool:
        """Whether two things are next to each other; false while one of them is in a hand."""
        a, b = self._box(one), self._box(other)
        if a is None or b is None or one == other:
            return False
        (ca, sa), (cb, sb) = a, b
        apart = [max(abs(ca[k] - cb[k]) - (sa[k] + sb[k]) / 2, 0.0) for k in range(3)]
        return apart[1] <= LEVEL and (apart[0] ** 2 + apart[2] ** 2) ** 0.5 <= NEAR

    def _round(self, o: str, beside: str) -> Iterator[tuple[float, float]]:
        """Places next to ``beside``: on its four sides, with increasing distance."""
        bx, _, bz = self.at[beside]
        half = [(self._size[o][k] + self._size[beside][k]) / 2 for k in range(3)]
        for n in count():
            gap = GAP + (NEAR - GAP) * n / (n + 1)
            for dx, dz in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                yield bx + dx * (half[0] + gap), bz + dz * (half[2] + gap)

    def _origin(self, how: str, f: str) -> Triple:
        """The middle of the surface of ``f``."""
        if how == "floor":
            x, z = self._house.scene.tables.spots[f"centre:{self._house.room_of[f]}"]
            return x, 0.0, z
        box = self._house.scene.geometry.furniture[f].box
        height = box.size[1] / 2 if how == "on" else 0.0
        return box.centre[0], box.centre[1] + height, box.centre[2]

    def _box(self, thing: str) -> tuple[Triple, Triple] | None:
        """Centre and size of the axis-aligned box of an object or piece of furniture; ``None`` in a hand."""
        if thing in self._size:
            return (self.at[thing], self._size[thing]) if thing in self.at else None
        piece = self._house.scene.geometry.furniture.get(thing)
        return None if piece is None else (piece.box.centre, piece.box.size)


def _slots(x: float, z: float, first: int) -> Iterator[tuple[float, float]]:
    """Three rows of three places round the middle of a surface, starting with number ``first``; then places between them."""
    for n in count():
        between = STEP / 2 * (n // 9) / (n // 9 + 1)
        across, along = (first + n) % 3 - 1, (first + n) // 3 % 3 - 1
        yield x + across * STEP + between, z + along * STEP + between
