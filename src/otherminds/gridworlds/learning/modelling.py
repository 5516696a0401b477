"""PPO whose state also has to tell what the other players hold, so that it keeps what shows who they are.

A reward tells little about a partner until the policy already exploits it, and exploitation is learnt late from a state
that has forgotten the partner. An auxiliary loss shortens this: a linear head on the GRU's state predicts the vectors
that the other players observe, their inventories. They are read in training only; the policy acts on the own history.
The idea is that of Hernandez-Leal, Kartal and Taylor 2019 ("Agent Modeling as Auxiliary Task for Deep Reinforcement
Learning"), who predict the others' actions; Papoudakis, Christianos and Albrecht 2021 (LIAM) predict observations and
actions, by an encoder that the reward does not train.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp

from otherminds.gridworlds.learning.network import HIDDEN, Parameters, Shape, initial_head
from otherminds.gridworlds.learning.ppo import PPO, Judged, Reads, Rollout


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
