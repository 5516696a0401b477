"""What a candidate task shall have, and what becomes of it."""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct

from otherminds.worlds.household.pool.entry import Pattern, PooledTask
from otherminds.worlds.household.task import Category


class Wanted(Struct, frozen=True):
    """The properties of a task to generate; ``None`` leaves one to the generator.

    ``mechanics`` are required, and others may be added. ``hard`` asks for a task that no reference team below level 3
    solves.
    """

    pattern: Pattern | None = None
    category: Category | None = None
    depth: int | None = None
    agents: int | None = None
    mechanics: tuple[str, ...] = ()
    hard: bool | None = None


class Candidate(Struct, frozen=True):
    """A seed tried. ``rejected`` names the verdict or check that rejects it; it is empty if the task is kept.

    ``certificate`` is JSON, empty for a rejected task. ``seconds`` has the processor time of each step.
    """

    seed: int
    rejected: str
    pooled: PooledTask | None
    certificate: bytes
    seconds: dict[str, float]


class Generator(Protocol):
    """A function that tries one seed: the same seed and wish give the same task and certificate."""

    def __call__(self, seed: int, wanted: Wanted) -> Candidate:
        """The candidate of ``seed``. ``seed`` is at least 0 and below 2**63."""
        ...
