"""Which member of a population plays which seat, and one step of all members."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from otherminds.gridworlds.grid.actions import ACTIONS
from otherminds.gridworlds.grid.learner import LearnerBatch
from otherminds.gridworlds.grid.partners import Others
from otherminds.gridworlds.learning.network import HIDDEN, Seen
from otherminds.gridworlds.learning.simulators import Simulator

Act = Callable[..., Any]
"""From parameters, observations, states and random numbers to actions and states, all of [members, seats, ...]."""
NOBODY = -1
"""The role of a seat that no member plays."""


class RandomOthers:
    """Uniformly random over the eight actions, as the mind ``random``."""

    def __init__(self, batch: LearnerBatch) -> None:
        self._batch = batch
        self.begin()

    def begin(self) -> None:
        self._rng = np.random.default_rng(self._batch.seeds)

    def act(self) -> NDArray[np.int64]:
        return self._rng.integers(0, len(ACTIONS), (self._batch.worlds, self._batch.players))


def own_population(members: int, worlds: int, players: int) -> NDArray[np.int32]:
    """The member that plays each seat, int32[B, P]: fixed by world, each member equally often in each seat.

    Each two members meet equally often, and none meets itself while there are more members than players.

    >>> own_population(2, 2, 2).tolist()
    [[0, 1], [1, 0]]
    """
    world, seat = np.arange(worlds)[:, None], np.arange(players) % members
    turned = 1 + (world // members + seat - 1) % max(1, members - 1)
    return ((world + np.where(seat == 0, 0, turned)) % members).astype(np.int32)


def one_seat(members: int, worlds: int, players: int) -> NDArray[np.int32]:
    """Roles in which each world has one seat of a member, and other players fill the rest; as :func:`own_population`."""
    roles = np.full((worlds, players), NOBODY, np.int32)
    world = np.arange(worlds)
    roles[world, world // members % players] = world % members
    return roles


def ego_seats(members: int, worlds: int, players: int) -> NDArray[np.int32]:
    """Roles in which members play the first seat, and others fill the rest.

    >>> ego_seats(2, 2, 2).tolist()
    [[0, -1], [1, -1]]
    """
    roles = np.full((worlds, players), NOBODY, np.int32)
    roles[:, 0] = np.arange(worlds) % members
    return roles


class Observed(NamedTuple):
    """Observations as :class:`.network.Seen`, but in numpy arrays: of members' seats, [members, seats, ...], or of all
    seats of the worlds, [B · P, ...].
    """

    window: NDArray[np.uint8]
    vector: NDArray[np.float32]
    action: NDArray[np.int32]
    reward: NDArray[np.float32]
    first: NDArray[np.bool_]

    def of(self, seats: NDArray[np.intp]) -> Observed:
        """Those of some seats, given by their numbers among all; copies."""
        parts: list[Any] = [part[seats] for part in self]
        return Observed(*parts)


class Players:
    """The members of a population in the seats that ``roles`` (int32[B, P]) gives them, and others in the rest.

    Each member has the same number of seats, ``seats`` int[members, S]: indices into the B · P seats. ``h`` float32[members, S,
    HIDDEN] are their states. ``action`` int32[B, P] and ``reward`` float32[B, P] are those of the previous step, -1 and
    0 at the ``first`` (bool[B]) step of an episode. ``ended`` and ``cut`` bool[B]: the worlds whose episode ended with
    the last step, and those where it reached its maximal length.

    Raises:
        ValueError: members have different numbers of seats, or seats are left without a player.
    """

    def __init__(
        self, simulator: Simulator, roles: NDArray[np.int32], act: Act, others: Others | None = None
    ) -> None:
        self.simulator = simulator
        self.batch = batch = simulator.batch
        members = int(roles.max()) + 1
        self.seats = np.array([np.flatnonzero(roles.ravel() == member) for member in range(members)])
        self.worlds = self.seats // batch.players
        self._act = act
        self.others = others
        if others is None and (roles == NOBODY).any():
            raise ValueError("seats that no member plays need other players")
        self.h = np.zeros((*self.seats.shape, HIDDEN), np.float32)
        self.action = np.full((batch.worlds, batch.players), -1, np.int32)
        self.reward = np.zeros((batch.worlds, batch.players), np.float32)
        self.first = np.ones(batch.worlds, np.bool_)
        self.ended = self.cut = np.zeros(batch.worlds, np.bool_)

    def begin(self, seeds: NDArray[np.uint64]) -> None:
        """New episodes in all worlds."""
        self.batch.reset(seeds)
        if self.others is not None:
            self.others.begin()
        self.h[:], self.action[:], self.reward[:], self.first[:] = 0, -1, 0, True

    def observed(self) -> Observed:
        """What all seats observe now; the next step overwrites it."""
        first = np.repeat(self.first, self.batch.players)
        return self._flat(self.batch.windows, self.batch.vectors, self.action, self.reward, first)

    def finals(self) -> Observed:
        """The last observations of the episodes that ended in the last step, as if these went on."""
        batch, first = self.batch, np.zeros(self.action.size, np.bool_)
        return self._flat(batch.final_windows, batch.final_vectors, self.played, batch.rewards, first)

    def step(self, parameters: Any, observed: Observed, luck: NDArray[np.float32]) -> float:
        """All members act on ``observed`` by the random numbers ``luck`` float32[members, S], and the worlds step.

        Returns the processor seconds of the simulator. Afterwards ``played`` int32[B, P] are the actions.
        """
        chosen, after = self._act(parameters, Seen(*observed.of(self.seats)), self.h, luck)
        self.h = np.array(after)
        batch, others = self.batch, self.others
        self.played = (
            np.zeros(self.action.shape, np.int32) if others is None else np.asarray(others.act(), np.int32)
        )
        self.played.reshape(-1)[self.seats] = chosen
        began = process_time()
        batch.step(self.played)
        took = process_time() - began
        self.cut = batch.truncations.copy()
        self.ended = self.first = self.cut | batch.terminations
        over = self.ended[:, None]
        self.action = np.where(over, np.int32(-1), self.played)
        self.reward = np.where(over, np.float32(0), batch.rewards)
        return took

    def _flat(self, *arrays: NDArray[Any]) -> Observed:
        """Arrays of [B, P, ...] or [B · P] as observations of all seats."""
        count = self.action.size
        return Observed(
            *(array if len(array) == count else array.reshape(count, *array.shape[2:]) for array in arrays)
        )
