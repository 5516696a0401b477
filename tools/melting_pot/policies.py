"""Scripted players that make much happen: they collect, hunt, destroy and jostle.

They see everything. What they do need not be clever, only varied, so that a
recording meets every rule often.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Cell = tuple[int, int]
WAYS = ((0, -1), (1, 0), (0, 1), (-1, 0))
NOOP, FORWARD, BACKWARD, LEFT, RIGHT, TURN_LEFT, TURN_RIGHT, INTERACT = range(8)
STEPPING = (FORWARD, RIGHT, BACKWARD, LEFT)
"""The action that moves so many quarter turns clockwise from the own orientation."""


@dataclass
class Scene:
    """What a scripted player sees: all avatars' poses (None: removed), all resources, who is ready to duel."""

    poses: list[tuple[int, int, int] | None]
    resources: dict[Cell, int]
    ready: list[bool]
    collected: list[int]


class Paths:
    """Distances between the open cells of a map, worked out once for each target."""

    def __init__(self, drawing: str) -> None:
        self.lines = drawing.split("\n")
        self.known: dict[Cell, dict[Cell, int]] = {}

    def open(self, cell: Cell) -> bool:
        """Whether an avatar can stand there."""
        x, y = cell
        return 0 <= y < len(self.lines) and 0 <= x < len(self.lines[y]) and self.lines[y][x] != "W"

    def to(self, target: Cell) -> dict[Cell, int]:
        """Steps to ``target`` from everywhere."""
        if target not in self.known:
            far = {target: 0}
            queue = deque([target])
            while queue:
                x, y = queue.popleft()
                for dx, dy in WAYS:
                    cell = (x + dx, y + dy)
                    if cell not in far and self.open(cell):
                        far[cell] = far[x, y] + 1
                        queue.append(cell)
            self.known[target] = far
        return self.known[target]

    def nearest(self, cell: Cell, targets: Iterable[Cell]) -> Cell | None:
        """The target that is fewest steps away."""
        return min(targets, key=lambda target: self.to(target).get(cell, 10**6), default=None)


@dataclass
class Player:
    """One scripted player. ``manner``: random, hunter, vandal or crowd; ``noise``: share of random actions."""

    index: int
    manner: str
    noise: float
    greed: int
    """How much it collects before it hunts."""
    taste: int
    """The class that it prefers, -1 for none."""
    luck: random.Random

    def act(self, scene: Scene, paths: Paths) -> int:
        """Its action."""
        pose = scene.poses[self.index]
        if pose is None or self.manner == "random" or self.luck.random() < self.noise:
            return self.luck.randrange(8)
        x, y, _ = pose
        others = [p for i, p in enumerate(scene.poses) if p and i != self.index]
        if self.manner == "vandal" and self.luck.random() < 0.5:
            return INTERACT
        hungry = scene.collected[self.index] < self.greed
        if self.manner != "crowd" and hungry and scene.resources:
            liked = [cell for cell, kind in scene.resources.items() if kind == self.taste]
            target = paths.nearest((x, y), liked or list(scene.resources))
        else:
            prey = [p[:2] for i, p in enumerate(scene.poses) if p and i != self.index and scene.ready[i]] or [
                p[:2] for p in others
            ]
            target = paths.nearest((x, y), prey)
            if target is not None and any(self._reaches(pose, p[:2]) for p in others):
                return INTERACT if self.luck.random() < 0.8 else self.luck.randrange(8)
        if target is None:
            return self.luck.randrange(8)
        return self._towards(pose, target, paths)

    def _reaches(self, pose: tuple[int, int, int], other: Cell) -> bool:
        """Roughly whether the beam could hit ``other``."""
        x, y, facing = pose
        dx, dy = other[0] - x, other[1] - y
        (fx, fy), (rx, ry) = WAYS[facing], WAYS[(facing + 1) % 4]
        return 0 <= dx * fx + dy * fy <= 3 and abs(dx * rx + dy * ry) <= 1

    def _towards(self, pose: tuple[int, int, int], target: Cell, paths: Paths) -> int:
        x, y, facing = pose
        far = paths.to(target)
        near = [far.get((x + dx, y + dy), 10**6) for dx, dy in WAYS]
        way = self.luck.choice([i for i in range(4) if near[i] == min(near)])
        turn = (way - facing) % 4
        if self.luck.random() < 0.4:  # face where it goes, so that the beam looks ahead
            return {0: FORWARD, 1: TURN_RIGHT, 3: TURN_LEFT, 2: TURN_LEFT}[turn]
        return STEPPING[turn]


def troop(manners: Sequence[str], classes: int, luck: random.Random) -> list[Player]:
    """One player for each manner."""
    return [
        Player(
            index=i,
            manner=manner,
            noise=luck.choice((0.02, 0.1, 0.3)),
            greed=luck.choice((1, 1, 2, 4, 12)),
            taste=luck.randrange(-1, classes),
            luck=luck,
        )
        for i, manner in enumerate(manners)
    ]
