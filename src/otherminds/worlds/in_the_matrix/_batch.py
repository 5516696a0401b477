"""The compiled step of many worlds at once, in which a world that ends begins anew."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from otherminds.worlds.grid._compile import compiled
from otherminds.worlds.grid._luck import bits
from otherminds.worlds.in_the_matrix._kernel import look, reset, step
from otherminds.worlds.in_the_matrix.rules import Rules
from otherminds.worlds.in_the_matrix.state import OVER, STEP


class Episodes(NamedTuple):
    """What outlives the state of a world that begins anew, for B worlds of P avatars and K classes.

    ``seeds`` uint64[B]: of the episodes going on. ``rewards`` float64[B, P], ``met``
    int32[B, P, 2, K], ``over`` int32[B]: of the last step. ``returns`` float64[B, P]:
    summed rewards of the episodes going on. ``last_returns`` float64[B, P] and
    ``last_lengths`` int32[B]: of the episodes that ended last, 0 before.
    """

    seeds: NDArray[np.uint64]
    rewards: NDArray[np.float64]
    met: NDArray[np.int32]
    over: NDArray[np.int32]
    returns: NDArray[np.float64]
    last_returns: NDArray[np.float64]
    last_lengths: NDArray[np.int32]


def episodes(rules: Rules, worlds: int) -> Episodes:
    """Arrays for ``worlds`` worlds, all zero."""
    players, kinds = rules.players, len(rules.classes)
    return Episodes(
        seeds=np.zeros(worlds, np.uint64),
        rewards=np.zeros((worlds, players)),
        met=np.zeros((worlds, players, 2, kinds), np.int32),
        over=np.zeros(worlds, np.int32),
        returns=np.zeros((worlds, players)),
        last_returns=np.zeros((worlds, players)),
        last_lengths=np.zeros(worlds, np.int32),
    )


@compiled
def advance(tables, state, episodes, actions, out):
    """One step of every world by ``actions`` (int64[B, P]); ``out`` (uint32[B, P, rows · columns]) is then seen."""
    plan = np.empty((5, actions.shape[1]), np.int64)
    growing = np.empty(tables.places.shape[0], np.int64)
    canvas = np.empty_like(tables.canvas)
    spots = np.empty((2, actions.shape[1]), np.int64)
    for b in range(actions.shape[0]):
        step(tables, state, b, actions[b], plan, growing)
        episodes.over[b] = state.clock[b, OVER]
        for i in range(actions.shape[1]):
            episodes.rewards[b, i] = state.rewards[b, i]
            episodes.returns[b, i] += state.rewards[b, i]
            for k in range(state.met.shape[3]):
                episodes.met[b, i, 0, k] = state.met[b, i, 0, k]
                episodes.met[b, i, 1, k] = state.met[b, i, 1, k]
        if episodes.over[b]:
            for i in range(actions.shape[1]):
                episodes.last_returns[b, i] = episodes.returns[b, i]
                episodes.returns[b, i] = 0.0
            episodes.last_lengths[b] = state.clock[b, STEP]
            episodes.seeds[b] = bits(episodes.seeds, b)
            reset(tables, state, b, episodes.seeds[b])
        look(tables, state, b, canvas, spots, out[b])
