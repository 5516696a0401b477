"""Policy files hold all that it takes to act: numpy computes from them what the trainer computes."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import load as load_tensors

from otherminds.learning.config import TrainingFile
from otherminds.learning.network import HIDDEN, Seen
from otherminds.learning.policy_files import KEY, export
from otherminds.learning.ppo import acted
from otherminds.learning.trainer import Trainer

TENSORS = {"dense.b", "dense.w", "embed.b", "gru.bh", "gru.bi", "gru.wh", "gru.wi", "policy.b", "policy.w"}


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def softmax(x: Any) -> Any:
    grown = np.exp(x - x.max(-1, keepdims=True))
    return grown / grown.sum(-1, keepdims=True)


def forward(
    t: dict[str, Any], told: dict[str, Any], window: Any, vector: Any, action: int, reward: float, h: Any
) -> Any:
    """The next state and the probabilities of actions, for one seat, in double precision."""
    layers = [t[f"embed.{n}"][window[..., n]] for n in range(window.shape[-1])]
    cells = np.maximum(sum(layers) + t["embed.b"], 0)
    before = np.eye(8)[action] if action >= 0 else np.zeros(8)
    x = np.concatenate([cells.ravel(), vector * told["scale"], before, [reward * told["reward_scale"]]])
    gi = np.maximum(x @ t["dense.w"] + t["dense.b"], 0) @ t["gru.wi"] + t["gru.bi"]
    gh = h @ t["gru.wh"] + t["gru.bh"]
    r, z = sigmoid(gi[:HIDDEN] + gh[:HIDDEN]), sigmoid(gi[HIDDEN : 2 * HIDDEN] + gh[HIDDEN : 2 * HIDDEN])
    n = np.tanh(gi[2 * HIDDEN :] + r * gh[2 * HIDDEN :])
    after = (1 - z) * n + z * h
    if told["algorithm"] == "ppo":
        return after, softmax(after @ t["policy.w"] + t["policy.b"])
    prior = softmax(after @ t["prior.w"] + t["prior.b"])
    options = softmax(np.einsum("h,kha->ka", after, t["policy.w"]) + t["policy.b"])
    return after, prior @ options


@pytest.mark.parametrize("name", ["pd-repeated-v1", "cooking-asymmetric-v1"])
@pytest.mark.parametrize("algorithm", ["ppo", "opre"])
def test_numpy_acts_as_the_trainer(name: str, algorithm: Any, tmp_path: Any) -> None:
    config = TrainingFile(substrate=name, algorithm=algorithm, worlds=4, steps=8, options=4)
    trainer = Trainer(config)
    rng = np.random.default_rng(0)
    trainer.parameters = {
        name: np.asarray(value) + 0.1 * rng.normal(size=value.shape).astype(np.float32)
        for name, value in trainer.parameters.items()
    }
    paths = export(trainer, tmp_path)
    assert [path.name for path in paths] == ["policy-0.safetensors", "policy-1.safetensors"]
    for member, path in enumerate(paths):
        tensors = {name: value.astype(float) for name, value in load_tensors(path.read_bytes()).items()}
        with safe_open(path, "numpy") as file:
            told = json.loads(file.metadata()[KEY])
        assert told["member"] == member
        assert tensors.keys() > TENSORS
        assert not any(name.startswith(("value", "posterior")) for name in tensors)
        own = {name: value[member] for name, value in trainer.parameters.items()}
        batch = trainer.simulator.batch
        h, ours = np.zeros((4, HIDDEN), np.float32), np.zeros((4, HIDDEN))
        action, reward = np.full(4, -1, np.int32), np.zeros(4, np.float32)
        for step in range(30):
            seen = Seen(batch.windows[:, 0], batch.vectors[:, 0], action, reward, np.full(4, step == 0))
            _, h = acted(trainer.algorithm, trainer.shape, own, seen, h, np.zeros(4, np.float32))
            found = np.exp(trainer.algorithm.policy(own, h))
            for b in range(4):
                ours[b], p = forward(
                    tensors, told, batch.windows[b, 0], batch.vectors[b, 0], action[b], reward[b], ours[b]
                )
                np.testing.assert_allclose(p, found[b], atol=1e-5)
            np.testing.assert_allclose(ours, h, atol=1e-5)
            played = rng.integers(0, 8, (4, 2))
            batch.step(played)
            action, reward = played[:, 0].astype(np.int32), batch.rewards[:, 0].copy()
