"""Substrates for learning, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from otherminds.core.registry import Registry
from otherminds.worlds.grid.engine import Kernel
from otherminds.worlds.grid.learner import LearnerBatch
from otherminds.worlds.grid.maps import GridRules


@dataclass(frozen=True)
class Substrate:
    """A gridworld as learners see it.

    ``codes``: how many codes each layer of a window has. ``vector``: name and size of the observations beside the
    window (``INVENTORY``, ...), in their order in a batch's ``vectors``. ``kernel`` gives the compiled rules.
    ``kinds``: the classes of resources in duels, 0 where there are no duels.
    """

    rules: GridRules
    codes: tuple[int, ...]
    vector: tuple[tuple[str, int], ...]
    kernel: Callable[[], Kernel]
    kinds: int = 0

    @property
    def name(self) -> str:
        """The name of its rules."""
        return self.rules.name

    @property
    def players(self) -> int:
        """How many avatars it has."""
        return self.rules.players

    def batch(self, worlds: int, threads: int = 1, rgb: bool = False) -> LearnerBatch:
        """``worlds`` copies, stepped together by ``threads`` threads: see :class:`~.learner.LearnerBatch`."""
        return LearnerBatch(self, worlds, threads, rgb)


substrates: Registry[Callable[[], Substrate]] = Registry("substrate", "otherminds.worlds")
"""Functions that make substrates. Worlds register theirs; other distributions use entry points."""


def substrate(name: str) -> Substrate:
    """The substrate ``name``.

    Raises:
        UnknownNameError: there is none; the text lists near matches.

    >>> import numpy as np
    >>> batch = substrate("rws-repeated-v1").batch(worlds=3)
    >>> batch.reset(7)
    >>> batch.windows.shape, batch.vectors.shape, batch.seeds.tolist()
    ((3, 2, 5, 5, 4), (3, 2, 4), [7, 8, 9])
    >>> batch.step(np.zeros((3, 2), int))
    >>> batch.rewards.shape
    (3, 2)
    """
    return substrates.get(name)()
