"""Looks at a study that goes on: the error of all looks together is that of one, and a decision is one that stays."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.core.scenario import scenario
from otherminds.measures.evidence import EpisodeEvidence, episode_evidence
from otherminds.measures.intervals import TAIL_OF_ONE_SIDE
from otherminds.measures.looks import HOPELESS, Look, plan_looks
from otherminds.measures.scenario_evidence import ScenarioEvidence, gather_evidence
from otherminds.measures.verdict import Kind, judge, list_decided
from tests.cases import for_each
from tests.measures.known_minds import HALF, IDLE, IGNORANT, USERS, play_study

COUNT = 8
"""Episodes a partner."""


@pytest.mark.parametrize(
    "shares", [(1.0,), (0.5, 1.0), (0.1, 0.2, 0.9, 1.0), tuple(n / 8 for n in range(1, 9))]
)
@pytest.mark.parametrize("tail", [0.05, 0.025])
def test_all_looks_together_err_as_often_as_one(shares: tuple[float, ...], tail: float) -> None:
    looks = plan_looks(shares, tail)
    steps = np.diff([0.0, *shares]) ** 0.5
    draws = np.random.default_rng(7).normal(size=(400_000, len(shares))) * steps
    heights = draws.cumsum(axis=1) / np.array(shares) ** 0.5
    edges = np.array([-NormalDist().inv_cdf(look.tail) for look in looks])
    crossed = np.maximum.accumulate(heights > edges, axis=1).mean(axis=0)
    spent = [tail * share**2 for share in shares]
    assert crossed == pytest.approx(spent, abs=4 * (tail / 400_000) ** 0.5)
    assert [look.share for look in looks] == [*shares]
    assert {look.last_tail for look in looks} == {looks[-1].tail}


@given(st.lists(st.floats(0.05, 1.0), min_size=1, max_size=6))
def test_a_look_is_never_laxer_than_a_single_one(shares: list[float]) -> None:
    rising = sorted({round(share, 2) for share in shares} | {1.0})
    tails = [look.tail for look in plan_looks(rising)]
    assert all(0 < own <= 0.05 + 1e-9 for own in tails)


@pytest.mark.parametrize(
    "shares", [(), (0.5,), (0.5, 0.5, 1.0), (0.6, 0.5, 1.0), (0.0, 1.0), (-0.5, 1.0), (0.5, 1.5)]
)
def test_shares_that_are_no_looks_are_refused(shares: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="shares of looks rise from above 0 to 1"):
        plan_looks(shares)


def test_a_claim_is_without_hope_where_its_trend_seldom_reaches_the_last_boundary() -> None:
    looks = plan_looks((0.25, 0.5, 0.75, 1.0))
    draws = np.random.default_rng(3).normal(size=200_000)
    for look in looks[:-1]:
        for doubt in (0.9, 0.5, 0.3, 0.2, 0.1, 0.05):
            height = -NormalDist().inv_cdf(doubt)
            rest = 1 - look.share
            ends = height / look.share**0.5 * (look.share + rest) + draws * rest**0.5
            chance = float((ends > -NormalDist().inv_cdf(look.last_tail)).mean())
            if abs(chance - HOPELESS) > 0.005:
                assert look.is_hopeless(doubt) == (chance < HOPELESS), (look, doubt, chance)
    last = looks[-1]
    assert (last.is_hopeless(last.tail), last.is_hopeless(last.tail / 2)) == (True, False)
    assert looks[0].is_hopeless(1.0)
    assert not looks[0].is_hopeless(0.0)


def play_episodes(nature: str, study: int = 0) -> list[EpisodeEvidence]:
    built = scenario("rps-single-v1", {"rounds": 20, "names": "varied"})
    natures = {**IGNORANT, **USERS, **HALF, **IDLE}
    return [
        episode_evidence(record) for record in play_study(built, natures[nature], study, COUNT, COUNT, 20)
    ]  # pyright: ignore[reportReturnType]


def gather(played: list[EpisodeEvidence], first: int) -> dict[str, list[ScenarioEvidence]]:
    part = [episode for n, episode in enumerate(played) if n % COUNT < first]
    return {"m": [gather_evidence("rps-single-v1", False, len(part), part)]}


@for_each(
    "nature, kind",
    [
        ("uniform", "no evidence"),
        ("hash", "no evidence"),
        ("bayes", "uses"),
        ("half used", "uses in part"),
        ("truth, plays at random", "does not use"),
        ("truth, stuck", "does not use"),
    ],
)
def test_a_study_stops_early_with_the_verdict_of_the_whole(nature: str, kind: Kind) -> None:
    played = play_episodes(nature)
    looks = plan_looks([(n + 1) / COUNT for n in range(COUNT)])
    decided = [n for n, look in enumerate(looks, 1) if list_decided(gather(played, n), look)]
    assert judge(gather(played, COUNT))["m"].kind == kind
    if kind == "uses in part":
        return  # "in part" is decided only where it is shown that it is not "does not use"
    first = decided[0]
    assert first < COUNT
    assert judge(gather(played, first), {"m": looks[first - 1].tail})["m"].kind == kind


def test_nothing_is_decided_of_too_few_episodes_or_of_what_was_not_measured() -> None:
    played = play_episodes("truth, plays at random")
    loose = Look(1.0, 0.5, 0.5)
    assert not list_decided(gather(played, 1), loose)  # three distinct episodes
    assert not list_decided({"m": []}, loose)


def test_bounds_at_a_look_have_its_level() -> None:
    played = play_episodes("half used")
    wide, narrow = (judge(gather(played, COUNT), {"m": tail})["m"] for tail in (0.001, TAIL_OF_ONE_SIDE))
    plain = judge(gather(played, COUNT))["m"]
    assert plain == narrow
    for name in ("literal", "unused", "functional"):
        outer, inner = getattr(wide, name), getattr(narrow, name)
        assert outer.low < inner.low <= inner.mean == outer.mean <= inner.high < outer.high
