"""The batched interface for learning that all gridworlds share: B worlds in one call, in arrays.

It follows Gymnasium's vector environments (``AutoresetMode.SAME_STEP``) and PufferLib:
a world whose episode ends starts its next episode in the same step. Each world of a
batch equals the PettingZoo world under the same seed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from otherminds.core.errors import WorldError
from otherminds.worlds.grid.actions import ACTIONS
from otherminds.worlds.grid.engine import Kernel
from otherminds.worlds.grid.luck import MASK

Seen = TypeVar("Seen")
Told = TypeVar("Told")


class Stepped(NamedTuple, Generic[Seen, Told]):
    """A step, in Gymnasium's order.

    ``rewards`` float64[B, P]. ``terminations`` bool[B]: worlds whose episode ended by chance in this step.
    ``truncations`` bool[B]: worlds that reached the maximum length. Both have started their next episode
    already: ``observations`` are its first ones, while rewards belong to the last step.
    """

    observations: Seen
    rewards: NDArray[np.float64]
    terminations: NDArray[np.bool_]
    truncations: NDArray[np.bool_]
    info: Told


class Info(NamedTuple):
    """What a step returns beside the observations.

    ``seeds`` uint64[B]: of the episodes to which the observations belong.
    ``returns`` float64[B, P] and ``lengths`` int32[B]: undiscounted return and
    steps of the episode that ended last in each world; 0 while none has.
    """

    seeds: NDArray[np.uint64]
    returns: NDArray[np.float64]
    lengths: NDArray[np.int32]


class Episodes(NamedTuple):
    """What a batch keeps beside the state of B worlds of P avatars, for it outlives their episodes.

    ``seeds`` uint64[B]: of the episodes going on. ``rewards`` float64[B, P], ``over`` int32[B]: of the last
    step. ``returns`` float64[B, P]: summed rewards of the episodes going on. ``last_returns`` float64[B, P]
    and ``last_lengths`` int32[B]: of the episodes that ended last, 0 before. ``met`` int32[B, P, 2, K]: the
    inventories of duels of the last step, with K = 0 where there are no duels.
    """

    seeds: NDArray[np.uint64]
    rewards: NDArray[np.float64]
    over: NDArray[np.int32]
    returns: NDArray[np.float64]
    last_returns: NDArray[np.float64]
    last_lengths: NDArray[np.int32]
    met: NDArray[np.int32]


class GridBatch(ABC, Generic[Seen, Told]):
    """``worlds`` copies of a substrate under ``rules``, stepped together by its compiled ``kernel``.

    ``state`` is the complete state of the worlds. The arrays returned are read-only and belong to the batch,
    and the next call changes them; copy what you keep. After an episode under seed s a world goes on under
    ``Luck(s).next()`` (see :mod:`otherminds.worlds.grid.luck`), so every episode can be played again alone. A
    kernel uses one thread and releases the interpreter lock: several threads can step several batches.
    ``kinds``: see ``met`` of :class:`Episodes`.

    Raises:
        WorldError: fewer than one world.
        ValueError: the map is not enclosed, or has fewer spawn points than avatars.
    """

    def __init__(self, rules: Any, worlds: int, kernel: Kernel, kinds: int = 0) -> None:
        if worlds < 1:
            raise WorldError(f"a batch has at least 1 world, not {worlds}")
        self.rules = rules
        self.worlds = worlds
        self.players: int = rules.players
        self.state = kernel.empty(rules, worlds)
        self._kernel = kernel
        self._tables = kernel.tables(rules)
        self._window = np.zeros((worlds, self.players, *rules.view.shape, kernel.layers), np.uint8)
        self._cells = kernel.cells(self._window)
        self._episodes = Episodes(
            seeds=np.zeros(worlds, np.uint64),
            rewards=np.zeros((worlds, self.players)),
            over=np.zeros(worlds, np.int32),
            returns=np.zeros((worlds, self.players)),
            last_returns=np.zeros((worlds, self.players)),
            last_lengths=np.zeros(worlds, np.int32),
            met=np.zeros((worlds, self.players, 2, kinds), np.int32),
        )
        self._going = False

    def reset(self, seeds: int | np.integer | Sequence[int] | NDArray[np.integer]) -> tuple[Seen, Told]:
        """New episodes everywhere, under B seeds from 0 to 2**64 - 1, or under s, s + 1, ... for one s.

        Raises:
            WorldError: there is not one seed a world, or one is out of range.
        """
        if isinstance(seeds, int | np.integer):
            given = [int(seeds) + b for b in range(self.worlds)]
        else:
            given = [int(seed) for seed in seeds]
        if len(given) != self.worlds:
            raise WorldError(f"{len(given)} seeds for {self.worlds} worlds")
        if not all(0 <= seed <= MASK for seed in given):
            raise WorldError(f"seeds are whole numbers from 0 to 2**64 - 1, not {min(given)} to {max(given)}")
        for array in self._episodes:
            array[:] = 0
        self._episodes.seeds[:] = given
        self._kernel.reset(self._tables, self.state, self._episodes.seeds)
        self._kernel.look(self._tables, self.state, self._cells)
        self._going = True
        return self._observed(), self._info()

    def step(self, actions: NDArray[np.integer]) -> Stepped[Seen, Told]:
        """One step of all worlds. ``actions`` int[B, P], 0 to 7.

        Raises:
            WorldError: the array has another shape or other numbers, or nothing was reset yet.
        """
        made = np.asarray(actions)
        if not self._going:
            raise WorldError("no episode is going on: call reset before step")
        if made.shape != (self.worlds, self.players) or made.dtype.kind not in "iu":
            given = f"{made.dtype}{list(made.shape)}"
            raise WorldError(f"actions are int[{self.worlds}, {self.players}], not {given}")
        if made.min() < 0 or made.max() >= len(ACTIONS):
            raise WorldError(f"actions are 0 to 7 ({', '.join(ACTIONS)}), not {made.min()} to {made.max()}")
        acted = np.ascontiguousarray(made, np.int64)
        self._kernel.advance(self._tables, self.state, self._episodes, acted, self._cells)
        over = self._episodes.over
        return Stepped(self._observed(), shown(self._episodes.rewards), over == 1, over == 2, self._info())

    @property
    def seeds(self) -> NDArray[np.uint64]:
        """uint64[B]: the seeds of the episodes going on."""
        return shown(self._episodes.seeds)

    def observations(self) -> Seen:
        """The current observations, as the last call returned them."""
        return self._observed()

    @abstractmethod
    def _observed(self) -> Seen:
        """The current observations."""

    def _info(self) -> Any:
        """Information beside the observations: :class:`Info`, if not overridden."""
        kept = self._episodes
        return Info(shown(kept.seeds), shown(kept.last_returns), shown(kept.last_lengths))


def shown(array: NDArray[Any]) -> NDArray[Any]:
    """A read-only view of ``array``."""
    view = array.view()
    view.flags.writeable = False
    return view
