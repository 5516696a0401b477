"""The functional score F: how much of what adaptation can win was won."""

from __future__ import annotations

from otherminds.core.record import Record
from otherminds.measures.registry import Unknown
from otherminds.measures.seats import ego

NOTHING = 1e-9
"""Less than this to be won by adapting is nothing."""
NO_BOUNDS = "the references of F are not known for this partner"
NOTHING_TO_WIN = (
    "the best blind plan does as well as the best response: "
    "this scenario cannot show functional theory of mind"
)


def share(record: Record) -> tuple[float, float] | Unknown:
    """(R − R_blind, R_informed − R_blind) of one episode: what was won, what could be.

    F of a cell is the ratio of their sums over its episodes, a ratio of
    expectations: 1 plays as if it knew the partner, 0 does not adapt, below 0 is
    worse than ignoring.
    """
    bounds = record.bounds
    if bounds is None or bounds.informed is None or bounds.blind is None:
        return Unknown((bounds and bounds.reason) or NO_BOUNDS)
    return record.total(ego(record)) - bounds.blind, bounds.informed - bounds.blind
