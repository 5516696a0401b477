"""Agreement of two raters beyond chance, and the number of independent raters that several amount to."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from msgspec import Struct, structs

from otherminds.measures.intervals import Estimate, Numbers, Strata

CERTAIN = 1e-12
"""What is left of 1 beside agreement by chance that makes kappa undefined."""


def cohen_kappa(ours: Sequence[bool], theirs: Sequence[bool]) -> Estimate:
    """Cohen's kappa of two raters of the same items, bool[items] each, with its 95 % interval.

    The agreement beyond chance (Cohen 1960). The interval follows from the influence of each item on kappa, which gives the
    large-sample variance of Fleiss, Cohen and Everitt (1969), with n - 1 and Student's t. No mean if both
    always say the same, and no interval if one of them does.

    Raises:
        ValueError: the raters have different numbers of items.

    The example of Cohen's kappa in textbooks, with 20 times yes by both, 15 times no by both, 5 and 10 times different:

    >>> estimate = cohen_kappa([True] * 25 + [False] * 25, [True] * 20 + [False] * 5 + [True] * 10 + [False] * 15)
    >>> round(estimate.mean, 3), round(estimate.error, 3)
    (0.4, 0.128)
    """
    if len(ours) != len(theirs):
        raise ValueError(f"{len(ours)} ratings of one, {len(theirs)} of the other")
    if not ours:
        return Estimate(None, reason="there is nothing that both rated")
    first, second = _numbers(ours), _numbers(theirs)
    same = (first == second).astype(np.float64)
    yes, also = float(first.mean()), float(second.mean())
    chance = yes * also + (1 - yes) * (1 - also)
    possible = 1 - chance
    if possible < CERTAIN:
        return Estimate(None, reason="both say the same of all items", n=len(first))
    if yes in (0, 1) or also in (0, 1):
        return Estimate(0.0, reason="one of the two says the same of all items: no interval", n=len(first))
    kappa = (float(same.mean()) - chance) / possible
    of_chance = (2 * also - 1) * (first - yes) + (2 * yes - 1) * (second - also)
    influence = (same - same.mean()) / possible + (kappa - 1) / possible * of_chance
    estimate = Strata([""] * len(first)).about(kappa, influence)
    if estimate.low is None or estimate.high is None:
        return estimate
    return structs.replace(estimate, low=max(-1.0, estimate.low), high=min(1.0, estimate.high))


class EffectiveRaters(Struct, frozen=True):
    """The number of independent raters that ``raters`` amount to, by the mean ``correlation`` of their errors.

    Both are ``None`` where ``reason`` says why.
    """

    raters: int
    correlation: float | None
    number: float | None
    reason: str = ""


def effective_raters(errors: Sequence[Sequence[bool]]) -> EffectiveRaters:
    """``errors``: bool[raters][items], whether each rater is wrong about each item.

    With the mean correlation r of errors, n raters amount to n / (1 + (n - 1) r) independent ones (Kish 1965, the design
    effect). A negative correlation counts as 0. Pairs in which one rater is always or never wrong have no correlation and
    are left out.

    >>> effective_raters([[True, False, False, False], [True, False, False, False]]).number
    1.0
    >>> effective_raters([[True, True, False, False], [True, False, True, False]]).number
    2.0
    """
    columns = [_numbers(rater) for rater in errors]
    varied = [rater for rater in columns if 0 < rater.mean() < 1] if columns and len(columns[0]) else []
    correlations = [float(np.corrcoef(rater, other)[0, 1]) for rater, other in combinations(varied, 2)]
    if not correlations:
        return EffectiveRaters(
            len(errors), None, None, "fewer than two raters are wrong about some items and not about others"
        )
    mean = float(np.mean(correlations))
    number = len(errors) / (1 + (len(errors) - 1) * max(0.0, mean))
    return EffectiveRaters(len(errors), mean, number)


def _numbers(ratings: Sequence[bool]) -> Numbers:
    return np.array(ratings, dtype=np.float64)
