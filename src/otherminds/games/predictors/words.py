"""Small things that several families of predictors share."""

from __future__ import annotations

from functools import cache
from math import log2

from otherminds.games.predictors.predictor import Chances

OPENING = -1
"""Nothing was met yet."""


@cache
def sure(behaviour: int, of: int) -> Chances:
    """The distribution that plays ``behaviour``, one of ``of``, for certain.

    >>> sure(1, 3)
    (0.0, 1.0, 0.0)
    """
    return tuple(1.0 if i == behaviour else 0.0 for i in range(of))


@cache
def anything(of: int) -> Chances:
    """All of ``of`` behaviours alike.

    >>> anything(2)
    (0.5, 0.5)
    """
    return (1 / of,) * of


@cache
def mostly(behaviour: int, of: int, noise: float) -> Chances:
    """``behaviour``, but with probability ``noise`` one of the others.

    >>> mostly(0, 3, 0.5)
    (0.5, 0.25, 0.25)
    """
    if of == 1:
        return (1.0,)
    return tuple(1 - noise if i == behaviour else noise / (of - 1) for i in range(of))


def choice(of: float) -> float:
    """The bits that it takes to name one of ``of`` alternatives.

    >>> choice(8)
    3.0
    """
    return log2(of)


def times(count: int) -> str:
    """A small number of times in words.

    >>> times(1), times(2), times(3)
    ('once', 'twice', '3 times')
    """
    return {1: "once", 2: "twice"}.get(count, f"{count} times")
