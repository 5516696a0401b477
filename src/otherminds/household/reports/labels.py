"""Placement of names on a map: each is placed where it covers the least."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, inf, pi, sin

from otherminds.household.reports.marks import Style
from otherminds.household.scenes.scene import Point

Rect = tuple[float, float, float, float]
"""Left, top, right, bottom in pixels."""
Extent = tuple[float, float]
"""Pixels across and along."""
LETTER, BOLD, LINE = 0.6, 0.7, 1.2
"""The width of a letter, of a bold one, and the height of a line, in parts of the size of the font (estimated)."""
DIRECTIONS = 8
RINGS = (1.0, 9.0, 18.0, 30.0)
"""Pixels between a thing and its name, the nearest first."""
FAR = 0.35
"""The cost of a pixel of distance, in covered square pixels per pixel of font size."""


class Labels:
    """The positions of names. ``obstacles`` are boxes that should be left free, with the cost of covering them, at least 0."""

    def __init__(self, size: tuple[int, int], obstacles: Sequence[tuple[Rect, float]] = ()) -> None:
        self._size = size
        self._taken = list(obstacles)

    def block(self, rect: Rect, cost: float = 1.0) -> None:
        self._taken.append((rect, cost))

    def copy(self) -> Labels:
        return Labels(self._size, self._taken)

    def place(self, text: str, style: Style, at: Point, half: Extent) -> tuple[Point, bool]:
        """The middle of a name near ``at`` for a thing of half size ``half``, and whether it needs a leader line."""
        wide, high = extent(text, style.size, bold=style.bold)
        middle, ring = self.beside((wide / 2, high / 2), at, half, FAR * style.size)
        return middle, ring > RINGS[1]

    def beside(self, own: Extent, at: Point, half: Extent, far: float) -> tuple[Point, float]:
        """The middle of a box of half size ``own`` beside ``at``, and its distance.

        A pixel of distance costs as much as ``far`` covered square pixels.
        """
        wide, high = 2 * own[0], 2 * own[1]
        best, cost, away = at, inf, 0.0
        for ring in RINGS:
            for k in range(DIRECTIONS):
                angle = 2 * pi * k / DIRECTIONS
                dx, dy = cos(angle), sin(angle)
                middle = (at[0] + dx * (half[0] + ring + own[0]), at[1] + dy * (half[1] + ring + own[1]))
                if far * ring + 0.01 * k >= cost:  # whatever it covers, it is no better
                    continue
                penalty = self._cover(middle, wide, high, cost) + far * ring + 0.01 * k
                if penalty < cost:
                    best, cost, away = middle, penalty, ring
        self._keep(best, wide, high)
        return (round(best[0], 1), round(best[1], 1)), away

    def within(self, text: str, style: Style, places: Sequence[Point]) -> Point:
        """The best of ``places`` for the middle of a name; the first in a tie."""
        wide, high = extent(text, style.size, bold=style.bold)
        best = min(places, key=lambda place: self._cover(place, wide, high))
        self._keep(best, wide, high)
        return best

    def _keep(self, middle: Point, wide: float, high: float) -> None:
        self.block((middle[0] - wide / 2, middle[1] - high / 2, middle[0] + wide / 2, middle[1] + high / 2))

    def _cover(self, middle: Point, wide: float, high: float, most: float = inf) -> float:
        """The weighted area in square pixels that a name would cover; area outside the picture counts tenfold.

        Counting ends at ``most``.
        """
        left, top = middle[0] - wide / 2, middle[1] - high / 2
        right, bottom = left + wide, top + high
        off = max(-left, 0, right - self._size[0]) * high + max(-top, 0, bottom - self._size[1]) * wide
        total = 10 * off
        for (x0, y0, x1, y1), cost in self._taken:
            across = (right if right < x1 else x1) - (left if left > x0 else x0)
            if across > 0:
                along = (bottom if bottom < y1 else y1) - (top if top > y0 else y0)
                if along > 0:
                    total += across * along * cost
                    if total >= most:
                        break
        return total


def extent(text: str, size: float, *, bold: bool = False) -> Extent:
    """The approximate width and height of a line of text in pixels."""
    return (BOLD if bold else LETTER) * size * len(text), LINE * size
