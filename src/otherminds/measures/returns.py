"""Rewards in the two columns of Cross et al. 2025: per episode, and per 1,200 steps.

Episodes differ in length, by chance; the paper's table 1 is per episode, its figures 2, 8
and 11 to 16 per 1,200 steps.
"""

from __future__ import annotations

from otherminds.core.record import Record
from otherminds.measures.household.trace import trace
from otherminds.measures.registry import Inapplicable, Unknown, measures
from otherminds.measures.seats import by_rounds, ego

STEPS = 1200
"""Of a normalised episode."""


@measures.register("reward_per_episode")
def reward_per_episode(record: Record) -> float:
    """The return of the mind under test: the sum of its rewards."""
    return record.total(ego(record))


@measures.register("reward_per_1200_steps")
def reward_per_1200_steps(record: Record) -> float | Unknown:
    """Its return, as if the episode had gone on like that for 1,200 steps."""
    if not record.rewards:
        return Unknown("no step was played")
    if by_rounds(record):
        return Inapplicable("a matrix game is counted in rounds")
    if not isinstance(trace(record), Unknown):
        return Inapplicable("a task in the household is paid once, however long it takes")
    return record.total(ego(record)) * STEPS / len(record.rewards)


def per_1200(amount: float | None, steps: int) -> float | None:
    """An amount of so many steps, per 1,200 of them; ``None`` where either is not known.

    >>> per_1200(50.0, 1500)
    40.0
    """
    return None if amount is None or not steps else amount * STEPS / steps
