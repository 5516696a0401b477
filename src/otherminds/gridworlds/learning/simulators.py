"""The substrates as learners see them: a batch of worlds, with what trainings need beside observations."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from otherminds.core.data import Behaviour
from otherminds.core.errors import StudyError
from otherminds.core.scenario import Scenario
from otherminds.gridworlds.cooking import state as kitchen
from otherminds.gridworlds.cooking.acts import BEHAVIOURS, PATIENCE, STOOD
from otherminds.gridworlds.cooking.batched import BatchedCooks
from otherminds.gridworlds.cooking.labels import acts
from otherminds.gridworlds.grid.learner import LearnerBatch, substrate
from otherminds.gridworlds.grid.partners import BatchedPartners
from otherminds.gridworlds.in_the_matrix import state as matrix
from otherminds.gridworlds.in_the_matrix.bots.roster import BatchedBots
from otherminds.gridworlds.in_the_matrix.rules import Rules as MatrixRules
from otherminds.gridworlds.learning.network import Shape


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
        return acts(self.batch.did)

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
