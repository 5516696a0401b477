"""PPO in one file, in the style of CleanRL: a PyTorch network trained in a vector environment plays and gets F.

It observes the last round only, which suffices against partners that always play the same move. Takes some seconds.
Needs ``pip install torch``. F is 0 for the best plan that ignores the partner (``blind``), and 1 for the best response to
it (``informed``).
"""

from __future__ import annotations

import numpy as np
import torch
from torch import nn

import otherminds as om

SCENARIO, OPTIONS, ENVS, STEPS = "rps-single-v1", {"rounds": 20}, 8, 20


class Agent(nn.Module):
    """Logits float32[B, n] and values float32[B] from observations int64[B]."""

    def __init__(self, observations: int, actions: int) -> None:
        super().__init__()
        self.actor = nn.Embedding(observations, actions)
        self.critic = nn.Embedding(observations, 1)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        return self.actor(observations)

    def value(self, observations: torch.Tensor) -> torch.Tensor:
        return self.critic(observations).squeeze(-1)


def train(updates: int) -> om.Mind:
    """The policy after ``updates`` updates, as a mind."""
    torch.manual_seed(0)
    envs = om.make(SCENARIO, OPTIONS, num_envs=ENVS)
    agent = Agent(int(envs.single_observation_space.n), int(envs.single_action_space.n))
    optimizer = torch.optim.Adam(agent.parameters(), lr=0.05)
    seen, _ = envs.reset(seed=0)
    for _ in range(updates):
        observations, actions, rewards = [], [], []
        for _ in range(STEPS):
            with torch.no_grad():
                chosen = torch.distributions.Categorical(logits=agent(torch.as_tensor(seen))).sample()
            observations.append(torch.as_tensor(seen))
            actions.append(chosen)
            seen, paid, _, _, _ = envs.step(chosen.numpy())
            rewards.append(torch.as_tensor(paid.astype(np.float32)))
        inputs, choices, returns = torch.cat(observations), torch.cat(actions), torch.cat(rewards)
        with torch.no_grad():
            before = torch.distributions.Categorical(logits=agent(inputs)).log_prob(choices)
            advantages = returns - agent.value(
                inputs
            )  # A reward depends on the present round alone: gamma is 0
        for _ in range(4):
            policy = torch.distributions.Categorical(logits=agent(inputs))
            ratio = (policy.log_prob(choices) - before).exp()
            clipped = torch.min(ratio * advantages, ratio.clamp(0.8, 1.2) * advantages)
            fit = (agent.value(inputs) - returns).square()
            loss = (0.5 * fit - clipped - 0.01 * policy.entropy()).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    envs.close()
    return om.policy(agent, envs)


def score(mind: om.Mind | str) -> float | None:
    """F over 12 episodes, four with each partner."""
    records = [om.play(SCENARIO, mind, seed=seed, options=OPTIONS, ask=False) for seed in range(12)]
    return om.score(records)["functional"].mean


if __name__ == "__main__":
    for name, mind in {
        "untrained": train(0),
        "trained": train(40),
        "blind": "blind",
        "informed": "informed",
    }.items():
        print(f"{name}: F = {score(mind):.2f}")
