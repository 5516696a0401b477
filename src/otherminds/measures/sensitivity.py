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
from otherminds.core.wording import PACK, PLAIN, called
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
        rest = SeatSpec(who.mind, {k: v for k, v in who.params.items() if k != PACK}, who.model)
        key = (episode.scenario, rest.title, encode(rest))
        groups.setdefault(key, {}).setdefault(called(who.params.get(PACK, PLAIN)), []).append(episode)
    return [
        _compared(scenario, mind, packs)
        for (scenario, mind, _), packs in sorted(groups.items())
        if len(packs) > 1
    ]


def _compared(scenario: str, mind: str, packs: dict[str, list[Episode]]) -> PackComparison:
    ordered = {name: packs[name] for name in sorted(packs, key=lambda name: (name != PLAIN, name))}
    made = tuple(_scores(name, played) for name, played in ordered.items())
    ranges = {name: found for name in COLUMNS if (found := _range(name, made, packs)) is not None}
    return PackComparison(scenario, mind, made, ranges)


def _scores(name: str, played: Sequence[Episode]) -> PackScores:
    bases = [episode.basis for episode in played]
    found = scores(bases)
    estimates = {key: found[key] for key in COLUMNS if key in found}
    estimates["valid"] = _valid(played)
    return PackScores(name, len(played), sum(one.scored for one in bases), estimates)


def _range(column: str, made: Sequence[PackScores], packs: dict[str, list[Episode]]) -> PackRange | None:
    """The range over packs; ``None`` where fewer than two have a mean."""
    known = [(mean, one.pack) for one in made if (mean := one.estimates[column].mean) is not None]
    if len(known) < 2:
        return None
    (most, high), (least, low) = max(known, key=lambda one: one[0]), min(known, key=lambda one: one[0])
    if high == low:  # all means are equal
        high, low = next(combinations([pack for _, pack in known], 2))
    ours, theirs = _pairs(packs[high], packs[low], scored=column != "valid")
    if not ours:
        paired = Estimate(None, reason="the two packs have no scored partner and seed in common")
    elif column == "valid":
        paired = _valid_difference(ours, theirs)
    else:
        paired = differences([one.basis for one in ours], [one.basis for one in theirs])[column]
    comparisons = len(known) * (len(known) - 1) // 2
    return PackRange(high, low, most - least, simultaneous(paired, comparisons), len(ours))


def _pairs(
    ours: Sequence[Episode], theirs: Sequence[Episode], *, scored: bool
) -> tuple[list[Episode], list[Episode]]:
    """The episodes of both with the same partner and seed, in one order."""
    mine = {one.cluster: one for one in ours if one.basis.scored or not scored}
    others = {one.cluster: one for one in theirs if one.basis.scored or not scored}
    both = sorted(mine.keys() & others.keys())
    return [mine[key] for key in both], [others[key] for key in both]


def _replies(played: Sequence[Episode]) -> tuple[Numbers, Numbers]:
    """Of each episode, the replies that the mind's reader could read, and all that were to answer something."""
    strict, lenient, neither = np.array([one.read for one in played], dtype=np.float64).T
    whole = np.array([_lenient(one) for one in played])
    return strict + np.where(whole, lenient, 0.0), strict + lenient + neither


def _lenient(episode: Episode) -> bool:
    who = episode.about.who
    return who is None or who.params.get("reader", "lenient") == "lenient"


def _valid(played: Sequence[Episode]) -> Estimate:
    right, made = _replies(played)
    if not made.sum():
        return Estimate(None, reason=NONE_WRITTEN)
    return Strata([one.stratum for one in played]).estimate(right, made)


def _valid_difference(ours: Sequence[Episode], theirs: Sequence[Episode]) -> Estimate:
    if not all(_replies(played)[1].sum() for played in (ours, theirs)):
        return Estimate(None, reason=NONE_WRITTEN)
    strata = Strata([one.stratum for one in ours])
    (mine, own), (other, others) = (strata.ratio(*_replies(played)) for played in (ours, theirs))
    return strata.about(mine - other, own - others)
