"""Policy files hold all that it takes to act: numpy computes from them what the trainer computes."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import load as load_tensors

from otherminds.gridworlds.learning.network import HIDDEN, LearnerView
from otherminds.gridworlds.learning.ppo import choose_actions
from otherminds.gridworlds.learning.runs import KEY, export
from otherminds.gridworlds.learning.trainer import Trainer, TrainingFile
from otherminds.minds.learned.policy import Network, Playing, policy_of

WORLDS = 4
TENSORS = {"dense.b", "dense.w", "embed.b", "gru.bh", "gru.bi", "gru.wh", "gru.wi", "policy.b", "policy.w"}


def observed(batch: Any, world: int) -> dict[str, Any]:
    """What the first player observes, as minds get it."""
    ends = np.cumsum([size for _, size in batch.substrate.vector])[:-1]
    names = [name.upper() for name, _ in batch.substrate.vector]
    parts = np.split(batch.vectors[world, 0], ends) if names else []
    return {"WINDOW": batch.windows[world, 0], **dict(zip(names, parts, strict=True))}


@pytest.mark.parametrize(
    ("name", "algorithm", "modelling"),
    [
        ("pd-repeated-v1", "ppo", 0.5),
        ("pd-repeated-v1", "opre", 0.0),
        ("cooking-asymmetric-v1", "ppo", 0.0),
        ("cooking-asymmetric-v1", "opre", 0.0),
    ],
)
def test_the_learned_mind_computes_what_the_trainer_does(
    name: str, algorithm: Any, modelling: float, tmp_path: Any
) -> None:
    config = TrainingFile(
        substrate=name, algorithm=algorithm, modelling=modelling, worlds=WORLDS, steps=8, options=4
    )
    trainer = Trainer(config)
    rng = np.random.default_rng(0)
    trainer.parameters, trainer.probe = (
        {
            name: np.asarray(value) + 0.1 * rng.normal(size=value.shape).astype(np.float32)
            for name, value in part.items()
        }
        for part in (trainer.parameters, trainer.probe)
    )
    paths = export(trainer, tmp_path)
    assert [path.name for path in paths] == ["policy-0.safetensors", "policy-1.safetensors"]
    for member, path in enumerate(paths):
        tensors = load_tensors(path.read_bytes())
        with safe_open(path, "numpy") as file:
            told = json.loads(file.metadata()[KEY])
        assert told["member"] == member
        assert tensors.keys() > TENSORS
        assert not any(name.startswith(("value", "posterior", "model")) for name in tensors)
        own, probe = (
            {name: value[member] for name, value in part.items()}
            for part in (trainer.parameters, trainer.probe)
        )
        minds = [Playing(Network(policy_of(path.read_bytes(), "made", "made"))) for _ in range(WORLDS)]
        batch = trainer.simulator.batch
        h = np.zeros((WORLDS, HIDDEN), np.float32)
        action, reward = np.full(WORLDS, -1, np.int32), np.zeros(WORLDS, np.float32)
        for step in range(30):
            seen = LearnerView(
                batch.windows[:, 0], batch.vectors[:, 0], action, reward, np.full(WORLDS, step == 0)
            )
            _, h = choose_actions(
                trainer.algorithm, trainer.shape, own, seen, h, np.zeros(WORLDS, np.float32)
            )
            chances = np.exp(trainer.algorithm.policy(own, h))
            foreseen = h @ probe["probe.w"] + probe["probe.b"]
            for b, mind in enumerate(minds):
                before = int(action[b]) if step else None
                mind.see(observed(batch, b), float(reward[b]), before)
                np.testing.assert_allclose(mind.chances(), chances[b], atol=1e-5)
                np.testing.assert_allclose(mind.foreseen().ravel(), foreseen[b], atol=1e-4)
            played = rng.integers(0, 8, (WORLDS, 2))
            batch.step(played)
            action, reward = played[:, 0].astype(np.int32), batch.rewards[:, 0].copy()
