"""The network of a policy in numpy, one seat and one step at a time.

    cell = relu(sum over layers of embed[code] + b)
    x = (cells, vector · scale, one-hot of the previous own action, previous reward · scale)
    d = relu(x W + b);  h = GRU(d, h);  a linear head for the policy, OPRE's prior and the probe

The GRU (Cho et al. 2014) is in the form that applies the reset gate after the product. OPRE (Vezhnevets et al.
2020) draws its action from the mixture of its options' policies under the prior.

A decision costs a product with each matrix and some twenty operations of numpy, so these are few and write into
arrays that are kept: biases are a last row that is multiplied by 1, scales are part of the matrices, and
σ(a) = (1 + tanh(a / 2)) / 2, which unlike exp cannot overflow, has its half in them too.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from otherminds.core.errors import StudyError
from otherminds.minds.learned.policy import Policy

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
