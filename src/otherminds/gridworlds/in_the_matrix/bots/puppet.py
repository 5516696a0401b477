"""Puppets: controllers that turn goals into primitive actions, as in Melting Pot.

A puppeteer chooses a goal, a puppet carries it out (Agapiou et al. 2022): collect
resources of one class, or seek a duel. The official puppets are networks; these plan
with A* over what their seat has seen. Skills use the same puppets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from functools import lru_cache
from random import Random
from typing import NamedTuple, TypeAlias

from otherminds.gridworlds.grid.actions import DX, DY, FORWARD, INTERACT, NOOP, STEP_RIGHT, TURN_RIGHT
from otherminds.gridworlds.grid.paths import UPRIGHT, Cell, Pose, moved
from otherminds.gridworlds.in_the_matrix.sight import READY, RESULT, UNKNOWN, AvatarSighting, Sight

WRONG, UNSURE = 30.0, 20.0
"""The cost in steps of walking over a resource of another class, or of an unknown class."""
CROWD = 4.0  # The cost of entering a cell where another avatar is seen
PATIENCE, STRAYS = 3, 4
"""After leaving one pose ``PATIENCE`` times without progress, it makes up to ``STRAYS`` random moves."""
COLUMNS = (((0, -1), (1, -1), (2, -1)), ((0, 1), (1, 1), (2, 1)), ((1, 0), (2, 0), (3, 0)))
"""The beam as (ahead, to the right): three columns, each of which goes on until something blocks it."""


class Collect(NamedTuple):
    """Collect resources of class number ``kind``, and avoid others."""

    kind: int


class SeekDuel(NamedTuple):
    """Seek a duel; of the resources by the way collect only class number ``kind``.

    ``sought`` are the numbers of the avatars to duel with (:func:`.sight.number`), none for anyone.
    """

    kind: int
    sought: frozenset[int] = frozenset()


class Walk(NamedTuple):
    """Go to ``cell``; of the resources by the way collect only such as grow there."""

    cell: Cell


Goal: TypeAlias = Collect | SeekDuel | Walk


class Puppet:
    """Follows goals with what its ``sight`` knows; ``rng`` breaks ties.

    With probability ``noise`` a step is a random movement.
    """

    def __init__(self, sight: Sight, rng: Random, noise: float = 0.0) -> None:
        self.sight = sight
        self.rng = rng
        self.noise = noise
        self._plan: list[int] = []
        self._for: object = None
        self._expected: Pose | None = None
        self._been: Counter[Pose] = Counter()
        self._since: object = None
        self._strays = 0
        self._watched: Cell | None = None

    def act(self, goal: Goal) -> int:
        """The action towards ``goal`` after what the sight has last seen."""
        pose = self.sight.pose
        if pose is None or self.sight.held:
            self._plan, self._strays = [], 0
            self._been.clear()
            return NOOP
        if pose != self._expected:
            self._plan = []
        if self._since != (goal, self.sight.inventory):
            self._since = goal, self.sight.inventory
            self._been.clear()
        if self.noise and self.rng.random() < self.noise:
            action = self.rng.randrange(FORWARD, INTERACT)
        elif self._tired(pose):
            action = self._stray(pose, goal)
        else:
            action = self._towards(goal, pose)
        # Waiting on purpose counts as progress.
        self._been[pose] += action != NOOP
        self._expected = moved(pose, action or NOOP)
        return action or NOOP

    def _tired(self, pose: Pose) -> bool:
        """Whether to make some random moves: it has been here too often without progress."""
        if self._been[pose] >= PATIENCE:
            self._strays = self.rng.randint(1, STRAYS)
            self._been.clear()
        if not self._strays:
            return False
        self._strays -= 1
        return True

    def _towards(self, goal: Goal, pose: Pose) -> int | None:
        if isinstance(goal, Collect):
            return self._collect(goal.kind, pose)
        if isinstance(goal, SeekDuel):
            return self._duel(goal, pose)
        return self._step(self.sight.survey.ground.stands(goal.cell), pose, self._kind(goal), goal)

    def _kind(self, goal: Goal) -> int:
        return self.sight.grows(goal.cell) if isinstance(goal, Walk) else goal.kind

    def _wrong(self, kind: int) -> frozenset[int]:
        """The places where something other than class ``kind`` may lie."""
        sight = self.sight
        lying = (n for n, there in enumerate(sight.there) if there)
        return frozenset(n for n in lying if sight.kind[n] != kind or kind == UNKNOWN)

    def _stray(self, pose: Pose, goal: Goal) -> int:
        """A random move that takes nothing wrong, if there is one."""
        self._plan = []
        sight = self.sight
        shut = {sight.rules.places[n] for n in self._wrong(self._kind(goal))}
        shut.update(other.cell for other in sight.others)
        steps = range(FORWARD, STEP_RIGHT + 1)
        ground = sight.survey.ground.open - shut
        free = [action for action in steps if moved(pose, action)[:2] in ground]
        return self.rng.choice(free or steps)

    def _collect(self, kind: int, pose: Pose) -> int | None:
        """To the nearest resource of the class; else to look for one."""
        sight = self.sight
        hoped = sight.hoped(kind)
        if hoped:
            places = sight.rules.places
            goals = frozenset(p for n in hoped for p in sight.survey.ground.stands(places[n]))
            action = self._step(goals, pose, kind, (kind, hoped))
            if action is not None:
                return action
        known = zip(sight.rules.places, sight.kind, strict=True)
        places = [cell for cell, k in known if k in {kind, UNKNOWN}]
        return self._patrol((places,), pose, kind)

    def _duel(self, goal: SeekDuel, pose: Pose) -> int | None:
        """Gets another into the beam and fires; looks for one if none is in sight."""
        sight = self.sight
        # A rival that is not ready is worth waiting for only if it is the only one.
        only = (len(goal.sought) or sight.rules.players - 1) == 1
        seen = [s for s in sight.last.values() if s.mark < RESULT]
        rivals = [s for s in seen if not goal.sought or s.player in goal.sought]
        near = [s for s in rivals if s.step == sight.step and (only or s.mark == READY)]
        for other in sorted(near, key=lambda s: self._far(pose, s)):
            aims = self._aims(other.cell)
            if pose in aims:
                return INTERACT if sight.charged and other.mark == READY else NOOP
            action = self._step(aims, pose, goal.kind, None)
            if action is not None:
                return action
        for other in sorted((s for s in rivals if s.step < sight.step), key=lambda s: -s.step):
            action = self._step(sight.survey.seers(other.cell), pose, goal.kind, other)
            if action is not None:
                return action
        # Others are mostly where resources grow, but a waiting one may be anywhere.
        return self._patrol((sight.rules.places, sight.survey.cells), pose, goal.kind)

    def _far(self, pose: Pose, other: AvatarSighting) -> int:
        return self.sight.survey.ground.distance(pose[:2], other.cell)

    def _aims(self, target: Cell) -> frozenset[Pose]:
        """The poses from which a beam reaches ``target``, as far as is known."""
        sight = self.sight
        places = sight.rules.places
        blocks = {places[n] for n, there in enumerate(sight.there) if there}
        blocks.update(other.cell for other in sight.others)
        ground = sight.survey.ground
        free = ground.open - blocks
        aims = [(pose, between) for pose, between in footprint(target) if pose[:2] in ground.open]
        return frozenset(pose for pose, between in aims if free.issuperset(between))

    def _patrol(self, choices: Sequence[Sequence[Cell]], pose: Pose, kind: int) -> int | None:
        """Goes to see a cell that it has not seen for long, of one of ``choices``; looks round if it sees them all."""
        sight = self.sight
        at = self._watched
        known = at is not None and any(at in cells for cells in choices)
        if at is None or not known or sight.looked[at[1], at[0]] == sight.step:
            cells = self.rng.choice(choices)
            hidden = [cell for cell in cells if sight.looked[cell[1], cell[0]] < sight.step]
            if not hidden:
                return TURN_RIGHT
            hidden.sort(key=lambda cell: sight.looked[cell[1], cell[0]])
            at = self._watched = self.rng.choice(hidden[: max(1, len(cells) // 8)])
        return self._step(sight.survey.seers(at), pose, kind, at)

    def _step(self, goals: Collection[Pose], pose: Pose, kind: int, cause: object) -> int | None:
        """The next action of a cheapest path; the path is kept while ``cause`` is the same.

        ``None`` if there is no way or nowhere to go; a ``cause`` of ``None`` is never the same.
        """
        sight = self.sight
        # Avatars farther away may have moved by then.
        closed = {other.cell for other in sight.others if self._far(pose, other) == 1}
        wrong = self._wrong(kind)
        why = (cause, wrong)
        if cause is None or why != self._for or not self._plan or moved(pose, self._plan[-1])[:2] in closed:
            places = sight.rules.places
            dear = {other.cell: CROWD for other in sight.others}
            dear.update((places[n], UNSURE if sight.kind[n] == UNKNOWN else WRONG) for n in wrong)
            path = sight.survey.ground.path(pose, goals, self.rng, UPRIGHT, dear, closed)
            if not path:
                return None
            self._plan, self._for = list(reversed(path)), why
        return self._plan.pop()


@lru_cache(maxsize=4096)
def footprint(target: Cell) -> tuple[tuple[Pose, tuple[Cell, ...]], ...]:
    """The poses whose beam has ``target`` in its footprint, each with the cells that must be free for it."""
    found: list[tuple[Pose, tuple[Cell, ...]]] = []
    for facing in range(4):
        right = (facing + 1) % 4

        def away(ahead: int, side: int, facing: int = facing, right: int = right) -> Cell:
            return ahead * DX[facing] + side * DX[right], ahead * DY[facing] + side * DY[right]

        for column in COLUMNS:
            for i, offset in enumerate(column):
                dx, dy = away(*offset)
                x, y = target[0] - dx, target[1] - dy
                between = tuple((x + bx, y + by) for bx, by in (away(*before) for before in column[:i]))
                found.append(((x, y, facing), between))
    return tuple(found)
