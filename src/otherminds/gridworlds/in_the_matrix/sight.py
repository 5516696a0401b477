"""What one seat knows of the map: what it has seen through its window, and when.

It starts from the drawn map, which every seat knows: walls, the places where
resources grow, and the class of each place that is not random.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import ceil, log
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from otherminds.core.data import Seat
from otherminds.gridworlds.grid.actions import player_of
from otherminds.gridworlds.grid.paths import Cell, Ground, Pose
from otherminds.gridworlds.in_the_matrix.rules import Rules
from otherminds.gridworlds.in_the_matrix.views import AVATAR, MARK, OTHER, RESOURCE, THING

UNKNOWN = -1
NEVER = -1
READY, RESULT = 1, 2
"""Marks above an avatar: ready to duel, and from here on the result of a duel that holds it."""
ANYONE = 0  # The number of an avatar that looks like the others


class AvatarSighting(NamedTuple):
    """Avatar number ``player`` (``ANYONE`` if all look the same) under ``mark``, seen in ``step``."""

    cell: Cell
    player: int
    mark: int
    step: int


class Survey:
    """What follows from the rules alone: what is seen from which pose. Cached by :func:`survey`."""

    def __init__(self, rules: Rules) -> None:
        self.ground = Ground(rules.size, rules.walls)
        self._shifts = rules.view.shifts
        self.shown: dict[Pose, list[tuple[int, int, int]]] = {}
        """For each pose the places in its window: (place, row, column)."""
        for n, (x, y) in enumerate(rules.places):
            for facing, shifts in enumerate(self._shifts):
                for row, column, dx, dy in shifts:
                    self.shown.setdefault((x - dx, y - dy, facing), []).append((n, row, column))
        self.cells = tuple(sorted(self.ground.open))
        self._seers: dict[Cell, frozenset[Pose]] = {}
        self._views: dict[Pose, tuple[NDArray[np.int64], NDArray[np.int64]]] = {}

    def view(self, pose: Pose) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The cells of the map in the window of ``pose``: their y and their x."""
        if pose not in self._views:
            width, height = self.ground.width, self.ground.height
            seen = [(pose[1] + dy, pose[0] + dx) for _, _, dx, dy in self._shifts[pose[2]]]
            inside = np.array([(y, x) for y, x in seen if 0 <= x < width and 0 <= y < height], np.int64)
            self._views[pose] = inside[:, 0], inside[:, 1]
        return self._views[pose]

    def seers(self, cell: Cell) -> frozenset[Pose]:
        """The poses from which ``cell`` is in the window."""
        if cell not in self._seers:
            x, y = cell
            faced = [(facing, dx, dy) for facing in range(4) for _, _, dx, dy in self._shifts[facing]]
            poses = ((x - dx, y - dy, facing) for facing, dx, dy in faced)
            self._seers[cell] = frozenset(pose for pose in poses if pose[:2] in self.ground.open)
        return self._seers[cell]

    def cell(self, pose: Pose, row: int, column: int) -> Cell:
        """The cell that a window shows at ``row`` and ``column``."""
        shifts = self._shifts[pose[2]]
        width = shifts[-1][1] + 1
        _, _, dx, dy = shifts[row * width + column]
        return pose[0] + dx, pose[1] + dy


@lru_cache(maxsize=32)
def survey(rules: Rules) -> Survey:
    """The survey of ``rules``."""
    return Survey(rules)


class Sight:
    """One seat's knowledge in one episode. :meth:`see` takes its observations in, step by step.

    ``pose`` is its own, ``None`` while it is removed; ``charged`` says whether it can fire, ``held`` whether
    a duel holds it. ``kind`` is the class of each place (``UNKNOWN`` where chance draws it and it was not yet
    seen), ``there`` whether a resource is believed to be there, ``seen`` the step in which the place was last
    seen (``NEVER``), ``looked`` the same of all cells, int64[height, width]. ``others`` are in sight now,
    ``last`` remembers where each was seen last. ``taken`` are the classes of which another was seen to
    collect one in this step, ``takers`` the numbers of who did, in the same order.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.survey = survey(rules)
        self.step = 0
        self.pose: Pose | None = None
        self.inventory: tuple[int, ...] = (1,) * len(rules.classes)
        self.charged = True
        self.held = False
        self.kind = list(rules.fixed)
        self.there = [True] * len(rules.places)
        self.seen = [NEVER] * len(rules.places)
        self.looked = np.full((rules.size[1], rules.size[0]), NEVER, np.int64)
        self.others: tuple[AvatarSighting, ...] = ()
        self.last: dict[int, AvatarSighting] = {}
        self.taken: tuple[int, ...] = ()
        self.takers: tuple[int, ...] = ()
        self._wait = wait(rules)
        self._place = {cell: n for n, cell in enumerate(rules.places)}

    @property
    def ready(self) -> bool:
        """Whether it can have a duel: it has collected something since its last one was paid."""
        return sum(self.inventory) > len(self.inventory)

    def see(self, observation: Mapping[str, Any], step: int) -> None:
        """Takes in what the seat observes in ``step``.

        ``WORLD.MAP``, if granted, shows all places and all others, but not whether avatars
        outside the window are ready: they are assumed to be.
        """
        self.step = step
        self.taken = self.takers = ()
        self.inventory = tuple(int(count) for count in observation["INVENTORY"])
        self.charged = float(observation["READY_TO_SHOOT"]) == 1.0
        x, y = (int(v) for v in observation["POSITION"])
        if x < 0:
            self._leave()
            return
        self.pose = pose = (x, y, int(observation["ORIENTATION"]))
        window = observation["WINDOW"]
        # There a step ago, gone now and another on it: it has just been collected.
        before = [there and seen == step - 1 for there, seen in zip(self.there, self.seen, strict=True)]
        self._look(window, pose)
        self.held = int(window[self.rules.view.forward, self.rules.view.left, MARK]) >= RESULT
        self.others = self._meet(window, pose)
        if "WORLD.MAP" in observation:
            self._survey_all(observation["WORLD.MAP"], pose)
        self._remember(pose)
        entered = [(self._place[s.cell], s.player) for s in self.others if s.cell in self._place]
        took = [(n, who) for n, who in entered if before[n] and not self.there[n] and self.kind[n] != UNKNOWN]
        self.taken = tuple(self.kind[n] for n, _ in took)
        self.takers = tuple(who for _, who in took)

    def hoped(self, kind: int) -> frozenset[int]:
        """The places of class ``kind`` that have a resource, as far as the seat can tell.

        One that was gone when last seen counts again when it is more likely back than not.
        """
        places = (n for n, k in enumerate(self.kind) if k == kind)
        return frozenset(n for n in places if self.there[n] or self.step - self.seen[n] > self._wait)

    def grows(self, cell: Cell) -> int:
        """The class that grows in ``cell``; ``UNKNOWN`` where none does, or none that is known."""
        n = self._place.get(cell)
        return UNKNOWN if n is None else self.kind[n]

    def _leave(self) -> None:
        """Removed: nothing is seen. If all resources come back then, the seat knows it."""
        self.pose = None
        self.held = False
        self.others = ()
        self.last = {}
        if self.rules.refill:
            self.there = [True] * len(self.there)

    def _look(self, window: Any, pose: Pose) -> None:
        self.looked[self.survey.view(pose)] = self.step
        for n, row, column in self.survey.shown.get(pose, ()):
            self.seen[n] = self.step
            thing = int(window[row, column, THING])
            self.there[n] = thing >= RESOURCE
            if thing >= RESOURCE:
                self.kind[n] = thing - RESOURCE

    def _meet(self, window: Any, pose: Pose) -> tuple[AvatarSighting, ...]:
        return tuple(
            AvatarSighting(self.survey.cell(pose, row, column), int(avatar) - OTHER, int(mark), self.step)
            for row, column in np.argwhere(window[..., AVATAR] >= OTHER).tolist()
            for avatar, mark in [window[row, column, [AVATAR, MARK]]]
        )

    def _survey_all(self, shown: Any, pose: Pose) -> None:
        self.seen = [self.step] * len(self.seen)
        self.looked[:] = self.step
        for n, (x, y) in enumerate(self.rules.places):
            thing = int(shown[y, x, 0])
            self.there[n] = thing > 0
            if thing:
                self.kind[n] = thing - 1
        known = {pose[:2], *(other.cell for other in self.others)}
        for y, x in np.argwhere(shown[..., 1]).tolist():
            if (x, y) not in known:
                player = int(shown[y, x, 1]) - 1 if self.rules.distinct else ANYONE
                self.others += (AvatarSighting((x, y), player, READY, self.step),)

    def _remember(self, pose: Pose) -> None:
        """Where others were seen last, unless that cell is in sight and empty now."""
        gone = [player for player, seen in self.last.items() if pose in self.survey.seers(seen.cell)]
        for player in gone:
            del self.last[player]
        self.last.update((other.player, other) for other in self.others)


def wait(rules: Rules) -> int:
    """The steps after which a resource that went is more likely back than not, if nothing hinders it."""
    return rules.delay + (ceil(log(0.5) / log(1 - rules.regrowth)) if rules.regrowth < 1 else 0)


def number(seat: Seat, rules: Rules) -> int:
    """The number of ``seat`` in windows: ``ANYONE`` if others look the same.

    >>> from otherminds.gridworlds.in_the_matrix.rules import RWS_ARENA
    >>> number("ego", RWS_ARENA), number("partner_1", RWS_ARENA)
    (0, 2)
    """
    return player_of(seat) if rules.distinct else ANYONE
