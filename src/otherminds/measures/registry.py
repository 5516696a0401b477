"""Where measures of one episode become known."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from msgspec import Struct

from otherminds.core.record import Record
from otherminds.core.registry import Registry


class Unknown(Struct, frozen=True):
    """A number that a record does not hold; ``reason`` says why, in words for a report."""

    reason: str


Measure: TypeAlias = Callable[[Record], float | Unknown]
"""One number of one scored episode. A cell reports its mean over episodes."""

Ratio: TypeAlias = Callable[[Record], tuple[float, float] | Unknown]
"""Two sums of one scored episode, ``over`` and ``under``. A cell reports the ratio of their sums over
episodes, so that one in which nothing was counted neither spoils nor moves it."""

measures: Registry[Measure] = Registry("measure", "otherminds.measures")
ratios: Registry[Ratio] = Registry("ratio", "otherminds.measures")
