"""The prediction of what other players hold: what it is of, where its gradients go, and that acting needs none of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from otherminds.core.errors import StudyError
from otherminds.gridworlds.learning.ppo import PPO, Modelling, theirs
from otherminds.gridworlds.learning.trainer import Trainer, TrainingFile, load_training
from tests.gridworlds.learning.test_ppo import LENGTH, SEATS, SHAPE, rollout, seen

ALGORITHM = Modelling(weight=0.5, others=1)


@pytest.fixture(scope="module")
def parameters() -> Any:
    return ALGORITHM.initial(jax.random.key(1), SHAPE)


def test_what_is_predicted_is_the_vector_of_each_other_player() -> None:
    rng = np.random.default_rng(1)
    others = seen(rng, LENGTH + 1, SEATS, 2)
    found = np.asarray(theirs(SHAPE, others))
    assert found.shape == (LENGTH + 1, SEATS, 2 * len(SHAPE.scale))
    expected = [*(others.vector[2, 1, 0] * SHAPE.scale), *(others.vector[2, 1, 1] * SHAPE.scale)]
    np.testing.assert_allclose(found[2, 1], expected, rtol=1e-6)


def test_without_the_head_it_is_ppo(parameters: Any) -> None:
    """Policy, value and state do not depend on what the others observe, and are those of PPO."""
    made = rollout(2)
    judged, plain = ALGORITHM.judge(parameters, SHAPE, made), PPO().judge(parameters, SHAPE, made)
    for name in ("logits", "acted", "h", "value", "final_value"):
        np.testing.assert_array_equal(getattr(judged, name), getattr(plain, name))


def test_the_loss_is_the_weighted_squared_error(parameters: Any) -> None:
    made = rollout(3)
    judged = ALGORITHM.judge(parameters, SHAPE, made)
    error = (judged.h @ parameters["model.w"] + parameters["model.b"] - theirs(SHAPE, made.others)) ** 2
    np.testing.assert_allclose(judged.extra, 0.5 * error.sum(-1), rtol=1e-5)
    np.testing.assert_allclose(judged.told["modelling"], error.sum(-1).mean(), rtol=1e-5)
    twice = replace(ALGORITHM, weight=1.0).judge(parameters, SHAPE, made)
    np.testing.assert_allclose(twice.extra, 2 * judged.extra, rtol=1e-6)


def test_the_error_is_a_mean_over_players(parameters: Any) -> None:
    """Two players who hold the same, predicted alike, count as one."""
    made = rollout(6)
    both = jax.tree.map(lambda part: np.repeat(part, 2, 2), made.others)
    heads = {"model.w": jnp.tile(parameters["model.w"], 2), "model.b": jnp.tile(parameters["model.b"], 2)}
    judged = Modelling(0.5, others=2).judge(parameters | heads, SHAPE, made._replace(others=both))
    np.testing.assert_allclose(judged.extra, ALGORITHM.judge(parameters, SHAPE, made).extra, rtol=1e-5)


def test_the_state_learns_from_the_prediction(parameters: Any) -> None:
    """A step against the gradient lowers the error, and the GRU and the encoder have a part in it."""
    made = rollout(4)

    def error(parameters: Any) -> jax.Array:
        return ALGORITHM.judge(parameters, SHAPE, made).extra.mean()

    slope = jax.grad(error)(parameters)
    assert all(np.abs(slope[name]).max() > 1e-5 for name in ("gru.wi", "gru.wh", "dense.w", "embed.0"))
    assert all(np.asarray(slope[name] == 0).all() for name in ("policy.w", "value.w"))
    moved = jax.tree.map(lambda old, by: old - 0.05 * by, parameters, slope)
    assert error(moved) < error(parameters)


def test_a_substrate_whose_players_hold_nothing_that_is_observed_is_refused() -> None:
    config = TrainingFile(substrate="cooking-asymmetric-v1", modelling=0.5)
    with pytest.raises(StudyError, match="'cooking-asymmetric-v1' has no inventories"):
        Trainer(config)


def test_it_is_an_addition_to_ppo_alone(tmp_path: Any) -> None:
    path = tmp_path / "training.toml"
    path.write_text('substrate = "pd-repeated-v1"\nalgorithm = "opre"\nmodelling = 0.5\n')
    with pytest.raises(StudyError, match="modelling is an addition to ppo"):
        load_training(path)
