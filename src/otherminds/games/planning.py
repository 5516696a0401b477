"""A finite-horizon dynamic programme, used by all exact plans.

A problem is a start key and ``expand(key)``: for each action the expected reward and the
transitions, ``(reward, ((probability, key), ...))``. Keys are hashable; the reachable ones are
enumerated, then solved by backward induction.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from otherminds.core.errors import WorldError

K = TypeVar("K", bound=Hashable)
Branch: TypeAlias = tuple[float, tuple[tuple[float, K], ...]]

LIMIT = 250_000
"""The most reachable keys of an exact plan."""
TIE = 1e-9
"""The tolerance of ties, which the lowest action wins."""


@dataclass(frozen=True)
class Solution(Generic[K]):
    """An optimal plan for ``rounds`` rounds.

    ``policy[t, k]`` int16[rounds, K] is the action in round t (0-based) at key number
    ``number[key]``; ``values[t, k]`` float64[rounds + 1, K] the expected return from there on.
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


def solve(
    start: K, expand: Callable[[K], Sequence[Branch[K]]], rounds: int, limit: int = LIMIT
) -> Solution[K]:
    """Solves the problem exactly by backward induction.

    Raises:
        WorldError: more than ``limit`` keys can be reached.
    """
    number: dict[K, int] = {start: 0}
    branches: list[Sequence[Branch[K]]] = []
    frontier = [start]
    for _ in range(rounds):
        reached: list[K] = []
        for key in frontier:
            found = expand(key)
            branches.append(found)
            for _, leads in found:
                for _, after in leads:
                    if after not in number:
                        number[after] = len(number)
                        reached.append(after)
        if len(number) > limit:
            raise WorldError(f"an exact plan would visit more than {limit} situations")
        frontier = reached
    return _backwards(number, branches, rounds)


def _backwards(number: dict[K, int], branches: list[Sequence[Branch[K]]], rounds: int) -> Solution[K]:
    actions = len(branches[0])
    width = max(len(leads) for found in branches for _, leads in found)
    reward = np.zeros((len(branches), actions))
    chance = np.zeros((len(branches), actions, width))
    after = np.zeros((len(branches), actions, width), dtype=np.int64)
    for k, found in enumerate(branches):
        for a, (gain, leads) in enumerate(found):
            reward[k, a] = gain
            for o, (p, key) in enumerate(leads):
                chance[k, a, o] = p
                after[k, a, o] = number[key]
    # Keys reached in the last round were never expanded: only their value 0 is needed.
    values = np.zeros((rounds + 1, len(number)))
    policy = np.zeros((rounds, len(number)), dtype=np.int16)
    for t in range(rounds - 1, -1, -1):
        q = reward + (chance * values[t + 1][after]).sum(axis=2)
        best = q.max(axis=1)
        values[t, : len(branches)] = best
        policy[t, : len(branches)] = (q >= best[:, None] - TIE).argmax(axis=1)
    return Solution(rounds, number, policy, values)
