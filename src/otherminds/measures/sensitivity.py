"""Sensitivity to wording: one mind under several prompt packs, in one scenario.

Differences are paired by partner and seed: an episode under one pack with the same episode under the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np
from msgspec import Struct

from otherminds.core.encoding import encode
from otherminds.core.record import SeatSpec
from otherminds.core.wording import PACK, PLAIN, name_value
from otherminds.measures.basis import differences, scores
from otherminds.measures.episode import Episode
from otherminds.measures.intervals import Estimate, Numbers, Strata, simultaneous

COLUMNS = ("functional", "literal", "unused", "valid")
"""What is compared: F, L, the unused payoff a round, and the share of written answers that could be read."""

NONE_WRITTEN = "no answer was written"


class PackScores(Struct, frozen=True):
    """One pack: ``episodes`` recorded, ``scored`` of them, and its estimates by name of :data:`COLUMNS`."""

    pack: str
    episodes: int
    scored: int
    estimates: dict[str, Estimate]


class PackRange(Struct, frozen=True):
    """The pack with the largest mean of a column, the one with the smallest, and the paired difference.

    ``spread`` is the difference of the two means, each over all episodes of its pack. ``pairs`` is the number of
    pairs of episodes that ``paired`` is over. Its interval holds for all pairs of packs together (Bonferroni), so
    that the choice of the two most different packs does not make it too narrow.
    """

    most: str
    least: str
    spread: float
    paired: Estimate
    pairs: int


class PackComparison(Struct, frozen=True):
    """One mind (``mind``: its name without pack and label) in one scenario, under at least two packs."""

    scenario: str
    mind: str
    packs: tuple[PackScores, ...]
    ranges: dict[str, PackRange]


def sensitivity(episodes: Iterable[Episode]) -> list[PackComparison]:
    """The comparisons of a run: minds that differ in their pack only, by scenario, in order of name."""
    groups: dict[tuple[str, str, bytes], dict[str, list[Episode]]] = {}
    for episode in episodes:
        who = episode.about.who
        if who is None or not who.model:
            continue
        same_mind = SeatSpec(who.mind, {k: v for k, v in who.params.items() if k != PACK}, who.model)
        key = (episode.scenario, same_mind.title, encode(same_mind))
        groups.setdefault(key, {}).setdefault(name_value(who.params.get(PACK, PLAIN)), []).append(episode)
    return [
        _compare_packs(scenario, mind, packs)
        for (scenario, mind, _), packs in sorted(groups.items())
        if len(packs) > 1
    ]


def _compare_packs(scenario: str, mind: str, packs: dict[str, list[Episode]]) -> PackComparison:
    ordered = {name: packs[name] for name in sorted(packs, key=lambda name: (name != PLAIN, name))}
    compared = tuple(_scores(name, played) for name, played in ordered.items())
    ranges = {name: spread for name in COLUMNS if (spread := _range(name, compared, packs)) is not None}
    return PackComparison(scenario, mind, compared, ranges)


def _scores(name: str, played: Sequence[Episode]) -> PackScores:
    bases = [episode.basis for episode in played]
    by_score = scores(bases)
    estimates = {key: by_score[key] for key in COLUMNS if key in by_score}
    estimates["valid"] = _valid(played)
    return PackScores(name, len(played), sum(basis.scored for basis in bases), estimates)


def _range(column: str, compared: Sequence[PackScores], packs: dict[str, list[Episode]]) -> PackRange | None:
    """The range over packs; ``None`` where fewer than two have a mean."""
    means = [(mean, pack.pack) for pack in compared if (mean := pack.estimates[column].mean) is not None]
    if len(means) < 2:
        return None
    (most, high), (least, low) = (
        max(means, key=lambda entry: entry[0]),
        min(means, key=lambda entry: entry[0]),
    )
    if high == low:  # all means are equal
        high, low = next(combinations([pack for _, pack in means], 2))
    ours, theirs = _pairs(packs[high], packs[low], scored=column != "valid")
    if not ours:
        paired = Estimate(None, reason="the two packs have no scored partner and seed in common")
    elif column == "valid":
        paired = _valid_difference(ours, theirs)
    else:
        paired = differences([episode.basis for episode in ours], [episode.basis for episode in theirs])[
            column
        ]
    comparisons = len(means) * (len(means) - 1) // 2
    return PackRange(high, low, most - least, simultaneous(paired, comparisons), len(ours))


def _pairs(
    ours: Sequence[Episode], theirs: Sequence[Episode], *, scored: bool
) -> tuple[list[Episode], list[Episode]]:
    """The episodes of both with the same partner and seed, in one order."""
    mine = {episode.cluster: episode for episode in ours if episode.basis.scored or not scored}
    others = {episode.cluster: episode for episode in theirs if episode.basis.scored or not scored}
    both = sorted(mine.keys() & others.keys())
    return [mine[key] for key in both], [others[key] for key in both]


def _replies(played: Sequence[Episode]) -> tuple[Numbers, Numbers]:
    """Of each episode, the replies that the mind's reader could read, and all that were to answer something."""
    strict, lenient, neither = np.array([episode.read for episode in played], dtype=np.float64).T
    lenient_counts = np.array([_lenient(episode) for episode in played])
    return strict + np.where(lenient_counts, lenient, 0.0), strict + lenient + neither


def _lenient(episode: Episode) -> bool:
    who = episode.about.who
    return who is None or who.params.get("reader", "lenient") == "lenient"


def _valid(played: Sequence[Episode]) -> Estimate:
    right, counted = _replies(played)
    if not counted.sum():
        return Estimate(None, reason=NONE_WRITTEN)
    return Strata([episode.stratum for episode in played]).estimate(right, counted)


def _valid_difference(ours: Sequence[Episode], theirs: Sequence[Episode]) -> Estimate:
    if not all(_replies(played)[1].sum() for played in (ours, theirs)):
        return Estimate(None, reason=NONE_WRITTEN)
    strata = Strata([episode.stratum for episode in ours])
    (mine, own), (other, others) = (strata.ratio(*_replies(played)) for played in (ours, theirs))
    return strata.about(mine - other, own - others)
