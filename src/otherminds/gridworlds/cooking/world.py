"""Collaborative cooking as a PettingZoo environment."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

import numpy as np
from gymnasium.spaces import Box, Space
from numpy.typing import NDArray

from otherminds.core.data import Answer, Behaviour, Encounter, Question
from otherminds.core.scenario import worlds
from otherminds.gridworlds.cooking import rules as columns
from otherminds.gridworlds.cooking import views
from otherminds.gridworlds.cooking.acts import BEHAVIOURS, DeliveryTally, KitchenAct, next_act
from otherminds.gridworlds.cooking.rules import COOKING_ASYMMETRIC, SUBSTRATES, Rules
from otherminds.gridworlds.cooking.views import LAYERS, ansi, codes
from otherminds.gridworlds.grid.learner import GridBatch, Substrate, substrates
from otherminds.gridworlds.grid.world import GridWorld, Kernel, KernelEngine, Met


def engine(rules: Rules) -> KernelEngine:
    """The engine of the compiled rules."""
    from otherminds.gridworlds.cooking._kernel import KERNEL

    return KernelEngine(rules, KERNEL, 0)


@worlds.register("cooking")
class CookingWorld(GridWorld):
    """One substrate under ``rules``: cook soups and deliver them; every soup rewards every player.

    A seat observes a dictionary: ``WINDOW`` uint8[rows, columns, 6] (codes in :mod:`.views`),
    and where it is itself, ``POSITION`` int32[2] (x, y) and ``ORIENTATION`` int32[] (0 N, 1 E, 2 S, 3 W),
    which skills and verbalizers need. Melting Pot shows no ``READY_TO_SHOOT`` here.

    Grants (``options["grants"]`` of :meth:`reset`): ``map`` adds ``WORLD.MAP`` int8[height, width, 4]: the
    item that lies or is held there, the tomatoes in a pot, its bar, and the avatar there (player + 1).
    ``family`` adds nothing: it is for minds that know the partners' policies.

    An encounter is a step in which soup was delivered; its reward is what that paid (20 a dish). It names the
    acts of each seat since the last one, in their order: the own ones, and of another seat those that the
    window showed or the reward gives away (:class:`~otherminds.gridworlds.cooking.acts.DeliveryTally`); where
    nothing is known of it, all behaviours that cannot be excluded.
    For the options see :class:`~otherminds.gridworlds.grid.world.GridWorld`.
    """

    _about: ClassVar = {
        "WINDOW": "uint8[rows, columns, 6]: the cells in view, the own avatar looking up "
        "(layers and codes in otherminds.gridworlds.cooking.views)",
        "POSITION": "int32[2]: its own x and y",
        "ORIENTATION": "int32[]: where it faces, 0 north, 1 east, 2 south, 3 west",
    }
    _text = staticmethod(ansi)
    _picture = staticmethod(views.world)

    def __init__(
        self,
        rules: Rules = COOKING_ASYMMETRIC,
        skills: tuple[str, ...] = (),
        rounds: int = 0,
        rgb: bool = False,
        render_mode: str | None = None,
    ) -> None:
        self.rules = rules
        super().__init__(rules, engine(rules), LAYERS, skills, rounds, rgb, render_mode)

    @property
    def behaviours(self) -> tuple[Behaviour, ...]:
        return BEHAVIOURS

    @property
    def reward_range(self) -> tuple[float, float]:
        return self.rules.pay, self.rules.pay * self.rules.players

    def truth(self, question: Question, step: int) -> Answer | None:
        """The next act of ``question.about`` in world step ``step`` or later: see :func:`.acts.next_act`."""
        steps = int(self.engine.state.clock[0, columns.STEP])
        return next_act(self.acts, self.possible_agents.index(question.about), step, steps)

    def facts(self) -> dict[str, Any]:
        """Every delivery and every act, each with its step and seat."""
        seats = self.possible_agents
        acts = [{"step": act.step, "seat": seats[act.player], "act": act.behaviour} for act in self.acts]
        return {"deliveries": self.deliveries, "acts": acts}

    def _begin(self) -> None:
        self.acts: list[KitchenAct] = []
        self.deliveries: list[dict[str, Any]] = []
        self._tally = DeliveryTally(self.rules, self.engine.state)

    def _settle(self) -> Met:
        state, seats = self.engine.state, self.possible_agents
        step = int(state.clock[0, columns.STEP]) - 1
        acts = self._tally.note(state)
        self.acts += [KitchenAct(step, i, act) for i, act in enumerate(acts) if act is not None]
        reward = float(state.rewards[0, 0])
        if not reward:
            return {}
        delivered = state.avatars[0, :, columns.DID] == columns.DELIVERED
        self.deliveries += [{"step": step, "seat": seats[i]} for i in np.flatnonzero(delivered).tolist()]
        accounts = self._tally.settle(reward)
        return {
            seat: (Encounter(step, dict(zip(seats, did, strict=True)), reward),)
            for seat, did in zip(seats, accounts, strict=True)
        }

    def _observe_seat(
        self, window: NDArray[np.uint8], vector: NDArray[np.float64], pose: NDArray[np.int32]
    ) -> dict[str, Any]:
        return {"WINDOW": window, "POSITION": pose[:2], "ORIENTATION": pose[2, ...]}

    def _map(self) -> NDArray[np.int8]:
        rules, state = self.rules, self.engine.state
        width, height = rules.size
        cells = np.zeros((height, width, 4), np.int8)
        for (x, y), stock, item in zip(rules.containers, rules.stock, state.items[0], strict=True):
            cells[y, x, 0] = 0 if stock else item
        for (x, y), pot in zip(rules.pots, state.pots[0], strict=True):
            cells[y, x, 1:3] = pot[columns.INSIDE], pot[columns.BAR]
        for avatar in state.avatars[0]:
            cells[avatar[columns.Y], avatar[columns.X], 0] = avatar[columns.HELD]
        cells[..., 3] = state.here[0].reshape(height, width)
        return cells

    def _spaces(self) -> dict[str, Space[Any]]:
        width, height = self.rules.size
        farthest = np.array([width - 1, height - 1], np.int32)
        return {
            "POSITION": Box(np.zeros(2, np.int32), farthest, dtype=np.int32),
            "ORIENTATION": Box(0, 3, (), np.int32),
            "WORLD.MAP": Box(0, 127, (height, width, 4), np.int8),
        }


def make_substrate(rules: Rules) -> Substrate:
    """The substrate under ``rules``. Nothing is observed beside the window, so vectors are empty."""
    return Substrate(rules, codes(rules), (), _kernel, partners=_make_cooks)


@substrates.family
def _list_substrates() -> dict[str, Callable[[], Substrate]]:
    return {name: partial(make_substrate, rules) for name, rules in SUBSTRATES.items()}


def _kernel() -> Kernel:
    from otherminds.gridworlds.cooking._kernel import KERNEL

    return KERNEL


def _make_cooks(shard: GridBatch, cast: Any) -> Any:
    from otherminds.gridworlds.cooking.cooks import BatchedCooks

    return BatchedCooks(shard, cast)
