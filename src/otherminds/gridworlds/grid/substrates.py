"""Substrates for learning, by name."""

from __future__ import annotations

from collections.abc import Callable

from otherminds.core.registry import Registry
from otherminds.gridworlds.grid.learner import Substrate

substrates: Registry[Callable[[], Substrate]] = Registry("substrate")
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
