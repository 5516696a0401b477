"""The update of PPO against computations in numpy, and what it learns."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.gridworlds.learning.network import HIDDEN, LearnerView, Shape, initial_encoder
from otherminds.gridworlds.learning.ppo import (
    PPO,
    Learnt,
    Rates,
    Rollout,
    Settings,
    advantages,
    choose_actions,
    for_population,
    loss,
    of_seats,
    optimiser,
    update_learner,
)

SHAPE = Shape((2, 3, 2), (4, 3), (1.0, 0.5), 0.1)
LENGTH, SEATS = 6, 4


def seen(rng: np.random.Generator, *axes: int) -> LearnerView:
    rows, columns, _ = SHAPE.window
    layers = [rng.integers(0, codes, (*axes, rows, columns)) for codes in SHAPE.codes]
    return LearnerView(
        window=np.stack(layers, -1).astype(np.uint8),
        vector=rng.random((*axes, len(SHAPE.scale)), np.float32),
        action=rng.integers(-1, 8, axes).astype(np.int32),
        reward=rng.normal(size=axes).astype(np.float32),
        first=rng.random(axes) < 0.2,
    )


def rollout(seed: int, seats: int = SEATS, length: int = LENGTH) -> Rollout:
    rng = np.random.default_rng(seed)
    return Rollout(
        seen=seen(rng, length + 1, seats),
        others=seen(rng, length + 1, seats, 1),
        h=rng.normal(size=(seats, HIDDEN)).astype(np.float32),
        action=rng.integers(0, 8, (length, seats)).astype(np.int32),
        reward=rng.normal(size=(length, seats)).astype(np.float32),
        ended=rng.random((length, seats)) < 0.2,
        final=seen(rng, seats),
        cut=np.full(seats, -1, np.int32),
    )


@pytest.fixture(scope="module")
def parameters() -> Any:
    made = PPO().initial(jax.random.key(1), SHAPE)
    keys = iter(jax.random.split(jax.random.key(2), len(made)))
    return {name: value + 0.1 * jax.random.normal(next(keys), value.shape) for name, value in made.items()}


@given(st.integers(0, 2**32 - 1), st.floats(0.5, 1), st.floats(0, 1))
def test_advantages_are_discounted_sums_of_errors_up_to_the_end_of_the_episode(
    seed: int, discount: float, trace: float
) -> None:
    rng = np.random.default_rng(seed)
    reward, value = rng.normal(size=(LENGTH, 2)), rng.normal(size=(LENGTH + 1, 2))
    ended = rng.random((LENGTH, 2)) < 0.3
    expected = np.zeros((LENGTH, 2))
    for seat in range(2):
        for t in range(LENGTH):
            weight = 1.0
            for k in range(t, LENGTH):
                on = 1 - ended[k, seat]
                error = reward[k, seat] + discount * on * value[k + 1, seat] - value[k, seat]
                expected[t, seat] += weight * error
                if ended[k, seat]:
                    break
                weight *= discount * trace
    found = advantages(jnp.float32(reward), jnp.float32(value), jnp.asarray(ended), discount, trace)
    np.testing.assert_allclose(found, expected, atol=2e-5)


def test_the_loss_is_that_of_the_paper(parameters: Any) -> None:
    settings, weight = Settings(), 0.03
    made, rng = rollout(3), np.random.default_rng(4)
    chosen = np.log(rng.uniform(0.05, 0.4, (LENGTH, SEATS)))
    advantage, target = rng.normal(size=(2, LENGTH, SEATS))
    judged = PPO().judge(parameters, SHAPE, made)
    logits, value = np.asarray(judged.logits, float)[:-1], np.asarray(judged.value, float)[:-1]
    objective, entropy = [], []
    for t in range(LENGTH):
        for seat in range(SEATS):
            p = np.exp(logits[t, seat])
            ratio = p[made.action[t, seat]] / np.exp(chosen[t, seat])
            kept = min(max(ratio, 1 - settings.clip), 1 + settings.clip)
            objective.append(min(ratio * advantage[t, seat], kept * advantage[t, seat]))
            entropy.append(-(p * np.log(p)).sum())
    error = 0.5 * np.mean((value - target) ** 2)
    expected = -np.mean(objective) + settings.value_weight * error - weight * np.mean(entropy)
    learnt = Learnt(*(jnp.float32(part) for part in (chosen, np.ones_like(chosen), advantage, target)))
    found, parts = loss(parameters, PPO(), SHAPE, settings, made, learnt, jnp.float32(weight))
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    np.testing.assert_allclose(parts["entropy"], np.mean(entropy), rtol=1e-5)


def test_a_rollout_of_some_seats_is_judged_as_in_the_whole(parameters: Any) -> None:
    made = rollout(5)
    whole = PPO().judge(parameters, SHAPE, made)
    part = PPO().judge(parameters, SHAPE, of_seats(made, jnp.array([2, 0])))
    np.testing.assert_allclose(part.logits, whole.logits[:, [2, 0]], atol=1e-6)
    np.testing.assert_allclose(part.final_value, whole.final_value[jnp.array([2, 0])], atol=1e-6)


def test_acting_and_judging_agree(parameters: Any) -> None:
    """Probabilities while acting, step by step, are those that the update computes over the whole rollout."""
    made = rollout(6)
    logits = np.asarray(PPO().judge(parameters, SHAPE, made).logits)
    h = made.h
    for t in range(LENGTH):
        now = LearnerView(*(part[t] for part in made.seen))
        luck = np.full(SEATS, 0.5, np.float32)
        action, h = choose_actions(PPO(), SHAPE, parameters, now, h, luck)
        reached = np.cumsum(np.exp(logits[t]), -1)
        np.testing.assert_array_equal(action, (reached[:, :-1] < 0.5).sum(-1))


def test_the_first_step_of_an_episode_forgets_the_last_one(parameters: Any) -> None:
    made = rollout(7)
    made.seen.first[0] = True
    other = made._replace(h=made.h + 1)
    np.testing.assert_array_equal(
        PPO().judge(parameters, SHAPE, made).logits, PPO().judge(parameters, SHAPE, other).logits
    )


def test_only_episodes_cut_off_by_time_are_bootstrapped(parameters: Any) -> None:
    """The return of an episode that ran out of time counts the value of its last observation; others' do not."""
    made = rollout(8)
    made.ended[:] = False
    made.ended[3] = True
    cut = made._replace(cut=np.array([3, -1, -1, -1], np.int32))
    adam = optimiser(Settings())
    order = jnp.arange(SEATS, dtype=jnp.int32)[None]
    rates = Rates(jnp.float32(0.01), jnp.float32(0))

    update = jax.jit(partial(update_learner, PPO(), SHAPE, Settings()))

    def moved(one: Rollout) -> Any:
        return update(parameters, adam.init(parameters), one, order, rates)[0]["value.w"]

    assert not np.array_equal(moved(made), moved(cut))
    elsewhere = cut._replace(final=LearnerView(*(np.roll(part, 1, 0) for part in cut.final)))
    unused = made._replace(final=elsewhere.final)
    np.testing.assert_array_equal(moved(made), moved(unused))


def test_members_share_nothing(parameters: Any) -> None:
    """Each member of a population is updated as it would be alone."""
    settings, members = Settings(minibatches=2, epochs=1), 2
    adam = optimiser(settings)
    rollouts = [rollout(10 + member) for member in range(members)]
    owned = [jax.tree.map(lambda x, by=member: x + by, parameters) for member in range(members)]
    order = jnp.array([[[0, 1], [2, 3]], [[3, 1], [0, 2]]], jnp.int32)
    rates = Rates(jnp.float32(1e-3), jnp.float32(0.01))
    update = partial(update_learner, PPO(), SHAPE, settings)

    def stacked(*trees: Any) -> Any:
        return jax.tree.map(lambda *leaves: jnp.stack(leaves), *trees)

    together, _, _ = for_population(update, shared=1)(
        stacked(*owned), stacked(*map(adam.init, owned)), stacked(*rollouts), order, rates
    )
    for member in range(members):
        alone, _, _ = jax.jit(update)(
            owned[member], adam.init(owned[member]), rollouts[member], order[member], rates
        )
        for name, value in alone.items():
            np.testing.assert_allclose(together[name][member], value, atol=1e-6)


def test_the_better_of_eight_actions_is_learnt() -> None:
    """A bandit: action 5 pays 1 and others nothing, so that 1/8 of the reward is what chance earns."""
    settings, seats, length = Settings(minibatches=2), 32, 8
    algorithm, adam = PPO(), optimiser(settings)
    parameters = algorithm.initial(jax.random.key(0), SHAPE)
    optimising = adam.init(parameters)
    rng = np.random.default_rng(0)
    act = jax.jit(partial(choose_actions, algorithm, SHAPE))
    update = jax.jit(partial(update_learner, algorithm, SHAPE, settings))
    earned = []
    for _ in range(40):
        made = rollout(int(rng.integers(2**31)), seats, length)
        h, actions = made.h, []
        for t in range(length):
            luck = rng.random(seats, np.float32)
            action, h = act(parameters, LearnerView(*(part[t] for part in made.seen)), h, luck)
            actions.append(np.asarray(action))
        action = np.stack(actions)
        made = made._replace(action=action, reward=(action == 5).astype(np.float32))
        order = np.array([rng.permutation(seats) for _ in range(settings.epochs)], np.int32)
        rates = Rates(jnp.float32(3e-3), jnp.float32(0))
        parameters, optimising, _ = update(
            parameters, optimising, made, order.reshape(settings.epochs * settings.minibatches, -1), rates
        )
        earned.append(float((action == 5).mean()))
    assert np.mean(earned[:3]) < 0.3
    assert np.mean(earned[-3:]) > 0.9


def test_a_cell_with_nothing_gives_no_input_at_first() -> None:
    made = initial_encoder(jax.random.key(0), SHAPE)
    for layer in range(len(SHAPE.codes)):
        table = np.asarray(made[f"embed.{layer}"])
        assert not table[0].any()
        assert (np.abs(table[1:]).max(-1) > 0).all()
