"""Answers found in hindsight, and the probe that learns them."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from otherminds.gridworlds.grid.learner import UNKNOWN
from otherminds.gridworlds.learning.network import (
    AHEAD,
    EVERY,
    HIDDEN,
    RATE,
    Memory,
    initial_probe,
    of_others,
    train_probe,
)

BEHAVIOURS = 3


def test_others_are_the_following_players_in_turn() -> None:
    assert of_others(np.array([[10, 11, 12]], np.int8)).tolist() == [[[11, 12], [12, 10], [10, 11]]]


def test_a_lesson_pairs_old_states_with_what_came_later() -> None:
    """Two players swap seats between members: each member's states get the behaviour of the other player."""
    length, worlds = 64, 2
    memory, seats = Memory(length), np.array([[0, 3], [1, 2]])  # seat = 2 · world + player
    rollouts = -(-AHEAD // length) + 1
    for n in range(rollouts):
        shown = np.full((length, worlds, 2), UNKNOWN, np.int8)
        if n == 1:
            shown[5] = [[0, 1], [2, 0]]
        assert memory.lesson(seats, 0, BEHAVIOURS) is None
        states = np.full((2, length // EVERY, 2, HIDDEN), float(n), np.float32)
        memory.add(states, shown, np.zeros((length, worlds), np.bool_))
    lesson = memory.lesson(seats, 0, BEHAVIOURS)
    assert lesson is not None
    states, answers = lesson
    assert (states == 0).all()
    assert answers.shape == (2, length // EVERY, 2, 1)
    # Member 0 plays player 0 of world 0 (the other shows 1) and player 1 of world 1 (the other shows 2).
    assert answers[0, 0, :, 0].tolist() == [1, 2]
    assert answers[1, 0, :, 0].tolist() == [0, 0]


def test_what_the_state_knows_is_learnt_and_what_is_unknown_is_ignored() -> None:
    rng = np.random.default_rng(0)
    probe, steps, seats = initial_probe(1, BEHAVIOURS), 4, 64
    optimising = optax.adam(RATE).init(probe)
    learn = jax.jit(lambda *given: train_probe(*given, behaviours=BEHAVIOURS))
    for _ in range(400):
        answers = rng.integers(0, BEHAVIOURS, (steps, seats, 1)).astype(np.int8)
        h = rng.normal(size=(steps, seats, HIDDEN)).astype(np.float32) * 0.1
        h[..., :BEHAVIOURS] += np.eye(BEHAVIOURS, dtype=np.float32)[answers[..., 0]]
        known = rng.random(answers.shape) < 0.7
        h[~known[..., 0], :BEHAVIOURS] *= -1  # misleading, but never an answer
        probe, optimising, right = learn(
            probe, optimising, h, np.where(known, answers, UNKNOWN).astype(np.int8)
        )
    assert float(right) > 0.99
    nothing = np.full((steps, seats, 1), UNKNOWN, np.int8)
    kept, _, none = learn(probe, optax.adam(RATE).init(probe), h, nothing)
    assert np.isnan(float(none))
    for name, value in kept.items():
        np.testing.assert_array_equal(value, probe[name])


@pytest.mark.parametrize("others", [1, 7])
def test_a_new_probe_knows_nothing(others: int) -> None:
    probe = initial_probe(others, BEHAVIOURS)
    assert probe["probe.w"].shape == (HIDDEN, others * BEHAVIOURS)
    assert not jnp.any(probe["probe.w"])
    assert not jnp.any(probe["probe.b"])
