"""Verdicts of studies that stop as soon as they are known: at which level each look tests, and when it decides.

Who looks at a study several times and stops when a test rejects is wrong more often than the level says. So the level is spent
over the looks (Lan & DeMets 1983): by a look at which the share t of all episodes is played, a claim has spent
``α(t) = α t²`` (the power family of Kim & DeMets 1987), and the level of each look is such that a test statistic with
independent increments crosses no earlier boundary and this one with the probability that is spent there. The numbers and the places of looks may be chosen as one goes on,
though not by what was seen. The bounds of a number at a look have the level of that look, and so hold at all looks together (Jennison & Turnbull 1989).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import pi, sqrt
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from msgspec import Struct

from otherminds.measures.intervals import TAIL_OF_ONE_SIDE, Numbers

POINTS, FAR = 1201, 9.0
"""Points of the grid on which the density of the statistic is integrated, and where it begins, in standard deviations."""
NORMAL = NormalDist()
BISECTIONS = 60
POWER = 2.0
HOPELESS = 0.05


class Look(Struct, frozen=True):
    """A look at a study: the ``share`` of all episodes (0 to 1) that is played, its one-sided level ``tail``, and that of the last look."""

    share: float
    tail: float
    last_tail: float

    def is_hopeless(self, doubt: float) -> bool:
        """Whether a claim with the p-value ``doubt`` here has a chance below :data:`HOPELESS` to be found by the last look.

        The chance is that under the trend so far (conditional power; Lan & Wittes 1988), and 0 or 1 at the last look.
        """
        if self.share >= 1.0:
            return doubt >= self.tail
        if not 0 < doubt < 1:
            return doubt >= 1
        height, needed = -NORMAL.inv_cdf(doubt), -NORMAL.inv_cdf(self.last_tail)
        return NORMAL.cdf((height / sqrt(self.share) - needed) / sqrt(1 - self.share)) < HOPELESS


def plan_looks(shares: Sequence[float], tail: float = TAIL_OF_ONE_SIDE) -> tuple[Look, ...]:
    """The looks at a study.

    Args:
        shares: The share of all episodes (0 to 1, rising) that is played at each look; the last is 1.
        tail: The one-sided level of all looks together.

    >>> [round(look.tail, 4) for look in plan_looks((0.5, 1.0))]
    [0.0125, 0.0446]

    Raises:
        ValueError: the shares do not rise from above 0 to 1.
    """
    if not shares or shares[0] <= 0 or shares[-1] != 1 or any(b <= a for a, b in pairwise(shares)):
        raise ValueError(f"shares of looks rise from above 0 to 1, and are {[*shares]}")
    tails: list[float] = []
    reached: Reached | None = None
    for share in shares:
        reached = _next_boundary(reached, share, tail * share**POWER)
        tails.append(reached.tail)
    return tuple(Look(share, own, tails[-1]) for share, own in zip(shares, tails, strict=True))


class Reached(NamedTuple):
    """What is known at a look: its share and level, what is spent, and where the statistic is if it crossed no boundary.

    The statistic times the root of the share is at ``points``, float64[POINTS] up to the boundary, with the probabilities ``masses``.
    """

    share: float
    tail: float
    spent: float
    points: Numbers
    masses: Numbers


def _next_boundary(before: Reached | None, share: float, spent: float) -> Reached:
    """The next look, whose boundary is crossed first here with the probability that is spent anew (Armitage et al. 1969)."""
    if before is None:
        edge = -NORMAL.inv_cdf(spent) * sqrt(share)
        points = np.linspace(-FAR * sqrt(share), edge, POINTS)
        return Reached(
            share, spent, spent, points, _weigh(points, _density(points / sqrt(share)) / sqrt(share))
        )
    step = sqrt(share - before.share)
    low, high = -FAR, FAR
    for _ in range(BISECTIONS):
        edge = (low + high) / 2
        beyond = [NORMAL.cdf(gap) for gap in ((before.points - edge) / step).tolist()]
        crossing = float(before.masses @ np.array(beyond))
        low, high = (edge, high) if crossing > spent - before.spent else (low, edge)
    points = np.linspace(-FAR * sqrt(share), high, POINTS)
    density = _density((points[:, None] - before.points[None, :]) / step) @ before.masses / step
    return Reached(share, NORMAL.cdf(-high / sqrt(share)), spent, points, _weigh(points, density))


def _density(values: Numbers) -> Numbers:
    """The density of the standard normal distribution."""
    return np.exp(-(values**2) / 2) / sqrt(2 * pi)


def _weigh(points: Numbers, density: Numbers) -> Numbers:
    """The probability at each of evenly spaced points, by the trapezoidal rule."""
    masses = density * (points[1] - points[0])
    masses[[0, -1]] /= 2
    return masses
