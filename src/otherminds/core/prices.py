"""What a model call costs."""

from __future__ import annotations

from msgspec import Struct

from otherminds.core.model import Usage

MILLION = 1_000_000


class Price(Struct, frozen=True, forbid_unknown_fields=True):
    """US dollars for a million tokens; ``cached_input`` is as ``input`` where it is not given."""

    input: float
    output: float
    cached_input: float | None = None


def cost(usage: Usage, price: Price) -> float:
    """US dollars for ``usage``.

    >>> cost(Usage(prompt=1_000_000, completion=500_000, cached=400_000), Price(1.0, 4.0, 0.5))
    2.8
    """
    cached = price.input if price.cached_input is None else price.cached_input
    fresh = usage.prompt - usage.cached
    return (fresh * price.input + usage.cached * cached + usage.completion * price.output) / MILLION
