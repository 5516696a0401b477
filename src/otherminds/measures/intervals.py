"""Means and ratios with their 95 % intervals, stratified by partner, and the agreement of two raters beyond chance.

A study balances its episodes over partners, so partners are strata and not random: ``Var = Σ w_p² s_p² / n_p`` with the degrees of freedom of Welch (1947)
and Satterthwaite (1946), and Student's t. A ratio of means is linearised (delta method)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TypeAlias

import numpy as np
from msgspec import Struct, structs
from numpy.typing import NDArray

LEVEL = 0.95
TAIL = (1 - LEVEL) / 2
"""The probability outside each end of an interval."""
TAIL_OF_ONE_SIDE = 1 - LEVEL
"""The probability beyond a one-sided bound."""
ONE_EPISODE = "one episode only: no interval"
FEW = 10
"""Below this number of episodes an interval says little: reports mark it."""
ROUNDING = 1e-12
"""Spreads below this count as zero."""

Numbers: TypeAlias = NDArray[np.float64]


class Estimate(Struct, frozen=True):
    """A number with its 95 % interval. ``reason`` says why a part of it is missing.

    Where ``mean`` is ``None`` and ``low`` and ``high`` are not, these are its values with the
    worst and the best outcome of all episodes that were not scored. ``error`` is the
    standard error and ``freedom`` its degrees of freedom. ``n`` is the number of episodes, where it is known.
    """

    mean: float | None
    low: float | None = None
    high: float | None = None
    reason: str = ""
    error: float | None = None
    freedom: float | None = None
    n: int | None = None

    @property
    def few(self) -> bool:
        """Whether it comes from fewer than ten episodes."""
        return self.mean is not None and self.n is not None and self.n < FEW

    @property
    def doubt(self) -> float:
        """The one-sided p-value of "this is not above 0" (Student's t); 1 without an interval."""
        if self.mean is None or self.error is None or self.freedom is None:
            return 1.0
        if self.error <= ROUNDING:
            return 0.0 if self.mean > ROUNDING else 1.0
        from scipy.special import stdtr  # pyright: ignore[reportMissingTypeStubs, reportUnknownVariableType]

        return float(stdtr(self.freedom, -self.mean / self.error))

    @property
    def difference(self) -> float:
        """The two-sided p-value of "this is 0"; 1 without an interval."""
        mirrored = structs.replace(self, mean=None if self.mean is None else -self.mean)
        return min(1.0, 2 * min(self.doubt, mirrored.doubt))

    def per(self, unit: float) -> Estimate:
        """The estimate in multiples of ``unit``, which is above 0."""
        scaled = {
            name: None if (value := getattr(self, name)) is None else value / unit
            for name in ("mean", "low", "high", "error")
        }
        return structs.replace(self, **scaled)


def together(estimates: Sequence[Estimate]) -> Estimate:
    """The mean of independent estimates with equal weights; those without a mean are left out.

    The interval is that of Welch and Satterthwaite, as for strata.
    """
    with_mean = [estimate for estimate in estimates if estimate.mean is not None]
    means = [estimate.mean for estimate in with_mean if estimate.mean is not None]
    if not with_mean:
        return Estimate(
            None,
            reason=next(
                (estimate.reason for estimate in estimates if estimate.reason), "there is no estimate"
            ),
        )
    mean, n = sum(means) / len(means), len(with_mean)
    spreads = [
        (estimate.error, estimate.freedom)
        for estimate in with_mean
        if estimate.error is not None and estimate.freedom is not None
    ]
    counts = [estimate.n for estimate in with_mean]
    episodes = None if None in counts else sum(filter(None, counts))
    if len(spreads) < n:
        reason = next(estimate.reason for estimate in with_mean if estimate.error is None)
        return Estimate(mean, reason=reason, n=episodes)
    parts = [((error / n) ** 2, freedom) for error, freedom in spreads]
    variance = sum(part for part, _ in parts)
    under = sum(part**2 / freedom for part, freedom in parts)
    freedom = variance**2 / under if under > 0 else float("inf")
    reach = float(quantile(np.array(freedom))) * variance**0.5
    return Estimate(mean, mean - reach, mean + reach, "", variance**0.5, freedom, episodes)


def holm(doubts: Sequence[float], level: float) -> int:
    """How many of the smallest p-values in ``doubts`` are significant together at ``level`` (Holm 1979).

    >>> holm([0.03, 0.001, 0.02], 0.05), holm([0.03, 0.001, 0.5], 0.05)
    (3, 1)
    """
    ranked = sorted(doubts)
    fits = (doubt <= level / (len(ranked) - i) for i, doubt in enumerate(ranked))
    return next((i for i, fit in enumerate(fits) if not fit), len(ranked))


def list_names(names: Sequence[str], most: int = 3) -> str:
    """The first ``most`` names, and how many there are beside them."""
    remaining = len(names) - most
    return ", ".join(names[:most]) + (f" and {remaining} more" if remaining > 0 else "")


class Strata:
    """Episodes by stratum, for means and ratios over them.

    ``names`` is the stratum of each episode; ``weights`` are the strata's shares (sum 1),
    proportional to their episodes by default.
    """

    def __init__(self, names: Sequence[str], weights: Mapping[str, float] | None = None) -> None:
        distinct = sorted(set(names))
        self.names = tuple(distinct)
        row = {name: i for i, name in enumerate(distinct)}
        self._rows = np.array([row[name] for name in names], dtype=np.int64)
        self._counts = np.bincount(self._rows, minlength=len(distinct)).astype(np.float64)
        self._weights: Numbers = (
            self._counts / len(names) if weights is None else np.array([weights[name] for name in distinct])
        )
        self.lone = tuple(name for name, n in zip(distinct, self._counts, strict=True) if n == 1)

    def mean(self, column: Numbers) -> Numbers:
        """The weighted mean of float64[episodes, ...] over the strata's means: float64[...]."""
        return np.tensordot(self._weights, self._means(column), axes=1)

    def error(self, column: Numbers) -> tuple[Numbers, Numbers]:
        """Standard error of :meth:`mean` and its degrees of freedom; NaN where a stratum has one episode."""
        spread = column - self._means(column)[self._rows]
        squares = np.zeros((len(self.names), *column.shape[1:]))
        np.add.at(squares, self._rows, spread**2)
        shape = (-1,) + (1,) * (column.ndim - 1)
        counts, weights = self._counts.reshape(shape), self._weights.reshape(shape)
        with np.errstate(invalid="ignore", divide="ignore"):
            parts = weights**2 * squares / (counts - 1) / counts
            variance = parts.sum(axis=0)
            freedom = variance**2 / (parts**2 / (counts - 1)).sum(axis=0)
        surely = variance <= ROUNDING**2
        return np.sqrt(variance), np.where(surely, np.inf, freedom)

    def estimate(self, over: Numbers, under: Numbers | None = None) -> Estimate:
        """The mean of ``over``, or its ratio to that of ``under``: each float64[episodes]."""
        return self.about(*((float(self.mean(over)), over) if under is None else self.ratio(over, under)))

    def ratio(self, over: Numbers, under: Numbers) -> tuple[float, Numbers]:
        """The ratio of the mean of ``over`` to that of ``under``, and the influence of each episode on it."""
        below = float(self.mean(under))
        mean = float(self.mean(over)) / below
        return mean, (over - mean * under) / below

    def about(self, mean: float, influence: Numbers) -> Estimate:
        """``mean`` with the interval that follows from the ``influence`` of each episode, float64[episodes]."""
        if self.lone:
            single = list_names([name for name in self.lone if name])
            reason = f"one episode only against {single}: no interval" if single else ONE_EPISODE
            return Estimate(mean, reason=reason, n=len(self._rows))
        error, freedom = (float(number) for number in self.error(influence))
        reach = float(quantile(np.array(freedom))) * error
        return Estimate(mean, mean - reach, mean + reach, "", error, freedom, len(self._rows))

    def band(self, column: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        """Mean, low and high of float64[episodes, T]; without an interval low and high are the mean."""
        mean = self.mean(column)
        if self.lone:
            return mean, mean, mean
        error, freedom = self.error(column)
        reach = quantile(freedom) * error
        return mean, mean - reach, mean + reach

    def _means(self, column: Numbers) -> Numbers:
        sums = np.zeros((len(self.names), *column.shape[1:]))
        np.add.at(sums, self._rows, column)
        return sums / self._counts.reshape((-1,) + (1,) * (column.ndim - 1))


def quantile(freedom: Numbers, tail: float = TAIL) -> Numbers:
    """Student's t that is exceeded with probability ``tail``, by default 2.5 %.

    >>> quantile(np.array([10.0, np.inf])).round(3).tolist()
    [2.228, 1.96]
    """
    # SciPy takes a third of a second to import, and a replay needs no interval.
    from scipy.special import stdtrit  # pyright: ignore[reportMissingTypeStubs, reportUnknownVariableType]

    return -np.asarray(stdtrit(freedom, tail), dtype=np.float64)


def t_tail(t: float, freedom: float) -> float:
    """The probability that Student's t exceeds ``t``.

    >>> round(t_tail(2.0, 10.0), 4)
    0.0367
    """
    from scipy.special import stdtr  # pyright: ignore[reportMissingTypeStubs, reportUnknownVariableType]

    return float(stdtr(freedom, -t))


def t_quantile(freedom: float, tail: float) -> float:
    """Student's t that is exceeded with probability ``tail``.

    >>> round(t_quantile(10.0, 0.05), 3)
    1.812
    """
    return float(quantile(np.array(freedom), tail))


def share_of(passed: float, n: int) -> Estimate:
    """The share of ``passed`` among ``n`` with its 95 % score interval (Wilson 1927).

    The interval has a width where all or none passed, unlike Student's t.

    >>> estimate = share_of(3, 3)
    >>> estimate.mean, round(estimate.low, 3), round(estimate.high, 3)
    (1.0, 0.439, 1.0)
    """
    if not n:
        return Estimate(None, reason="there is nothing to count")
    z = float(quantile(np.array(np.inf)))
    rate = passed / n
    middle = (rate + z**2 / (2 * n)) / (1 + z**2 / n)
    reach = z / (1 + z**2 / n) * (rate * (1 - rate) / n + z**2 / (4 * n**2)) ** 0.5
    # Rounding must not put an end past the share itself, which it equals at 0 and 1.
    return Estimate(rate, min(rate, max(0.0, middle - reach)), max(rate, min(1.0, middle + reach)), n=n)


def simultaneous(estimate: Estimate, comparisons: int) -> Estimate:
    """``estimate`` with an interval that holds for all of ``comparisons`` together at 95 % (Bonferroni)."""
    if estimate.mean is None or estimate.error is None or estimate.freedom is None:
        return estimate
    reach = float(quantile(np.array(estimate.freedom), TAIL / comparisons)) * estimate.error
    return structs.replace(estimate, low=estimate.mean - reach, high=estimate.mean + reach)


def paired_difference(
    ours: Mapping[tuple[str, int], float], theirs: Mapping[tuple[str, int], float]
) -> Estimate:
    """The mean difference of two minds over the same (partner, seed): ours − theirs.

    Only pairs that both have are used; without any the estimate has no mean.
    """
    both = sorted(ours.keys() & theirs.keys())
    if not both:
        return Estimate(None, reason="the two have no partner and seed in common")
    return Strata([partner for partner, _ in both]).estimate(np.array([ours[k] - theirs[k] for k in both]))


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
