"""The registries of measures of one episode, and what a measure returns."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias, TypeVar

from msgspec import Struct

from otherminds.core.record import Record
from otherminds.core.registry import Registry

T = TypeVar("T")
NOT_APPLYING = "it does not apply in this world"
"""The reason of a number that reports do not show."""


class Unknown(Struct, frozen=True, tag="unknown"):
    """A number that cannot be computed from a record; ``reason`` says why, as reports show it."""

    reason: str


class Inapplicable(Unknown, frozen=True, tag="inapplicable"):
    """A number that is defined for other kinds of episodes only; reports leave it out."""


class Accuracy(Struct, frozen=True, tag="accuracy"):
    """Shares (0 to 1) of right predictions in one episode: the mind's own, and the two ends of L.

    ``told``: the mind's own. ``blind``: expected of the best predictor that never observes the
    partner, on the same questions. ``known``: expected of a predictor that knows the partner's policy.
    """

    told: float
    blind: float
    known: float


def all_known(values: Iterable[T | Unknown]) -> list[T] | Unknown:
    """The values, or the first one that is unknown."""
    known_values: list[T] = []
    for value in values:
        if isinstance(value, Unknown):
            return value
        known_values.append(value)
    return known_values


Measure: TypeAlias = Callable[[Record], float | Unknown]
"""One number of one scored episode, :class:`Inapplicable` where it is not defined.
A cell reports its mean over episodes."""

Ratio: TypeAlias = Callable[[Record], tuple[float, float] | Unknown]
"""Numerator and denominator of one scored episode. A cell reports the ratio of their sums over
episodes, so that an episode in which nothing was counted does not change it."""

Literal: TypeAlias = Callable[[Record], Accuracy | Unknown]
"""The ends of L in one episode; :class:`Inapplicable` where another literal score is defined."""

Detail: TypeAlias = Callable[[Record], Struct | None]
"""What the tables of one world need of one episode, scored or not; ``None`` in other worlds."""

measures: Registry[Measure] = Registry("measure", "otherminds.measures")
rates: set[str] = set()
"""The names of the measures that are 0 or 1 in an episode: a cell reports their share with a score interval."""
ratios: Registry[Ratio] = Registry("ratio", "otherminds.measures")
literals: Registry[Literal] = Registry("literal score", "otherminds.measures", "literal_scores")
details: Registry[Detail] = Registry("detail", "otherminds.measures")


def rate(name: str) -> Callable[[Measure], Measure]:
    """Registers a measure that is 0 or 1 in an episode under ``name``."""
    rates.add(name)
    return measures.register(name)
