"""Means over clusters of episodes: by hand, for copies, and with the coverage that they promise."""

from __future__ import annotations

from random import Random

import pytest

from otherminds.measures.intervals import t_quantile
from otherminds.measures.scenario_evidence import Cluster, Stratum, clustered_mean, holm_adjusted
from tests.cases import depth


def stratum(values: list[list[float]], weight: float = 1.0, least: float = 0.0) -> Stratum:
    return Stratum(weight, tuple(Cluster(len(some), sum(some)) for some in values), least)


def test_a_mean_by_hand() -> None:
    """Clusters of one and of two episodes: the mean is over episodes, the variance over cluster totals."""
    mean = clustered_mean([[stratum([[0.0], [2.0], [1.0, 1.0], [-3.0, 5.0]])]])
    assert mean is not None
    assert mean.mean == 1.0
    # Cluster means vary with 2/3 about 1; the totals alone would give 2/36 · 4/3, and the bound for 4 clusters 1/100.
    assert mean.error**2 == pytest.approx(2 / 3 / 4)
    assert (mean.clusters, mean.episodes) == (4, 6)


def test_copies_are_one() -> None:
    rng = Random(0)
    once = [[rng.random()] for _ in range(8)]
    mean, copied = (clustered_mean([[stratum([some * n for some in once])]]) for n in (1, 5))
    assert mean is not None
    assert copied is not None
    assert (copied.error, copied.freedom) == pytest.approx((mean.error, mean.freedom))
    assert copied.above(0.3) == pytest.approx(mean.above(0.3))


def test_what_never_varies_is_not_certain() -> None:
    for clusters in (1, 2, 6, 24):
        mean = clustered_mean([[stratum([[1.0]] * clusters)]])
        assert mean is not None
        assert mean.above(0.99) >= 2.0**-clusters
        assert mean.error >= 1 / (clusters + 1) / clusters**0.5 - 1e-12


def test_more_clusters_at_the_same_spread_decide_more() -> None:
    strata = [[stratum([[0.1 * k] for k in range(8)], weight) for weight in (0.5, 0.5)]]
    now, later = clustered_mean(strata), clustered_mean(strata, times=4)
    assert now is not None
    assert later is not None
    assert later.mean == now.mean
    assert later.error == pytest.approx(now.error / 2, rel=0.2)
    assert later.above(0.2) < now.above(0.2)


def test_holm_keeps_the_order_and_never_lowers() -> None:
    doubts = [0.2, 0.01, 0.04, 0.01]
    adjusted = holm_adjusted(doubts)
    assert adjusted == pytest.approx([0.2, 0.04, 0.08, 0.04])


def learner(rng: Random) -> float:
    """The accuracy of a mind that learns at some point of ten rounds, often at once."""
    start = 0 if rng.random() < 0.6 else rng.randrange(11)
    return sum(1.0 if t >= start else rng.random() < 1 / 3 for t in range(10)) / 10


def rare(rng: Random) -> float:
    """Fails in one episode of eight."""
    return 0.0 if rng.random() < 1 / 8 else 1.0


TRUE = {"learner": 0.6 + 0.4 * sum((10 - s + s / 3) / 10 for s in range(11)) / 11, "rare": 7 / 8}


@pytest.mark.parametrize("studies", depth(400, 2000))
@pytest.mark.parametrize("kind", ["learner", "rare"])
@pytest.mark.parametrize("design", [(12, 12), (12, 24, 36)])
def test_intervals_cover_for_learners_rare_failures_and_unbalanced_designs(
    kind, design, studies: int
) -> None:
    """Nominal 95 % intervals hold 93 to 97 % (here with three standard errors of so many studies beside).

    Accuracies are skewed: a one-sided 95 % lower bound is missed in up to 8 % of studies, an upper one in up to 4 %.
    """
    draw = {"learner": learner, "rare": rare}[kind]
    rng, held, below, above = Random(1), 0, 0, 0
    for _ in range(studies):
        found = clustered_mean([[stratum([[draw(rng)] for _ in range(n)], 1 / len(design)) for n in design]])
        assert found is not None
        held += abs(found.mean - TRUE[kind]) <= t_quantile(found.freedom, 0.025) * found.error
        estimate = found.estimate()
        assert estimate.low is not None
        assert estimate.high is not None
        below += estimate.low > TRUE[kind]
        above += estimate.high < TRUE[kind]
    slack = 3 * (0.95 * 0.05 / studies) ** 0.5
    assert 0.93 - slack <= held / studies <= 0.97 + slack
    assert below / studies <= 0.08 + slack
    assert above / studies <= 0.04 + slack
