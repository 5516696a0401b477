"""Functional theory of mind: what is won by adapting to the partner.

``F = (Σ w_p R̄(p) − B) / (I − B)``: B is what the best plan fixed in advance earns on
average over the population, I what best responses earn on average.
"""

from __future__ import annotations

from otherminds.core.record import Record
from otherminds.measures.registry import Unknown
from otherminds.measures.seats import ego

LEAST = 0.02
"""With less than this share of an episode's payoff range to be won by adapting, F is null."""
NO_BOUNDS = "the references of F are not known for this partner"
NOTHING_TO_WIN = (
    "the best blind plan does as well as the best response, or nearly: "
    "this scenario cannot show functional theory of mind"
)


def share(record: Record) -> tuple[float, float] | Unknown:
    """(R − B, I − B) of one episode: what was won over the best blind plan, what could be.

    F is the ratio of their means over episodes: 1 plays as if it knew the partner, 0 as the
    best plan that ignores it, below 0 is worse than ignoring.
    """
    bounds = record.bounds
    if bounds is None or bounds.best is None or bounds.blind is None:
        return Unknown((bounds and bounds.reason) or NO_BOUNDS)
    if record.game is not None:
        pays = [cell[0] for row in record.game.payoffs for cell in row]
        if bounds.best - bounds.blind < LEAST * (max(pays) - min(pays)) * len(record.rewards):
            return Unknown(NOTHING_TO_WIN)
    elif bounds.best <= bounds.blind:
        return Unknown(NOTHING_TO_WIN)
    return record.total(ego(record)) - bounds.blind, bounds.best - bounds.blind
