"""A finite-horizon dynamic programme, used by all exact plans.

A problem is a start key and ``expand(key)``: for each action the expected reward and the
transitions, ``(reward, ((probability, key), ...))``. Keys are hashable; the reachable ones are
enumerated, then solved by backward induction.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from otherminds.core.errors import WorldError

K = TypeVar("K", bound=Hashable)
Branch: TypeAlias = tuple[float, tuple[tuple[float, K], ...]]

LIMIT = 250_000
"""The most reachable keys of an exact plan."""
Tables: TypeAlias = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]
"""Of each expanded key and action: reward [K, A], and chance and number of each key that follows [K, A, W]."""
TIE = 1e-9
"""The tolerance of ties, which the lowest action wins."""


@dataclass(frozen=True)
class Solution(Generic[K]):
    """An optimal plan for ``rounds`` rounds.

    ``policy[t, k]`` int16[rounds, K] is the action in round t (0-based) at key number
    ``number[key]``; ``values[t, k]`` float64[rounds + 1, K] the expected return from there on. ``number`` may
    have keys from K on, which cannot be reached in ``rounds`` rounds.
    """

    rounds: int
    number: dict[K, int]
    policy: NDArray[np.int16]
    values: NDArray[np.float64]

    @property
    def value(self) -> float:
        """The expected total return from the start."""
        return float(self.values[0, 0])

    def act(self, t: int, key: K) -> int:
        """The optimal action in round ``t`` (0-based) at ``key``."""
        return int(self.policy[t, self.number[key]])


class Reachable(Generic[K]):
    """The keys that can be reached from ``start``, with what :func:`solve` needs of them.

    They are enumerated to the depth that a plan needs, once: a plan for fewer rounds uses a part of what a plan
    for more rounds has enumerated, and is the same plan as without it.
    """

    def __init__(self, start: K, expand: Callable[[K], Sequence[Branch[K]]]) -> None:
        self._expand = expand
        self._number: dict[K, int] = {start: 0}
        self._branches: list[Sequence[Branch[K]]] = []
        self._frontier = [start]
        self._sizes = [1]
        """The number of keys that can be reached within 0, 1, ... rounds."""
        self._tables: Tables | None = None

    def plan(self, rounds: int, limit: int = LIMIT) -> Solution[K]:
        """The optimal plan for ``rounds`` rounds, by backward induction.

        Raises:
            WorldError: more than ``limit`` keys can be reached.
        """
        while len(self._sizes) <= rounds and self._sizes[-1] <= limit:
            self._deepen()
        depth = min(rounds, len(self._sizes) - 1)
        if self._sizes[depth] > limit:
            raise WorldError(f"an exact plan would visit more than {limit} situations")
        if self._tables is None:
            self._tables = _tables(self._number, self._branches)
        expanded, size = self._sizes[rounds - 1], self._sizes[rounds]
        reward, chance, after = self._tables
        tables = reward[:expanded], chance[:expanded], after[:expanded]
        return Solution(rounds, self._number, *_backwards(tables, rounds, size))

    def _deepen(self) -> None:
        reached: list[K] = []
        for key in self._frontier:
            branches = self._expand(key)
            self._branches.append(branches)
            for _, leads in branches:
                for _, after in leads:
                    if after not in self._number:
                        self._number[after] = len(self._number)
                        reached.append(after)
        self._frontier = reached
        self._sizes.append(len(self._number))
        self._tables = None


def solve(
    start: K, expand: Callable[[K], Sequence[Branch[K]]], rounds: int, limit: int = LIMIT
) -> Solution[K]:
    """Solves the problem exactly by backward induction.

    Raises:
        WorldError: more than ``limit`` keys can be reached.
    """
    return Reachable(start, expand).plan(rounds, limit)


def _tables(number: Mapping[K, int], branches: Sequence[Sequence[Branch[K]]]) -> Tables:
    actions = len(branches[0])
    width = max(len(leads) for row in branches for _, leads in row)
    reward = np.zeros((len(branches), actions))
    chance = np.zeros((len(branches), actions, width))
    after = np.zeros((len(branches), actions, width), dtype=np.int64)
    for k, row in enumerate(branches):
        for a, (gain, leads) in enumerate(row):
            reward[k, a] = gain
            for o, (p, key) in enumerate(leads):
                chance[k, a, o] = p
                after[k, a, o] = number[key]
    return reward, chance, after


def _backwards(tables: Tables, rounds: int, size: int) -> tuple[NDArray[np.int16], NDArray[np.float64]]:
    """Policy and values over the first ``size`` keys, of which those in ``tables`` come first."""
    reward, chance, after = tables
    # Keys reached in the last round were never expanded: only their value 0 is needed.
    values = np.zeros((rounds + 1, size))
    policy = np.zeros((rounds, size), dtype=np.int16)
    for t in range(rounds - 1, -1, -1):
        q = reward + (chance * values[t + 1][after]).sum(axis=2)
        best = q.max(axis=1)
        values[t, : len(reward)] = best
        policy[t, : len(reward)] = (q >= best[:, None] - TIE).argmax(axis=1)
    return policy, values
