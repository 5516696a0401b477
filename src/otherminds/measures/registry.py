"""Where measures of one episode become known."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from msgspec import Struct

from otherminds.core.record import Record
from otherminds.core.registry import Registry

NOT_APPLYING = "it does not apply in this world"
"""The reason of a number that reports do not show."""


class Unknown(Struct, frozen=True, tag="unknown"):
    """A number that a record does not hold; ``reason`` says why, in words for a report."""

    reason: str


class Inapplicable(Unknown, frozen=True, tag="inapplicable"):
    """A number that is about other kinds of episodes: reports do not show it at all."""


class Accuracy(Struct, frozen=True, tag="accuracy"):
    """Shares (0 to 1) of right predictions in one episode: the mind's own, and the two ends of L.

    ``told``: the mind's own. ``blind``: expected of the best predictor that looks at nothing
    the partner does, on the same questions. ``known``: expected of one who knows.
    """

    told: float
    blind: float
    known: float


Measure: TypeAlias = Callable[[Record], float | Unknown]
"""One number of one scored episode; :class:`Inapplicable` where it is not about such an episode.
A cell reports its mean over episodes."""

Ratio: TypeAlias = Callable[[Record], tuple[float, float] | Unknown]
"""Two sums of one scored episode, ``over`` and ``under``. A cell reports the ratio of their sums over
episodes, so that one in which nothing was counted neither spoils nor moves it."""

Literal: TypeAlias = Callable[[Record], Accuracy | Unknown]
"""The ends of L in one episode; :class:`Inapplicable` where another literal score is about it."""

Detail: TypeAlias = Callable[[Record], Struct | None]
"""What the tables of one kind of world need of one episode, scored or not; ``None`` in other worlds."""

measures: Registry[Measure] = Registry("measure", "otherminds.measures")
ratios: Registry[Ratio] = Registry("ratio", "otherminds.measures")
literals: Registry[Literal] = Registry("literal score", "otherminds.measures")
details: Registry[Detail] = Registry("detail", "otherminds.measures")
