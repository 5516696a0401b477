"""Background bots that act in all worlds of a batch at once: partners for training.

They decide step by step as the bots of :mod:`.roster` do, random draws included.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from otherminds.core.errors import WorldError
from otherminds.core.seeds import derive
from otherminds.worlds.grid.actions import seat_of
from otherminds.worlds.grid.scenarios import check_noise
from otherminds.worlds.in_the_matrix import state as columns
from otherminds.worlds.in_the_matrix.batch import Batch
from otherminds.worlds.in_the_matrix.bots.casts import Cast, draws, numbered
from otherminds.worlds.in_the_matrix.bots.charts import chart, policies
from otherminds.worlds.in_the_matrix.bots.memory import desk, empty


class BatchedBots:
    """Bots in seats of ``batch``, each with the knowledge of its own seat.

    ``cast`` says which bot sits where: for each world a mapping from seat numbers to names of
    :func:`~.roster.bot_names`, or a sequence of P names, ``None`` for seats that are not theirs; or a function
    ``(world, seed)`` that gives this at the start of each episode; or a scenario, whose population fills all
    seats that are not under test, as in the episode of that seed. ``noise`` is the probability of a random
    movement in a step.

    An episode has a seed, from which each seat derives its random stream as minds do
    (:class:`~otherminds.core.seat_context.SeatContext`). Call :meth:`begin` after each reset of the batch, then
    :meth:`act` once for each step. A world that begins anew within a step is noticed; its bots then take its new
    seed (``info.seeds``) as theirs, so that every episode can be played again alone.

    Raises:
        ImportError: numba is not installed.
        StudyError: a bad cast or noise.

    >>> from otherminds.worlds.in_the_matrix.rules import PD_REPEATED
    >>> batch = Batch(PD_REPEATED, worlds=2)
    >>> bots = BatchedBots(batch, [{1: "puppet_tft_margin_0"}, [None, "puppet_flip_0"]])
    >>> observations, info = batch.reset(7)
    >>> bots.begin()
    >>> actions = bots.act()
    >>> actions.shape, actions[:, 0].tolist()
    ((2, 2), [0, 0])
    >>> stepped = batch.step(actions)
    """

    def __init__(self, batch: Batch, cast: Cast, noise: float = 0.0) -> None:
        from otherminds.worlds.in_the_matrix.bots._kernel import act_all, begin_all

        check_noise(noise, "bot")
        rules = batch.rules
        self.batch = batch
        self.noise = float(noise)
        self.cast: NDArray[np.int64] = np.full((batch.worlds, batch.players), -1, np.int64)
        """int64[B, P]: the bot in each seat in the episodes going on, by number in ``bot_names(rules)``; -1 for none."""
        self._act_all, self._begin_all = act_all, begin_all
        self._draw = draws(cast, rules, batch.worlds)
        self._chart, self._policies = chart(rules), policies(rules)
        self._memory, self._desk = empty(rules, batch.worlds), desk(rules)
        self._worlds = np.zeros(batch.worlds, np.uint64)  # The seeds of the worlds' episodes
        self._steps = np.full(batch.worlds, -1, np.int64)  # The last step in which bots acted
        self._begun = False

    def begin(self, seeds: int | Sequence[int] | NDArray[np.integer] | None = None) -> None:
        """New episodes everywhere, under B seeds, or s, s + 1, ... for one s, or those of the worlds.

        To repeat the episode of seed s of a study, reset the world under ``derive(s, "world") % 2**31`` and give s here.

        Raises:
            WorldError: there is not one seed a world.
            StudyError: the cast names a bot or a seat that there is not.
        """
        worlds = self.batch.worlds
        if seeds is None:
            given = self.batch.seeds.tolist()
        elif isinstance(seeds, int | np.integer):
            given = [int(seeds) + b for b in range(worlds)]
        else:
            given = [int(seed) for seed in seeds]
        if len(given) != worlds:
            raise WorldError(f"{len(given)} seeds for the bots of {worlds} worlds")
        self._start(np.ones(worlds, np.bool_), given)
        self._begun = True

    def act(self) -> NDArray[np.int64]:
        """The actions of the bots after the present observations, int64[B, P]; 0 in other seats. A new array.

        Raises:
            WorldError: :meth:`begin` was not called, or not one step was made since the last call.
            StudyError: the cast names a bot or a seat that there is not.
        """
        if not self._begun:
            raise WorldError("the bots have not begun: call begin after the reset of the batch")
        now = self.batch.state.clock[:, columns.STEP].copy()
        fresh = (now == 0) & ((self._worlds != self.batch.seeds) | (self._steps > 0))
        if fresh.any():
            self._start(fresh, self.batch.seeds.tolist())
        if not np.array_equal(now, self._steps + 1):
            b = int(np.flatnonzero(now != self._steps + 1)[0])
            raise WorldError(
                f"bots act once in each step; world {b} is at step {now[b]} and its bots acted last in step "
                f"{self._steps[b]}: call act before each step, and begin after each reset"
            )
        batch = self.batch
        observed = batch.observations()
        # Copies, because the kernel would be compiled anew for arrays of another layout, such as those of one world.
        windows = observed.window.reshape(batch.worlds, batch.players, -1, observed.window.shape[-1])
        observed = observed._replace(window=windows, inventory=observed.inventory.copy("C"))
        actions = np.zeros((batch.worlds, batch.players), np.int64)
        self._act_all(
            self._chart,
            self._policies,
            self._memory,
            self._desk,
            observed,
            batch.state.met,
            now,
            self.noise,
            actions,
        )
        self._steps[:] = now
        return actions

    def _start(self, fresh: NDArray[np.bool_], seeds: Sequence[int]) -> None:
        """Episodes of ``seeds`` in the worlds that are ``fresh``."""
        streams = np.zeros(self.cast.shape, np.uint64)
        for b in np.flatnonzero(fresh).tolist():
            self.cast[b] = numbered(self._draw(b, seeds[b]), self.batch.rules)
            for i in np.flatnonzero(self.cast[b] >= 0).tolist():
                streams[b, i] = derive(seeds[b], "mind", seat_of(i))
        self._begin_all(self._chart, self._policies, self._memory, fresh, self.cast, streams)
        self._worlds[fresh] = self.batch.seeds[fresh]
        self._steps[fresh] = -1
