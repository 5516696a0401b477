"""The *in the matrix* substrates as PettingZoo environments."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Space
from numpy.typing import NDArray

from otherminds.core.data import Answer, Behaviour, Question
from otherminds.core.worlds import worlds
from otherminds.gridworlds.grid.engine import Kernel, KernelEngine
from otherminds.gridworlds.grid.learner import Substrate, substrates
from otherminds.gridworlds.grid.world import GridWorld, Met
from otherminds.gridworlds.in_the_matrix import pixels
from otherminds.gridworlds.in_the_matrix import state as columns
from otherminds.gridworlds.in_the_matrix.duels import Duel
from otherminds.gridworlds.in_the_matrix.rules import SUBSTRATES, Rules
from otherminds.gridworlds.in_the_matrix.views import LAYERS, ansi, codes


def engine(rules: Rules) -> KernelEngine:
    """The engine of the compiled rules."""
    from otherminds.gridworlds.in_the_matrix._kernel import KERNEL

    return KernelEngine(rules, KERNEL, len(rules.classes) + 1)


@worlds.register("in_the_matrix")
class InTheMatrixWorld(GridWorld):
    """One substrate under ``rules``: gather resources, then duel with the beam.

    A seat observes a dictionary under Melting Pot's names: ``WINDOW`` uint8[rows, columns, 4]
    (codes in :mod:`.views`), ``INVENTORY`` float64[K], ``READY_TO_SHOOT`` float64[] (0, 0.5 or 1), and where
    it is itself, ``POSITION`` int32[2] (x, y; -1 while removed) and ``ORIENTATION`` int32[] (0 N, 1 E, 2 S, 3
    W), which skills and verbalizers need.

    Grants (``options["grants"]`` of :meth:`reset`): ``inventories`` adds ``INTERACTION_INVENTORIES``
    float64[2, K], own and the other's inventory in the step in which a duel is resolved, else -1, and 0 at
    the reset, as the official bots have it; ``map`` adds ``WORLD.MAP`` int8[height, width, 2], the resources
    (class + 1, 0 for none) and the avatars (player + 1).

    Encounters are duels, observed when they are paid. The own behaviour is the class with most in the
    inventory (several if they tie); of the other behaviour the seat observes what its own inventory and
    reward leave possible (:func:`~otherminds.gridworlds.in_the_matrix.duels.possible`).
    For the options see :class:`~otherminds.gridworlds.grid.world.GridWorld`.
    """

    _text = staticmethod(ansi)
    _picture = staticmethod(pixels.world)

    def __init__(
        self,
        rules: Rules,
        skills: tuple[str, ...] = (),
        rounds: int = 0,
        rgb: bool = False,
        render_mode: str | None = None,
    ) -> None:
        self.rules = rules
        super().__init__(rules, engine(rules), LAYERS, skills, rounds, rgb, render_mode)

    @property
    def behaviours(self) -> tuple[Behaviour, ...]:
        return self.rules.classes

    @property
    def reward_range(self) -> tuple[float, float]:
        pays = [pay for row in (*self.rules.row, *self.rules.column) for pay in row]
        return float(min(pays)), float(max(pays))

    def truth(self, question: Question, step: int) -> Answer | None:
        """What ``question.about`` plays in its next duel that is resolved at ``step`` or later.

        ``None`` if there is none, or if its inventory ties.
        """
        for duel in self.duels:
            if duel.step >= step and question.about in duel.seats:
                played = duel.played(question.about, self.rules.classes)
                return played[0] if len(played) == 1 else None
        return None

    def facts(self) -> dict[str, Any]:
        """Every duel: its step, who zapped whom, both inventories, both rewards."""
        return {"duels": [duel.facts() for duel in self.duels]}

    def _begin(self) -> None:
        self.duels: list[Duel] = []
        self._pending: dict[int, Duel] = {}

    def _settle(self) -> Met:
        state, seats = self.engine.state, self.possible_agents
        met = state.met[0, :, 0, 0].tolist()
        if max(met) < 0 and not self._pending:
            return {}
        encounters: Met = {}
        step = int(state.clock[0, columns.STEP]) - 1
        for i in [i for i, own in enumerate(met) if own >= 0]:
            avatar = state.avatars[0, i]
            if avatar[columns.ZAPPER]:
                j = int(avatar[columns.FOE])
                own, other = (tuple(map(int, row)) for row in state.met[0, i])
                pays = (float(state.pay[0, i]), float(state.pay[0, j]))
                duel = Duel(step, (seats[i], seats[j]), (own, other), pays)
                self.duels.append(duel)
                self._pending[i] = self._pending[j] = duel
        for i in [i for i in self._pending if not state.avatars[0, i, columns.ALIVE]]:
            encounters[seats[i]] = (self._pending.pop(i).heard(seats[i], step, self.rules),)
        return encounters

    def _observe_seat(
        self, window: NDArray[np.uint8], vector: NDArray[np.float64], pose: NDArray[np.int32]
    ) -> dict[str, Any]:
        return {
            "WINDOW": window,
            "INVENTORY": vector[:-1],
            "READY_TO_SHOOT": vector[-1, ...],
            "POSITION": pose[:2],
            "ORIENTATION": pose[2, ...],
        }

    def _observe_grants(self, player: int, grants: Collection[str]) -> dict[str, Any]:
        if "inventories" not in grants:
            return {}
        return {"INTERACTION_INVENTORIES": self.engine.state.met[0, player].astype(np.float64)}

    def _map(self) -> NDArray[np.int8]:
        width, height = self.rules.size
        cells = np.zeros((height, width, 2), np.int8)
        resources = self.engine.state.resources[0]
        for (x, y), resource in zip(self.rules.places, resources, strict=True):
            cells[y, x, 0] = (resource[columns.KIND] + 1) * resource[columns.SHOWN]
        cells[..., 1] = self.engine.state.here[0].reshape(height, width)
        return cells

    def _spaces(self) -> dict[str, Space[Any]]:
        rules = self.rules
        kinds = len(rules.classes)
        width, height = rules.size
        farthest = np.array([width - 1, height - 1], np.int32)
        return {
            "INVENTORY": Box(0, np.inf, (kinds,), np.float64),
            "READY_TO_SHOOT": Box(0, 1, (), np.float64),
            "POSITION": Box(np.full(2, -1, np.int32), farthest, dtype=np.int32),
            "ORIENTATION": Box(0, 3, (), np.int32),
            "INTERACTION_INVENTORIES": Box(-1, np.inf, (2, kinds), np.float64),
            "WORLD.MAP": Box(0, max(kinds, rules.players), (height, width, 2), np.int8),
        }


def learned(rules: Rules) -> Substrate:
    """The substrate under ``rules``: a vector is the inventory, float32[K], and whether the beam can be fired (0 to 1)."""
    kinds = len(rules.classes)
    return Substrate(rules, codes(rules), (("INVENTORY", kinds), ("READY_TO_SHOOT", 1)), _kernel, kinds)


@substrates.family
def _list_substrates() -> dict[str, Callable[[], Substrate]]:
    return {name: partial(learned, rules) for name, rules in SUBSTRATES.items()}


def _kernel() -> Kernel:
    from otherminds.gridworlds.in_the_matrix._kernel import KERNEL

    return KERNEL
