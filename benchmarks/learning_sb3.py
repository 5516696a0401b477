"""An independent check of recurrent PPO: ``RecurrentPPO`` of sb3-contrib in the same worlds, beside the same partners.

    PYTHONPATH=src python benchmarks/learning_sb3.py ours --seeds 3      # in an environment with the extra learn
    PYTHONPATH=src python benchmarks/learning_sb3.py sb3 --seeds 3       # in one with sb3-contrib and numba

The learner plays the first seat of ``pd-repeated-v1`` in 64 worlds, beside partners that are drawn anew in each episode from
``pd-repeated-mixed-v1``. Both get a pseudo-reward for each duel, which falls linearly to zero. Both have the same steps,
rollouts, epochs, minibatches, rates and coefficients, observe the previous action and reward, and scale rewards alike.
They differ in the recurrent unit, an LSTM there and a GRU here; in the value, which has an LSTM of its own there (where
it shares the policy's, sb3-contrib does not train that by it); in first weights; and in sequences, which sb3-contrib
cuts and pads.
Returns are of the training, without pseudo-rewards, per 1,000 steps, over each tenth of it.
"""

from __future__ import annotations

import argparse
import csv
import tempfile
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

SUBSTRATE, PARTNERS = "pd-repeated-v1", "pd-repeated-mixed-v1"
WORLDS, LENGTH, EPOCHS, MINIBATCHES, ACTIONS = 64, 64, 2, 8, 8
EMBEDDING, WIDTH = 8, 64
RATE, ENTROPY, DUELLED = 1e-3, 0.01, 5.0
PARTS = 10
"""Parts of the training of which returns are printed."""


def ours(steps: int, seed: int) -> list[float]:
    """Returns per 1,000 steps of the parts of a training by :mod:`otherminds.gridworlds.learning`."""
    from otherminds.gridworlds.learning.runs import train
    from otherminds.gridworlds.learning.trainer import TrainingFile

    config = TrainingFile(
        substrate=SUBSTRATE,
        partners=PARTNERS,
        members=1,
        worlds=WORLDS,
        length=LENGTH,
        epochs=EPOCHS,
        minibatches=MINIBATCHES,
        learning_rate=RATE,
        entropy=(ENTROPY, ENTROPY),
        bonus={"duelled": DUELLED},
        bonus_until=1.0,
        steps=steps,
        evaluations=PARTS,
        seed=seed,
    )
    with tempfile.TemporaryDirectory() as folder:
        train(config, Path(folder), print)
        with (Path(folder) / "curve.csv").open() as file:
            return [float(row["own 0"]) for row in csv.DictReader(file)]


def sb3(steps: int, seed: int) -> list[float]:
    """The same by ``RecurrentPPO``."""
    import torch
    from gymnasium.spaces import Box
    from sb3_contrib import RecurrentPPO
    from stable_baselines3.common.vec_env import VecEnv

    from otherminds.core.scenario import scenario
    from otherminds.gridworlds.grid.vector_env import GridVectorEnv
    from otherminds.gridworlds.in_the_matrix.bots import BatchedBots

    torch.set_num_threads(1)
    envs = GridVectorEnv(SUBSTRATE, WORLDS, others=lambda shard: BatchedBots(shard, scenario(PARTNERS, {})))
    rules: Any = envs.batch.substrate.rules
    rows, columns = rules.view.shape
    scale = 1 / max(abs(pay) for row in (*rules.row, *rules.column) for pay in row)

    class Worlds(VecEnv):
        """The vector environment as SB3 wants it, with the previous action and reward among the observations."""

        def __init__(self) -> None:
            self.earned: list[float] = []
            size = envs.single_observation_space.shape[0] + ACTIONS + 1
            super().__init__(WORLDS, Box(-np.inf, np.inf, (size,), np.float32), envs.single_action_space)

        def seen(self, found: Any, actions: NDArray[np.int64] | None, rewards: Any) -> NDArray[np.float32]:
            before = np.zeros((len(found), ACTIONS + 1), np.float32)
            if actions is not None:
                before[np.arange(len(found)), actions] = 1
                before[:, -1] = rewards
            return np.concatenate([found, before], 1)

        def reset(self) -> NDArray[np.float32]:
            return self.seen(envs.reset(seed=seed * 1_000_000)[0], None, None)

        def step_async(self, actions: NDArray[np.int64]) -> None:
            self.actions = actions

        def step_wait(self) -> Any:
            found, rewards, ended, cut, infos = envs.step(self.actions)
            left = 1 - len(self.earned) * WORLDS / steps
            self.earned.append(float(rewards.mean()))
            duelled = envs.batch.shards[0].state.met[:, 0, 0].max(-1) > 0
            over, before = ended | cut, rewards * np.float32(scale)
            scaled = before + np.float32(DUELLED * left * scale) * duelled
            seen = self.seen(found, self.actions, before)
            seen[over, -ACTIONS - 1 :] = 0
            told: list[dict[str, Any]] = [{} for _ in range(WORLDS)]
            for world in np.flatnonzero(over):
                last = infos["final_obs"][world][None]
                told[world]["terminal_observation"] = self.seen(last, self.actions[[world]], before[world])[0]
                told[world]["TimeLimit.truncated"] = bool(cut[world])
            return seen, scaled, over, told

        def close(self) -> None:
            envs.close()

        def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
            return [None] * WORLDS

        def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
            raise AttributeError(attr_name)

        def env_method(self, method_name: str, *_: Any, indices: Any = None, **__: Any) -> list[Any]:
            raise AttributeError(method_name)

        def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
            return [False] * WORLDS

    worlds = Worlds()
    RecurrentPPO(
        "MlpLstmPolicy",
        worlds,
        learning_rate=lambda left: RATE * left,
        n_steps=LENGTH,
        batch_size=WORLDS * LENGTH // MINIBATCHES,
        n_epochs=EPOCHS,
        ent_coef=ENTROPY,
        policy_kwargs={
            "net_arch": [],
            "lstm_hidden_size": WIDTH,
            "features_extractor_class": _encoder(rows * columns, sum(envs.batch.substrate.codes)),
        },
        seed=seed,
        device="cpu",
    ).learn(steps)
    return [1000 * float(np.mean(part)) for part in np.array_split(worlds.earned, PARTS)]


def _encoder(cells: int, codes: int) -> type[Any]:
    """The layers before the LSTM: one embedding for all cells, then a dense layer over all inputs."""
    import torch
    from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

    class Encoder(BaseFeaturesExtractor):
        def __init__(self, observation_space: Any) -> None:
            super().__init__(observation_space, WIDTH)
            beside = observation_space.shape[0] - cells * codes
            self.embed = torch.nn.Linear(codes, EMBEDDING)
            self.dense = torch.nn.Linear(cells * EMBEDDING + beside, WIDTH)

        def forward(self, observations: Any) -> Any:
            window = observations[:, : cells * codes].reshape(-1, cells, codes)
            embedded = torch.relu(self.embed(window)).flatten(1)
            return torch.relu(self.dense(torch.cat([embedded, observations[:, cells * codes :]], 1)))

    return Encoder


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("learner", choices=("ours", "sb3"))
    parser.add_argument("--steps", type=int, default=500_000)
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    learner = {"ours": ours, "sb3": sb3}[options.learner]
    found = []
    for seed in range(options.seeds):
        began = process_time()
        found.append(learner(options.steps, seed))
        curve = " ".join(f"{value:.1f}" for value in found[-1])
        print(
            f"{options.learner}, seed {seed}: {curve} ({process_time() - began:.0f} s of processor time)",
            flush=True,
        )
    print(f"{options.learner}, means: {' '.join(f'{value:.1f}' for value in np.mean(found, 0))}")


if __name__ == "__main__":
    main()
