"""The positions of objects in metres, for ``is_next_to``, maps and pictures.

Rules only know what an object rests on. Its position there follows deterministically from the order in which objects
were put down.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from copy import copy
from itertools import count

from otherminds.household.rules import HOW
from otherminds.household.scenes.scene import Scene, Triple, floor_of

NEAR, LEVEL = 0.5, 0.1
"""Metres: the largest horizontal and vertical gap between two boxes that are next to each other."""
GAP = 0.1
STEP = 0.2
"""Metres between objects put down beside one another, and between places on a surface."""


class HouseLayout:
    """The boxes of all objects of an episode; an object in a hand has none.

    ``starts`` has the predicate and the furniture of each object at the start. The objects in ``moved`` start elsewhere
    than in the scene, and are put down there in the order of ``starts``. Positions are computed when they are first asked
    for: the rules of most tasks do not depend on them.
    """

    def __init__(
        self, scene: Scene, starts: Mapping[str, tuple[str, str]], moved: Collection[str] = ()
    ) -> None:
        self._scene = scene
        self._floors = {floor_of(room): scene.tables.spots[f"centre:{room}"] for room in scene.rooms}
        objects = scene.geometry.objects
        self._size = {o: objects[o].size for o in starts}
        self._at: dict[str, Triple] = {o: objects[o].at for o in starts}
        self._on = {o: f for o, (_, f) in starts.items()}
        self._waiting: list[tuple[str, ...]] = []
        for o in (o for o in starts if o in moved):
            predicate, f = starts[o]
            self.put(o, HOW[predicate], f, "")

    def fresh(self) -> HouseLayout:
        """A copy with the same positions, for another episode or to keep."""
        layout = copy(self)
        layout._at, layout._on, layout._waiting = dict(self.at), dict(self._on), []
        return layout

    @property
    def at(self) -> Mapping[str, Triple]:
        """The centre of each object that is in no hand."""
        if self._waiting:
            for o, *where in self._waiting:
                if where:
                    self._put(o, *where)
                else:
                    del self._at[o], self._on[o]
            self._waiting.clear()
        return self._at

    def lift(self, o: str) -> None:
        """Removes ``o``, which is in a hand now."""
        self._waiting.append((o,))

    def put(self, o: str, how: str, f: str, beside: str) -> None:
        """Puts ``o`` on or within ``f``, next to ``beside`` unless that is empty, at a place that no other object takes."""
        self._waiting.append((o, how, f, beside))

    def _put(self, o: str, how: str, f: str, beside: str) -> None:
        x, y, z = self._origin(how, f)
        others = [self._at[other] for other, on in self._on.items() if on == f and other != o]
        occupied = {(other_x, other_z) for other_x, _, other_z in others}
        if beside:
            y = self._at[beside][1] - self._size[beside][1] / 2
        places = self._round(o, beside) if beside else _slots(x, z, len(occupied))
        x, z = next(place for place in places if place not in occupied)
        self._at[o] = (x, y + self._size[o][1] / 2, z)
        self._on[o] = f

    def next_to(self, first: str, second: str) -> bool:
        """Whether two things are next to each other; false while one of them is in a hand."""
        a, b = self._box(first), self._box(second)
        if a is None or b is None or first == second:
            return False
        (ca, sa), (cb, sb) = a, b
        apart = [max(abs(ca[k] - cb[k]) - (sa[k] + sb[k]) / 2, 0.0) for k in range(3)]
        return apart[1] <= LEVEL and (apart[0] ** 2 + apart[2] ** 2) ** 0.5 <= NEAR

    def _round(self, o: str, beside: str) -> Iterator[tuple[float, float]]:
        """Places next to ``beside``: on its four sides, with increasing distance."""
        bx, _, bz = self._at[beside]
        half = [(self._size[o][k] + self._size[beside][k]) / 2 for k in range(3)]
        for n in count():
            gap = GAP + (NEAR - GAP) * n / (n + 1)
            for dx, dz in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                yield bx + dx * (half[0] + gap), bz + dz * (half[2] + gap)

    def _origin(self, how: str, f: str) -> Triple:
        """The middle of the surface of ``f``."""
        if how == "floor":
            x, z = self._floors[f]
            return x, 0.0, z
        box = self._scene.geometry.furniture[f].box
        height = box.size[1] / 2 if how == "on" else 0.0
        return box.centre[0], box.centre[1] + height, box.centre[2]

    def _box(self, entity: str) -> tuple[Triple, Triple] | None:
        """Centre and size of the axis-aligned box of an object or piece of furniture; ``None`` in a hand."""
        if entity in self._size:
            return (self.at[entity], self._size[entity]) if entity in self.at else None
        piece = self._scene.geometry.furniture.get(entity)
        return None if piece is None else (piece.box.centre, piece.box.size)


def _slots(x: float, z: float, first: int) -> Iterator[tuple[float, float]]:
    """Three rows of three places round the middle of a surface, starting with number ``first``; then places between them."""
    for n in count():
        between = STEP / 2 * (n // 9) / (n // 9 + 1)
        across, along = (first + n) % 3 - 1, (first + n) // 3 % 3 - 1
        yield x + across * STEP + between, z + along * STEP + between
