"""The scripted cooks as partners of a batch: they act for chosen seats of all its worlds in one call.

An episode under seed s is the same as that of :class:`~.world.CookingWorld` under s whose minds are the cooks of
:mod:`.cooks`, each with the context ``SeatContext(seat, s, ...)``: the same compiled code, drawing the same random
numbers (:mod:`otherminds.gridworlds.grid._mersenne`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from otherminds.gridworlds.cooking.cooks import COOKS, FIXED, NOOP_BOT, CookPolicy
from otherminds.gridworlds.cooking.kitchen import ROLES, routes
from otherminds.gridworlds.grid.learner import GridBatch
from otherminds.gridworlds.grid.partners import BatchedPartners, Cast
from otherminds.gridworlds.grid.scenarios import check_noise

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
        from otherminds.gridworlds.grid._kernel import hold

        check_noise(noise, "cook")
        super().__init__(batch, cast, tuple(BATCHED))
        self.noise = noise
        self._kernel = _cooks
        self._routes = routes(batch.rules)
        self._memory = _cooks.empty(self._routes, batch.worlds, batch.players)
        state = batch.state
        news = _cooks.News(state.avatars, state.clock, state.rewards, batch.windows)
        self._held = hold((self._routes, self._memory, news))
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
        self._kernel.run(self._held, True, True, True, actions)
