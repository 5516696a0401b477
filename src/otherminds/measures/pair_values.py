"""The differences of two minds in pairs of episodes with the same scenario, partner and seed.

What partner and seed do to both minds cancels in them. A difference of L or of F is that of two numbers. The unused share
is a ratio of means, so that its difference is linearised: the value of a pair is its influence on it (delta method).
Teams that have all seats of a task are compared by the goals that they meet, over all tasks together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import inf
from statistics import fmean
from typing import Literal, NamedTuple, TypeAlias

from otherminds.measures.episode import Episode
from otherminds.measures.evidence import EpisodeEvidence
from otherminds.measures.registry import Unknown

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
        first, second = (
            0.0 if lost else _goal(episode) for lost, episode in zip(pair.lost, pair, strict=True)
        )
        best = [1.0 if lost else met for lost, met in zip(pair.lost, (first, second), strict=True)]
        played = None if any(pair.lost) else first - second
        cluster = ("", pair.first.scenario)
        values.append(PairValue(cluster, 1.0, played, first - best[1], best[0] - second))
    return values


def _goal(episode: Episode) -> float:
    met = episode.values[GOAL_MET]
    return 0.0 if isinstance(met, Unknown) else met


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
