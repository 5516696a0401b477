"""The scripted cooks as partners of a batch: they act for chosen seats of all its worlds in one call.

An episode under seed s is the same as that of :class:`~.world.CookingWorld` under s whose minds are the cooks of
:mod:`.cooks`, each with the context ``SeatContext(seat, s, ...)``: the same actions step by step, drawn from the
same random numbers (:mod:`otherminds.gridworlds.grid._mersenne`). The ways, sights and tours that they look up are
those of a :class:`~.kitchen.KitchenLayout` as arrays, so both take the same one of equally short ways.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from otherminds.gridworlds.cooking.cooks import COOKS, FIXED, NOOP_BOT, CookPolicy
from otherminds.gridworlds.cooking.kitchen import ROLES, Routes, layout
from otherminds.gridworlds.cooking.rules import COUNTER, DISH, Rules
from otherminds.gridworlds.grid.actions import DX, DY, NOOP, UNREACHED
from otherminds.gridworlds.grid.learner import GridBatch
from otherminds.gridworlds.grid.partners import BatchedPartners, Cast
from otherminds.gridworlds.grid.paths import Cell
from otherminds.gridworlds.grid.scenarios import check_noise


@lru_cache(maxsize=8)
def routes(rules: Rules) -> Routes:
    """The routes of ``rules``; a search for each pose and each thing on the map."""
    kitchen = layout(rules)
    width, height = rules.size
    view = rules.view

    def numbers(places: Iterable[Cell]) -> NDArray[np.int32]:
        return np.array([y * width + x for x, y in places], np.int32)

    cells, poses = width * height, 4 * width * height
    length = np.full((poses, cells), UNREACHED, np.int32)
    first = np.full((poses, cells), NOOP, np.int8)
    ahead, serves = np.zeros(poses, np.int32), np.zeros(poses, np.bool_)
    tour = np.full((poses, len(rules.pots)), UNREACHED, np.int32)
    pots = {cell: n for n, cell in enumerate(rules.pots)}
    counters = {c: n for n, c in enumerate(rules.containers) if kitchen.things[c] == COUNTER}
    pots_shown, counters_shown = (
        np.full((poses, len(numbered), 3), -1, np.int16) for numbered in (pots, counters)
    )
    for pose, visible in kitchen.shown.items():
        x, y, facing = pose
        at = 4 * (y * width + x) + facing
        for goal in (*rules.containers, *rules.pots, *kitchen.hatches):
            way = kitchen.way(pose, goal)
            if way is not None:
                there = goal[1] * width + goal[0]
                length[at, there] = len(way)
                first[at, there] = way[0] if way else NOOP
        ahead[at] = (y + DY[facing]) * width + x + DX[facing]
        serves[at] = kitchen.serves(pose)
        tour[at] = [kitchen.tour(pose, kitchen.sources[DISH], [pot])[0] for pot in rules.pots]
        for numbered, table in ((pots, pots_shown), (counters, counters_shown)):
            places = [(row, column, numbered[c]) for c, row, column in visible if c in numbered]
            table[at, : len(places)] = np.array(places, np.int16).reshape(-1, 3)
    return Routes(
        length=length,
        first=first,
        rank=np.arange(cells, dtype=np.int32).reshape(width, height).T.ravel(),
        ahead=ahead,
        containers=numbers(rules.containers),
        pots=numbers(rules.pots),
        hatches=numbers(kitchen.hatches),
        stock=np.array(rules.stock, np.int8),
        counters_shown=counters_shown,
        pots_shown=pots_shown,
        row=view.forward,
        column=view.left,
        width=width,
        serves=serves,
        tour=tour,
        capacity=rules.capacity,
        cooking=rules.cooking,
        pay=float(rules.pay),
    )


BATCHED: Mapping[str, CookPolicy] = {
    **COOKS,
    NOOP_BOT: CookPolicy("alone", "alone", 1.0),  # Idle in every step
    "blind": FIXED,
    "cook": CookPolicy("share", "share"),
    **{role: CookPolicy(role, role) for role in ROLES},
}
"""All batched cooks: the stand-ins, the reference minds that ignore or watch their partner, and the roles. The one
that is informed plays as ``blind`` beside those that work, and as ``alone`` beside ``noop_bot``."""


class BatchedCooks(BatchedPartners):
    """Cooks in seats of ``batch``: see :class:`~otherminds.gridworlds.grid.partners.BatchedPartners`.

    ``cast`` names cooks of :data:`BATCHED`. With probability ``noise`` a step of a cook is a random movement, but not
    of ``noop_bot``.

    Raises:
        StudyError: a bad cast, or ``noise`` is no probability.

    >>> from otherminds.gridworlds.grid.learner import substrate
    >>> batch = substrate("cooking-asymmetric-v1").batch(worlds=2)
    >>> cooks = BatchedCooks(batch.shards[0], [{1: "chef_0"}, {1: "noop_bot"}])
    >>> batch.reset(7)
    >>> cooks.begin()
    >>> actions = cooks.act()
    >>> actions.shape, actions[:, 0].tolist()
    ((2, 2), [0, 0])
    >>> batch.step(actions)
    """

    def __init__(self, batch: GridBatch, cast: Cast, noise: float = 0.0) -> None:
        from otherminds.gridworlds.cooking import _cooks

        check_noise(noise, "cook")
        super().__init__(batch, cast, tuple(BATCHED))
        self.noise = noise
        self._kernel = _cooks
        self._routes = routes(batch.rules)
        self._memory = _cooks.empty(self._routes, batch.worlds, batch.players)
        policies = BATCHED.values()
        roles = [(ROLES.index(policy.serving), ROLES.index(policy.supplying)) for policy in policies]
        # The last row is that of seats without a cook, number -1.
        self._roles = np.array([*roles, (-1, -1)], np.int8)
        self._idle = np.array([*(policy.idle for policy in policies), 0.0])
        self._noise = np.array([*(0.0 if name == NOOP_BOT else noise for name in BATCHED), 0.0])

    def _list_memory(self) -> Mapping[str, NDArray[Any]]:
        return self._memory._asdict()

    def _start(self, fresh: NDArray[np.bool_], streams: NDArray[np.uint64]) -> None:
        memory, cast = self._memory, self.cast[fresh]
        memory.roles[fresh] = self._roles[cast]
        memory.idle[fresh], memory.noise[fresh] = self._idle[cast], self._noise[cast]
        self._kernel.begin(self._routes, memory, fresh, streams)

    def _decide(self, actions: NDArray[np.int64]) -> None:
        self._kernel.act(self._routes, self._memory, self.batch.state, self.batch.windows, actions)
