"""Means and ratios with their 95 % intervals, by resampling clusters.

A cluster is one partner under one seed: what happens inside it hangs together.
All statistics of a cell use the same resamples, so that differences are paired.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from otherminds.core.seeds import derive

RESAMPLES = 2_000
TAILS = (2.5, 97.5)
"""The percentiles that bound the middle 95 %."""
ONE_CLUSTER = "one partner under one seed only: no interval"
UNSTABLE = "undefined in too many resamples: no interval"
BLOCK = 2_000_000
"""Draws made at once, to bound memory."""

Numbers: TypeAlias = NDArray[np.float64]
Sums: TypeAlias = Mapping[str, Numbers]


class Estimate(Struct, frozen=True):
    """A number with its 95 % interval. ``reason`` says why a part of it is missing."""

    mean: float | None
    low: float | None = None
    high: float | None = None
    reason: str = ""


class Bootstrap:
    """Cluster bootstrap: percentile intervals over 2,000 resamples (Efron 1979).

    ``columns`` are arrays with one row an episode; ``clusters`` says where each
    row belongs. Clusters are drawn with replacement, and a statistic is computed
    from the columns' sums. The draws hang on ``path`` and on the clusters, not on
    the order of the episodes.
    """

    def __init__(
        self, columns: Mapping[str, Numbers], clusters: Sequence[Hashable], path: Sequence[str]
    ) -> None:
        names = sorted(set(clusters), key=repr)
        number = {name: i for i, name in enumerate(names)}
        self.clusters = len(names)
        rows = np.array([number[cluster] for cluster in clusters], dtype=np.int64)
        self.sums: dict[str, Numbers] = {}
        self.resampled: dict[str, Numbers] = {}
        grouped: dict[str, Numbers] = {}
        for name, column in columns.items():
            grouped[name] = np.zeros((len(names), *column.shape[1:]))
            np.add.at(grouped[name], rows, column)
            self.sums[name] = grouped[name].sum(axis=0, keepdims=True)
        if len(names) > 1:
            rng = np.random.default_rng(derive(len(names), "bootstrap", *path))
            self.resampled = _resample(grouped, len(names), rng)

    def estimate(self, statistic: Callable[[Sums], Numbers], undefined: str = "") -> Estimate:
        """``statistic`` of the sums, with its interval.

        It maps sums of shape (n,) to n values, NaN where it is undefined; if that
        is so for the episodes themselves, ``undefined`` is the reason.
        """
        mean = float(statistic(self.sums)[0])
        if not np.isfinite(mean):
            return Estimate(None, reason=undefined)
        if self.clusters == 1:
            return Estimate(mean, reason=ONE_CLUSTER)
        values = statistic(self.resampled)
        defined = values[np.isfinite(values)]
        if len(defined) < len(values) * TAILS[1] / 100:
            return Estimate(mean, reason=UNSTABLE)
        low, high = np.percentile(defined, TAILS)
        return Estimate(mean, float(low), float(high))

    def band(self, statistic: Callable[[Sums], Numbers]) -> tuple[Numbers, Numbers, Numbers]:
        """Mean, low and high of a statistic that maps sums of shape (n, T) to (n, T).

        With one cluster low and high are the mean.
        """
        mean = statistic(self.sums)[0]
        if self.clusters == 1:
            return mean, mean, mean
        low, high = np.percentile(statistic(self.resampled), TAILS, axis=0)
        return mean, low, high


def quotient(over: Numbers, under: Numbers, least: float = 0.0) -> Numbers:
    """``over / under``, NaN where ``under`` is not more than ``least``."""
    return np.divide(over, under, out=np.full(over.shape, np.nan), where=under > least)


def _resample(grouped: dict[str, Numbers], clusters: int, rng: np.random.Generator) -> dict[str, Numbers]:
    """Sums of each column over ``RESAMPLES`` draws of clusters, in blocks."""
    parts: dict[str, list[Numbers]] = {name: [] for name in grouped}
    block = max(1, BLOCK // clusters)
    for done in range(0, RESAMPLES, block):
        n = min(block, RESAMPLES - done)
        drawn = rng.integers(0, clusters, size=(n, clusters)) + np.arange(n)[:, None] * clusters
        counts = np.bincount(drawn.ravel(), minlength=n * clusters).reshape(n, clusters).astype(np.float64)
        for name, sums in grouped.items():
            parts[name].append(np.tensordot(counts, sums, axes=1))
    return {name: np.concatenate(arrays) for name, arrays in parts.items()}
