"""The network of all learners, and the probe that reads from its state what another player will do.

Window, vector and what happened before go into a GRU, whose state feeds the heads. Parameters are a flat dictionary of
float32 arrays under the names of the policy files. A learner of a population has its own; nothing is shared.

The probe is a linear reading of a learner's state that predicts the next behaviour of each other player. It is trained
beside the learner on states that the learner had while acting, once what came later has shown the answer. It has
parameters of its own and no influence on the learner (as in Alain and Bengio 2017, "Understanding intermediate layers
using linear classifier probes")."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import NDArray

from otherminds.gridworlds.grid.learner import UNKNOWN, hindsight

ACTIONS = 8
EMBEDDING, DENSE, HIDDEN = 8, 64, 64

Parameters: TypeAlias = dict[str, jax.Array]
Array: TypeAlias = Any
"""An array of JAX or of numpy: rollouts are made in the one and learnt from in the other."""


@dataclass(frozen=True)
class Shape:
    """What a seat observes: ``window`` (rows, columns, layers), the number of ``codes`` of each layer, and the
    ``scale`` of each number of the vector. ``reward_scale`` scales rewards, both as input and for learning.
    """

    window: tuple[int, int, int]
    codes: tuple[int, ...]
    scale: tuple[float, ...]
    reward_scale: float

    @property
    def width(self) -> int:
        """Inputs of the dense layer."""
        rows, columns, _ = self.window
        return rows * columns * EMBEDDING + self.beside

    @property
    def beside(self) -> int:
        """Those that do not come from the window."""
        return len(self.scale) + ACTIONS + 1


class LearnerView(NamedTuple):
    """What learners observe at a step, with any leading axes.

    ``window`` uint8[..., rows, columns, layers], ``vector`` float32[..., V], ``action`` int32[...] (the own
    previous action, -1 at the first step of an episode), ``reward`` float32[...] (the previous one, 0 then),
    ``first`` bool[...]: whether it is the first step of an episode.
    """

    window: Array
    vector: Array
    action: Array
    reward: Array
    first: Array


def initial_core(key: jax.Array, shape: Shape) -> Parameters:
    """The encoder and the GRU: orthogonal weights, normal embeddings (0 for nothing) and zero biases."""
    first, second, third = jax.random.split(key, 3)
    parameters = initial_encoder(first, shape)
    for name, own in (("gru.wi", second), ("gru.wh", third)):
        parameters[name] = _orthogonal(own, (HIDDEN, 3 * HIDDEN))
    return parameters | {"gru.bi": jnp.zeros(3 * HIDDEN), "gru.bh": jnp.zeros(3 * HIDDEN)}


def initial_encoder(key: jax.Array, shape: Shape, windows: bool = True) -> Parameters:
    """What :func:`encode_observation` needs.

    The embedding of code 0, which is nothing, begins at 0. Most of a window is nothing: if its embedding were
    random, most of the dense layer's input would be one constant, and units whose sum it makes negative never learn.
    """
    keys = jax.random.split(key, 1 + len(shape.codes))
    width = shape.width if windows else shape.beside
    parameters: Parameters = {
        "dense.w": _orthogonal(keys[0], (width, DENSE), 2**0.5),
        "dense.b": jnp.zeros(DENSE),
    }
    if windows:
        parameters["embed.b"] = jnp.zeros(EMBEDDING)
        for layer, codes in enumerate(shape.codes):
            table = 0.5 * jax.random.normal(keys[1 + layer], (codes, EMBEDDING))
            parameters[f"embed.{layer}"] = table.at[0].set(0.0)
    return parameters


def initial_head(key: jax.Array, name: str, size: tuple[int, ...], gain: float = 1.0) -> Parameters:
    """A linear layer with weights of the shape ``size``: inputs and outputs are its last two axes."""
    return {f"{name}.w": _orthogonal(key, size, gain), f"{name}.b": jnp.zeros((*size[:-2], size[-1]))}


def _orthogonal(key: jax.Array, size: tuple[int, ...], gain: float = 1.0) -> jax.Array:
    if len(size) > 2:
        return jnp.stack([_orthogonal(own, size[1:], gain) for own in jax.random.split(key, size[0])])
    return jax.nn.initializers.orthogonal(gain)(key, size)


def encode_observation(
    parameters: Parameters, shape: Shape, observed: LearnerView, windows: bool = True
) -> jax.Array:
    """The output of the dense layer, float32[..., DENSE]; without ``windows``, of what is observed beside them.

    The embedding is a product with the codes as one-hot vectors, whose gradient XLA computes on a processor
    several times as fast as that of a table that is looked up.
    """
    inputs = [
        observed.vector * jnp.asarray(shape.scale, jnp.float32),
        jax.nn.one_hot(observed.action, ACTIONS),
        observed.reward[..., None] * shape.reward_scale,
    ]
    if windows:
        codes = [jax.nn.one_hot(observed.window[..., layer], n) for layer, n in enumerate(shape.codes)]
        table = jnp.concatenate([parameters[f"embed.{layer}"] for layer in range(len(shape.codes))])
        cells = jax.nn.relu(jnp.concatenate(codes, -1) @ table + parameters["embed.b"])
        inputs.insert(0, cells.reshape(*observed.action.shape, -1))
    return jax.nn.relu(jnp.concatenate(inputs, -1) @ parameters["dense.w"] + parameters["dense.b"])


def recurrent(parameters: Parameters, gi: jax.Array, h: jax.Array) -> jax.Array:
    """A step of the GRU (Cho et al. 2014, in the form that resets after the product): h' from the input's gates."""
    gh = h @ parameters["gru.wh"] + parameters["gru.bh"]
    r = jax.nn.sigmoid(gi[..., :HIDDEN] + gh[..., :HIDDEN])
    z = jax.nn.sigmoid(gi[..., HIDDEN : 2 * HIDDEN] + gh[..., HIDDEN : 2 * HIDDEN])
    n = jnp.tanh(gi[..., 2 * HIDDEN :] + r * gh[..., 2 * HIDDEN :])
    return (1 - z) * n + z * h


def states(parameters: Parameters, shape: Shape, observed: LearnerView, h: jax.Array) -> jax.Array:
    """The GRU's states over T steps of S seats, float32[T, S, HIDDEN], from ``h`` float32[S, HIDDEN] before them."""
    gates = encode_observation(parameters, shape, observed) @ parameters["gru.wi"] + parameters["gru.bi"]

    def step(before: jax.Array, at: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        gi, first = at
        after = recurrent(parameters, gi, jnp.where(first[:, None], 0.0, before))
        return after, after

    return jax.lax.scan(step, h, (gates, observed.first))[1]


EVERY = 8
"""Steps between the states that are kept."""
AHEAD = 512
"""Steps after which an answer that has not shown itself is not waited for any longer, at least."""
RATE = 3e-3


def of_others(behaviours: NDArray[np.int8]) -> NDArray[np.int8]:
    """What each player's others show, int8[..., P, P - 1]: for player i of players i + 1, i + 2, ... (modulo P)."""
    players = behaviours.shape[-1]
    index = (np.arange(players)[:, None] + np.arange(1, players)) % players
    return behaviours[..., index]


def initial_probe(others: int, behaviours: int) -> Parameters:
    """A probe that predicts all behaviours with the same probability."""
    size = others * behaviours
    return {"probe.w": jnp.zeros((HIDDEN, size)), "probe.b": jnp.zeros(size)}


def train_probe(
    parameters: Parameters, optimising: Any, h: jax.Array, answers: jax.Array, behaviours: int
) -> tuple[Parameters, Any, jax.Array]:
    """A step of Adam on the cross-entropy. ``h`` float32[T, S, HIDDEN], ``answers`` int8[T, S, others].

    Returns the new parameters and state, and the share of right predictions before the step (NaN without answers).
    """
    mask = answers != UNKNOWN
    count = mask.sum()

    def cost(parameters: Parameters) -> tuple[jax.Array, jax.Array]:
        logits = h @ parameters["probe.w"] + parameters["probe.b"]
        logits = jax.nn.log_softmax(logits.reshape(*answers.shape, behaviours))
        log_probabilities = jnp.take_along_axis(
            logits, jnp.maximum(answers, 0)[..., None].astype(jnp.int32), -1
        )[..., 0]
        right = ((logits.argmax(-1) == answers) & mask).sum() / count
        return -(log_probabilities * mask).sum() / jnp.maximum(count, 1), right

    gradient, right = jax.grad(cost, has_aux=True)(parameters)
    change, optimising = optax.adam(RATE).update(gradient, optimising)
    return jax.tree.map(jnp.add, parameters, change), optimising, right


class Memory:
    """What the last rollouts showed, until the answers to questions about the oldest of them are known.

    ``kept`` rollouts of T steps; each has states float32[members, T / EVERY, S, HIDDEN], ``shown`` int8[T, B,
    P] and ``ended`` bool[T, B].
    """

    def __init__(self, length: int) -> None:
        self.kept = 1 + -(-AHEAD // length)
        self.rollouts: deque[tuple[NDArray[Any], ...]] = deque(maxlen=self.kept)

    def add(
        self, states: NDArray[np.float32], behaviours: NDArray[np.int8], ended: NDArray[np.bool_]
    ) -> None:
        """Adds a rollout, and forgets the oldest one if there are too many."""
        self.rollouts.append((states, behaviours, ended))

    def lesson(
        self, seats: NDArray[np.intp], patience: int, behaviours: int
    ) -> tuple[NDArray[np.float32], NDArray[np.int8]] | None:
        """States of the oldest rollout and the answers, int8[members, T / EVERY, S, others]; ``None`` too early."""
        if len(self.rollouts) < self.kept:
            return None
        history, ended = (np.concatenate([rollout[part] for rollout in self.rollouts]) for part in (1, 2))
        length = len(self.rollouts[0][1])
        answers = of_others(hindsight(history, ended, patience, behaviours)[:length:EVERY])
        flat = answers.reshape(len(answers), -1, answers.shape[-1])
        return self.rollouts[0][0], np.ascontiguousarray(flat[:, seats].swapaxes(0, 1))
