"""A learned policy: its weights, and what it was trained in, read from a file and checked.

The tensors and the metadata are described in ``docs/learned.md``. What a file says of itself is checked before
anything is computed from it, so that a damaged or hostile file gives one line and costs little memory.
"""

from __future__ import annotations

import hashlib
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from msgspec import Meta, Struct
from numpy.typing import NDArray

from otherminds.core.data import Behaviour, Brief
from otherminds.core.errors import StudyError
from otherminds.core.near import quoted
from otherminds.core.user_files import json_value
from otherminds.minds.learned.safetensors import tensors_of

LARGEST = 32 * 2**20
"""Bytes of a policy file."""
KEY = "otherminds"
"""The key of the metadata."""
GREATEST = 1e6
"""The greatest size of a weight and of a scale, from which no product of the network can overflow float32."""
MOST = {"embedding": 64, "dense": 2048, "recurrent": 2048, "options": 64}
"""The largest sizes of layers."""

Natural = Annotated[int, Meta(ge=0, le=2**53)]
Short = Annotated[str, Meta(min_length=1, max_length=100, pattern=r"^[\x20-\x7e]+\Z")]


class PolicyInfo(Struct, frozen=True):
    """What a file says of its policy.

    ``window`` is (rows, columns, layers) of the observation ``WINDOW``, ``codes`` the number of codes of each layer.
    ``vector`` names further observations with their sizes, ``scale`` has a factor for each of their numbers.
    ``behaviours`` and ``others`` are those of the probe. ``steps`` are the agent steps of the training of this
    ``member``, one of ``members`` that were trained together against ``partners``; ``config`` is the training's.
    """

    format: Literal[1]
    algorithm: Literal["ppo", "opre"]
    substrate: Short
    window: tuple[
        Annotated[int, Meta(ge=1, le=32)],
        Annotated[int, Meta(ge=1, le=32)],
        Annotated[int, Meta(ge=1, le=16)],
    ]
    codes: Annotated[list[Annotated[int, Meta(ge=1, le=256)]], Meta(max_length=16)]
    vector: Annotated[list[tuple[Short, Annotated[int, Meta(ge=1, le=256)]]], Meta(max_length=16)]
    scale: Annotated[list[Annotated[float, Meta(ge=-GREATEST, le=GREATEST)]], Meta(max_length=4096)]
    reward_scale: Annotated[float, Meta(ge=-GREATEST, le=GREATEST)]
    behaviours: Annotated[list[Short], Meta(min_length=1, max_length=64)]
    others: Annotated[int, Meta(ge=1, le=64)]
    steps: Natural = 0
    seed: Natural = 0
    member: Natural = 0
    members: Natural = 1
    partners: Annotated[str, Meta(max_length=200, pattern=r"^[\x20-\x7e]*\Z")] = ""
    config: dict[str, Any] = {}


class Policy(Struct, frozen=True, eq=False):
    """A policy by its ``name``, with the ``size`` of its file in bytes and its hash.

    ``tensors`` are read-only float32 arrays. ``actions`` is the number of primitive actions, ``options`` that of
    OPRE's options (1 for PPO).
    """

    name: str
    sha256: str
    size: int
    info: PolicyInfo
    tensors: dict[str, NDArray[np.float32]]
    actions: int
    options: int

    def unfit(self, brief: Brief) -> str | None:
        """Why the policy cannot play with ``brief``; ``None`` if it can. Its window is compared at the first step."""
        behaviours = {brief.behaviours.get(other, ()) for other in brief.others}
        if len(brief.others) != self.info.others or behaviours != {tuple(self.info.behaviours)}:
            return (
                f"policy {self.name!r} was trained in {self.info.substrate} with {_players(self.info.others)} and the "
                f"behaviours {', '.join(self.info.behaviours)}; here: {_players(len(brief.others))} and {_list_behaviours(behaviours)}"
            )
        if getattr(brief.action_space, "n", 0) != self.actions:
            return (
                f"policy {self.name!r} chooses among {self.actions} primitive actions of {self.info.substrate}, and "
                f"the actions here are {brief.action_space}"
            )
        return None


def policy_of(data: bytes, name: str, where: str) -> Policy:
    """The policy in the bytes of a file; ``where`` names the file in errors.

    Raises:
        StudyError: the file is damaged, or its tensors are not those of a policy.
    """
    if len(data) > LARGEST:
        raise StudyError(f"{where}: larger than {LARGEST // 2**20} MiB, the most that a policy may have")
    file = tensors_of(data, where)
    if KEY not in file.metadata:
        raise StudyError(f"{where}: its metadata has no key {KEY!r}, so it is no policy of this format")
    described = json_value(
        file.metadata[KEY].encode("utf-8", "replace"), f"{where}: metadata {KEY!r}", StudyError
    )
    try:
        info = msgspec.convert(described, PolicyInfo)
    except msgspec.ValidationError as error:
        raise StudyError(f"{where}: metadata {KEY!r}: {_short(error)}") from None
    _check_info(info, where)
    shapes = {tensor: value.shape for tensor, value in file.tensors.items()}
    actions, options = _check_shapes(info, shapes, where)
    for tensor, value in file.tensors.items():
        if np.abs(value).max() > GREATEST:
            raise StudyError(
                f"{where}: tensor {tensor!r}: a weight is larger than {GREATEST:g}; train it again"
            )
    return Policy(name, hashlib.sha256(data).hexdigest(), len(data), info, file.tensors, actions, options)


def _check_info(info: PolicyInfo, where: str) -> None:
    layers, numbers = info.window[2], sum(size for _, size in info.vector)
    for name, count, required in (("codes", len(info.codes), layers), ("scale", len(info.scale), numbers)):
        if count != required:
            raise StudyError(
                f"{where}: metadata {KEY!r}: {name} must have {required} numbers, and has {count}"
            )
    for name, values in (
        ("behaviours", info.behaviours),
        ("vector", [observed for observed, _ in info.vector]),
    ):
        if len(set(values)) != len(values):
            raise StudyError(f"{where}: metadata {KEY!r}: {name} has a name twice")


def _check_shapes(info: PolicyInfo, present: dict[str, tuple[int, ...]], where: str) -> tuple[int, int]:
    """Checks that ``present`` has the tensors of ``info`` in shapes that go together; returns actions and options."""
    opre = info.algorithm == "opre"

    def size(name: str, axis: int, rank: int) -> int:
        shape = present.get(name)
        if shape is None:
            raise StudyError(f"{where}: there is no tensor {name!r}")
        if len(shape) != rank:
            raise StudyError(f"{where}: tensor {name!r} must have {rank} dimensions, and has {list(shape)}")
        return shape[axis]

    embedding, dense, recurrent = size("embed.b", 0, 1), size("dense.b", 0, 1), size("gru.wh", 0, 2)
    options = size("prior.b", 0, 1) if opre else 1
    actions = size("policy.b", int(opre), 1 + opre)
    sizes = {"embedding": embedding, "dense": dense, "recurrent": recurrent, "options": options}
    for name, n in sizes.items():
        if n > MOST[name]:
            raise StudyError(f"{where}: the {name} size is {n}, and may be at most {MOST[name]}")
    rows, columns, _ = info.window
    inputs = rows * columns * embedding + len(info.scale) + actions + 1
    answers = info.others * len(info.behaviours)
    several = (options,) if opre else ()
    required: dict[str, tuple[int, ...]] = {
        **{f"embed.{layer}": (codes, embedding) for layer, codes in enumerate(info.codes)},
        "embed.b": (embedding,),
        "dense.w": (inputs, dense),
        "dense.b": (dense,),
        "gru.wi": (dense, 3 * recurrent),
        "gru.wh": (recurrent, 3 * recurrent),
        "gru.bi": (3 * recurrent,),
        "gru.bh": (3 * recurrent,),
        "policy.w": (*several, recurrent, actions),
        "policy.b": (*several, actions),
        **({"prior.w": (recurrent, options), "prior.b": (options,)} if opre else {}),
        "probe.w": (recurrent, answers),
        "probe.b": (answers,),
    }
    for name, shape in required.items():
        if present.get(name) != shape:
            has = f"is {list(present[name])}" if name in present else "is missing"
            raise StudyError(f"{where}: tensor {name!r} {has}; by the other tensors it must be {list(shape)}")
    if surplus := sorted(set(present) - set(required)):
        raise StudyError(f"{where}: a policy of {info.algorithm} has no tensor {quoted(surplus[0])}")
    return actions, options


def _players(others: int) -> str:
    return f"{others} other player{'' if others == 1 else 's'}"


def _list_behaviours(behaviours: set[tuple[Behaviour, ...]]) -> str:
    return " or ".join(", ".join(names[:12]) or "none" for names in sorted(behaviours)[:2]) or "none"


def _short(error: msgspec.ValidationError) -> str:
    return ascii(str(error)[:300])[1:-1]
