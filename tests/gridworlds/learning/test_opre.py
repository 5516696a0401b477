"""Identities of OPRE's mixtures, and where its gradients go."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from otherminds.gridworlds.learning.network import HIDDEN
from otherminds.gridworlds.learning.opre import OPRE, mix_responses
from otherminds.gridworlds.learning.ppo import PPO, Learnt, Settings, loss
from tests.gridworlds.learning.test_ppo import LENGTH, SEATS, SHAPE, rollout

OPTIONS = 3
ALGORITHM = OPRE(OPTIONS, others=1, windows=True, divergence=0.1, spread=0.0)


@pytest.fixture(scope="module")
def parameters() -> Any:
    made = ALGORITHM.initial(jax.random.key(1), SHAPE)
    keys = iter(jax.random.split(jax.random.key(2), len(made)))
    return {name: value + 0.3 * jax.random.normal(next(keys), value.shape) for name, value in made.items()}


def test_a_mixture_is_the_weighted_sum_of_the_options() -> None:
    rng = np.random.default_rng(0)
    weights, responses = rng.dirichlet(np.ones(OPTIONS), 5), rng.dirichlet(np.ones(8), (5, OPTIONS))
    found = np.exp(mix_responses(jnp.log(jnp.float32(weights)), jnp.log(jnp.float32(responses))))
    np.testing.assert_allclose(found, np.einsum("nk,nka->na", weights, responses), rtol=1e-5)


def test_policies_are_distributions_and_the_divergence_is_not_negative(parameters: Any) -> None:
    judged = ALGORITHM.judge(parameters, SHAPE, rollout(1))
    for logits in (judged.logits, judged.acted):
        np.testing.assert_allclose(np.exp(logits).sum(-1), 1, rtol=1e-5)
    assert (np.asarray(judged.extra) >= -1e-7).all()
    assert np.asarray(judged.extra).max() > 1e-3


def test_a_posterior_that_ignores_the_others_and_equals_the_prior_changes_nothing(parameters: Any) -> None:
    """Then the improved policy is the acting one, and the divergence is zero."""
    equal = dict(parameters)
    silent = jnp.zeros_like(parameters["posterior.w"])
    equal["posterior.w"] = silent.at[:HIDDEN].set(parameters["prior.w"])
    equal["posterior.b"] = parameters["prior.b"]
    judged = ALGORITHM.judge(equal, SHAPE, rollout(2))
    np.testing.assert_allclose(judged.logits, judged.acted, atol=1e-5)
    np.testing.assert_allclose(judged.extra, 0, atol=1e-6)


def test_with_equal_options_it_is_ppo(parameters: Any) -> None:
    """Options that do the same leave nothing to choose: policy and value are those of PPO with these weights."""
    one = dict(parameters)
    one["policy.w"] = jnp.broadcast_to(parameters["policy.w"][:1], parameters["policy.w"].shape)
    one["policy.b"] = jnp.broadcast_to(parameters["policy.b"][:1], parameters["policy.b"].shape)
    one["value.w"] = jnp.broadcast_to(parameters["value.w"][:, :1], parameters["value.w"].shape)
    one["value.b"] = jnp.broadcast_to(parameters["value.b"][:1], parameters["value.b"].shape)
    plain = one | {"policy.w": one["policy.w"][0], "policy.b": one["policy.b"][0]}
    plain |= {"value.w": one["value.w"][:, :1], "value.b": one["value.b"][:1]}
    made = rollout(3)
    judged, expected = ALGORITHM.judge(one, SHAPE, made), PPO().judge(plain, SHAPE, made)
    for found in (judged.logits, judged.acted):
        np.testing.assert_allclose(found, expected.logits, atol=1e-5)
    np.testing.assert_allclose(judged.value, expected.value, atol=1e-5)


def test_only_the_posterior_sees_the_others(parameters: Any) -> None:
    """What others observe changes what is learnt from, and no action."""
    made = rollout(4)
    window = made.others.window.copy()
    window[...] = (window + 1) % np.array(SHAPE.codes, np.uint8)
    other = made._replace(others=made.others._replace(window=window))
    before, after = (ALGORITHM.judge(parameters, SHAPE, one) for one in (made, other))
    np.testing.assert_array_equal(before.acted, after.acted)
    assert not np.allclose(before.logits, after.logits)
    blind = replace(ALGORITHM, windows=False)
    fewer = blind.initial(jax.random.key(5), SHAPE)
    before, after = (blind.judge(fewer, SHAPE, one) for one in (made, other))
    np.testing.assert_array_equal(before.logits, after.logits)


def test_the_prior_learns_from_the_divergence_alone(parameters: Any) -> None:
    made, rng = rollout(6), np.random.default_rng(7)
    parts = (-np.ones((LENGTH, SEATS)), np.ones((LENGTH, SEATS)), *rng.normal(size=(2, LENGTH, SEATS)))
    learnt = Learnt(*map(jnp.float32, parts))

    def slope(divergence: float) -> Any:
        algorithm = replace(ALGORITHM, divergence=divergence)
        return jax.grad(loss, has_aux=True)(
            parameters, algorithm, SHAPE, Settings(), made, learnt, jnp.float32(0.01)
        )[0]

    without, with_it = slope(0.0), slope(0.1)
    np.testing.assert_array_equal(without["prior.w"], 0)
    assert np.abs(with_it["prior.w"]).max() > 1e-5
    assert np.abs(without["posterior.w"]).max() > 1e-5


def test_the_spread_rewards_the_use_of_all_options(parameters: Any) -> None:
    """A step along the gradient of the marginal's entropy raises it."""
    made = rollout(8)
    algorithm = replace(ALGORITHM, divergence=0.0, spread=1.0)

    def entropy(parameters: Any) -> jax.Array:
        return -algorithm.judge(parameters, SHAPE, made).extra.mean()

    slope = jax.grad(entropy)(parameters)
    moved = {name: value + 0.05 * slope[name] for name, value in parameters.items()}
    assert entropy(moved) > entropy(parameters)
    assert entropy(moved) <= np.log(OPTIONS) + 1e-5
