"""Files of trained policies: safetensors with all that it takes to play them, which numpy alone can read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save as encode_tensors

from otherminds.core.disk import replace_file
from otherminds.gridworlds.learning.trainer import Trainer

FORMAT = 1
KEY = "otherminds"
"""The metadata's key."""
TRAINING_ONLY = ("value.", "posterior.", "model.")
"""Beginnings of the names of parameters that acting does not need."""


def export(trainer: Trainer, folder: Path) -> list[Path]:
    """Writes ``policy-0.safetensors``, ..., a file for each member, and returns their paths.

    Raises:
        StudyError: a file cannot be written.
    """
    paths = []
    for member in range(trainer.config.members):
        path = folder / f"policy-{member}.safetensors"
        replace_file(path, policy_file(trainer, member), durable=True)
        paths.append(path)
    return paths


def policy_file(trainer: Trainer, member: int) -> bytes:
    """The file of a member."""
    tensors = {
        name: np.ascontiguousarray(np.asarray(value)[member], np.float32)
        for name, value in (trainer.parameters | trainer.probe).items()
        if not name.startswith(TRAINING_ONLY)
    }
    return encode_tensors(tensors, {KEY: json.dumps(describe_policy(trainer, member))})


def describe_policy(trainer: Trainer, member: int) -> dict[str, Any]:
    """The metadata of a member's file."""
    config, shape, batch = trainer.config, trainer.shape, trainer.simulator.batch
    return {
        "format": FORMAT,
        "algorithm": config.algorithm,
        "substrate": config.substrate,
        "window": list(shape.window),
        "codes": list(shape.codes),
        "vector": [list(part) for part in batch.substrate.vector],
        "scale": list(shape.scale),
        "reward_scale": shape.reward_scale,
        "behaviours": list(trainer.simulator.behaviours),
        "others": batch.players - 1,
        "steps": trainer.steps // config.members,
        "seed": config.seed,
        "member": member,
        "members": config.members,
        "partners": config.partners,
        "config": config.model_dump(mode="json"),
    }
