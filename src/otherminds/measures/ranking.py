"""Any number of minds ranked by what each knows, uses and earns, with ties said as ties.

All are measured on the episodes that all of them have: same scenarios, partners and seeds. Each two are compared as in
:mod:`otherminds.measures.comparing`, and all these differences are corrected together (Holm 1979). "Cannot be told apart"
is no equivalence: A may be like B, B like C, and A better than C. So a score has tied sets and no places: each is as large as
it can be, no two minds of it differ, and a mind may be in several (Piepho 2004, the display of letters).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, islice
from statistics import fmean

from msgspec import Struct, structs

from otherminds.measures.comparing import (
    EVIDENCE,
    LESS_IS_BETTER,
    LOST,
    POOLED,
    Difference,
    Pair,
    Score,
    correct_differences,
    goal_met,
    judge_sides,
    measure_difference,
    pair_values,
)
from otherminds.measures.episode import Episode, Key
from otherminds.measures.intervals import Estimate
from otherminds.measures.verdict import KNOWLEDGE, MOST_LOST, Verdict

MOST_SETS = 200


class RankedMind(Struct, frozen=True):
    """A mind in one score. ``level`` is its number: that of its verdict, or its mean, without an interval.

    ``better_than`` names the minds that are worse at 95 % together.
    """

    name: str
    level: Estimate
    better_than: tuple[str, ...]


class PairDifference(Struct, frozen=True):
    """How ``first`` and ``second`` differ: the first minus the second."""

    first: str
    second: str
    difference: Difference


class ScoreRanking(Struct, frozen=True):
    """The minds by one score, best first, their tied sets, and the difference of each two.

    ``tested`` is false where no two could be tested; then there are no sets, as where there are more than :data:`MOST_SETS`.
    """

    score: Score
    minds: tuple[RankedMind, ...]
    tied: tuple[tuple[str, ...], ...]
    differences: tuple[PairDifference, ...]
    tested: bool


class Ranking(Struct, frozen=True):
    """Minds ranked over the ``episodes`` that all of ``names`` have.

    ``lost`` are the episodes of these that each lost; who lost more than 20 % is ``left_out`` of every ranking. ``reason`` says why
    there is none, if so.
    """

    names: tuple[str, ...]
    episodes: int
    lost: dict[str, int]
    left_out: tuple[str, ...]
    verdicts: tuple[Verdict, ...]
    scores: tuple[ScoreRanking, ...]
    reason: str = ""


def rank_minds(cells: Mapping[str, Mapping[Key, Sequence[Episode]]]) -> Ranking:
    """The ranking of minds by name, each with its episodes by scenario and mind as in :func:`~otherminds.measures.comparing.compare`."""
    names = tuple(cells)
    groups = {key: members for key, members in _common_episodes(list(cells.values())) if members}
    count = sum(map(len, groups.values()))
    lost = {
        name: sum(member[n].outcome.status in LOST for members in groups.values() for member in members)
        for n, name in enumerate(names)
    }
    if not count:
        return Ranking(names, 0, lost, (), (), (), "no episode was recorded of all of them")
    left_out = tuple(name for name in names if lost[name] > MOST_LOST * count)
    verdicts = judge_sides(groups, names)
    knowing = {verdict.mind for verdict in verdicts if verdict.kind in KNOWLEDGE}
    ranked = [name for name in names if name not in left_out]
    scored: dict[Score, list[PairDifference]] = {}
    for first, second in combinations(ranked, 2):
        one, other = names.index(first), names.index(second)
        pairs = [[Pair(member[one], member[other]) for member in members] for members in groups.values()]
        for score in (*POOLED, "reward"):
            # A mind that knows nothing has nothing to use, whatever its share is.
            if score == "unused" and not {first, second} <= knowing:
                continue
            if values := pair_values(score, pairs):
                difference = measure_difference(score, "", "", values)
                scored.setdefault(score, []).append(PairDifference(first, second, difference))
    corrected = iter(
        correct_differences([pair.difference for pairs in scored.values() for pair in pairs], "")
    )
    scores = [
        _rank_by(
            score,
            [structs.replace(pair, difference=next(corrected)) for pair in pairs],
            _find_levels(score, groups, verdicts, names),
        )
        for score, pairs in scored.items()
    ]
    reason = "" if scores else "fewer than two of them can be measured"
    return Ranking(names, count, lost, left_out, verdicts, tuple(scores), reason)


def list_tied_sets(names: Sequence[str], differing: frozenset[frozenset[str]]) -> list[tuple[str, ...]]:
    """The largest sets of ``names`` in which no two are a pair of ``differing``, in the order of their first members.

    None if there are more than :data:`MOST_SETS`: pairs that differ at random make exponentially many, which say nothing.

    >>> list_tied_sets(["a", "b", "c"], frozenset({frozenset({"a", "c"})}))
    [('a', 'b'), ('b', 'c')]
    """
    like = {
        name: {other for other in names if other != name and frozenset({name, other}) not in differing}
        for name in names
    }

    def extend(members: set[str], open_to: set[str], past: set[str]) -> Iterator[set[str]]:
        """The sets that contain ``members``, some of ``open_to`` and none of ``past`` (Bron and Kerbosch 1973)."""
        if not open_to and not past:
            yield members
            return
        pivot = max(open_to | past, key=lambda name: len(like[name] & open_to))
        for name in sorted(open_to - like[pivot], key=names.index):
            yield from extend(members | {name}, open_to & like[name], past & like[name])
            open_to, past = open_to - {name}, past | {name}

    sets = [
        tuple(sorted(members, key=names.index))
        for members in islice(extend(set(), set(names), set()), MOST_SETS + 1)
    ]
    if len(sets) > MOST_SETS:
        return []
    return sorted(sets, key=lambda members: [names.index(name) for name in members])


def _common_episodes(
    minds: Sequence[Mapping[Key, Sequence[Episode]]],
) -> Iterator[tuple[Key, list[tuple[Episode, ...]]]]:
    """For each cell that all ``minds`` have, the episodes of all of them by partner and seed, scored or lost."""
    counted = LOST | {"scored"}
    for key in minds[0]:
        if not all(key in cells for cells in minds):
            continue
        by_cluster = [
            {episode.cluster: episode for episode in cells[key] if episode.outcome.status in counted}
            for cells in minds
        ]
        shared = set(by_cluster[0]).intersection(*by_cluster[1:])
        yield key, [tuple(own[cluster] for own in by_cluster) for cluster in sorted(shared)]


def _rank_by(score: Score, pairs: Sequence[PairDifference], levels: Mapping[str, Estimate]) -> ScoreRanking:
    """The minds in ``pairs`` by their mean difference from the others."""
    sign = -1.0 if score in LESS_IS_BETTER else 1.0
    ahead: dict[str, list[float]] = {}
    worse: dict[str, list[str]] = {}
    for pair in pairs:
        by = sign * (pair.difference.by.mean or 0.0)
        for name, other, margin in ((pair.first, pair.second, by), (pair.second, pair.first, -by)):
            ahead.setdefault(name, []).append(margin)
            worse.setdefault(name, []).extend([other] if pair.difference.differs and margin > 0 else [])
    order = sorted(ahead, key=lambda name: -fmean(ahead[name]))
    tested = any(pair.difference.tested for pair in pairs)
    differing = frozenset(frozenset({pair.first, pair.second}) for pair in pairs if pair.difference.differs)
    return ScoreRanking(
        score,
        tuple(RankedMind(name, levels[name], tuple(sorted(worse[name], key=order.index))) for name in order),
        tuple(list_tied_sets(order, differing)) if tested else (),
        tuple(pairs),
        tested,
    )


def _find_levels(
    score: Score,
    groups: Mapping[Key, Sequence[Sequence[Episode]]],
    verdicts: Sequence[Verdict],
    names: Sequence[str],
) -> dict[str, Estimate]:
    """The number of each mind: that of its verdict; else its mean over scenarios with this score, or over all runs of tasks."""
    if score in EVIDENCE:
        return {verdict.mind: getattr(verdict, score) for verdict in verdicts}
    measured = [
        members
        for members in groups.values()
        if pair_values(score, [[Pair(member[0], member[1]) for member in members]])
    ]
    if score == "goals":
        runs = [member for members in measured for member in members]
        return {name: Estimate(fmean(goal_met(run[n]) for run in runs)) for n, name in enumerate(names)}
    levels: dict[str, Estimate] = {}
    for n, name in enumerate(names):
        rewards = [
            [member[n].reward for member in members if member[n].outcome.status == "scored"]
            for members in measured
        ]
        means = [fmean(own) for own in rewards if own]
        levels[name] = Estimate(fmean(means) if means else None)
    return levels
