"""A policy of Stable-Baselines3, trained by PPO in a Gymnasium environment, plays episodes and gets F.

It observes the last round only, which suffices against partners that always play the same move. Takes about 20 seconds.
Needs ``pip install stable-baselines3``. F is 0 for the best plan that ignores the partner (``blind``), and 1 for the best
response to it (``informed``).
"""

from __future__ import annotations

import gymnasium
import stable_baselines3

import otherminds as om

SCENARIO, OPTIONS = "rps-single-v1", {"rounds": 20}


def train(steps: int) -> om.Mind:
    """The policy after ``steps`` steps of training, as a mind."""
    env = gymnasium.make(f"otherminds/{SCENARIO}", options=OPTIONS)
    model = stable_baselines3.PPO(
        "MlpPolicy", env, n_steps=200, batch_size=100, learning_rate=5e-3, gamma=0.0, seed=0
    )
    return om.policy(model.learn(steps), env)


def score(mind: om.Mind | str) -> float | None:
    """F over 12 episodes, four with each partner."""
    records = [om.play(SCENARIO, mind, seed=seed, options=OPTIONS, ask=False) for seed in range(12)]
    return om.score(records)["functional"].mean


if __name__ == "__main__":
    for name, mind in {
        "untrained": train(0),
        "trained": train(3_000),
        "blind": "blind",
        "informed": "informed",
    }.items():
        print(f"{name}: F = {score(mind):.2f}")
