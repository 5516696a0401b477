"""Whether a drafted room can be walked: from each of its doors to every piece of furniture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import dist

from tools.houses.draft import Draft, Placed

from otherminds.household.scenes.plane import Segment, centroid, sees_box
from otherminds.household.scenes.tables import Mask, RoomGrid

# Stricter than the 2.0 m within which an agent acts: one should come up to the furniture.
_NEAR = 1.0
_THRESHOLD = 0.3
_LEAST_FLOOR = 0.15


@dataclass(frozen=True, slots=True)
class Trouble:
    """What is out of reach in a room: a door, a share of its floor too large, pieces of furniture."""

    doors: bool
    pieces: tuple[Placed, ...]

    @property
    def any(self) -> bool:
        """Whether there is trouble at all."""
        return self.doors or bool(self.pieces)


def middle(segment: Segment) -> tuple[float, float]:
    """The middle of a segment."""
    (ax, az), (bx, bz) = segment
    return (ax + bx) / 2, (az + bz) / 2


def open_floor(room: Draft, openings: Sequence[Segment]) -> tuple[RoomGrid, Mask]:
    """The room's grid, and the cells that its first door leads to (with no door, its middle)."""
    grid = RoomGrid(room.polygon, openings, [piece.box for piece in room.pieces])
    start = grid.nearest(middle(openings[0]) if openings else centroid(room.polygon), grid.free)
    return grid, grid.free if start is None else grid.reach(start)


def trouble(room: Draft, openings: Sequence[Segment]) -> Trouble:
    """What cannot be walked to in a room with doors at these segments."""
    grid, reached = open_floor(room, openings)
    if reached.sum() < _LEAST_FLOOR * reached.size:
        return Trouble(doors=True, pieces=())
    for opening in openings:
        cell = grid.nearest(middle(opening), reached)
        if cell is None or dist(grid.point(cell), middle(opening)) > _THRESHOLD:
            return Trouble(doors=True, pieces=())
    out = tuple(piece for piece in room.pieces if not _stood_at(room, piece, grid, reached))
    return Trouble(doors=False, pieces=out)


def _stood_at(room: Draft, piece: Placed, grid: RoomGrid, reached: Mask) -> bool:
    for metres, cell in grid.beside(piece.box, reached):
        if metres > _NEAR:
            return False
        if sees_box(room.polygon, grid.point(cell), piece.box):
            return True
    return False


def repair(room: Draft, openings: Sequence[Segment]) -> None:
    """Takes furniture out until the room can be walked: what is out of reach, or else what bars the doors.

    Of what bars a door the piece goes that lies nearest to it.
    """
    while True:
        found = trouble(room, openings)
        if not found.any:
            return
        if found.pieces:
            room.drop(found.pieces[0])
            continue
        standing = [piece for piece in room.pieces if piece.ends[0] < 1.5]
        room.drop(min(standing, key=lambda piece: min(_between(piece, opening) for opening in openings)))


def _between(piece: Placed, opening: Segment) -> float:
    x, z = middle(opening)
    return max(
        abs(piece.box.centre[0] - x) - piece.box.size[0] / 2,
        abs(piece.box.centre[2] - z) - piece.box.size[2] / 2,
    )
