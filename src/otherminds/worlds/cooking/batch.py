"""The face for learning: B worlds in one call, in arrays, each beginning anew when it ends.

Made for those who know Gymnasium's vector environments (``AutoresetMode.SAME_STEP``)
or PufferLib. One world of a batch goes exactly as
:class:`~otherminds.worlds.cooking.world.CookingWorld` does under its seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from otherminds.core.errors import WorldError
from otherminds.worlds.cooking import state as columns
from otherminds.worlds.cooking.rules import Rules
from otherminds.worlds.cooking.state import State, empty
from otherminds.worlds.cooking.tables import tables
from otherminds.worlds.cooking.views import LAYERS
from otherminds.worlds.grid.actions import ACTIONS
from otherminds.worlds.grid.luck import MASK


class Observations(NamedTuple):
    """What all avatars observe: B worlds of P avatars.

    ``window`` uint8[B, P, rows, columns, 6]: codes in :mod:`.views`. ``position``
    int32[B, P, 2]: x and y. ``orientation`` int32[B, P]: 0 N, 1 E, 2 S, 3 W.
    """

    window: NDArray[np.uint8]
    position: NDArray[np.int32]
    orientation: NDArray[np.int32]


class Info(NamedTuple):
    """What is told beside the observations.

    ``seeds`` uint64[B]: of the episodes to which the observations belong.
    ``returns`` float64[B, P] and ``lengths`` int32[B]: undiscounted return and
    steps of the episode that ended last in each world; 0 while none has.
    """

    seeds: NDArray[np.uint64]
    returns: NDArray[np.float64]
    lengths: NDArray[np.int32]


class Stepped(NamedTuple):
    """A step, in Gymnasium's order.

    ``rewards`` float64[B, P]. ``terminations`` bool[B]: none, ever. ``truncations``
    bool[B]: worlds that have reached the greatest length. They have begun anew
    already, and ``observations`` are then the first of the next episode, while
    rewards are still of the last step.
    """

    observations: Observations
    rewards: NDArray[np.float64]
    terminations: NDArray[np.bool_]
    truncations: NDArray[np.bool_]
    info: Info


class Batch:
    """``worlds`` copies of the substrate under ``rules``, stepped together by the compiled kernel.

    The arrays handed out are the batch's own, and the next call overwrites them:
    copy what is to be kept. ``state`` is all there is to know of the worlds.

    After an episode under seed s a world goes on under ``Luck(s).next()`` (see
    :mod:`otherminds.worlds.grid.luck`), so that every episode can be played again
    alone. The kernel uses one thread and lets go of the interpreter: several
    batches can be stepped by several threads.

    Raises:
        ImportError: numba is not there.
        ValueError: the map is not enclosed, or has fewer spawn points than avatars.

    >>> from otherminds.worlds.cooking.rules import COOKING_ASYMMETRIC
    >>> batch = Batch(COOKING_ASYMMETRIC, worlds=3)
    >>> observations, info = batch.reset(7)
    >>> observations.window.shape, info.seeds.tolist()
    ((3, 2, 5, 5, 6), [7, 8, 9])
    >>> batch.step(np.zeros((3, 2), int)).rewards.shape
    (3, 2)
    """

    def __init__(self, rules: Rules, worlds: int) -> None:
        from otherminds.worlds.cooking import _batch, _kernel

        self.rules = rules
        self.worlds = worlds
        self.state: State = empty(rules, worlds)
        self._tables = tables(rules)
        self._episodes = _batch.episodes(rules, worlds)
        self._advance, self._reset, self._look = _batch.advance, _kernel.reset_all, _kernel.look_all
        self._window = np.zeros((worlds, rules.players, *rules.view.shape, LAYERS), np.uint8)
        self._cells = self._window.reshape(worlds, rules.players, -1, LAYERS)

    def reset(self, seeds: int | Sequence[int] | NDArray[np.integer]) -> tuple[Observations, Info]:
        """New episodes everywhere, under B seeds from 0 to 2**64 - 1, or under s, s + 1, ... for one s.

        Raises:
            WorldError: there is not one seed a world.
        """
        given = range(seeds, seeds + self.worlds) if isinstance(seeds, int) else seeds
        if len(given) != self.worlds:
            raise WorldError(f"{len(given)} seeds for {self.worlds} worlds")
        for array in self._episodes:
            array[:] = 0
        self._episodes.seeds[:] = [int(seed) & MASK for seed in given]
        self._reset(self._tables, self.state, self._episodes.seeds)
        return self._observed(), self._info()

    def step(self, actions: NDArray[np.integer]) -> Stepped:
        """Everybody in all worlds acts once. ``actions`` int[B, P], 0 to 7.

        Raises:
            WorldError: the array has another shape or other numbers.
        """
        made = np.asarray(actions)
        if made.shape != (self.worlds, self.rules.players) or made.dtype.kind not in "iu":
            raise WorldError(
                f"actions are int[{self.worlds}, {self.rules.players}], not {made.dtype}{list(made.shape)}"
            )
        if made.min() < 0 or made.max() >= len(ACTIONS):
            raise WorldError(f"actions are 0 to 7 ({', '.join(ACTIONS)}), not {made.min()} to {made.max()}")
        self._advance(self._tables, self.state, self._episodes, np.ascontiguousarray(made, np.int64))
        over = self._episodes.over
        return Stepped(self._observed(), self._episodes.rewards, over == 1, over == 2, self._info())

    def _observed(self) -> Observations:
        self._look(self._tables, self.state, self._cells)
        avatars = self.state.avatars
        return Observations(self._window, avatars[..., : columns.FACING], avatars[..., columns.FACING])

    def _info(self) -> Info:
        episodes = self._episodes
        return Info(episodes.seeds, episodes.last_returns, episodes.last_lengths)
