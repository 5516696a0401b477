"""The forward pass of a policy in plain Python, from the description of the format alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp, tanh
from typing import Any

Row = list[float]


class Slow:
    """One seat in one episode; ``given`` are the tensors of a file, ``about`` its metadata."""

    def __init__(self, given: Mapping[str, Any], about: Mapping[str, Any]) -> None:
        self.given = {name: value.astype(float).tolist() for name, value in given.items()}
        self.about = about
        self.h = [0.0] * len(self.given["gru.wh"])

    def see(self, observation: Mapping[str, Any], reward: float, action: int | None) -> None:
        given, about = self.given, self.about
        inputs: Row = []
        for row in observation["WINDOW"].tolist():
            for codes in row:
                parts = [given[f"embed.{layer}"][code] for layer, code in enumerate(codes)]
                inputs += [max(0.0, sum(column)) for column in zip(*parts, given["embed.b"], strict=True)]
        numbers = [x for name, _ in about["vector"] for x in observation[name].reshape(-1).tolist()]
        inputs += [x * scale for x, scale in zip(numbers, about["scale"], strict=True)]
        inputs += [float(action == k) for k in range(len(_last(given["policy.b"])))]
        inputs.append(reward * about["reward_scale"])
        dense = [max(0.0, x) for x in _linear(inputs, given["dense.w"], given["dense.b"])]
        gi = _linear(dense, given["gru.wi"], given["gru.bi"])
        gh = _linear(self.h, given["gru.wh"], given["gru.bh"])
        n = len(self.h)
        fresh: Row = []
        for k in range(n):
            r = 1 / (1 + exp(-gi[k] - gh[k]))
            z = 1 / (1 + exp(-gi[n + k] - gh[n + k]))
            new = tanh(gi[2 * n + k] + r * gh[2 * n + k])
            fresh.append((1 - z) * new + z * self.h[k])
        self.h = fresh

    def chances(self) -> Row:
        given, h = self.given, self.h
        if "prior.w" not in given:
            return _softmax(_linear(h, given["policy.w"], given["policy.b"]))
        prior = _softmax(_linear(h, given["prior.w"], given["prior.b"]))
        options = [
            _softmax(_linear(h, w, b)) for w, b in zip(given["policy.w"], given["policy.b"], strict=True)
        ]
        return [
            sum(p * option[a] for p, option in zip(prior, options, strict=True))
            for a in range(len(options[0]))
        ]

    def foreseen(self) -> list[Row]:
        size = len(self.about["behaviours"])
        flat = _linear(self.h, self.given["probe.w"], self.given["probe.b"])
        return [flat[k : k + size] for k in range(0, len(flat), size)]


def _linear(x: Sequence[float], w: Sequence[Row], b: Row) -> Row:
    return [sum(a * row[k] for a, row in zip(x, w, strict=True)) + b[k] for k in range(len(b))]


def _softmax(logits: Row) -> Row:
    raised = [exp(x - max(logits)) for x in logits]
    return [x / sum(raised) for x in raised]


def _last(value: Any) -> Row:
    return _last(value[0]) if isinstance(value[0], list) else value
