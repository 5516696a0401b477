"""Small policies with random weights, written by the tests themselves."""

from __future__ import annotations

import json
import random
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from otherminds.gridworlds.cooking.acts import BEHAVIOURS

Tensors = dict[str, NDArray[np.float32]]
TYPES = {np.dtype(np.float16): "F16", np.dtype(np.float32): "F32"}
RWS, DILEMMA = ("rock", "paper", "scissors"), ("cooperate", "defect")
SUBSTRATES: dict[str, dict[str, Any]] = {
    "rws-repeated": {"window": (5, 5, 4), "codes": (5, 3, 5, 8), "behaviours": RWS, "others": 1},
    "pd-repeated": {"window": (5, 5, 4), "codes": (4, 3, 5, 8), "behaviours": DILEMMA, "others": 1},
    "rws-arena": {"window": (11, 11, 4), "codes": (5, 10, 5, 8), "behaviours": RWS, "others": 7},
    "cooking-asymmetric": {
        "window": (5, 5, 6),
        "codes": (9, 4, 4, 5, 11, 3),
        "behaviours": BEHAVIOURS,
        "others": 1,
    },
}
"""What policies of the four substrates observe and say; cooks observe a window alone."""


def description(substrate: str, algorithm: str = "ppo", **changes: Any) -> dict[str, Any]:
    """The metadata of a policy of ``substrate``, as a trainer writes it."""
    about = SUBSTRATES[substrate]
    cook = about["behaviours"] == BEHAVIOURS
    vector = [] if cook else [["INVENTORY", len(about["behaviours"])], ["READY_TO_SHOOT", 1]]
    return {
        "format": 1,
        "algorithm": algorithm,
        "substrate": f"{substrate}-v1",
        **about,
        "vector": vector,
        "scale": [0.25] * sum(size for _, size in vector),
        "reward_scale": 0.125,
        "steps": 1000,
        "seed": 3,
        "member": 1,
        "members": 2,
        "partners": "own population",
        "config": {"gamma": 0.99},
        **changes,
    }


def tensors(
    about: Mapping[str, Any],
    seed: int = 0,
    sizes: Sequence[int] = (8, 64, 64),
    options: int = 4,
    actions: int = 8,
) -> Tensors:
    """Random weights in the shapes that ``about`` asks for; ``sizes`` are those of embedding, dense layer and GRU."""
    rng = np.random.default_rng(seed)
    embedding, dense, recurrent = sizes
    rows, columns, _ = about["window"]
    inputs = rows * columns * embedding + len(about["scale"]) + actions + 1
    answers = about["others"] * len(about["behaviours"])
    several = (options,) if about["algorithm"] == "opre" else ()
    shapes = {
        **{f"embed.{layer}": (codes, embedding) for layer, codes in enumerate(about["codes"])},
        "embed.b": (embedding,),
        "dense.w": (inputs, dense),
        "dense.b": (dense,),
        "gru.wi": (dense, 3 * recurrent),
        "gru.wh": (recurrent, 3 * recurrent),
        "gru.bi": (3 * recurrent,),
        "gru.bh": (3 * recurrent,),
        "policy.w": (*several, recurrent, actions),
        "policy.b": (*several, actions),
        **({"prior.w": (recurrent, options), "prior.b": (options,)} if several else {}),
        "probe.w": (recurrent, answers),
        "probe.b": (answers,),
    }
    return {
        name: (rng.normal(size=shape) / shape[0 if len(shape) == 1 else -2] ** 0.5).astype(np.float32)
        for name, shape in shapes.items()
    }


def file_of(given: Mapping[str, NDArray[np.floating[Any]]], about: Mapping[str, Any] | str) -> bytes:
    """A safetensors file with the metadata ``about``."""
    text = about if isinstance(about, str) else json.dumps(about)
    header: dict[str, Any] = {"__metadata__": {"otherminds": text}}
    body = b""
    for name, value in given.items():
        data = value.tobytes()
        header[name] = {
            "dtype": TYPES[value.dtype],
            "shape": value.shape,
            "data_offsets": [len(body), len(body) + len(data)],
        }
        body += data
    head = json.dumps(header).encode()
    return struct.pack("<Q", len(head)) + head + body


def policy_file(folder: Path, substrate: str = "rws-repeated", algorithm: str = "ppo", seed: int = 0) -> Path:
    """A file with a random policy in ``folder``, which is made if necessary."""
    about = description(substrate, algorithm)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{algorithm}-{substrate}-{seed}.safetensors"
    path.write_bytes(file_of(tensors(about, seed), about))
    return path


def observation(about: Mapping[str, Any], rng: random.Random) -> dict[str, Any]:
    """A random observation of the shapes in ``about``."""
    rows, columns, layers = about["window"]
    window = np.zeros((rows, columns, layers), np.uint8)
    for layer, codes in enumerate(about["codes"]):
        for row in range(rows):
            for column in range(columns):
                window[row, column, layer] = rng.randrange(codes)
    numbers = {
        name: np.array([rng.randrange(9) for _ in range(size)], np.float64) for name, size in about["vector"]
    }
    return {"WINDOW": window, **numbers}
