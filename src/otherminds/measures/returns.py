"""Rewards in the columns of Cross et al. 2025 and of Melting Pot: per episode, per 1,200 steps, per capita.

Episodes differ in length, by chance; table 1 of Cross et al. is per episode, their figures 2, 8
and 11 to 16 per 1,200 steps.
"""

from __future__ import annotations

from otherminds.core.record import CAUTION, Record
from otherminds.measures.registry import Inapplicable, Unknown, measures
from otherminds.measures.seats import by_rounds, ego, in_words

STEPS = 1200
"""The length of a normalised episode."""
ELSEWHERE = "returns per capita are for worlds with background bots"


@measures.register("reward_per_episode")
def reward_per_episode(record: Record) -> float:
    """The return of the mind under test: the sum of its rewards."""
    return record.total(ego(record))


@measures.register("reward_per_1200_steps")
def reward_per_1200_steps(record: Record) -> float | Unknown:
    """Its return, scaled to 1,200 steps."""
    if not record.rewards:
        return Unknown("no step was played")
    if by_rounds(record):
        return Inapplicable("a matrix game is counted in rounds")
    if in_words(record):
        return Inapplicable("a task whose steps are calls in words is paid once, however long it takes")
    return record.total(ego(record)) * STEPS / len(record.rewards)


def per_1200(amount: float | None, steps: int) -> float | None:
    """An ``amount`` over ``steps`` steps, scaled to 1,200 steps; ``None`` where either is unknown.

    >>> per_1200(50.0, 1500)
    40.0
    """
    return None if amount is None or not steps else amount * STEPS / steps


@measures.register("focal_per_capita_return")
def focal_per_capita_return(record: Record) -> float | Unknown:
    """Mean return of an episode over the seats under test. Agapiou et al. 2022, section 3."""
    return _mean(record, background=False)


@measures.register("background_per_capita_return")
def background_per_capita_return(record: Record) -> float | Unknown:
    """Mean return of an episode over the seats of partners."""
    return _mean(record, background=True)


def _mean(record: Record, background: bool) -> float | Unknown:
    if CAUTION not in record.facts:
        return Inapplicable(ELSEWHERE)
    seats = [seat for seat in record.seats if (seat in record.partners) == background]
    return sum(map(record.total, seats)) / len(seats) if seats else Unknown("there is no such seat")
