"""The evidence about a mind in one scenario: sums over clusters of episodes, their means, and one-sided tests.

Episodes with the same partner, labels and order of options are one cluster: copies are not a sample. The mean is over
all episodes; its variance is that of cluster totals (Cochran 1977, section 9). Degrees of freedom are Satterthwaite's
(1946). Three bounds keep a small or uniform sample from looking certain: no stratum varies less than all do on average,
nor less than its number of clusters allows for a quantity of range 1, and no p-value is below 2 to the power of minus
the number of clusters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct, field

from otherminds.measures.evidence import EpisodeEvidence, NoChoice, PartnerShares
from otherminds.measures.intervals import TAIL_OF_ONE_SIDE, Estimate, t_quantile, t_tail
from otherminds.measures.registry import Unknown


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

    def estimate(self, tail: float = TAIL_OF_ONE_SIDE) -> Estimate:
        """The mean between its one-sided bounds of the level ``tail``."""
        reach = t_quantile(self.freedom, tail) * self.error
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
        (cluster.total / cluster.episodes - mean) ** 2
        for stratum, mean in zip(strata, [stratum.mean for stratum in strata], strict=True)
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
        mean = stratum.mean
        squares = sum((cluster.total - cluster.episodes * mean) ** 2 for cluster in stratum.clusters)
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


ClusterKey = tuple[str, str]
"""A partner, and the labels and the order of options."""


class EvidenceSums(Struct):
    """Sums over the episodes of a cluster, each with the number of episodes in which the quantity is defined."""

    episodes: int = 0
    literal: float = 0.0
    with_literal: int = 0
    unused: float = 0.0
    reach: float = 0.0
    with_unused: int = 0
    functional: float = 0.0
    with_functional: int = 0

    def add(self, evidence: EpisodeEvidence) -> None:
        """Adds an episode."""
        self.episodes += 1
        if evidence.literal is not None:
            self.literal += evidence.literal
            self.with_literal += 1
        if evidence.unused is not None:
            self.unused += evidence.unused
            self.reach += evidence.reach
            self.with_unused += 1
        if evidence.functional is not None:
            self.functional += evidence.functional
            self.with_functional += 1


class ScenarioEvidence(Struct):
    """What the episodes of one mind in one scenario say, scored and lost ones apart.

    ``words`` has, for each partner, the informative rounds and the right predictions of each distinct sequence of
    predictions, and ``acts`` the distinct sequences of its own behaviours; ``prejudice`` the sums, and numbers of episodes, of the L of habits such as always naming one
    label. ``reasons`` counts why episodes have no evidence; ``no_choice`` says that all of them have none because
    one action is always best.
    """

    scenario: str
    model: bool
    planned: int
    episodes: int = 0
    lost: int = 0
    answers: int = 0
    unread: int = 0
    shares: tuple[PartnerShares, ...] = ()
    scored: dict[ClusterKey, EvidenceSums] = field(default_factory=dict[ClusterKey, EvidenceSums])
    broken: dict[ClusterKey, EvidenceSums] = field(default_factory=dict[ClusterKey, EvidenceSums])
    words: dict[str, dict[int, tuple[int, float]]] = field(
        default_factory=dict[str, dict[int, tuple[int, float]]]
    )
    acts: dict[str, set[int]] = field(default_factory=dict[str, set[int]])
    prejudice: dict[tuple[str, str], tuple[float, int]] = field(
        default_factory=dict[tuple[str, str], tuple[float, int]]
    )
    reasons: dict[str, int] = field(default_factory=dict[str, int])
    no_choice: bool = False

    def literal_strata(self, *, lost: bool) -> list[Stratum]:
        """The strata of L. With ``lost``, lost episodes count as the worst case."""

        def least(share: PartnerShares) -> float:
            # Predictions that repeat over copies of an episode are no more evidence than as many single guesses.
            patterns = self.words.get(share.name, {}).values()
            rounds = sum(length for length, _ in patterns)
            accuracy = sum(right for _, right in patterns) / rounds if rounds else 0.5
            return accuracy * (1 - accuracy) / max(rounds, 1) * share.slope**2

        return self._strata(
            lambda share: share.literal,
            lambda sums: (sums.with_literal, sums.literal),
            lambda sums: (sums.with_literal, sums.literal) if lost else None,
            least,
        )

    def unused_strata(self, than: float, *, lost_as: float | None) -> list[Stratum]:
        """The strata of what is unused beyond the share ``than``; lost episodes count as the share ``lost_as``."""
        return self._strata(
            lambda share: share.unused,
            lambda sums: (sums.with_unused, sums.unused - than * sums.reach),
            lambda sums: None if lost_as is None else (sums.episodes, sums.episodes * (lost_as - than)),
        )

    def reach_strata(self) -> list[Stratum]:
        """The strata of the share of what could be lost that lies in rounds with a right prediction."""
        return self._strata(
            lambda share: share.unused, lambda sums: (sums.with_unused, sums.reach), lambda sums: None
        )

    def functional_strata(self, *, lost: bool) -> list[Stratum]:
        """The strata of F. With ``lost``, lost episodes count as the worst case."""

        def least(share: PartnerShares) -> float:
            # A mind that plays the same against a partner whatever the labels are has played once against it.
            distinct = len(self.acts.get(share.name, ())) or 1
            return 1 / (distinct + 1) ** 2 / distinct

        return self._strata(
            lambda share: share.functional,
            lambda sums: (sums.with_functional, sums.functional),
            lambda sums: (sums.with_functional, sums.functional) if lost else None,
            least,
        )

    def without_data(self) -> list[str]:
        """The partners about whom there is something to know and that were not met, or gave no informative round.

        A partner that counts in the unused share alone may give none: to a mind that always
        cooperates, tit-for-tat looks like a constant.
        """
        literal = {
            key[0]
            for by_cluster in (self.scored, self.broken)
            for key, sums in by_cluster.items()
            if sums.with_literal
        }
        unused = {key[0] for key, sums in self.scored.items() if sums.with_unused}
        unused |= {key[0] for key in self.broken}
        return [share.name for share in self.shares if share.literal and share.name not in literal & unused]

    def habit(self) -> tuple[str, float]:
        """The habit (always one label, or one place) with the largest L, and that L; 0 without any."""
        weights = {share.name: share.literal for share in self.shares}
        values: dict[str, list[tuple[float, float]]] = {}
        for (partner, habit), (total, count) in self.prejudice.items():
            values.setdefault(habit, []).append((weights[partner], total / count))
        scores = {
            habit: sum(weight * value for weight, value in pairs) / sum(weight for weight, _ in pairs)
            for habit, pairs in values.items()
            # A label that only some partners are shown under cannot be named against the others.
            if len(pairs) == sum(weight > 0 for weight in weights.values())
        }
        best = max(scores, key=lambda habit: scores[habit], default="")
        return best, scores.get(best, 0.0)

    def _strata(
        self,
        weight: Callable[[PartnerShares], float],
        scored: Callable[[EvidenceSums], tuple[int, float]],
        lost: Callable[[EvidenceSums], tuple[int, float] | None],
        least: Callable[[PartnerShares], float] = lambda share: 0.0,
    ) -> list[Stratum]:
        strata: list[Stratum] = []
        for share in self.shares:
            if not weight(share):
                continue
            totals: dict[ClusterKey, tuple[int, float]] = {}
            for sums, value in ((self.scored, scored), (self.broken, lost)):
                for key, evidence in sums.items():
                    if key[0] == share.name and (added := value(evidence)) is not None:
                        before = totals.get(key, (0, 0.0))
                        totals[key] = before[0] + added[0], before[1] + added[1]
            clusters = tuple(Cluster(*totals[key]) for key in sorted(totals) if totals[key][0])
            if clusters:
                strata.append(Stratum(weight(share), clusters, least(share)))
        return strata


def gather_evidence(
    scenario: str, model: bool, planned: int, episodes: Iterable[EpisodeEvidence | Unknown]
) -> ScenarioEvidence:
    """The evidence of one mind in one scenario, from that of its episodes."""
    gathered = ScenarioEvidence(scenario, model, planned)
    without_choice = 0
    for evidence in episodes:
        gathered.episodes += 1
        if isinstance(evidence, Unknown):
            gathered.reasons[evidence.reason] = gathered.reasons.get(evidence.reason, 0) + 1
            without_choice += isinstance(evidence, NoChoice)
            continue
        _add(gathered, evidence)
    gathered.no_choice = bool(gathered.episodes) and without_choice == gathered.episodes
    return gathered


def _add(gathered: ScenarioEvidence, evidence: EpisodeEvidence) -> None:
    gathered.shares = evidence.shares
    gathered.lost += evidence.lost
    gathered.answers += evidence.answers
    gathered.unread += evidence.unread
    key = (evidence.partner, evidence.design)
    sums = (gathered.broken if evidence.lost else gathered.scored).setdefault(key, EvidenceSums())
    sums.add(evidence)
    if evidence.rounds and not evidence.lost:
        patterns = gathered.words.setdefault(evidence.partner, {})
        patterns[evidence.words] = evidence.rounds, evidence.right
    gathered.acts.setdefault(evidence.partner, set()).add(evidence.acts)
    for habit, value in evidence.prejudice.items():
        total, count = gathered.prejudice.get((evidence.partner, habit), (0.0, 0))
        gathered.prejudice[evidence.partner, habit] = total + value, count + 1
