"""Two sets of episodes compared: the same scenarios, partners and seeds, one mind against another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct, structs

from otherminds.measures.basis import COMPARED, differences
from otherminds.measures.episode import Episode, Key
from otherminds.measures.intervals import LEVEL, Estimate, holm, paired

REWARD = "reward"


class Difference(Struct, frozen=True):
    """How two minds differ in one score of one scenario.

    ``pairs`` counts the episodes that both have scored, of ``planned`` ones in the larger set. ``by`` is the paired
    difference, the first minus the second. ``sure``: it is not 0 at a family-wise level of 95 % over all scores
    of all scenarios in the comparison (Holm 1979, two-sided); never so where an end of a score is estimated.
    """

    scenario: str
    mind: str
    score: str
    pairs: int
    episodes: tuple[int, int]
    by: Estimate
    estimated: bool = False
    sure: bool = False


def compare(
    ours: Mapping[Key, Sequence[Episode]], theirs: Mapping[Key, Sequence[Episode]]
) -> list[Difference]:
    """The differences in F, L, ``unused`` and reward of every cell in both, in the order of ``ours``.

    Cells are by scenario and mind, without the name of the model. Episodes are paired by partner and seed.
    """
    found: list[Difference] = []
    for key in (key for key in ours if key in theirs):
        found += _cell(key, ours[key], theirs[key])
    tested = [one for one in found if _testable(one)]
    least = sorted(one.by.difference for one in tested)
    most = holm(least, 1 - LEVEL)
    sure = {id(one) for one in sorted(tested, key=lambda one: one.by.difference)[:most]}
    return [structs.replace(one, sure=id(one) in sure) for one in found]


def _testable(one: Difference) -> bool:
    return one.by.error is not None and not one.estimated


def _cell(key: Key, ours: Sequence[Episode], theirs: Sequence[Episode]) -> list[Difference]:
    first, second = (_by_cluster(episodes) for episodes in (ours, theirs))
    both = sorted(first.keys() & second.keys())
    paired_by = {REWARD: _rewards(first, second)}
    estimated = False
    if both:
        bases = [[one[cluster].basis for cluster in both] for one in (first, second)]
        paired_by = differences(*bases) | paired_by
        estimated = any(basis.estimated for basis in (*bases[0], *bases[1]))
    episodes = len(ours), len(theirs)
    return [
        Difference(*key, name, len(both), episodes, paired_by[name], estimated and name != REWARD)
        for name in (*COMPARED, REWARD)
        if name in paired_by
    ]


def _by_cluster(episodes: Sequence[Episode]) -> dict[tuple[str, int], Episode]:
    return {one.cluster: one for one in episodes if one.outcome.status == "scored"}


def _rewards(first: Mapping[tuple[str, int], Episode], second: Mapping[tuple[str, int], Episode]) -> Estimate:
    return paired(*({cluster: one.reward for cluster, one in some.items()} for some in (first, second)))
