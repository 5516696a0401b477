"""The *in the matrix* substrates as PettingZoo environments, and their duels as behaviours.

An inventory plays the behaviour of which it has most. A seat knows its own inventory and its reward, not the
other inventory. They give a linear equation for the other's mixture, which is solved here exactly."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any, ClassVar

import numpy as np
from gymnasium.spaces import Box, Space
from msgspec.structs import replace
from numpy.typing import NDArray

from otherminds.core.data import Answer, Behaviour, Brief, Encounter, Question, Seat
from otherminds.core.scenario import worlds
from otherminds.gridworlds.grid.learner import GridBatch, Substrate, substrates
from otherminds.gridworlds.grid.rules import player_of
from otherminds.gridworlds.grid.world import GridWorld, Kernel, KernelEngine, Met
from otherminds.gridworlds.in_the_matrix import rules as columns
from otherminds.gridworlds.in_the_matrix import views
from otherminds.gridworlds.in_the_matrix.rules import SUBSTRATES, Matrix, Rules
from otherminds.gridworlds.in_the_matrix.views import LAYERS, ansi, codes

Mixture = tuple[Fraction, ...]


@dataclass(frozen=True)
class Duel:
    """One duel, resolved in world step ``step`` (0 for the first): the row player first."""

    step: int
    seats: tuple[Seat, Seat]
    inventories: tuple[tuple[int, ...], tuple[int, ...]]
    rewards: tuple[float, float]

    def played(self, seat: Seat, classes: tuple[Behaviour, ...]) -> tuple[Behaviour, ...]:
        """The behaviour of ``seat``, or several that tie."""
        return tuple(classes[i] for i in leading(self.inventories[self.seats.index(seat)]))

    def heard(self, seat: Seat, step: int, rules: Rules) -> Encounter:
        """The duel as ``seat`` knows it when it is paid in world step ``step``."""
        i = self.seats.index(seat)
        other = self.seats[1 - i]
        matrix = tuple(zip(*rules.column, strict=True)) if i else rules.row
        could = possible(matrix, self.inventories[i], self.inventories[1 - i])
        did = {seat: self.played(seat, rules.classes), other: tuple(rules.classes[b] for b in could)}
        return Encounter(step, did, self.rewards[i])

    def facts(self) -> dict[str, Any]:
        """All of it, as JSON."""
        return {
            "step": self.step,
            "seats": list(self.seats),
            "inventories": [list(inventory) for inventory in self.inventories],
            "rewards": list(self.rewards),
        }


def leading(inventory: Sequence[int]) -> tuple[int, ...]:
    """The classes of which there is most: one, or several that tie.

    >>> leading((1, 4, 1)), leading((2, 2, 1))
    ((1,), (0, 1))
    """
    most = max(inventory)
    return tuple(i for i, count in enumerate(inventory) if count == most)


@lru_cache(maxsize=4096)
def possible(matrix: Matrix, own: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    """The behaviours that the other may have played, for one who sees only ``own`` and the reward.

    ``matrix[i][j]`` pays the seer for own class i against class j; ``other`` is the true inventory, which
    only fixes the reward, as an exact fraction. Every mixture of at least something of each class that brings
    that same reward is possible; a behaviour is, if in some such mixture it leads, alone or tied. The true
    one always is. Amounts are not bounded: the number of resources on the map rules out nothing here.
    Behaviours that a player who raises a single class may have played come first, then those with the
    greatest mean share.

    >>> rps = ((0, -10, 10), (10, 0, -10), (-10, 10, 0))
    >>> possible(rps, (6, 1, 1), (1, 9, 1))
    (1,)
    >>> possible(rps, (2, 4, 1), (1, 4, 1))
    (1, 2)
    >>> possible(rps, (2, 2, 2), (1, 9, 1))
    (0, 1, 2)
    """
    kinds = range(len(other))
    brings = [[Fraction(row[j]) * count for row, count in zip(matrix, own, strict=True)] for j in kinds]
    weigh = [sum(terms, Fraction(0)) / sum(own) for terms in brings]
    truth = [Fraction(count, sum(other)) for count in other]
    reward = sum((w * q for w, q in zip(weigh, truth, strict=True)), Fraction(0))
    corners = _corners(weigh, reward)
    inside = tuple(sum((corner[i] for corner in corners), Fraction(0)) / len(corners) for i in kinds)
    candidates = [b for b in kinds if _can_lead(b, corners, inside)]
    return tuple(sorted(candidates, key=lambda b: (not _single(b, weigh, reward), -inside[b])))


def _single(behaviour: int, weigh: Sequence[Fraction], reward: Fraction) -> bool:
    """Whether an inventory of one of each class, with only ``behaviour``'s raised, brings ``reward``."""
    others = sum(weigh) - weigh[behaviour]
    if weigh[behaviour] == reward:
        return others == reward * (len(weigh) - 1)
    count = (reward * (len(weigh) - 1) - others) / (weigh[behaviour] - reward)
    return count.denominator == 1 and count > 1


def _corners(weigh: Sequence[Fraction], reward: Fraction) -> list[Mixture]:
    """The corners of the mixtures q with ``weigh`` · q = ``reward``: they lie on edges of the simplex."""
    kinds = range(len(weigh))
    corners: list[Mixture] = []
    for i in kinds:
        if weigh[i] == reward:
            corners.append(tuple(Fraction(k == i) for k in kinds))
        for j in kinds:
            if i < j and (weigh[i] - reward) * (weigh[j] - reward) < 0:
                share = (reward - weigh[j]) / (weigh[i] - weigh[j])
                corners.append(
                    tuple(share if k == i else 1 - share if k == j else Fraction(0) for k in kinds)
                )
    return corners


def _can_lead(behaviour: int, corners: Sequence[Mixture], inside: Mixture) -> bool:
    """Whether ``behaviour`` leads, alone or tied, in some mixture of the corners with all classes in it.

    For up to three classes the mixtures are a point, a segment or the whole
    simplex, and the lead over each other class is linear along them.
    """
    if inside[behaviour] == max(inside) or len(corners) > 2:
        return True
    return any(_reaches(behaviour, inside, corner) for corner in corners)


def _reaches(behaviour: int, start: Mixture, end: Mixture) -> bool:
    """Whether the behaviour leads somewhere between ``start`` and ``end``, the end not counted."""
    low, high = Fraction(0), Fraction(1)
    for i in range(len(start)):
        if i == behaviour:
            continue
        at_start, at_end = start[behaviour] - start[i], end[behaviour] - end[i]
        if at_start == at_end:
            if at_start < 0:
                return False
            continue
        crossing = at_start / (at_start - at_end)
        if at_end > at_start:
            low = max(low, crossing)
        else:
            high = min(high, crossing)
    return low < 1 and low <= high


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
    reward leave possible (:func:`~otherminds.gridworlds.in_the_matrix.world.possible`).
    For the options see :class:`~otherminds.gridworlds.grid.world.GridWorld`.
    """

    _about: ClassVar = {
        "WINDOW": "uint8[rows, columns, 4]: the cells in view, the own avatar looking up; layers: resource or wall, "
        "avatar, the direction it faces, beam and readiness (codes in otherminds.gridworlds.in_the_matrix.views)",
        "INVENTORY": "float64[K]: how many resources of each class it holds",
        "READY_TO_SHOOT": "float64[]: 1 if the beam is ready, else 0 or 0.5",
        "POSITION": "int32[2]: its own x and y; -1 while removed",
        "ORIENTATION": "int32[]: where it faces, 0 north, 1 east, 2 south, 3 west",
    }
    _text = staticmethod(ansi)
    _picture = staticmethod(views.world)

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

    def brief(self, seat: Seat) -> Brief:
        brief = super().brief(seat)
        if brief.game is None or not self.rules.roles:
            return brief
        return replace(brief, game=self.rules.game_of(player_of(seat)))

    def truth(self, question: Question, step: int) -> Answer | None:
        """What ``question.about`` plays in its next duel that is resolved at ``step`` or later.

        ``None`` if there is none, or if its inventory ties.
        """
        for duel in self.duels:
            if duel.step >= step and question.about in duel.seats:
                played = duel.played(question.about, self.rules.classes)
                return played[0] if len(played) == 1 else None
        return None

    @property
    def midway(self) -> int:
        """Chance ends an episode from step ``minimum`` on."""
        return min(self.rules.minimum, self.rules.maximum) // 2

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
            if avatar[columns.ROW]:
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


def make_substrate(rules: Rules) -> Substrate:
    """The substrate under ``rules``: a vector is the inventory, float32[K], and whether the beam can be fired (0 to 1)."""
    kinds = len(rules.classes)
    return Substrate(
        rules, codes(rules), (("INVENTORY", kinds), ("READY_TO_SHOOT", 1)), _kernel, kinds, _make_bots
    )


@substrates.family
def _list_substrates() -> dict[str, Callable[[], Substrate]]:
    return {name: partial(make_substrate, rules) for name, rules in SUBSTRATES.items()}


def _kernel() -> Kernel:
    from otherminds.gridworlds.in_the_matrix._kernel import KERNEL

    return KERNEL


def _make_bots(shard: GridBatch, cast: Any) -> Any:
    from otherminds.gridworlds.in_the_matrix.bots import BatchedBots

    return BatchedBots(shard, cast)
