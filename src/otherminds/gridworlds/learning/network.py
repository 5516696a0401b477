"""The network of all learners: window, vector and what happened before go into a GRU, whose state feeds the heads.

Parameters are a flat dictionary of float32 arrays under the names of the policy files
(:mod:`otherminds.gridworlds.learning.policy_files`). A learner of a population has its own; nothing is shared.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import jax
import jax.numpy as jnp

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


class Seen(NamedTuple):
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
    parameters: Parameters, shape: Shape, observed: Seen, windows: bool = True
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


def states(parameters: Parameters, shape: Shape, observed: Seen, h: jax.Array) -> jax.Array:
    """The GRU's states over T steps of S seats, float32[T, S, HIDDEN], from ``h`` float32[S, HIDDEN] before them."""
    gates = encode_observation(parameters, shape, observed) @ parameters["gru.wi"] + parameters["gru.bi"]

    def step(before: jax.Array, at: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        gi, first = at
        after = recurrent(parameters, gi, jnp.where(first[:, None], 0.0, before))
        return after, after

    return jax.lax.scan(step, h, (gates, observed.first))[1]
