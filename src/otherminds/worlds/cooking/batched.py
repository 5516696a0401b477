"""The scripted cooks as partners of a batch: they act for chosen seats of all its worlds in one call.

An episode under seed s is the same as that of :class:`~.world.CookingWorld` under s whose minds are the cooks of
:mod:`.cooks`, each with the context ``SeatContext(seat, s, ...)``: the same actions step by step, drawn from the
same random numbers (:mod:`otherminds.worlds.grid._mersenne`).

>>> from otherminds.worlds.cooking.batch import Batch
>>> from otherminds.worlds.cooking.rules import COOKING_ASYMMETRIC
>>> batch = Batch(COOKING_ASYMMETRIC, worlds=3)
>>> cooks = BatchedCooks(batch, (None, "chef_0"))
>>> _, info = batch.reset(7)
>>> cooks.begin(info.seeds)
>>> actions = cooks.act()
>>> actions[:, 0] = 0  # The learner's own
>>> batch.step(actions).rewards.shape
(3, 2)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from otherminds.core.errors import StudyError, WorldError
from otherminds.core.scenario import Independent, Population
from otherminds.core.seeds import derive
from otherminds.worlds.cooking import state as columns
from otherminds.worlds.cooking.batch import Batch
from otherminds.worlds.cooking.cooks import COOKS, FIXED, NOOP_BOT, CookPolicy
from otherminds.worlds.cooking.routes import routes
from otherminds.worlds.cooking.work import ROLES
from otherminds.worlds.grid.actions import seat_of
from otherminds.worlds.grid.scenarios import check_noise

NOBODY = -1

BATCHED: Mapping[str, CookPolicy] = {
    **COOKS,
    "blind": FIXED,
    "cook": CookPolicy("share", "share"),
    NOOP_BOT: CookPolicy("alone", "alone", 1.0),  # Idle in every step
}
"""The cooks that can be named: the stand-ins, and those of the reference minds that know no partner."""

Seats: TypeAlias = Sequence[str | CookPolicy | None]
"""Who acts in each seat of a world, in order: a name of :data:`BATCHED`, a policy, or ``None`` for none of these cooks."""
Cast: TypeAlias = Seats | Callable[[int], Seats] | Population | Independent
"""The seats of every world; or a function that gives those of an episode by its seed; or a scenario's population:
the episode of seed s has the partners ``population.met(s)`` in all seats but the first."""


class BatchedCooks:
    """Cooks in the seats of ``batch`` that ``cast`` names.

    With probability ``noise`` a step of a cook is a random movement, but not of ``noop_bot``. Those of a population
    have their own noise instead. ``seated`` is who acted last in the seats of each world.

    Raises:
        ImportError: numba is not installed.
        StudyError: there is no such cook, not one entry a seat, or ``noise`` is no probability.
    """

    def __init__(self, batch: Batch, cast: Cast, noise: float = 0.0) -> None:
        from otherminds.worlds.cooking import _cooks

        check_noise(noise, "cook")
        self.batch = batch
        self.noise = noise
        self.seated: list[Seats] = [()] * batch.worlds
        self._cast = cast
        self._kernel = _cooks
        self._routes = routes(batch.rules)
        self._memory = _cooks.empty(self._routes, batch.worlds, batch.players)
        self._actions = np.zeros((batch.worlds, batch.players), np.int64)
        self._fresh: bool | None = None  # Whether all worlds are at the start; None before the first one
        if not callable(cast):
            self._seat(0, 0)

    def begin(self, seeds: Sequence[int] | NDArray[np.integer]) -> None:
        """Starts in the episodes that ``batch`` has just begun, under B seeds: those of the batch, as a rule.

        Raises:
            WorldError: there is not one seed a world.
            StudyError: a cast that is a function gives what the constructor would refuse.
        """
        given = [int(seed) for seed in seeds]
        if len(given) != self.batch.worlds:
            raise WorldError(f"{len(given)} seeds for the cooks of {self.batch.worlds} worlds")
        self._start(np.arange(self.batch.worlds), given)
        self._fresh = True

    def act(self) -> NDArray[np.int64]:
        """The next actions, int64[B, P]; 0 in seats of others, for the caller to fill in.

        To be called once for each step of the batch. Where the last step ended an episode, the cooks of the next
        one begin under its seed. The next call overwrites the array.

        Raises:
            WorldError: :meth:`begin` has not been called yet.
        """
        if self._fresh is None:
            raise WorldError("the cooks are in no episode: call begin before act")
        batch = self.batch
        if not self._fresh:
            restarted = np.flatnonzero(batch.state.clock[:, columns.STEP] == 0)
            if restarted.size:
                self._start(restarted, batch.seeds[restarted].tolist())
        self._fresh = False
        self._kernel.act(self._routes, self._memory, batch.state, batch.windows, self._actions)
        return self._actions

    def _start(self, worlds: NDArray[np.int64], seeds: list[int]) -> None:
        """New cooks in ``worlds``, under a seed for each."""
        for b, seed in zip(worlds.tolist(), seeds, strict=True):
            self._seat(b, seed)
        draws = [[derive(seed, "mind", seat_of(i)) for i in range(self.batch.players)] for seed in seeds]
        self._kernel.begin(self._routes, self._memory, worlds, np.array(draws, np.uint64))

    def _seat(self, b: int, seed: int) -> None:
        """Puts the cooks of the episode of ``seed`` into the seats of world ``b``."""
        cast, memory = self._cast, self._memory
        if isinstance(cast, Population | Independent):
            met = cast.met(seed)
            seats: Seats = (None, *(partner.mind for partner in met))
            noises = [0.0, *(partner.params.get("noise", 0.0) for partner in met)]
        else:
            seats = cast(seed) if callable(cast) else cast
            noises = [0.0 if cook == NOOP_BOT else self.noise for cook in seats]
        if len(seats) != self.batch.players:
            raise StudyError(f"a cast of {len(seats)} for the {self.batch.players} seats of a kitchen")
        for i, (cook, noise) in enumerate(zip(seats, noises, strict=True)):
            memory.roles[b, i] = NOBODY
            if cook is not None:
                policy = cook if isinstance(cook, CookPolicy) else named(cook)
                memory.roles[b, i] = ROLES.index(policy.serving), ROLES.index(policy.supplying)
                memory.idle[b, i], memory.noise[b, i] = policy.idle, noise
        self.seated[b] = seats


def named(name: str) -> CookPolicy:
    """The policy of the cook ``name``.

    Raises:
        StudyError: there is no such cook.
    """
    if name not in BATCHED:
        raise StudyError(f"there is no batched cook {name!r}; there are {', '.join(sorted(BATCHED))}")
    return BATCHED[name]
