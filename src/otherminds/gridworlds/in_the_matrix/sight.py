"""What one seat knows of the map (what it has seen through its window, and when), and the puppet that acts on it.

It starts from the drawn map, which every seat knows: walls, the places where
resources grow, and the class of each place that is not random. It is the compiled bots' memory of a batch of one.

A puppeteer chooses a goal, a puppet carries it out (Agapiou et al. 2022): collect resources of one class, or seek a
duel. The official puppets are networks; these plan with A* over what their seat has seen. Skills use the same puppets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from otherminds.core.data import Seat
from otherminds.gridworlds.grid.paths import Cell, Pose
from otherminds.gridworlds.grid.rules import player_of
from otherminds.gridworlds.in_the_matrix import charts as columns
from otherminds.gridworlds.in_the_matrix import rules as world
from otherminds.gridworlds.in_the_matrix.charts import (
    Aim,
    Memory,
    News,
    Policies,
    chart,
    desk,
    empty,
    ground,
    leader,
    policies,
)
from otherminds.gridworlds.in_the_matrix.rules import Rules
from otherminds.gridworlds.in_the_matrix.views import LAYERS


class AvatarSighting(NamedTuple):
    """Avatar number ``player`` (0 if all look the same) under ``mark``, seen in ``step``."""

    cell: Cell
    player: int
    mark: int
    step: int


class Sight:
    """One seat's knowledge in one episode. :meth:`see` takes its observations in, step by step.

    ``ground`` are the cells that avatars can enter. ``kind`` int8[N] is the class of each place (``UNKNOWN`` where
    chance draws it and it was not yet seen), ``there`` uint8[N] whether a resource is believed to be there, ``seen``
    int32[N] the step in which the place was last seen (``NEVER``), ``looked`` int32[height, width] the same of all
    cells. All are views of ``memory``. ``seat`` is where it sits, which matters where players have roles. With ``followed`` and the seat's random stream ``rng`` a bot sits there, which
    follows the first of these policies.
    """

    def __init__(
        self, rules: Rules, followed: Policies | None = None, rng: Random | None = None, seat: Seat = "ego"
    ) -> None:
        from otherminds.gridworlds.in_the_matrix import _bots

        kinds, (width, height) = len(rules.classes), rules.size
        rows, across = rules.view.shape
        self.rules = rules
        self.ground = ground(rules)
        self.chart = chart(rules)
        self.policies = policies((), kinds) if followed is None else followed
        self.memory = empty(rules, 1, 1)
        self.memory.own[..., columns.SIDE] = rules.sides[player_of(seat)]
        self.mind = Memory(*(array[0, 0] for array in self.memory))
        self.kind, self.there, self.seen = self.mind.kind, self.mind.there, self.mind.seen
        self.looked: NDArray[np.int32] = self.mind.looked.reshape(height, width)
        self.inventory: tuple[int, ...] = (1,) * kinds
        self.step = 0
        self._kernel = _bots
        news = News(
            avatars=np.zeros((1, 1, world.COUNTS + kinds), np.int32),
            clock=np.zeros((1, 3), np.int32),
            met=np.full((1, 1, 2, kinds), -1, np.int32),
            windows=np.zeros((1, 1, rows * across, LAYERS), np.uint8),
            maps=np.zeros((0, height * width, 2), np.int8),
        )
        self.desk = desk(rules)
        self._action = np.zeros((1, 1), np.int64)
        self._hold(news)
        if rng is not None:
            self.set_stream(columns.POLICY, rng)
        bots = np.full((1, 1), columns.LED if rng is None else 0, np.int64)
        _bots.begin_all(self.chart, self.policies, self.memory, np.ones(1, np.bool_), bots)

    @property
    def pose(self) -> Pose | None:
        """Its own; ``None`` while it is removed."""
        cell, facing = divmod(int(self.mind.own[columns.POSE]), 4)
        return None if cell < 0 else (cell % self.chart.width, cell // self.chart.width, facing)

    @property
    def held(self) -> bool:
        """Whether a duel holds it."""
        return bool(self.mind.own[columns.HELD])

    @property
    def ready(self) -> bool:
        """Whether it can have a duel: it has collected something since its last one was paid."""
        return sum(self.inventory) > len(self.inventory)

    @property
    def others(self) -> tuple[AvatarSighting, ...]:
        """Those in sight now."""
        width = self.chart.width
        rows = self.mind.others[: self.mind.own[columns.OTHERS], : columns.TOOK].tolist()
        return tuple(AvatarSighting((at % width, at // width), *about) for at, *about in rows)

    @property
    def taken(self) -> list[tuple[int, int]]:
        """The numbers of the others who were seen to collect something in this step, each with its class."""
        others = self.mind.others[: self.mind.own[columns.OTHERS]]
        return [(who, took) for who, took in others[:, [columns.PLAYER, columns.TOOK]].tolist() if took >= 0]

    def shows(self, cell: Cell) -> bool:
        """Whether ``cell`` is in its window now."""
        at, pose = cell[1] * self.chart.width + cell[0], self.mind.own[columns.POSE]
        return pose >= 0 and bool(self.chart.seers[at, pose])

    def see(self, observation: Mapping[str, Any], step: int) -> None:
        """Takes in what the seat observes in ``step``.

        ``WORLD.MAP``, if granted, shows all places and all others, but not whether avatars
        outside the window are ready: they are assumed to be.
        """
        news = self._news
        avatar = news.avatars[0, 0]
        x, y = observation["POSITION"]
        self.step = step
        avatar[world.ALIVE] = x >= 0
        if x >= 0:
            avatar[: world.ALIVE] = x, y, observation["ORIENTATION"]
            news.windows[0, 0] = np.asarray(observation["WINDOW"]).reshape(-1, LAYERS)
        avatar[world.COOLDOWN] = float(observation["READY_TO_SHOOT"]) != 1.0
        avatar[world.COUNTS :] = observation["INVENTORY"]
        self.inventory = tuple(avatar[world.COUNTS :].tolist())
        news.clock[0, world.STEP] = step
        news.met[0, 0] = observation.get("INTERACTION_INVENTORIES", -1)
        if "WORLD.MAP" in observation:
            if not len(news.maps):
                self._hold(news._replace(maps=np.zeros((1, *news.maps.shape[1:]), np.int8)))
            self._news.maps[0] = np.asarray(observation["WORLD.MAP"]).reshape(news.maps.shape[1:])
        self._kernel.run(self._held, True, False, 0.0, self._action)

    def act(self, noise: float) -> int:
        """The action towards what the memory says that the seat wants, random movement with probability ``noise``."""
        self._kernel.run(self._held, False, True, noise, self._action)
        return int(self._action[0, 0])

    def _hold(self, news: News) -> None:
        from otherminds.gridworlds.grid._kernel import hold

        self._news = news
        self._held = hold((self.chart, self.policies, self.memory, self.desk, news))

    def set_stream(self, which: int, rng: Random) -> None:
        """Lets the stream ``POLICY`` or ``PUPPET`` go on from where ``rng`` is."""
        self.mind.streams[which] = rng.getstate()[1]


def number(seat: Seat, rules: Rules) -> int:
    """The number of ``seat`` in windows: that of its role, or 0, where several look the same.

    >>> from otherminds.gridworlds.in_the_matrix.rules import RWS_ARENA
    >>> number("ego", RWS_ARENA), number("partner_1", RWS_ARENA)
    (0, 2)
    """
    return rules.numbers[player_of(seat)]


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
        self.sight = sight
        self.noise = float(noise)
        self._goal: Goal | None = None
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
            sight.desk.sought[:] = [number in goal.sought for number in range(sight.rules.players)]
        return sight.act(self.noise)


def goal(aim: Aim, inventory: Sequence[int], sought: frozenset[int] = frozenset()) -> Collect | SeekDuel:
    """What a puppet is to do now: collect, or, once the inventory suffices, duel."""
    kind, margin = leader(inventory)
    if kind == aim.kind and margin >= aim.margin:
        return SeekDuel(aim.kind, sought)
    return Collect(aim.kind)
