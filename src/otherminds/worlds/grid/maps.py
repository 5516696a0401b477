"""Maps drawn in characters, and the windows that seats see of them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class View:
    """What a seat sees of the map: so many cells to its left, right, forward and backward.

    The window is an array [row, column] in the seat's own frame: forward is up,
    the seat itself stands at row ``forward``, column ``left``.
    """

    left: int
    right: int
    forward: int
    backward: int

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the window."""
        return self.forward + self.backward + 1, self.left + self.right + 1


def rows(drawing: str) -> tuple[str, ...]:
    """The rows of a drawn map, all of one width.

    >>> rows("WWW\\nW W\\nWWW")
    ('WWW', 'W W', 'WWW')
    """
    lines = tuple(drawing.strip("\n").split("\n"))
    width = max(map(len, lines))
    return tuple(line.ljust(width) for line in lines)


def cells(drawn: tuple[str, ...], chars: str) -> tuple[tuple[int, int], ...]:
    """Where any of ``chars`` stands, as (x, y), row by row.

    >>> cells(("ab", "ba"), "b")
    ((1, 0), (0, 1))
    """
    return tuple((x, y) for y, line in enumerate(drawn) for x, char in enumerate(line) if char in chars)
