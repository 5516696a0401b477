"""The tasks of a pool, each with what was proved about it (Juneja et al. 2026, sections 4 and 5)."""

from __future__ import annotations

from hashlib import sha256
from typing import Any, Literal, TypeAlias, get_args

import msgspec
from msgspec import Struct

from otherminds.household.proofs.verification import ProofVerdict
from otherminds.household.task import Task

Pattern: TypeAlias = Literal["delegation", "sequencing", "relay", "gated", "mixed"]
"""The functional patterns of the generator.

``gated`` is an action that needs a piece of information, and ``mixed`` cooperation with private goals.
"""
PATTERNS: tuple[Pattern, ...] = get_args(Pattern)


class PoolEntry(Struct, frozen=True):
    """What a pool knows of one task.

    ``task_id`` is made of the pattern and the seed (``relay_1042``), ``structure`` is a digest that is equal for tasks
    that are equal up to names, ``sha256`` and ``certificate`` are the digests of :func:`task_json` and of the
    certificate's JSON. ``levels`` has the runs, of 3, that each reference team solves, and ``cheap`` the cheap teams that
    solve the task, each with the multiples of T* after which the goal holds; ``None`` if they were not tried.
    """

    task_id: str
    pattern: Pattern
    seed: int
    structure: str
    sha256: str
    verdicts: tuple[ProofVerdict, ...]
    levels: dict[str, int]
    certificate: str
    cheap: dict[str, tuple[int, ...]] | None = None


class PooledTask(Struct, frozen=True):
    """A task of a pool with its entry."""

    entry: PoolEntry
    task: Task


def canonical(task: Task) -> Task:
    """The task whose fields are their defaults where they equal them: equal tasks are then written as equal bytes.

    ``omit_defaults`` compares texts by identity, which they lose on their way to another process.
    """
    data: dict[str, Any] = msgspec.to_builtins(task)
    defaults = {field.name: field.default for field in msgspec.structs.fields(Task)}
    return msgspec.convert({name: value for name, value in data.items() if value != defaults[name]}, Task)


def task_json(task: Task) -> bytes:
    """The canonical JSON of a task: equal bytes for equal tasks."""
    return msgspec.json.encode(canonical(task), order="deterministic")


def digest(content: bytes) -> str:
    """The SHA-256 of ``content`` as 64 hexadecimal digits."""
    return sha256(content).hexdigest()
