"""Puppets: controllers that turn goals into primitive actions, as in Melting Pot.

A puppeteer chooses a goal, a puppet carries it out (Agapiou et al. 2022): collect
resources of one class, or seek a duel. The official puppets are networks; these plan
with A* over what their seat has seen. Skills use the same puppets.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import NamedTuple, TypeAlias

import numpy as np

from otherminds.gridworlds.grid.paths import Cell
from otherminds.gridworlds.in_the_matrix.bots import charts as columns
from otherminds.gridworlds.in_the_matrix.bots.charts import desk
from otherminds.gridworlds.in_the_matrix.bots.puppeteers import Aim, leader
from otherminds.gridworlds.in_the_matrix.sight import Sight


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
    """Follows goals with what its ``sight`` knows, by the compiled bots' code. ``rng`` breaks ties.

    With probability ``noise`` a step is a random movement. Without ``rng`` the bot that sits in the sight has its own
    stream, and sets the goals.
    """

    def __init__(self, sight: Sight, rng: Random | None, noise: float = 0.0) -> None:
        from otherminds.gridworlds.in_the_matrix.bots import _kernel

        self.sight = sight
        self.noise = float(noise)
        self._kernel = _kernel
        self._goal: Goal | None = None
        self._desk = desk(sight.rules)
        self._action = np.zeros((1, 1), np.int64)
        if rng is not None:
            sight.set_stream(columns.PUPPET, rng)

    def act(self, goal: Goal | None = None) -> int:
        """The action towards ``goal`` after what the sight has last seen."""
        sight, own = self.sight, self.sight.mind.own
        if goal != self._goal:
            own[columns.GOAL] = -1  # Another goal counts as progress
            self._goal = goal
        if isinstance(goal, Walk):
            own[columns.WANTS] = columns.WALK
            own[columns.TO] = goal.cell[1] * sight.chart.width + goal.cell[0]
        elif isinstance(goal, Collect):
            own[columns.WANTS], own[columns.CLASS] = columns.COLLECT, goal.kind
        elif goal is not None:
            own[columns.WANTS], own[columns.CLASS] = columns.DUEL, goal.kind
            own[columns.SOUGHT] = len(goal.sought)
            sight.mind.sought[:] = [number in goal.sought for number in range(sight.rules.players)]
        self._kernel.act_all(sight.chart, sight.policies, sight.memory, self._desk, self.noise, self._action)
        return int(self._action[0, 0])


def goal(aim: Aim, inventory: Sequence[int], sought: frozenset[int] = frozenset()) -> Collect | SeekDuel:
    """What a puppet is to do now: collect, or, once the inventory suffices, duel."""
    kind, margin = leader(inventory)
    if kind == aim.kind and margin >= aim.margin:
        return SeekDuel(aim.kind, sought)
    return Collect(aim.kind)
