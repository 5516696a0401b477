"""Returns as Melting Pot reports them: per capita, for the focal and the background seats."""

from __future__ import annotations

from otherminds.core.record import CAUTION, Record
from otherminds.measures.registry import Inapplicable, Unknown, measures

ELSEWHERE = "returns per capita are for worlds with background bots"


@measures.register("focal_per_capita_return")
def focal_per_capita_return(record: Record) -> float | Unknown:
    """Mean return of an episode over the seats under test. Agapiou et al. 2022, section 3."""
    return _mean(record, background=False)


@measures.register("background_per_capita_return")
def background_per_capita_return(record: Record) -> float | Unknown:
    """Mean return of an episode over the seats that partners fill."""
    return _mean(record, background=True)


def _mean(record: Record, background: bool) -> float | Unknown:
    if CAUTION not in record.facts:
        return Inapplicable(ELSEWHERE)
    seats = [seat for seat in record.seats if (seat in record.partners) == background]
    return sum(map(record.total, seats)) / len(seats) if seats else Unknown("there is no such seat")
