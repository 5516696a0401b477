"""The substrates as a PettingZoo environment and for learners."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

import numpy as np
from gymnasium.spaces import Box, Space
from numpy.typing import NDArray

from otherminds.core.data import Answer, Behaviour, Encounter, Question
from otherminds.core.scenario import worlds
from otherminds.gridworlds.commons import rules as columns
from otherminds.gridworlds.commons import views
from otherminds.gridworlds.commons.acts import BEHAVIOURS, NONE, OTHERS, name_acts
from otherminds.gridworlds.commons.rules import COINS, SUBSTRATES, Rules
from otherminds.gridworlds.commons.views import LAYERS, ansi, codes
from otherminds.gridworlds.grid.learner import Substrate, substrates
from otherminds.gridworlds.grid.world import GridWorld, Kernel, KernelEngine, Met


def list_vector(rules: Rules) -> tuple[tuple[str, int], ...]:
    """What is observed beside the window, under Melting Pot's names: name and size."""
    return {
        "chance": (("MISMATCHED_COIN_COLLECTED_BY_PARTNER", 1),),
        "density": (("READY_TO_SHOOT", 1),),
        "cleanness": (("READY_TO_SHOOT", 1), ("NUM_OTHERS_WHO_CLEANED_THIS_STEP", 1)),
    }[rules.law]


def engine(rules: Rules) -> KernelEngine:
    """The engine of the compiled rules."""
    return KernelEngine(rules, _kernel(), len(list_vector(rules)))


@worlds.register("commons")
class CommonsWorld(GridWorld):
    """One substrate under ``rules``: take what grows, and mind what that costs others.

    A seat observes a dictionary: ``WINDOW`` uint8[rows, columns, 4] (codes in :mod:`.views`), what Melting Pot shows
    beside pictures (:func:`list_vector`; float64[]), and where it is itself, ``POSITION`` int32[2] (x, y; -1 while
    removed) and ``ORIENTATION`` int32[] (0 N, 1 E, 2 S, 3 W), which scripted partners and verbalizers need.

    Grant ``map`` (``options["grants"]`` of :meth:`reset`) adds ``WORLD.MAP`` int8[height, width, 2]: what each cell shows, and
    the avatar there (player + 1).

    An encounter is what a seat did itself that concerns others (:data:`~.acts.BEHAVIOURS`), with its reward; in Coins also a coin of
    its own colour that the other took, which the reward tells; its own act is then :data:`~.acts.NONE` if it took nothing. What others do elsewhere is not named: the window shows it.
    For the options see :class:`~otherminds.gridworlds.grid.world.GridWorld`.
    """

    _about: ClassVar = {
        "WINDOW": "uint8[rows, columns, 4]: the cells in view, the own avatar looking up; layers: what lies there, avatar, "
        "the direction it faces, beam (codes in otherminds.gridworlds.commons.rules and .views)",
        "POSITION": "int32[2]: its own x and y; -1 while removed",
        "ORIENTATION": "int32[]: where it faces, 0 north, 1 east, 2 south, 3 west",
    }
    _text = staticmethod(ansi)
    _picture = staticmethod(views.world)

    def __init__(
        self,
        rules: Rules = COINS,
        skills: tuple[str, ...] = (),
        rgb: bool = False,
        render_mode: str | None = None,
    ) -> None:
        self.rules = rules
        self._vector = [name for name, _ in list_vector(rules)]
        super().__init__(rules, engine(rules), LAYERS, skills, 0, rgb, render_mode)
        self.metadata["observations"] |= dict.fromkeys(self._vector, "float64[]: as in Melting Pot")

    @property
    def behaviours(self) -> tuple[Behaviour, ...]:
        return BEHAVIOURS[self.rules.law]

    @property
    def reward_range(self) -> tuple[float, float]:
        return min(0.0, self.rules.harm), 2.0 if self.rules.law == "cleanness" else 1.0

    def truth(self, question: Question, step: int) -> Answer | None:
        """The first behaviour that ``question.about`` shows at ``step`` or later; if there is none, that in Coins, elsewhere ``None``."""
        acts = self.acts[question.about]
        nothing = NONE if self.rules.law == "chance" else None
        return next((act for when, act in acts if when >= step), nothing)

    @property
    def midway(self) -> int:
        """Chance ends an episode from step ``minimum`` on."""
        return min(self.rules.minimum, self.rules.maximum) // 2

    def facts(self) -> dict[str, Any]:
        """By seat, how often each behaviour was shown."""
        return {
            "acts": {
                seat: {name: sum(act == name for _, act in acts) for name in self.behaviours}
                for seat, acts in self.acts.items()
            }
        }

    def _begin(self) -> None:
        self.acts: dict[str, list[tuple[int, Behaviour]]] = {seat: [] for seat in self.possible_agents}

    def _settle(self) -> Met:
        state = self.engine.state
        did = state.avatars[0, :, columns.DID].tolist()
        if not any(did):
            return {}
        step = int(state.clock[0, columns.STEP]) - 1
        shown = {
            seat: name_acts(self.rules, code)
            for seat, code in zip(self.possible_agents, did, strict=True)
            if code
        }
        for seat, acts in shown.items():
            self.acts[seat] += [(step, act) for act in acts]
        rewards = dict(zip(self.possible_agents, state.rewards[0].tolist(), strict=True))
        met: Met = {seat: (Encounter(step, {seat: acts}, rewards[seat]),) for seat, acts in shown.items()}
        for seat, acts in shown.items():
            if OTHERS in acts:
                (victim,) = set(self.possible_agents) - {seat}
                known = {victim: shown.get(victim, (NONE,)), seat: (OTHERS,)}
                met[victim] = (Encounter(step, known, rewards[victim]),)
        return met

    def _observe_seat(
        self, window: NDArray[np.uint8], vector: NDArray[np.float64], pose: NDArray[np.int32]
    ) -> dict[str, Any]:
        beside = {name: vector[k, ...] for k, name in enumerate(self._vector)}
        return {"WINDOW": window, **beside, "POSITION": pose[:2], "ORIENTATION": pose[2, ...]}

    def _map(self) -> NDArray[np.int8]:
        width, height = self.rules.size
        cells = np.zeros((height, width, 2), np.int8)
        cells[..., 0] = self.engine.state.things[0].reshape(height, width)
        cells[..., 1] = self.engine.state.here[0].reshape(height, width)
        return cells

    def _spaces(self) -> dict[str, Space[Any]]:
        width, height = self.rules.size
        farthest = np.array([width - 1, height - 1], np.int32)
        most = float(self.rules.players - 1)
        return {
            **{name: Box(0, most if name.startswith("NUM") else 1, (), np.float64) for name in self._vector},
            "POSITION": Box(np.full(2, -1, np.int32), farthest, dtype=np.int32),
            "ORIENTATION": Box(0, 3, (), np.int32),
            "WORLD.MAP": Box(0, 127, (height, width, 2), np.int8),
        }


def make_substrate(rules: Rules) -> Substrate:
    """The substrate under ``rules`` for learners; vectors are those of :func:`list_vector`."""
    return Substrate(rules, codes(rules), list_vector(rules), _kernel)


@substrates.family
def _list_substrates() -> dict[str, Callable[[], Substrate]]:
    return {name: partial(make_substrate, rules) for name, rules in SUBSTRATES.items()}


def _kernel() -> Kernel:
    from otherminds.gridworlds.commons._kernel import KERNEL

    return KERNEL
