"""OPRE (Vezhnevets et al. 2020, "OPtions as REsponses", ICML): options that respond to what others do.

A latent c, one of K options, represents what is concealed about the other players. While acting, a *prior* p(c | own
history) chooses; in training, a *posterior* q(c | own history, others' observations) says which option was the right
response. The full text of the paper was not available to us, so that equations are not cited by number:

- acting: mu(a) = sum_c p(c) eta_c(a), with an option policy eta_c that sees the own history only;
- learning: pi(a) = sum_c q(c) eta_c(a), improved off-policy from what mu did;
- the value uses the same latent: V = sum_c q(c) v_c;
- KL(q || p) makes the prior predict the posterior, and bounds what the posterior may use beyond it;
- the entropy of the marginal of q over a batch is raised, so that several options remain in use.

Differences from the paper. The paper learns by V-trace (Espeholt et al. 2018). Here the change of pi since the rollout
is clipped as in PPO, and the mismatch between pi and mu is corrected by V-trace's truncated weight
min(1, pi(a) / mu(a)), which multiplies the objective; targets of the value are generalised advantages of mu, without
this correction. The posterior's encoder of the others' observations has no memory. ``docs/learning.md`` compares both
with an independent implementation, whose weights of the KL and of the entropy are the defaults here too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp

from otherminds.gridworlds.learning.network import (
    ACTIONS,
    DENSE,
    HIDDEN,
    Parameters,
    Shape,
    encode_observation,
    initial_core,
    initial_encoder,
    initial_head,
    states,
)
from otherminds.gridworlds.learning.ppo import Judged, Reads, Rollout, after_cut


@dataclass(frozen=True)
class OPRE:
    """``options`` are K, ``others`` how many other players there are.

    ``windows``: whether the posterior sees the others' windows, beside their vectors and previous actions and rewards.
    ``divergence`` and ``spread`` are the weights of the KL and of the marginal's entropy.

    Option policies begin with weights of full size: with the small ones of PPO all options do the same, and no gradient
    tells the posterior to choose between them. The curve shows, in nats, the ``divergence``, the marginal's entropy
    (``spread``) and ``informed``, the information of the posterior's choice about history and others: zero if OPRE
    has become PPO.
    """

    options: int
    others: int
    windows: bool
    divergence: float
    spread: float

    @property
    def reads(self) -> Reads:
        return "windows" if self.windows else "vectors"

    def initial(self, key: jax.Array, shape: Shape) -> Parameters:
        keys = jax.random.split(key, 6)
        parameters = initial_core(keys[0], shape)
        parameters |= initial_head(keys[1], "policy", (self.options, HIDDEN, ACTIONS))
        parameters |= initial_head(keys[2], "value", (HIDDEN, self.options))
        parameters |= initial_head(keys[3], "prior", (HIDDEN, self.options), gain=0.01)
        parameters |= initial_head(keys[4], "posterior", (HIDDEN + self.others * DENSE, self.options))
        reader = initial_encoder(keys[5], shape, self.windows)
        return parameters | {f"posterior.{name}": value for name, value in reader.items()}

    def policy(self, parameters: Parameters, h: jax.Array) -> jax.Array:
        """log mu(a) = log sum_c p(c) eta_c(a): the prior's mixture, which acts."""
        return mix_responses(self._prior(parameters, h), self._responses(parameters, h))

    def judge(self, parameters: Parameters, shape: Shape, rollout: Rollout) -> Judged:
        hs = states(parameters, shape, rollout.seen, rollout.h)
        responses, prior = self._responses(parameters, hs), self._prior(parameters, hs)
        posterior = self._posterior(parameters, shape, hs, rollout.others)
        q = jnp.exp(posterior)
        divergence = (q * (posterior - prior)).sum(-1)
        marginal = q.mean((0, 1))
        spread = -(marginal * jnp.log(marginal + 1e-8)).sum()
        informed = spread + (q * posterior).sum(-1).mean()
        final = after_cut(parameters, shape, rollout, hs)
        return Judged(
            logits=mix_responses(posterior, responses),
            acted=mix_responses(prior, responses),
            h=hs,
            value=(q * self._values(parameters, hs)).sum(-1),
            extra=self.divergence * divergence - self.spread * spread,
            final_value=(jnp.exp(self._prior(parameters, final)) * self._values(parameters, final)).sum(-1),
            told={"divergence": divergence.mean(), "spread": spread, "informed": informed},
        )

    def _responses(self, parameters: Parameters, h: jax.Array) -> jax.Array:
        """log eta_c(a), float32[..., K, ACTIONS]."""
        logits = jnp.einsum("...h,kha->...ka", h, parameters["policy.w"]) + parameters["policy.b"]
        return jax.nn.log_softmax(logits)

    def _prior(self, parameters: Parameters, h: jax.Array) -> jax.Array:
        """log p(c), float32[..., K]."""
        return jax.nn.log_softmax(h @ parameters["prior.w"] + parameters["prior.b"])

    def _values(self, parameters: Parameters, h: jax.Array) -> jax.Array:
        """v_c, float32[..., K]."""
        return h @ parameters["value.w"] + parameters["value.b"]

    def _posterior(self, parameters: Parameters, shape: Shape, hs: jax.Array, others: Any) -> jax.Array:
        """log q(c), float32[..., K], from the own states and the others' observations, [..., others]."""
        own = {
            name.removeprefix("posterior."): value
            for name, value in parameters.items()
            if name.startswith("posterior.")
        }
        read = encode_observation(own, shape, others, windows=self.windows)
        joined = jnp.concatenate([hs, read.reshape(*hs.shape[:-1], self.others * DENSE)], -1)
        return jax.nn.log_softmax(joined @ parameters["posterior.w"] + parameters["posterior.b"])


def mix_responses(weights: jax.Array, responses: jax.Array) -> jax.Array:
    """log sum_c w_c eta_c(a), float32[..., ACTIONS], from log w float32[..., K] and log eta float32[..., K, ACTIONS]."""
    return jax.nn.logsumexp(weights[..., None] + responses, -2)
