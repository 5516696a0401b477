"""The compiled step of many worlds at once, in which a world that ends begins anew."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from otherminds.worlds.cooking._kernel import reset, step
from otherminds.worlds.cooking.rules import Rules
from otherminds.worlds.cooking.state import OVER, STEP
from otherminds.worlds.grid._compile import compiled
from otherminds.worlds.grid._luck import bits


class Episodes(NamedTuple):
    """What outlives the state of a world that begins anew, for B worlds of P avatars.

    ``seeds`` uint64[B]: of the episodes going on. ``rewards`` float64[B, P], ``over``
    int32[B]: of the last step. ``returns`` float64[B, P]: summed rewards of the
    episodes going on. ``last_returns`` float64[B, P] and ``last_lengths`` int32[B]:
    of the episodes that ended last, 0 before.
    """

    seeds: NDArray[np.uint64]
    rewards: NDArray[np.float64]
    over: NDArray[np.int32]
    returns: NDArray[np.float64]
    last_returns: NDArray[np.float64]
    last_lengths: NDArray[np.int32]


def episodes(rules: Rules, worlds: int) -> Episodes:
    """Arrays for ``worlds`` worlds, all zero."""
    return Episodes(
        seeds=np.zeros(worlds, np.uint64),
        rewards=np.zeros((worlds, rules.players)),
        over=np.zeros(worlds, np.int32),
        returns=np.zeros((worlds, rules.players)),
        last_returns=np.zeros((worlds, rules.players)),
        last_lengths=np.zeros(worlds, np.int32),
    )


@compiled
def advance(tables, state, episodes, actions):
    """One step of every world. ``actions`` int64[B, P]."""
    plan = np.empty((4, actions.shape[1]), np.int64)
    for b in range(actions.shape[0]):
        step(tables, state, b, actions[b], plan)
        episodes.over[b] = state.clock[b, OVER]
        for i in range(actions.shape[1]):
            episodes.rewards[b, i] = state.rewards[b, i]
            episodes.returns[b, i] += state.rewards[b, i]
        if episodes.over[b]:
            for i in range(actions.shape[1]):
                episodes.last_returns[b, i] = episodes.returns[b, i]
                episodes.returns[b, i] = 0.0
            episodes.last_lengths[b] = state.clock[b, STEP]
            episodes.seeds[b] = bits(episodes.seeds, b)
            reset(tables, state, b, episodes.seeds[b])
