"""A learned policy: its weights, read from a safetensors file and checked, and its network in numpy.

The tensors and the metadata are described in ``docs/learned.md``. What a file says of itself is checked before
anything is computed from it, so that a damaged or hostile file gives one line and costs little memory.

The form (https://github.com/huggingface/safetensors, "Format"): the length of the header as a little-endian
uint64; the header, JSON; the values of all tensors, here float32 or float16. Nothing in a file is executed. Memory
is bounded by the size of the file: float32 tensors are views of its bytes, float16 tensors copies of twice their
bytes; the header is at most :data:`LARGEST_HEADER` bytes.

    cell = relu(sum over layers of embed[code] + b)
    x = (cells, vector · scale, one-hot of the previous own action, previous reward · scale)
    d = relu(x W + b);  h = GRU(d, h);  a linear head for the policy, OPRE's prior and the probe

The GRU (Cho et al. 2014) is in the form that applies the reset gate after the product. OPRE (Vezhnevets et al.
2020) draws its action from the mixture of its options' policies under the prior.

A decision costs a product with each matrix and some twenty operations of numpy, so these are few and write into
arrays that are kept: biases are a last row that is multiplied by 1, scales are part of the matrices, and
σ(a) = (1 + tanh(a / 2)) / 2, which unlike exp cannot overflow, has its half in them too."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from random import Random
from typing import Annotated, Any, Literal, cast

import msgspec
import numpy as np
from msgspec import Meta, Struct
from numpy.typing import NDArray

from otherminds.core.data import Behaviour, Brief
from otherminds.core.errors import StudyError
from otherminds.core.text import quote_name
from otherminds.core.user_files import json_value

PREFIX = 8
"""Bytes of the header's length."""
LARGEST_HEADER = 2**18
"""Bytes of a header; one of a policy has some 2,000."""
MOST_TENSORS = 64
METADATA = "__metadata__"
FIELDS = {"dtype", "shape", "data_offsets"}
TYPES = {"F32": np.dtype("<f4"), "F16": np.dtype("<f2")}
"""The types of values by the names of the format."""


class TensorFile(Struct, frozen=True):
    """The content of a file: read-only float32 tensors by name, and its metadata."""

    tensors: dict[str, NDArray[np.float32]]
    metadata: dict[str, str]


def tensors_of(data: bytes, where: str) -> TensorFile:
    """The tensors and the metadata in the bytes of a file; ``where`` names it in errors.

    Raises:
        StudyError: it is not such a file, is cut, has tensors of another type than float32 and float16, tensors
            that overlap or leave bytes unused, or a value that is not finite.
    """
    header = _header(data, where)
    metadata = header.pop(METADATA, {})
    if not isinstance(metadata, dict) or not all(isinstance(text, str) for text in metadata.values()):
        raise StudyError(f"{where}: its metadata must be a table of strings")
    if len(header) > MOST_TENSORS:
        raise StudyError(f"{where}: {len(header)} tensors, and a policy has at most {MOST_TENSORS}")
    start = PREFIX + int.from_bytes(data[:PREFIX], "little")
    body = memoryview(data)[start:]
    tensors: dict[str, NDArray[np.float32]] = {}
    ends = 0
    for name, entry in sorted(header.items(), key=lambda item: _begin(item[1])):
        kind, shape, begin, end = _place_tensor(entry, f"{where}: tensor {quote_name(name)}")
        if begin != ends or end > len(body):
            raise StudyError(
                f"{where}: tensor {quote_name(name)}: bytes {begin} to {end} do not follow the tensor before, which "
                f"ends at {ends}, or exceed the {len(body)} bytes of values; copy the file again"
            )
        tensor = np.frombuffer(body[begin:end], kind).astype(np.float32, copy=False).reshape(shape)
        tensor.setflags(write=False)
        if not np.isfinite(tensor).all():
            raise StudyError(
                f"{where}: tensor {quote_name(name)}: a value is not finite; such weights cannot play"
            )
        tensors[name] = tensor
        ends = end
    if ends != len(body):
        raise StudyError(f"{where}: {len(body) - ends} bytes after the last tensor; copy the file again")
    return TensorFile(tensors, cast("dict[str, str]", metadata))


def _header(data: bytes, where: str) -> dict[str, Any]:
    size = int.from_bytes(data[:PREFIX], "little")
    if len(data) < PREFIX or size > min(LARGEST_HEADER, len(data) - PREFIX):
        raise StudyError(
            f"{where}: no safetensors file of a policy: its header would have {size} bytes, and the file has "
            f"{len(data)}, of which the header may be at most {LARGEST_HEADER}"
        )
    header = json_value(data[PREFIX : PREFIX + size], where, StudyError)
    if not isinstance(header, dict):
        raise StudyError(f"{where}: its header must be a table of tensors")
    return cast("dict[str, Any]", header)


def _begin(entry: object) -> int:
    """The first byte that an entry names, for sorting; -1 where it names none."""
    offsets = cast("Mapping[str, Any]", entry).get("data_offsets") if isinstance(entry, Mapping) else None
    begin = offsets[0] if isinstance(offsets, list) and offsets else None
    return begin if isinstance(begin, int) else -1


def _place_tensor(entry: object, where: str) -> tuple[np.dtype[Any], tuple[int, ...], int, int]:
    """The type and the shape of a tensor, and where its bytes begin and end."""
    if not isinstance(entry, dict) or set(entry) != FIELDS:
        raise StudyError(f"{where}: its entry must have {', '.join(sorted(FIELDS))}")
    fields = cast("dict[str, Any]", entry)
    kind = TYPES.get(fields["dtype"]) if isinstance(fields["dtype"], str) else None
    if kind is None:
        raise StudyError(
            f"{where}: its type is {quote_name(str(fields['dtype']))}, and policies have {' or '.join(TYPES)}"
        )
    shape, offsets = fields["shape"], fields["data_offsets"]
    if not _naturals(shape) or not 1 <= len(shape) <= 3 or 0 in shape:
        raise StudyError(f"{where}: its shape must be one to three whole numbers of at least 1")
    if not _naturals(offsets) or len(offsets) != 2:
        raise StudyError(f"{where}: data_offsets must be two whole numbers of at least 0")
    begin, end = offsets
    needed = kind.itemsize * math.prod(shape)
    if end - begin != needed:
        raise StudyError(f"{where}: its shape needs {needed} bytes, and it has {end - begin}")
    return kind, tuple(shape), begin, end


def _naturals(value: object) -> bool:
    """Whether a value is a list of whole numbers of at least 0."""
    return isinstance(value, list) and all(
        isinstance(number, int) and not isinstance(number, bool) and number >= 0
        for number in cast("list[object]", value)
    )


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
        raise StudyError(f"{where}: a policy of {info.algorithm} has no tensor {quote_name(surplus[0])}")
    return actions, options


def _players(others: int) -> str:
    return f"{others} other player{'' if others == 1 else 's'}"


def _list_behaviours(behaviours: set[tuple[Behaviour, ...]]) -> str:
    return " or ".join(", ".join(names[:12]) or "none" for names in sorted(behaviours)[:2]) or "none"


def _short(error: msgspec.ValidationError) -> str:
    return ascii(str(error)[:300])[1:-1]


Floats = NDArray[np.float32]
WINDOW = "WINDOW"
ROWS = 4096
"""The most rows of a table of cells; layers whose codes have more combinations have several tables."""


class Network:
    """The weights of a policy as :class:`Playing` uses them; immutable, shared by all episodes of a process."""

    def __init__(self, policy: Policy) -> None:
        info, tensors = policy.info, policy.tensors
        self.policy = policy
        self.window = tuple(info.window)
        rows, columns, _ = self.window
        self.cells = rows * columns
        self.tables = _tables(policy)
        self.embedding = tensors["embed.b"].shape[0]
        starts = np.cumsum([self.cells * self.embedding, *(size for _, size in info.vector)]).tolist()
        self.vector = [
            (name.upper(), slice(start, start + size), size)
            for (name, size), start in zip(info.vector, starts, strict=False)
        ]
        self.acted = starts[-1]
        """Where the one-hot vector of the previous action begins; the reward follows it."""
        self.rewarded = self.acted + policy.actions
        dense = np.vstack([tensors["dense.w"], tensors["dense.b"]])
        dense[starts[0] : self.acted] *= np.array(info.scale, np.float32)[:, None]
        dense[self.rewarded] *= np.float32(info.reward_scale)
        self.dense: Floats = dense
        self.recurrent = tensors["gru.wh"].shape[0]
        halves = np.ones(3 * self.recurrent, np.float32)
        halves[: 2 * self.recurrent] = 0.5
        self.gates_in: Floats = np.vstack([tensors["gru.wi"], tensors["gru.bi"]]) * halves
        self.gates_kept: Floats = np.vstack([tensors["gru.wh"], tensors["gru.bh"]]) * halves
        self.heads = _heads(policy)


class Playing:
    """The network of a policy in one episode of one seat: its state, and what it says of the next step."""

    def __init__(self, network: Network) -> None:
        self.network = net = network
        self._x = _with_one(net.rewarded + 1)
        self._cells = self._x[: net.cells * net.embedding].reshape(net.cells, net.embedding)
        self._dense = _with_one(net.dense.shape[1])
        self._h = _with_one(net.recurrent)
        self._in = np.empty(3 * net.recurrent, np.float32)
        self._kept = np.empty(3 * net.recurrent, np.float32)
        self._out = np.empty(net.heads.shape[1], np.float32)
        self._acted = net.acted

    def see(self, observation: Mapping[str, Any], reward: float, action: int | None) -> None:
        """Advances by one step: what is observed, and the reward and the own action of the step before (``None``: none).

        Raises:
            StudyError: the observation is not one of the world that the policy was trained in.
        """
        net, x = self.network, self._x
        try:
            window = observation[WINDOW]
            if window.shape != net.window:
                raise StudyError(
                    self._unfit(f"its window is {net.window}, and that of this world {window.shape}")
                )
            layers = window.reshape(net.cells, -1).T
            for k, (first, last, codes, table) in enumerate(net.tables):
                rows = np.ravel_multi_index(tuple(layers[first:last]), codes)
                if k:
                    self._cells += table.take(rows, 0)
                else:
                    table.take(rows, 0, self._cells, "clip")
            for name, place, size in net.vector:
                sensed = observation[name]
                if sensed.size != size:
                    raise StudyError(
                        self._unfit(f"{name} has {size} numbers, and in this world {sensed.size}")
                    )
                x[place] = sensed.reshape(-1)
        except (KeyError, TypeError, IndexError, AttributeError):
            needed = ", ".join((WINDOW, *(name for name, _, _ in net.vector)))
            raise StudyError(self._unfit(f"it observes {needed}, which this world lacks")) from None
        except ValueError:
            raise StudyError(
                self._unfit("a code of the window is one that the policy does not know")
            ) from None
        np.maximum(self._cells, 0, out=self._cells)
        x[self._acted] = 0
        if action is not None:
            self._acted = net.acted + action
            x[self._acted] = 1
        x[net.rewarded] = reward
        self._advance()

    def action(self, rng: Random) -> int:
        """An action drawn from :meth:`chances`; of OPRE's options first one, and then the action of its policy."""
        policy = self.network.policy
        n, options = policy.actions, policy.options
        out = self._out.tolist()
        start = n * draw_index(out[options * n : options * (n + 1)], rng) if options > 1 else 0
        return draw_index(out[start : start + n], rng)

    def chances(self) -> Floats:
        """The distribution over actions, float32[actions]."""
        policy = self.network.policy
        n, options = policy.actions, policy.options
        by_option = _softmax(self._out[: options * n].reshape(options, n))
        if options == 1:
            return by_option[0]
        return _softmax(self._out[options * n : options * (n + 1)]) @ by_option

    def foreseen(self) -> Floats:
        """The logits of the behaviour that each other player shows next, float32[others, behaviours]; a view."""
        info = self.network.policy.info
        size = info.others * len(info.behaviours)
        return self._out[-size:].reshape(info.others, -1)

    def _advance(self) -> None:
        """The dense layer, the GRU and the heads, from the inputs in ``_x``."""
        net, dense, gate_inputs, h = self.network, self._dense, self._kept, self._h
        n = net.recurrent
        np.dot(self._x, net.dense, out=dense[:-1])
        np.maximum(dense, 0, out=dense)
        np.dot(dense, net.gates_in, out=self._in)
        np.dot(h, net.gates_kept, out=gate_inputs)
        gates = self._in[: 2 * n]
        gates += gate_inputs[: 2 * n]
        np.tanh(gates, out=gates)
        gates += 1
        gates *= 0.5
        fresh = gate_inputs[2 * n :]
        fresh *= gates[:n]
        fresh += self._in[2 * n :]
        np.tanh(fresh, out=fresh)
        state = h[:-1]
        state -= fresh
        state *= gates[n:]
        state += fresh
        np.dot(h, net.heads, out=self._out)

    def _unfit(self, why: str) -> str:
        policy = self.network.policy
        return f"policy {policy.name!r} was trained in {policy.info.substrate}: {why}; choose a policy of this world"


def _tables(policy: Policy) -> list[tuple[int, int, tuple[int, ...], Floats]]:
    """(first layer, last + 1, their codes, table): the sum of the embeddings of each combination of codes.

    A table has ``ROWS`` rows at most; the bias is in the first.
    """
    codes, tensors = policy.info.codes, policy.tensors
    tables: list[tuple[int, int, tuple[int, ...], Floats]] = []
    first = 0
    while first < len(codes):
        last = first + 1
        while last < len(codes) and math.prod(codes[first : last + 1]) <= ROWS:
            last += 1
        table = np.zeros((1, tensors["embed.b"].shape[0]), np.float32)
        for layer in range(first, last):
            table = (table[:, None] + tensors[f"embed.{layer}"]).reshape(-1, table.shape[1])
        if not tables:
            table = table + tensors["embed.b"]
        tables.append((first, last, tuple(codes[first:last]), table))
        first = last
    return tables


def _heads(policy: Policy) -> Floats:
    """One matrix for all heads: the policies option by option, OPRE's prior, the probe; the last row is the bias."""
    tensors, n = policy.tensors, policy.tensors["gru.wh"].shape[0]
    weights, biases = tensors["policy.w"], tensors["policy.b"].reshape(-1)
    parts = [np.moveaxis(weights.reshape(-1, n, policy.actions), 0, 1).reshape(n, -1)]
    offsets = [biases]
    for head in ("prior", "probe"):
        if f"{head}.w" in tensors:
            parts.append(tensors[f"{head}.w"])
            offsets.append(tensors[f"{head}.b"])
    return np.vstack([np.hstack(parts), np.concatenate(offsets)])


def _with_one(size: int) -> Floats:
    """A vector of zeros and a last 1, which is multiplied with the row of biases."""
    vector = np.zeros(size + 1, np.float32)
    vector[-1] = 1
    return vector


def draw_index(logits: list[float], rng: Random) -> int:
    """An index drawn from the softmax of ``logits``; in Python, which is faster than numpy for so few numbers."""
    most = max(logits)
    weights = [math.exp(logit - most) for logit in logits]
    luck = rng.random() * sum(weights)
    for index, weight in enumerate(weights):
        luck -= weight
        if luck < 0:
            return index
    return weights.index(1.0)  # luck is within rounding of the whole sum


def _softmax(logits: Floats) -> Floats:
    """The softmax over the last axis."""
    raised = np.exp(logits - logits.max(-1, keepdims=True))
    return raised / raised.sum(-1, keepdims=True)
