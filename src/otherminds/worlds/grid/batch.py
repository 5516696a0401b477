"""The face for learning that all gridworlds share: B worlds in one call, in arrays.

Made for those who know Gymnasium's vector environments (``AutoresetMode.SAME_STEP``)
or PufferLib: a world whose episode ends begins anew in the same step. One world of a
batch goes exactly as the PettingZoo face does under its seed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from otherminds.core.errors import WorldError
from otherminds.worlds.grid.actions import ACTIONS
from otherminds.worlds.grid.luck import MASK

Seen = TypeVar("Seen")
ReceivedMessage = TypeVar("ReceivedMessage")


class Stepped(NamedTuple, Generic[Seen, ReceivedMessage]):
    """A step, in Gymnasium's order.

    ``rewards`` float64[B, P]. ``terminations`` bool[B]: worlds whose episode chance
    has ended in this step. ``truncations`` bool[B]: those that have reached the
    greatest length. Both kinds have begun anew already, and ``observations`` are
    then the first of the next episode, while rewards are still of the last step.
    """

    observations: Seen
    rewards: NDArray[np.float64]
    terminations: NDArray[np.bool_]
    truncations: NDArray[np.bool_]
    info: ReceivedMessage


class GridBatch(ABC, Generic[Seen, ReceivedMessage]):
    """``worlds`` copies of a substrate of ``players`` avatars, stepped together by its compiled kernel.

    The arrays handed out are the batch's own: they can be read, not written, and
    the next call changes them; copy what is to be kept. After an episode under
    seed s a world goes on under ``Luck(s).next()`` (see
    :mod:`otherminds.worlds.grid.luck`), so that every episode can be played again
    alone. A kernel uses one thread and lets go of the interpreter: several batches
    can be stepped by several threads. ``episodes`` is what the kernel keeps beside
    the state: named arrays, ``seeds``, ``rewards`` and ``over`` among them.

    Raises:
        WorldError: fewer than one world.
    """

    def __init__(self, worlds: int, players: int, episodes: Any) -> None:
        if worlds < 1:
            raise WorldError(f"a batch has at least 1 world, not {worlds}")
        self.worlds = worlds
        self.players = players
        self._episodes = episodes
        self._going = False

    def reset(
        self, seeds: int | np.integer | Sequence[int] | NDArray[np.integer]
    ) -> tuple[Seen, ReceivedMessage]:
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
        self._restart()
        self._going = True
        return self._observed(), self._info()

    def step(self, actions: NDArray[np.integer]) -> Stepped[Seen, ReceivedMessage]:
        """Everybody in all worlds acts once. ``actions`` int[B, P], 0 to 7.

        Raises:
            WorldError: the array has another shape or other numbers, or nothing was reset yet.
        """
        made = np.asarray(actions)
        if not self._going:
            raise WorldError("no episode is going on: call reset before step")
        if made.shape != (self.worlds, self.players) or made.dtype.kind not in "iu":
            raise WorldError(
                f"actions are int[{self.worlds}, {self.players}], not {made.dtype}{list(made.shape)}"
            )
        if made.min() < 0 or made.max() >= len(ACTIONS):
            raise WorldError(f"actions are 0 to 7 ({', '.join(ACTIONS)}), not {made.min()} to {made.max()}")
        self._play(np.ascontiguousarray(made, np.int64))
        over = self._episodes.over
        return Stepped(self._observed(), shown(self._episodes.rewards), over == 1, over == 2, self._info())

    @abstractmethod
    def _restart(self) -> None:
        """Resets every world under its seed."""

    @abstractmethod
    def _play(self, actions: NDArray[np.int64]) -> None:
        """Steps every world; those whose episode ends begin anew."""

    @abstractmethod
    def _observed(self) -> Seen:
        """What is observed now."""

    @abstractmethod
    def _info(self) -> ReceivedMessage:
        """What is told beside it."""


def shown(array: NDArray[Any]) -> NDArray[Any]:
    """The same array, to be read alone."""
    view = array.view()
    view.flags.writeable = False
    return view
