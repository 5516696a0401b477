"""Two minds compared on the same scenarios, partners and seeds: what each knows, uses and earns.

What partner and seed do to both minds cancels in the differences of a pair of episodes. Pairs with the same partner,
labels and order of options are one cluster (:mod:`otherminds.measures.scenario_evidence`), since copies are not a sample.
Three differences are pooled over scenarios with equal weights, each tested at both sides, corrected for their number
(Holm 1979): L, the unused share, and F, as verdicts use them (:mod:`otherminds.measures.evidence`). Teams in tasks are
compared by the goals that they meet, over all tasks together, and never in one task. Where a scenario has none of these,
the reward stands alone.

A difference of L or of F is that of two numbers. The unused share is a ratio of means, so that its difference is
linearised: the value of a pair is its influence on it (delta method)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from math import inf, isinf
from statistics import fmean
from typing import Literal, NamedTuple, TypeAlias

from msgspec import Struct, structs

from otherminds.measures.episode import Episode, Key
from otherminds.measures.evidence import EpisodeEvidence
from otherminds.measures.intervals import LEVEL, TAIL, Estimate, t_quantile
from otherminds.measures.registry import Unknown
from otherminds.measures.scenario_evidence import (
    Cluster,
    ClusteredMean,
    Stratum,
    clustered_mean,
    gather_evidence,
    holm_adjusted,
)
from otherminds.measures.verdict import FEWEST_CLUSTERS, KNOWLEDGE, MOST_LOST, Verdict, judge

Score: TypeAlias = Literal["literal", "unused", "functional", "goals", "reward"]
GOAL_MET = "functional_pass"
"""The measure of an episode that is 1 if a team met its shared goal, else 0; only tasks of teams have it."""
LOST = frozenset({"invalid", "cut", "refused"})
"""Episodes that the mind itself lost; one that failed or was not played is in no pair."""
FIRST_AND_SECOND = (0, 1)


class Pair(NamedTuple):
    """Two episodes with the same partner and seed."""

    first: Episode
    second: Episode

    @property
    def lost(self) -> tuple[bool, bool]:
        """Whether each was lost."""
        return self.first.outcome.status in LOST, self.second.outcome.status in LOST


class PairValue(NamedTuple):
    """The difference of one pair, first minus second, with its cluster (partner and design) and the partner's weight.

    ``played`` is that of two scored episodes, else ``None``. ``least`` and ``most`` are what it could at worst and at
    best be for the first mind, had nothing been lost.
    """

    cluster: tuple[str, str]
    weight: float
    played: float | None
    least: float
    most: float


class PairEvidence(NamedTuple):
    """The evidence of both episodes of a pair, and the weight of its partner in a score."""

    pair: Pair
    sides: tuple[EpisodeEvidence, EpisodeEvidence]
    weight: float

    def value(self, played: float, least: float, most: float) -> PairValue:
        """A value of this pair."""
        first = self.sides[0]
        difference = None if any(self.pair.lost) else played
        return PairValue((first.partner, first.design), self.weight, difference, least, most)


def pair_episodes(ours: Sequence[Episode], theirs: Sequence[Episode]) -> list[Pair]:
    """The pairs of episodes with the same partner and seed, scored or lost."""
    counted = LOST | {"scored"}
    first, second = (
        {episode.cluster: episode for episode in episodes if episode.outcome.status in counted}
        for episodes in (ours, theirs)
    )
    return [Pair(first[cluster], second[cluster]) for cluster in sorted(first.keys() & second.keys())]


def pair_values(score: Score, groups: Sequence[Sequence[Pair]]) -> list[list[PairValue]]:
    """The values of each group of pairs (a scenario) that has this score; goals of all groups are one."""
    if score == "unused":
        return _unused_values(groups)
    if score == "goals":
        by_group = [[value for pairs in groups for value in _goal_values(pairs)]]
    elif score == "reward":
        by_group = [_reward_values(pairs) for pairs in groups]
    else:
        by_group = [_plain_values(score, pairs) for pairs in groups]
    return [values for values in by_group if values]


def _evident(score: Score, pairs: Sequence[Pair]) -> list[PairEvidence]:
    """The pairs in which both episodes have evidence, and whose partner counts in ``score``."""
    evident: list[PairEvidence] = []
    for pair in pairs:
        first, second = pair.first.evidence, pair.second.evidence
        if isinstance(first, Unknown) or isinstance(second, Unknown):
            continue
        weight = next((getattr(share, score) for share in first.shares if share.name == first.partner), 0.0)
        if weight:
            evident.append(PairEvidence(pair, (first, second), weight))
    return evident


def _plain_values(score: Score, pairs: Sequence[Pair]) -> list[PairValue]:
    """Differences of a number that each episode has: L or F. What was lost is at worst as it is recorded, at best 1."""
    values: list[PairValue] = []
    for evidence in _evident(score, pairs):
        first, second = (getattr(side, score) for side in evidence.sides)
        if first is None or second is None:
            continue
        best = [
            max(1.0, number) if lost else number
            for number, lost in zip((first, second), evidence.pair.lost, strict=True)
        ]
        values.append(evidence.value(first - second, first - best[1], best[0] - second))
    return values


def _unused_values(groups: Sequence[Sequence[Pair]]) -> list[list[PairValue]]:
    """Influences on the difference of the unused shares. What was lost counts as all unused, or as all used."""
    usable = [
        [evidence for evidence in _evident("unused", pairs) if _has_unused(evidence)] for pairs in groups
    ]
    usable = [members for members in usable if members]
    shares: list[float] = []
    reaches: list[float] = []
    for side in FIRST_AND_SECOND:
        unused, reach = (_weighted_mean(usable, side, name) for name in ("unused", "reach"))
        if reach <= 0:
            return []
        shares.append(unused / reach)
        reaches.append(reach)

    def influence(side: int, unused: float, reach: float) -> float:
        return shares[side] + (unused - shares[side] * reach) / reaches[side]

    def ends(evidence: PairEvidence, side: int) -> tuple[float, float]:
        """The influence at the least and at the most unused."""
        if evidence.pair.lost[side]:
            return influence(side, 0.0, 1.0), influence(side, 1.0, 1.0)
        certain = influence(side, evidence.sides[side].unused or 0.0, evidence.sides[side].reach)
        return certain, certain

    values: list[list[PairValue]] = []
    for members in usable:
        group: list[PairValue] = []
        for evidence in members:
            (low, high), (other_low, other_high) = (ends(evidence, side) for side in FIRST_AND_SECOND)
            group.append(evidence.value(low - other_low, low - other_high, high - other_low))
        values.append(group)
    return values


def _has_unused(evidence: PairEvidence) -> bool:
    """Whether each episode has a number for what was unused, or was lost."""
    return all(
        lost or side.unused is not None for lost, side in zip(evidence.pair.lost, evidence.sides, strict=True)
    )


def _weighted_mean(groups: Sequence[Sequence[PairEvidence]], side: int, name: str) -> float:
    """The mean over groups of the weighted mean over partners of a number of the scored episodes of one side."""
    means: list[float] = []
    for group in groups:
        values: dict[str, list[float]] = {}
        weights: dict[str, float] = {}
        for evidence in group:
            if not any(evidence.pair.lost):
                partner = evidence.sides[side].partner
                values.setdefault(partner, []).append(getattr(evidence.sides[side], name) or 0.0)
                weights[partner] = evidence.weight
        if weights:
            total = sum(weights.values())
            means.append(
                sum(weights[partner] * fmean(numbers) for partner, numbers in values.items()) / total
            )
    return fmean(means) if means else 0.0


def _goal_values(pairs: Sequence[Pair]) -> list[PairValue]:
    """Differences in goals met (0 or 1 a run), of which a task is one cluster. A lost run has met none, and could have."""
    if not any(GOAL_MET in episode.values for pair in pairs for episode in pair):
        return []
    values: list[PairValue] = []
    for pair in pairs:
        first, second = (goal_met(episode) for episode in pair)
        best = [1.0 if lost else met for lost, met in zip(pair.lost, (first, second), strict=True)]
        played = None if any(pair.lost) else first - second
        cluster = ("", pair.first.scenario)
        values.append(PairValue(cluster, 1.0, played, first - best[1], best[0] - second))
    return values


def goal_met(episode: Episode) -> float:
    """1 if a run of a team met its shared goal, else 0; one that was lost has met none."""
    met = episode.values.get(GOAL_MET, 0.0)
    return 0.0 if isinstance(met, Unknown) or episode.outcome.status in LOST else met


def _reward_values(pairs: Sequence[Pair]) -> list[PairValue]:
    """Differences in reward where there is no F; episodes with the same calls and rewards are copies."""
    if _evident("functional", pairs) or _goal_values(pairs):
        return []
    met = Counter(pair.first.cluster[0] for pair in pairs)
    values: list[PairValue] = []
    for pair in pairs:
        lost, by = any(pair.lost), pair.first.reward - pair.second.reward
        marks = repr([(episode.usage, episode.tries, episode.length, episode.reward) for episode in pair])
        partner = pair.first.cluster[0]
        least, most = (-inf, inf) if lost else (by, by)
        values.append(PairValue((partner, marks), met[partner], None if lost else by, least, most))
    return values


EVIDENCE: tuple[Score, ...] = ("literal", "unused", "functional")
POOLED: tuple[Score, ...] = (*EVIDENCE, "goals")
SINGLE: tuple[Score, ...] = (*EVIDENCE, "reward")
LESS_IS_BETTER: frozenset[Score] = frozenset({"unused"})
WIDTH = 2.0
"""The range of a difference of two quantities of range 1."""
NO_PAIR = "no pair of episodes has this number"


class Difference(Struct, frozen=True):
    """How two minds differ in one score: ``by`` is the first minus the second, between the ends of its interval.

    ``scenario`` is empty for the mean over all scenarios with this score. ``pairs`` are the pairs of episodes, in
    ``clusters`` distinct ones. ``doubt`` is the two-sided p-value of "it is 0", in which whatever was lost counts
    against either direction. ``differs``: it is not 0 at 95 % together with the others it is corrected with, the
    pooled ones or those of single scenarios. ``tested`` is false where that cannot be said; ``by.reason`` has the cause.
    """

    score: Score
    scenario: str
    mind: str
    pairs: int
    clusters: int
    by: Estimate
    doubt: float = 1.0
    differs: bool = False
    tested: bool = False


class Contrast(Struct, frozen=True):
    """Two minds side by side.

    ``pooled`` are the differences over all scenarios, ``rows`` those of single ones. Of ``pairs`` paired episodes the
    two minds ``lost`` so many. ``verdicts`` are those about each mind over the paired episodes, if these have any.
    ``reason`` says why nothing can be told, if so.
    """

    pooled: tuple[Difference, ...]
    rows: tuple[Difference, ...]
    pairs: int
    lost: tuple[int, int]
    verdicts: tuple[Verdict, ...] = ()
    reason: str = ""


def compare(
    ours: Mapping[Key, Sequence[Episode]],
    theirs: Mapping[Key, Sequence[Episode]],
    names: tuple[str, str] = ("the first", "the second"),
) -> Contrast:
    """The contrast of two minds, or of two models with the same minds, called ``names``.

    Cells are by scenario and mind, without the name of the model; those that only one of both has are left out.
    """
    paired = {key: pair_episodes(episodes, theirs[key]) for key, episodes in ours.items() if key in theirs}
    everywhere = [pair for pairs in paired.values() for pair in pairs]
    lost = sum(pair.lost[0] for pair in everywhere), sum(pair.lost[1] for pair in everywhere)
    verdicts = judge_sides(paired, names)
    # A mind that knows nothing has nothing to use, whatever its share is.
    knowing = all(judgement.kind in KNOWLEDGE for judgement in verdicts)
    pooled = [
        measure_difference(score, "", "", values)
        for score in POOLED
        if (knowing or score != "unused") and (values := pair_values(score, list(paired.values())))
    ]
    rows = [
        measure_difference(score, *key, values)
        for key, pairs in paired.items()
        for score in SINGLE
        if (knowing or score != "unused") and (values := pair_values(score, [pairs]))
    ]
    reason = _obstacle(len(everywhere), lost, names)
    return Contrast(
        tuple(correct_differences(pooled, reason)),
        tuple(correct_differences(rows, reason)),
        len(everywhere),
        lost,
        verdicts,
        reason,
    )


def _obstacle(pairs: int, lost: tuple[int, int], names: tuple[str, str]) -> str:
    """Why nothing can be told from these pairs; empty if something can."""
    if not pairs:
        return "no episode was recorded of both"
    most = max(lost)
    return f"“{names[lost.index(most)]}” lost {most} of them" if most > MOST_LOST * pairs else ""


def judge_sides(
    groups: Mapping[Key, Sequence[Sequence[Episode]]], names: Sequence[str]
) -> tuple[Verdict, ...]:
    """The verdict about each mind over the episodes of its side; none where no scenario has evidence.

    ``groups`` are by scenario and mind; each group has for every partner and seed an episode of each of ``names``, in their order.
    """
    measured = {
        key: members
        for key, members in groups.items()
        if any(
            pair_values("literal", [[Pair(first, other) for first, *others in members for other in others]])
        )
    }
    if not measured:
        return ()
    judged = judge(
        {
            str(side): [
                gather_evidence(key[0], True, len(members), (member[side].evidence for member in members))
                for key, members in measured.items()
            ]
            for side in range(len(names))
        }
    )
    return tuple(structs.replace(judged[str(side)], mind=name) for side, name in enumerate(names))


def measure_difference(
    score: Score, scenario: str, mind: str, groups: Sequence[Sequence[PairValue]]
) -> Difference:
    """The difference over ``groups``, with its two-sided p-value; see :func:`correct_differences` for what follows."""
    width = WIDTH
    if score == "reward":
        # Without a known range, it is taken to be that of the largest difference, in either direction.
        sizes = [abs(value.played) for values in groups for value in values if value.played is not None]
        width = WIDTH * max(sizes, default=0.0) or 1.0
    played, least, most = (
        _mean_by_partner(groups, lambda value, name=name: getattr(value, name), width)
        for name in ("played", "least", "most")
    )
    pairs = sum(len(values) for values in groups)
    if played is None or least is None or most is None:
        return Difference(score, scenario, mind, pairs, 0, Estimate(None, reason=NO_PAIR))
    by = Estimate(played.mean * width, error=played.error * width, freedom=played.freedom, n=played.episodes)
    if played.clusters < FEWEST_CLUSTERS:
        case = "task" if score == "goals" else "distinct pair"
        reason = f"{played.clusters} {case}{'s' * (played.clusters != 1)}, and a test needs {FEWEST_CLUSTERS}"
        few = structs.replace(by, error=None, freedom=None, reason=reason)
        return Difference(score, scenario, mind, pairs, played.clusters, few)
    doubt = (
        1.0 if isinf(least.mean) or isinf(most.mean) else min(1.0, 2 * min(least.above(0.0), most.below(0.0)))
    )
    return Difference(score, scenario, mind, pairs, played.clusters, by, doubt)


def _mean_by_partner(
    groups: Sequence[Sequence[PairValue]], number: Callable[[PairValue], float | None], width: float
) -> ClusteredMean | None:
    """The mean of ``number``, in units of ``width``, over groups of strata by partner."""
    strata: list[list[Stratum]] = []
    for values in groups:
        weights: dict[str, float] = {}
        sums: dict[str, dict[tuple[str, str], tuple[int, float]]] = {}
        for value in values:
            if (this := number(value)) is None:
                continue
            partner = value.cluster[0]
            weights[partner] = value.weight
            count, total = sums.setdefault(partner, {}).get(value.cluster, (0, 0.0))
            sums[partner][value.cluster] = count + 1, total + this / width
        strata.append(
            [
                Stratum(weights[name], tuple(Cluster(*cluster) for cluster in clusters.values()))
                for name, clusters in sums.items()
            ]
        )
    return clustered_mean(strata)


def correct_differences(differences: Sequence[Difference], reason: str) -> list[Difference]:
    """``differences`` corrected for their number, with intervals that exclude 0 where the step-down test rejects it.

    With a ``reason`` why nothing can be told, nothing is tested.
    """
    tested = [difference for difference in differences if difference.by.error is not None and not reason]
    ranked = sorted(tested, key=lambda difference: difference.doubt)
    rejected = sum(doubt <= 1 - LEVEL for doubt in holm_adjusted([difference.doubt for difference in ranked]))
    corrected: dict[int, Difference] = {}
    for place, difference in enumerate(ranked):
        # A rejected difference has the level of its step, the others that of the first step that failed.
        level = len(ranked) - min(place, rejected)
        mean, error, freedom = (getattr(difference.by, name) for name in ("mean", "error", "freedom"))
        reach = t_quantile(freedom, TAIL / level) * error
        by = structs.replace(difference.by, low=mean - reach, high=mean + reach)
        corrected[id(difference)] = structs.replace(difference, by=by, tested=True, differs=place < rejected)
    return [corrected.get(id(difference), difference) for difference in differences]
