"""Means over clusters of episodes, stratified by partner, with one-sided tests.

Episodes with the same partner, labels and order of options are one cluster: copies are not a sample. The mean is over
all episodes; its variance is that of cluster totals (Cochran 1977, section 9). Degrees of freedom are Satterthwaite's
(1946). Three bounds keep a small or uniform sample from looking certain: no stratum varies less than all do on average,
nor less than its number of clusters allows for a quantity of range 1, and no p-value is below 2 to the power of minus
the number of clusters.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from otherminds.measures.intervals import TAIL_OF_ONE_SIDE, Estimate, t_quantile, t_tail


class Cluster(Struct, frozen=True):
    """The number of episodes in a cluster, and the total of a quantity over them."""

    episodes: int
    total: float


class Stratum(Struct, frozen=True):
    """The clusters of one partner, with the partner's weight; ``least`` is a lower bound of the mean's variance."""

    weight: float
    clusters: tuple[Cluster, ...]
    least: float = 0.0

    @property
    def mean(self) -> float:
        """The mean over its episodes."""
        return sum(cluster.total for cluster in self.clusters) / sum(
            cluster.episodes for cluster in self.clusters
        )


class ClusteredMean(Struct, frozen=True):
    """A weighted mean over strata, its standard error, degrees of freedom, and numbers of clusters and episodes."""

    mean: float
    error: float
    freedom: float
    clusters: int
    episodes: int

    def above(self, value: float) -> float:
        """The one-sided p-value of "the mean is at most ``value``"."""
        return max(t_tail((self.mean - value) / self.error, self.freedom), 2.0**-self.clusters)

    def below(self, value: float) -> float:
        """The one-sided p-value of "the mean is at least ``value``"."""
        return max(t_tail((value - self.mean) / self.error, self.freedom), 2.0**-self.clusters)

    @property
    def estimate(self) -> Estimate:
        """The mean between its one-sided 95 % bounds."""
        reach = t_quantile(self.freedom, TAIL_OF_ONE_SIDE) * self.error
        return Estimate(
            *(self.mean, self.mean - reach, self.mean + reach),
            error=self.error,
            freedom=self.freedom,
            n=self.episodes,
        )


def clustered_mean(groups: Sequence[Sequence[Stratum]], times: float = 1.0) -> ClusteredMean | None:
    """The mean over groups of strata (scenarios) with equal weights; ``None`` where there is no episode.

    ``times`` multiplies the number of clusters at the present spread, for the error that more episodes would have.
    """
    groups = [strata for strata in groups if strata]
    if not groups:
        return None
    mean = variance = under = 0.0
    clusters = episodes = 0
    for strata in groups:
        weights = sum(stratum.weight for stratum in strata) * len(groups)
        pooled = _pooled_spread(strata)
        for stratum in strata:
            share = stratum.weight / weights
            count = len(stratum.clusters)
            mean += share * stratum.mean
            part = share**2 * _variance(stratum, pooled, times)
            variance += part
            under += part**2 / max(1.0, times * count - 1)
            clusters += count
            episodes += sum(cluster.episodes for cluster in stratum.clusters)
    return ClusteredMean(mean, variance**0.5, variance**2 / under, round(times * clusters), episodes)


def _pooled_spread(strata: Sequence[Stratum]) -> float:
    """The variance of cluster means within strata, over all strata; 1 where each has a single cluster."""
    freedom = sum(len(stratum.clusters) - 1 for stratum in strata)
    squares = sum(
        (cluster.total / cluster.episodes - stratum.mean) ** 2
        for stratum in strata
        for cluster in stratum.clusters
    )
    return squares / freedom if freedom else 1.0


def _variance(stratum: Stratum, pooled: float, times: float) -> float:
    """The variance of a stratum's mean with ``times`` as many clusters."""
    count = len(stratum.clusters)
    wanted_count = times * count
    own = 1.0
    if count > 1:
        episodes = sum(cluster.episodes for cluster in stratum.clusters)
        squares = sum((cluster.total - cluster.episodes * stratum.mean) ** 2 for cluster in stratum.clusters)
        own = squares / episodes**2 * count / (count - 1) / times
    return max(own, pooled / wanted_count, 1 / (wanted_count + 1) ** 2 / wanted_count, stratum.least / times)


def holm_adjusted(doubts: Sequence[float]) -> list[float]:
    """The p-values adjusted for their number by the step-down method of Holm (1979), in the order given.

    >>> [round(doubt, 3) for doubt in holm_adjusted([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    adjusted = [0.0] * len(doubts)
    least = 0.0
    for rank, place in enumerate(sorted(range(len(doubts)), key=lambda i: doubts[i])):
        least = max(least, min(1.0, doubts[place] * (len(doubts) - rank)))
        adjusted[place] = least
    return adjusted
