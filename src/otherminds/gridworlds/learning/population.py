"""Who plays in a training, and in what: worlds with what trainings need beside observations, and members in their seats."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from otherminds.core.data import Behaviour
from otherminds.core.errors import StudyError
from otherminds.core.scenario import Scenario
from otherminds.gridworlds.cooking import rules as kitchen
from otherminds.gridworlds.cooking.acts import BEHAVIOURS, PATIENCE, STOOD, label_acts
from otherminds.gridworlds.cooking.cooks import BatchedCooks
from otherminds.gridworlds.grid.learner import LearnerBatch, substrate
from otherminds.gridworlds.grid.partners import BatchedPartners, Others
from otherminds.gridworlds.grid.rules import ACTIONS
from otherminds.gridworlds.in_the_matrix import rules as matrix
from otherminds.gridworlds.in_the_matrix.bots import BatchedBots
from otherminds.gridworlds.in_the_matrix.rules import Rules as MatrixRules
from otherminds.gridworlds.learning.network import HIDDEN, LearnerView, Shape


class Simulator(ABC):
    """``batch`` and what only trainings read of its state.

    ``behaviours`` are what the probe predicts of another player; ``patience`` the steps without one after which
    the player shows the last of them, 0 if that never happens. ``bonuses`` names the events for which a training can give
    pseudo-rewards. ``shape`` is that of the network's inputs. ``remembered`` is what :meth:`events` compares with, by name.
    """

    behaviours: tuple[Behaviour, ...]
    patience = 0
    bonuses: tuple[str, ...]
    shape: Shape

    def __init__(self, batch: LearnerBatch) -> None:
        self.batch = batch
        self.state: Any = batch.shards[0].state
        self.remembered: dict[str, NDArray[Any]] = {}

    @abstractmethod
    def partners(self, scenario: Scenario) -> BatchedPartners:
        """The population of ``scenario`` in the seats of all worlds but those under test."""

    @abstractmethod
    def shown(self) -> NDArray[np.int8]:
        """The number of the behaviour that each player showed in the last step, int8[B, P], -1 if none."""

    @abstractmethod
    def events(self) -> dict[str, NDArray[np.bool_]]:
        """Which players each of ``bonuses`` happened to in the last step, bool[B, P]."""

    def bonus(self, worth: Mapping[str, float]) -> NDArray[np.float32]:
        """The pseudo-rewards of the last step, float32[B, P]."""
        total = np.zeros((self.batch.worlds, self.batch.players), np.float32)
        for name, happened in self.events().items():
            if worth.get(name):
                total += np.float32(worth[name]) * happened
        return total

    def _shape(self, scale: tuple[float, ...], reward_scale: float) -> Shape:
        rows, columns, layers = self.batch.windows.shape[2:]
        return Shape((rows, columns, layers), self.batch.substrate.codes, scale, reward_scale)


class MatrixSimulator(Simulator):
    """Duels over resources. A behaviour is the class of which most was held in a duel; none if classes tie."""

    bonuses = ("collected", "duelled")

    def __init__(self, batch: LearnerBatch, rules: MatrixRules) -> None:
        super().__init__(batch)
        self.behaviours = rules.classes
        kinds = len(rules.classes)
        pays = [abs(pay) for row in (*rules.row, *rules.column) for pay in row]
        self.shape = self._shape((0.2,) * kinds + (1.0,), 1.0 / max(pays))
        self.remembered = {"held": np.zeros((batch.worlds, batch.players), np.int32)}

    def partners(self, scenario: Scenario) -> BatchedPartners:
        return BatchedBots(self.batch.shards[0], scenario)

    def shown(self) -> NDArray[np.int8]:
        inventories = self.state.met[:, :, 0]
        most = inventories.max(-1, keepdims=True)
        sure = (most[..., 0] > 0) & ((inventories == most).sum(-1) == 1)
        return np.where(sure, inventories.argmax(-1), -1).astype(np.int8)

    def events(self) -> dict[str, NDArray[np.bool_]]:
        """``collected``: the inventory grew. ``duelled``: a duel was resolved."""
        holdings = self.state.avatars[..., matrix.COUNTS :].sum(-1)
        grew = holdings > self.remembered["held"]
        self.remembered["held"] = holdings
        return {"collected": grew, "duelled": self.state.met[:, :, 0].max(-1) > 0}


class KitchenSimulator(Simulator):
    """Cooks. A behaviour is an act, or to stand around; see :mod:`otherminds.gridworlds.cooking.acts`."""

    behaviours = BEHAVIOURS
    patience = PATIENCE
    bonuses = ("filled", "served", "delivered")

    def __init__(self, batch: LearnerBatch, pay: float) -> None:
        super().__init__(batch)
        self.shape = self._shape((), 1.0 / pay)
        assert BEHAVIOURS[-1] == STOOD, "the behaviour of those who show none comes last"

    def partners(self, scenario: Scenario) -> BatchedPartners:
        return BatchedCooks(self.batch.shards[0], scenario)

    def shown(self) -> NDArray[np.int8]:
        return label_acts(self.batch.did)

    def events(self) -> dict[str, NDArray[np.bool_]]:
        """``filled``: put a tomato into a pot. ``served``: took a soup from a pot. ``delivered``: delivered a soup."""
        did = self.batch.did
        codes = {"filled": kitchen.FILLED, "served": kitchen.SERVED, "delivered": kitchen.DELIVERED}
        return {name: did == code for name, code in codes.items()}


def simulator(name: str, worlds: int) -> Simulator:
    """``worlds`` copies of the substrate ``name``, stepped by one thread.

    Raises:
        UnknownNameError: there is no such substrate.
        StudyError: learners cannot play it.
    """
    source = substrate(name)
    batch = source.batch(worlds)
    if isinstance(source.rules, MatrixRules):
        return MatrixSimulator(batch, source.rules)
    pay = getattr(source.rules, "pay", None)
    if pay is None:
        raise StudyError(f"learners cannot play {name!r}: it has neither duels nor a kitchen")
    return KitchenSimulator(batch, pay)


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
        chosen, after = self._act(parameters, LearnerView(*observed.of(self.seats)), self.h, luck)
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
