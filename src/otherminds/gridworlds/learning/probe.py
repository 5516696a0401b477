"""The probe: a linear reading of a learner's state that predicts the next behaviour of each other player.

It is trained beside the learner on states that the learner had while acting, once what came later has shown the answer. It
has parameters of its own and no influence on the learner (as in Alain and Bengio 2017, "Understanding
intermediate layers using linear classifier probes").
"""

from __future__ import annotations

from collections import deque
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import NDArray

from otherminds.gridworlds.grid.hindsight import UNKNOWN, hindsight
from otherminds.gridworlds.learning.network import HIDDEN, Parameters

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
