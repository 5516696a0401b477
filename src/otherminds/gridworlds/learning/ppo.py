"""Recurrent proximal policy optimisation (Schulman et al. 2017) for a population without shared weights.

Everything here is about one learner with S seats over T steps; :func:`for_population` maps it over members. A
rollout has T + 1 observations, of which the last only serves to bootstrap. The state of the GRU is kept
between rollouts, and gradients go back through the T steps of a rollout.

Equations cited by number are those of Schulman et al. 2017 ("Proximal Policy Optimization Algorithms") and
Schulman et al. 2016 ("High-Dimensional Continuous Control Using Generalized Advantage Estimation", GAE).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

import jax
import jax.numpy as jnp
import optax

from otherminds.gridworlds.learning.network import (
    ACTIONS,
    HIDDEN,
    Array,
    LearnerView,
    Parameters,
    Shape,
    encode_observation,
    initial_core,
    initial_head,
    recurrent,
    states,
)

R = TypeVar("R")
Reads: TypeAlias = Literal["nothing", "vectors", "windows"]
"""What an algorithm reads of the other players' observations in training; ``windows`` are beside vectors, previous actions and
rewards."""


@dataclass(frozen=True)
class Settings:
    """What a training keeps fixed.

    ``discount``, ``trace`` (lambda of GAE), ``clip`` (epsilon of the clipped objective), ``value_weight``,
    ``norm`` (the greatest norm of a gradient), ``epochs`` and ``minibatches`` of an update; a minibatch has
    whole sequences.
    """

    discount: float = 0.99
    trace: float = 0.95
    clip: float = 0.2
    value_weight: float = 0.5
    norm: float = 0.5
    epochs: int = 2
    minibatches: int = 4


class Rates(NamedTuple):
    """What changes from update to update: the learning rate and the weight of the entropy, float32 each."""

    learning: jax.Array
    entropy: jax.Array


class Rollout(NamedTuple):
    """T steps of S seats, as one learner made them.

    ``seen``: T + 1 observations, [T + 1, S, ...]. ``others``: what the other players of each seat's world
    observed at the same steps, [T + 1, S, others, ...], as far as the algorithm ``reads`` it; ``None`` if it does not.
    ``h`` float32[S, HIDDEN]: the state before the first step. ``action`` int32[T, S], ``reward`` float32[T,
    S] (scaled), ``ended`` bool[T, S]: whether the episode ended with this step. ``final``: the last
    observation, [S, ...], of an episode cut off at its maximum length in step ``cut`` int32[S], -1 if none
    was; at most one in a rollout.
    """

    seen: LearnerView
    others: Any
    h: Array
    action: Array
    reward: Array
    ended: Array
    final: LearnerView
    cut: Array


class Judged(NamedTuple):
    """What a learner's parameters say of a rollout.

    ``logits`` float32[T + 1, S, ACTIONS]: log-probabilities of actions under the policy that is improved;
    ``acted``: under the policy that acts. ``h`` float32[T + 1, S, HIDDEN]: the states. ``value`` float32[T + 1, S]. ``extra`` float32[T + 1, S]: a further loss
    of each step. ``final_value`` float32[S]. ``told``: numbers for the curve, by name.
    """

    logits: jax.Array
    acted: jax.Array
    h: jax.Array
    value: jax.Array
    extra: jax.Array
    final_value: jax.Array
    told: dict[str, jax.Array]


class Algorithm(Protocol):
    """What PPO and OPRE differ in."""

    @property
    def reads(self) -> Reads:
        """What it reads of the other players' observations in training."""
        ...

    def initial(self, key: jax.Array, shape: Shape) -> Parameters:
        """The first parameters."""
        ...

    def policy(self, parameters: Parameters, h: jax.Array) -> jax.Array:
        """Log-probabilities of actions, float32[..., ACTIONS], in state ``h``."""
        ...

    def judge(self, parameters: Parameters, shape: Shape, rollout: Rollout) -> Judged:
        """What the parameters say of a rollout."""
        ...


@dataclass(frozen=True)
class PPO:
    """A policy and a value, each linear in the GRU's state."""

    @property
    def reads(self) -> Reads:
        return "nothing"

    def initial(self, key: jax.Array, shape: Shape) -> Parameters:
        core, policy, value = jax.random.split(key, 3)
        parameters = initial_core(core, shape) | initial_head(policy, "policy", (HIDDEN, ACTIONS), gain=0.01)
        return parameters | initial_head(value, "value", (HIDDEN, 1))

    def policy(self, parameters: Parameters, h: jax.Array) -> jax.Array:
        return jax.nn.log_softmax(h @ parameters["policy.w"] + parameters["policy.b"])

    def judge(self, parameters: Parameters, shape: Shape, rollout: Rollout) -> Judged:
        hs = states(parameters, shape, rollout.seen, rollout.h)
        value = self._value(parameters, hs)
        final = self._value(parameters, after_cut(parameters, shape, rollout, hs))
        logits = self.policy(parameters, hs)
        return Judged(logits, logits, hs, value, jnp.zeros_like(value), final, {})

    def _value(self, parameters: Parameters, h: jax.Array) -> jax.Array:
        return (h @ parameters["value.w"] + parameters["value.b"])[..., 0]


def after_cut(parameters: Parameters, shape: Shape, rollout: Rollout, hs: jax.Array) -> jax.Array:
    """The state after the last observation of the episodes that were cut off, float32[S, HIDDEN]."""
    before = jnp.take_along_axis(hs, jnp.maximum(rollout.cut, 0)[None, :, None], 0)[0]
    gates = encode_observation(parameters, shape, rollout.final) @ parameters["gru.wi"] + parameters["gru.bi"]
    return recurrent(parameters, gates, before)


def choose_actions(
    algorithm: Algorithm,
    shape: Shape,
    parameters: Parameters,
    observed: LearnerView,
    h: jax.Array,
    luck: jax.Array,
) -> tuple[jax.Array, jax.Array]:
    """One step of S seats: actions int32[S] and the new state, from uniform numbers ``luck`` float32[S]."""
    gates = encode_observation(parameters, shape, observed) @ parameters["gru.wi"] + parameters["gru.bi"]
    after = recurrent(parameters, gates, jnp.where(observed.first[:, None], 0.0, h))
    reached = jnp.cumsum(jnp.exp(algorithm.policy(parameters, after)), -1)
    return (reached[:, :-1] < luck[:, None]).sum(-1).astype(jnp.int32), after


def advantages(
    reward: jax.Array, value: jax.Array, ended: jax.Array, discount: float, trace: float
) -> jax.Array:
    """Generalised advantages, float32[T, S] (GAE, equation 16), which do not reach across the ends of episodes.

    ``value`` float32[T + 1, S] is that of the observations before each step and after the last one.
    """
    going = 1.0 - ended
    errors = reward + discount * value[1:] * going - value[:-1]

    def back(later: jax.Array, at: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        error, on = at
        now = error + discount * trace * on * later
        return now, now

    return jax.lax.scan(back, jnp.zeros_like(errors[0]), (errors, going), reverse=True)[1]


class Learnt(NamedTuple):
    """What a minibatch learns from, beside its rollout, each float32[T, S].

    ``chosen``: the log-probabilities of the actions before the update, under the policy that is improved. ``weight``: the
    truncated importance weight min(1, improved / acting) of V-trace (Espeholt et al. 2018, equation 1), 1 where both
    are the same policy. ``advantage``: normalised. ``target``: of the value.
    """

    chosen: jax.Array
    weight: jax.Array
    advantage: jax.Array
    target: jax.Array


def loss(
    parameters: Parameters,
    algorithm: Algorithm,
    shape: Shape,
    settings: Settings,
    rollout: Rollout,
    learnt: Learnt,
    entropy_weight: jax.Array,
) -> tuple[jax.Array, dict[str, jax.Array]]:
    """The loss (PPO, equation 9, with its sign changed) with the clipped objective (equation 7), and its parts."""
    judged = algorithm.judge(parameters, shape, rollout)
    logits, value = judged.logits[:-1], judged.value[:-1]
    ratio = jnp.exp(pick_log_probability(logits, rollout.action) - learnt.chosen)
    bounded = jnp.clip(ratio, 1 - settings.clip, 1 + settings.clip)
    objective = (learnt.weight * jnp.minimum(ratio * learnt.advantage, bounded * learnt.advantage)).mean()
    error = 0.5 * jnp.square(value - learnt.target).mean()
    entropy = -(jnp.exp(logits) * logits).sum(-1).mean()
    extra = judged.extra[:-1].mean()
    total = -objective + settings.value_weight * error - entropy_weight * entropy + extra
    clipped = (jnp.abs(ratio - 1) > settings.clip).mean()
    return total, {"value_loss": error, "entropy": entropy, "clipped": clipped, **judged.told}


def pick_log_probability(logits: jax.Array, action: jax.Array) -> jax.Array:
    """The log-probability of the action that was chosen."""
    return jnp.take_along_axis(logits, action[..., None], -1)[..., 0]


def optimiser(settings: Settings) -> optax.GradientTransformation:
    """Adam (Kingma and Ba 2015) on gradients of bounded norm; the learning rate is multiplied later."""
    return optax.chain(optax.clip_by_global_norm(settings.norm), optax.scale_by_adam(eps=1e-5))


def update_learner(
    algorithm: Algorithm,
    shape: Shape,
    settings: Settings,
    parameters: Parameters,
    optimising: Any,
    rollout: Rollout,
    order: jax.Array,
    rates: Rates,
) -> tuple[Parameters, Any, dict[str, jax.Array]]:
    """One update of a learner. ``order`` int32[epochs · minibatches, S / minibatches]: the seats of each minibatch.

    Returns the new parameters, the new state of the optimiser, and means of the parts of the loss.
    """
    judged = algorithm.judge(parameters, shape, rollout)
    cut = jnp.arange(rollout.reward.shape[0])[:, None] == rollout.cut
    reward = rollout.reward + settings.discount * cut * judged.final_value  # bootstraps where time ran out
    advantage = advantages(reward, judged.value, rollout.ended, settings.discount, settings.trace)
    chosen, acted_as = (
        pick_log_probability(logits[:-1], rollout.action) for logits in (judged.logits, judged.acted)
    )
    learnt = Learnt(
        chosen=chosen,
        weight=jnp.minimum(1.0, jnp.exp(chosen - acted_as)),
        advantage=(advantage - advantage.mean()) / (advantage.std() + 1e-8),
        target=advantage + judged.value[:-1],
    )
    adam = optimiser(settings)

    def step(
        now: tuple[Parameters, Any], seats: jax.Array
    ) -> tuple[tuple[Parameters, Any], dict[str, jax.Array]]:
        parameters, optimising = now
        gradient, parts = jax.grad(loss, has_aux=True)(
            parameters,
            algorithm,
            shape,
            settings,
            of_seats(rollout, seats),
            Learnt(*(part[:, seats] for part in learnt)),
            rates.entropy,
        )
        change, optimising = adam.update(gradient, optimising)
        moved = jax.tree.map(lambda old, by: old - rates.learning * by, parameters, change)
        return (moved, optimising), parts

    (parameters, optimising), parts = jax.lax.scan(step, (parameters, optimising), order)
    metrics = {name: values.mean() for name, values in parts.items()}
    return parameters, optimising, metrics | {"value": judged.value.mean()}


def of_seats(rollout: Rollout, seats: jax.Array) -> Rollout:
    """The part of a rollout that belongs to some of its seats."""
    over_time = ("seen", "others", "action", "reward", "ended")

    def part(name: str) -> Any:
        at = (slice(None), seats) if name in over_time else seats
        return jax.tree.map(lambda x: x[at], getattr(rollout, name))

    return Rollout(*map(part, Rollout._fields))


def for_population(function: Callable[..., R], shared: int = 0) -> Callable[..., R]:
    """``function`` for all members at once, compiled: its arguments get a leading axis of members.

    The last ``shared`` arguments have no such axis. Members are computed one after another: on a processor, this is
    faster than products with an axis of members.
    """

    def map_members(*arguments: Any) -> R:
        each, same = arguments[: len(arguments) - shared], arguments[len(arguments) - shared :]
        return jax.lax.map(lambda own: function(*own, *same), each)

    return jax.jit(map_members)


@dataclass(frozen=True)
class Modelling(PPO):
    """PPO with the squared error of the prediction, times ``weight``, in its loss: the mean over the ``others`` players."""

    weight: float
    others: int

    @property
    def reads(self) -> Reads:
        return "vectors"

    def initial(self, key: jax.Array, shape: Shape) -> Parameters:
        own, head = jax.random.split(key)
        size = self.others * len(shape.scale)
        return super().initial(own, shape) | initial_head(head, "model", (HIDDEN, size))

    def judge(self, parameters: Parameters, shape: Shape, rollout: Rollout) -> Judged:
        judged = super().judge(parameters, shape, rollout)
        foretold = judged.h @ parameters["model.w"] + parameters["model.b"]
        error = jnp.square(foretold - theirs(shape, rollout.others)).sum(-1) / self.others
        return judged._replace(extra=self.weight * error, told={"modelling": error.mean()})


def theirs(shape: Shape, others: Any) -> jax.Array:
    """The other players' vectors, scaled, float32[T + 1, S, others · V]."""
    scaled = others.vector * jnp.asarray(shape.scale, jnp.float32)
    return scaled.reshape(*scaled.shape[:-2], -1)
