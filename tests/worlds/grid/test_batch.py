"""The face for learning: what it hands out is to be read, and what is wrong is named."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from otherminds.core.errors import WorldError
from otherminds.worlds.cooking import batch as cooking
from otherminds.worlds.cooking.rules import COOKING_ASYMMETRIC
from otherminds.worlds.in_the_matrix import batch as in_the_matrix
from otherminds.worlds.in_the_matrix.rules import RWS_REPEATED
from tests.cases import for_each

BATCHES = {
    "rws": lambda worlds: in_the_matrix.Batch(RWS_REPEATED, worlds),
    "cooking": lambda worlds: cooking.Batch(COOKING_ASYMMETRIC, worlds),
}


@pytest.fixture(params=BATCHES)
def make(request: pytest.FixtureRequest) -> Any:
    return BATCHES[request.param]


def test_what_is_handed_out_cannot_be_written_into_the_game(make: Any) -> None:
    batch = make(2)
    observations, info = batch.reset(np.int64(3))
    before = batch.state.avatars.copy()
    for array in (*observations, *info):
        if array.flags.writeable:
            array[...] = 9
    assert np.array_equal(batch.state.avatars, before)
    assert batch.step(np.zeros((2, 2), int)).observations.window.shape[0] == 2


@for_each(
    ("actions", "reason"),
    [
        (np.full((2, 2), 8), "0 to 7"),
        (np.full((2, 2), -1), "0 to 7"),
        (np.zeros((2, 3), int), r"int\[2, 2\]"),
        (np.zeros((2, 2)), r"not float64\[2, 2\]"),
    ],
)
def test_a_batch_refuses_actions_that_are_none(make: Any, actions: np.ndarray, reason: str) -> None:
    batch = make(2)
    batch.reset(0)
    with pytest.raises(WorldError, match=reason):
        batch.step(actions)


def test_a_batch_takes_one_seed_a_world(make: Any) -> None:
    with pytest.raises(WorldError, match="3 seeds for 2 worlds"):
        make(2).reset([1, 2, 3])


@pytest.mark.parametrize("seeds", [[1], [-1, 0], [0, 1 << 64]])
def test_bad_seeds_are_named(make: Any, seeds: list[int]) -> None:
    with pytest.raises(WorldError, match="seeds"):
        make(2).reset(seeds)


def test_a_step_before_the_reset_and_an_empty_batch_are_refused(make: Any) -> None:
    with pytest.raises(WorldError, match="call reset before step"):
        make(1).step(np.zeros((1, 2), int))
    with pytest.raises(WorldError, match="at least 1 world, not 0"):
        make(0)
