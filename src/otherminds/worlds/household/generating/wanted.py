"""What a candidate task shall have, and what becomes of it."""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct

from otherminds.core.errors import StudyError
from otherminds.core.near import hint, quoted
from otherminds.worlds.household.mechanics.mechanic import mechanics
from otherminds.worlds.household.pool.entry import Pattern, PooledTask
from otherminds.worlds.household.task import Category

PAIR = 2
"""With this many agents no goal of depth 3 is proved: its chain needs three."""
DEEP = 3
THREE: tuple[Pattern, ...] = ("relay",)
"""Patterns that need three agents."""


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
    """A function that tries one seed: the same arguments give the same task and certificate."""

    def __call__(self, seed: int, wanted: Wanted) -> Candidate:
        """The candidate of ``seed``, which is at least 0 and below 2**64."""
        ...


def checked(wanted: Wanted) -> Wanted:
    """``wanted``, if there can be such a task.

    Raises:
        StudyError: there is no such mechanic, or two properties exclude each other.
    """
    for name in wanted.mechanics:
        if name not in mechanics:
            raise StudyError(f"there is no mechanic {quoted(name)}{hint(name, mechanics)}")
    if wanted.pattern and wanted.category and (wanted.pattern == "mixed") != (wanted.category == "mixed"):
        raise StudyError(
            f"tasks of the pattern {wanted.pattern} are not {wanted.category}; leave out --category or --pattern"
        )
    if wanted.agents == PAIR and wanted.depth is not None and wanted.depth >= DEEP:
        raise StudyError(
            f"a goal of depth {wanted.depth} is not proved with {PAIR} agents; ask for --agents 3"
        )
    if wanted.agents == PAIR and wanted.pattern in THREE:
        raise StudyError(f"the pattern {wanted.pattern} needs three agents; ask for --agents 3")
    return wanted
