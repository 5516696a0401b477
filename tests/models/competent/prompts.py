"""Prompts written by hand, in the form in which minds that reason in steps write theirs."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from otherminds.core.data import Message
from otherminds.core.model import Decoding
from otherminds.models.registry import open_model
from otherminds.replies.blocks import last_block

KINDS = ("rock", "paper", "scissors")
BEATS = {"rock": "paper", "paper": "scissors", "scissors": "rock"}
"""What beats each kind."""
DILEMMA = {("J", "J"): (3, 3), ("J", "F"): (0, 5), ("F", "J"): (5, 0), ("F", "F"): (1, 1)}
"""Where ``J`` is to cooperate."""
DUEL = {(i, j): (0, 0) if i == j else (10, -10) if BEATS[j] == i else (-10, 10) for i in KINDS for j in KINDS}

MATRIX_SYSTEM = "\n".join(
    f"If you choose Option {i} and the other player chooses Option {j}, then you win {a} points and the other "
    f"player wins {b} points."
    for (i, j), (a, b) in DILEMMA.items()
)
DUEL_SYSTEM = "In a duel each of your boxes meets each of the other player's:\n" + "\n".join(
    f"Your {i} and its {j} bring you {a:+} and the other player {b:+}." for (i, j), (a, b) in DUEL.items()
)


def inventory(kind: str, count: int = 5) -> dict[str, int]:
    """One box of each kind, and ``count`` of one."""
    return {name: count if name == kind else 1 for name in KINDS}


def duel(own: dict[str, int], other: dict[str, int]) -> float:
    """What a duel between two inventories brings."""
    total = sum(own.values()) * sum(other.values())
    return sum(own[i] * other[j] * DUEL[i, j][0] for i in KINDS for j in KINDS) / total


def history(rows: Sequence[tuple[Any, float, Any]], name: str = "the other player") -> list[str]:
    """A block of encounters: own part, reward, their part (``None``: unknown, ``...``: to be inferred)."""
    lines = [f"Your encounters with {name}:"]
    for n, (own, reward, theirs) in enumerate(rows, 1):
        end = "" if theirs is ... else f"; they played{': unknown' if theirs is None else f' {theirs!r}'}"
        shown = f"{reward:+.3f}".rstrip("0").rstrip(".")
        lines.append(f"- step {n * 80}: you played {own!r}, your reward {shown if reward else 0}{end}")
    return lines


def said(
    spec: str, system: str, lines: Sequence[str], form: dict[str, Any], seed: int = 0, step: int = 143
) -> str:
    """The model's whole reply to these lines and this form."""
    task = "Think step by step."
    user = [f"It is step {step}.", *lines, task, f"Answer with one Python dictionary in this form: {form!r}"]
    messages = [Message("system", system), Message("user", "\n".join(user))]
    return asyncio.run(open_model(spec).generate(messages, Decoding(seed=seed))).text


def asked(
    spec: str, system: str, lines: Sequence[str], form: dict[str, Any], seed: int = 0
) -> dict[str, Any]:
    """The dictionary in its reply."""
    found = last_block(said(spec, system, lines, form, seed))
    assert isinstance(found, dict)
    assert found.keys() == form.keys()
    return found
