"""Two minds compared on the same scenarios, partners and seeds: what each knows, uses and earns.

What partner and seed do to both minds cancels in the differences of a pair of episodes. Pairs with the same partner,
labels and order of options are one cluster (:mod:`otherminds.measures.clustered`), since copies are not a sample.
Three differences are pooled over scenarios with equal weights, each tested at both sides, corrected for their number
(Holm 1979): L, the unused share, and F, as verdicts use them (:mod:`otherminds.measures.evidence`). Teams in tasks are
compared by the goals that they meet, over all tasks together, and never in one task. Where a scenario has none of these,
the reward stands alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isinf

from msgspec import Struct, structs

from otherminds.measures.clustered import Cluster, ClusteredMean, Stratum, clustered_mean, holm_adjusted
from otherminds.measures.episode import Episode, Key
from otherminds.measures.intervals import LEVEL, TAIL, Estimate, t_quantile
from otherminds.measures.pair_values import (
    FIRST_AND_SECOND,
    Pair,
    PairValue,
    Score,
    pair_episodes,
    pair_values,
)
from otherminds.measures.scenario_evidence import gather_evidence
from otherminds.measures.verdict import FEWEST_CLUSTERS, KNOWLEDGE, MOST_LOST, Verdict, judge

EVIDENCE: tuple[Score, ...] = ("literal", "unused", "functional")
POOLED: tuple[Score, ...] = (*EVIDENCE, "goals")
SINGLE: tuple[Score, ...] = (*EVIDENCE, "reward")
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
    verdicts = _verdicts(paired, names)
    # A mind that knows nothing has nothing to use, whatever its share is.
    knowing = all(judgement.kind in KNOWLEDGE for judgement in verdicts)
    pooled = [
        _difference(score, "", "", values)
        for score in POOLED
        if (knowing or score != "unused") and (values := pair_values(score, list(paired.values())))
    ]
    rows = [
        _difference(score, *key, values)
        for key, pairs in paired.items()
        for score in SINGLE
        if (knowing or score != "unused") and (values := pair_values(score, [pairs]))
    ]
    reason = _obstacle(len(everywhere), lost, names)
    return Contrast(
        tuple(_correct_differences(pooled, reason)),
        tuple(_correct_differences(rows, reason)),
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


def _verdicts(paired: Mapping[Key, Sequence[Pair]], names: tuple[str, str]) -> tuple[Verdict, ...]:
    """The verdict about each mind over the paired episodes; none where no scenario has evidence."""
    measured = {key: pairs for key, pairs in paired.items() if pair_values("literal", [pairs])}
    if not measured:
        return ()
    judged = judge(
        {
            str(side): [
                gather_evidence(key[0], True, len(pairs), (pair[side].evidence for pair in pairs))
                for key, pairs in measured.items()
            ]
            for side in FIRST_AND_SECOND
        }
    )
    return tuple(structs.replace(judged[str(side)], mind=name) for side, name in enumerate(names))


def _difference(score: Score, scenario: str, mind: str, groups: Sequence[Sequence[PairValue]]) -> Difference:
    """The difference over ``groups``, with its two-sided p-value; see :func:`_correct_differences` for what follows."""
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


def _correct_differences(differences: Sequence[Difference], reason: str) -> list[Difference]:
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
