"""Which member of a population plays which seat, and one step of all members."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from otherminds.learning.network import HIDDEN, Seen
from otherminds.learning.simulators import Simulator
from otherminds.worlds.grid.actions import ACTIONS

Act = Callable[..., Any]
"""From parameters, observations, states and random numbers to actions and states, all of [members, seats, ...]."""
NOBODY = -1
"""The role of a seat that no member plays."""


class Others(Protocol):
    """Plays seats that no member plays, in the worlds of a batch."""

    def begin(self, seeds: NDArray[np.uint64]) -> None:
        """Episodes begin in all worlds, under ``seeds`` uint64[B]."""
        ...

    def act(self) -> NDArray[np.int64]:
        """The actions of the next step, int64[B, P]; those of members' seats are not used."""
        ...


class RandomOthers:
    """Uniformly random over the eight actions, as the mind ``random``."""

    def __init__(self, worlds: int, players: int) -> None:
        self._size = (worlds, players)
        self.begin(np.zeros(worlds, np.uint64))

    def begin(self, seeds: NDArray[np.uint64]) -> None:
        self._rng = np.random.default_rng(seeds)

    def act(self) -> NDArray[np.int64]:
        return self._rng.integers(0, len(ACTIONS), self._size)


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


class Observed(NamedTuple):
    """Observations of members' seats, as :class:`.network.Seen` but in numpy arrays of [members, seats, ...]."""

    window: NDArray[np.uint8]
    vector: NDArray[np.float32]
    action: NDArray[np.int32]
    reward: NDArray[np.float32]
    first: NDArray[np.bool_]


class Players:
    """The members of a population in the seats that ``roles`` (int32[B, P]) gives them, and others in the rest.

    Each member has the same number of seats, ``seats`` int[members, S]: indices into the B · P seats.

    Raises:
        ValueError: members have different numbers of seats, or seats are left without a player.
    """

    def __init__(
        self, simulator: Simulator, roles: NDArray[np.int32], act: Act, others: Others | None = None
    ) -> None:
        self.simulator = simulator
        self.batch = simulator.batch
        members = int(roles.max()) + 1
        self.seats = np.array([np.flatnonzero(roles.ravel() == member) for member in range(members)])
        self.worlds = self.seats // self.batch.players
        self._act = act
        self._others = others
        if others is None and (roles == NOBODY).any():
            raise ValueError("seats that no member plays need other players")
        shape = self.seats.shape
        self.h = np.zeros((*shape, HIDDEN), np.float32)
        self.action = np.full(shape, -1, np.int32)
        self.reward = np.zeros(shape, np.float32)
        self.first = np.ones(shape, np.bool_)

    def begin(self, seeds: NDArray[np.uint64]) -> None:
        """New episodes in all worlds."""
        self.batch.reset(seeds)
        if self._others is not None:
            self._others.begin(seeds)
        self.h[:], self.action[:], self.reward[:], self.first[:] = 0, -1, 0, True

    def observed(self) -> Observed:
        """What the members observe now; copies."""
        windows, vectors = self.batch.windows, self.batch.vectors
        return Observed(
            window=self._of_seats(windows),
            vector=self._of_seats(vectors),
            action=self.action.copy(),
            reward=self.reward.copy(),
            first=self.first.copy(),
        )

    def finals(self) -> Observed:
        """The last observations of the episodes that ended in the last step, as if they went on; copies."""
        windows, vectors = self.batch.final_windows, self.batch.final_vectors
        return Observed(
            window=self._of_seats(windows),
            vector=self._of_seats(vectors),
            action=self.chosen.copy(),
            reward=self.rewards.copy(),
            first=np.zeros(self.seats.shape, np.bool_),
        )

    def _of_seats(self, array: NDArray[Any]) -> NDArray[Any]:
        """The rows of the members' seats of an array of [B, P, ...]; it may be empty."""
        return array.reshape(self.batch.worlds * self.batch.players, *array.shape[2:])[self.seats]

    def step(self, parameters: Any, seen: Observed, luck: NDArray[np.float32]) -> float:
        """All members act on ``seen`` by the random numbers ``luck`` float32[members, S], and the worlds step.

        Returns the processor seconds of the simulator.

        Afterwards ``chosen`` int32[members, S] and ``rewards`` float32[members, S] are those of this step, and ``ended``
        and ``cut`` bool[members, S] say whether the episode ended with it, and by its length.
        """
        chosen, after = self._act(parameters, Seen(*seen), self.h, luck)
        self.chosen, self.h = np.asarray(chosen), np.array(after)
        played = (
            np.zeros((self.batch.worlds, self.batch.players), np.int64)
            if self._others is None
            else self._others.act().copy()
        )
        played.reshape(-1)[self.seats] = self.chosen
        began = process_time()
        self.batch.step(played)
        took = process_time() - began
        self.rewards = self._of_seats(self.batch.rewards)
        self.cut = self.batch.truncations[self.worlds]
        self.ended = self.cut | self.batch.terminations[self.worlds]
        self.action = np.where(self.ended, -1, self.chosen).astype(np.int32)
        self.reward = np.where(self.ended, 0, self.rewards).astype(np.float32)
        self.first = self.ended
        return took
