"""Answers found in hindsight are those that looking forward finds; for cooks see also ``test_labels``."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from otherminds.gridworlds.grid.learner import UNKNOWN, hindsight

BEHAVIOURS = 3


def plain(shown: list[int], ended: list[bool], t: int, patience: int) -> int:
    """The next behaviour from step ``t`` on, by looking forward."""
    for k in range(t, len(shown)):
        if patience and k - t >= patience:
            return BEHAVIOURS - 1
        if shown[k] >= 0:
            return shown[k]
        if ended[k]:
            waited = k - t + 1
            return BEHAVIOURS - 1 if patience and waited >= patience else UNKNOWN
    return BEHAVIOURS - 1 if patience and len(shown) - t >= patience else UNKNOWN


@given(st.integers(0, 2**32 - 1), st.sampled_from([0, 1, 3, 7]))
def test_hindsight_is_what_looking_forward_finds(seed: int, patience: int) -> None:
    rng = np.random.default_rng(seed)
    steps, worlds, players = 25, 2, 2
    shown = np.where(
        rng.random((steps, worlds, players)) < 0.15, rng.integers(0, 3, (steps, worlds, players)), -1
    )
    ended = rng.random((steps, worlds)) < 0.08
    found = hindsight(shown.astype(np.int8), ended, patience, BEHAVIOURS)
    for b in range(worlds):
        for p in range(players):
            expected = [
                plain(shown[:, b, p].tolist(), ended[:, b].tolist(), t, patience) for t in range(steps)
            ]
            assert found[:, b, p].tolist() == expected
