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

    >>> found = cohen_kappa([True] * 25 + [False] * 25, [True] * 20 + [False] * 5 + [True] * 10 + [False] * 15)
    >>> round(found.mean, 3), round(found.error, 3)
    (0.4, 0.128)
    """
    if len(ours) != len(theirs):
        raise ValueError(f"{len(ours)} ratings of one, {len(theirs)} of the other")
    if not ours:
        return Estimate(None, reason="there is nothing that both rated")
    one, two = _numbers(ours), _numbers(theirs)
    same = (one == two).astype(np.float64)
    yes, also = float(one.mean()), float(two.mean())
    chance = yes * also + (1 - yes) * (1 - also)
    left = 1 - chance
    if left < CERTAIN:
        return Estimate(None, reason="both say the same of all items", n=len(one))
    if yes in (0, 1) or also in (0, 1):
        return Estimate(0.0, reason="one of the two says the same of all items: no interval", n=len(one))
    kappa = (float(same.mean()) - chance) / left
    of_chance = (2 * also - 1) * (one - yes) + (2 * yes - 1) * (two - also)
    influence = (same - same.mean()) / left + (kappa - 1) / left * of_chance
    found = Strata([""] * len(one)).about(kappa, influence)
    if found.low is None or found.high is None:
        return found
    return structs.replace(found, low=max(-1.0, found.low), high=min(1.0, found.high))


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
    columns = [_numbers(one) for one in errors]
    varied = [one for one in columns if 0 < one.mean() < 1] if columns and len(columns[0]) else []
    found = [float(np.corrcoef(one, two)[0, 1]) for one, two in combinations(varied, 2)]
    if not found:
        return EffectiveRaters(
            len(errors), None, None, "fewer than two raters are wrong about some items and not about others"
        )
    mean = float(np.mean(found))
    number = len(errors) / (1 + (len(errors) - 1) * max(0.0, mean))
    return EffectiveRaters(len(errors), mean, number)


def _numbers(ratings: Sequence[bool]) -> Numbers:
    return np.array(ratings, dtype=np.float64)
