"""Minds ranked with ties: sets equal another computation, and a mind of known nature stands where it belongs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from otherminds.measures.comparing import compare
from otherminds.measures.episode import Episode
from otherminds.measures.ranking import Ranking, ScoreRanking, list_tied_sets, rank_minds
from tests.measures.test_comparing import INVALID, KEY, episodes

NAMES = tuple("abcdefg")
MINDS = ("bayes", "half used", "truth, plays at random", "uniform")


def rank(*minds: str) -> Ranking:
    return rank_minds({mind: {KEY: episodes(mind)} for mind in minds})


def by_score(ranking: Ranking) -> dict[str, ScoreRanking]:
    return {score.score: score for score in ranking.scores}


@given(st.sets(st.sampled_from([*combinations(NAMES, 2)])), st.integers(1, len(NAMES)))
def test_tied_sets_are_those_of_a_search_of_all_subsets(pairs: set[tuple[str, str]], count: int) -> None:
    names = NAMES[:count]
    differing = frozenset(frozenset(pair) for pair in pairs)
    subsets = chain.from_iterable(combinations(names, size) for size in range(1, count + 1))
    alike = [
        set(subset)
        for subset in subsets
        if not any(frozenset(pair) in differing for pair in combinations(subset, 2))
    ]
    largest = {frozenset(subset) for subset in alike if not any(subset < other for other in alike)}
    tied = list_tied_sets(names, differing)
    assert {frozenset(members) for members in tied} == largest
    assert len(tied) == len(largest)
    assert tied == sorted(tied)


def test_minds_of_known_nature_stand_in_their_order() -> None:
    scores = by_score(rank(*MINDS))
    assert [mind.name for mind in scores["functional"].minds] == [*MINDS[:3], "uniform"] or [
        mind.name for mind in scores["functional"].minds
    ] == [*MINDS[:2], "uniform", MINDS[2]]
    assert scores["functional"].tied == (
        ("bayes",),
        ("half used",),
        tuple(mind.name for mind in scores["functional"].minds[2:]),
    )
    # Who knows nothing is not ranked by what it uses.
    assert {mind.name for mind in scores["unused"].minds} == set(MINDS[:3])
    assert [mind.name for mind in scores["unused"].minds] == list(MINDS[:3])
    knowing = next(members for members in scores["literal"].tied if "bayes" in members)
    assert "uniform" not in knowing


def test_two_minds_are_ranked_as_they_are_compared() -> None:
    first, second = MINDS[0], MINDS[3]
    contrast = compare({KEY: episodes(first)}, {KEY: episodes(second)}, (first, second))
    ranking = rank(first, second)
    assert [pair.difference for score in ranking.scores for pair in score.differences] == list(
        contrast.pooled
    )
    assert ranking.verdicts == contrast.verdicts
    assert ranking.episodes == contrast.pairs


def test_copies_of_a_mind_are_one_tied_set() -> None:
    ranking = rank_minds({name: {KEY: episodes("half used")} for name in "xyz"})
    assert ranking.scores
    for score in ranking.scores:
        assert score.tied == (("x", "y", "z"),)
        assert not any(mind.better_than for mind in score.minds)


def test_a_name_more_makes_no_difference_that_was_none() -> None:
    """All pairs and scores are corrected together: more comparisons never name more of the old ones."""
    few, many = rank(*MINDS[:2]), rank(*MINDS)
    for score in few.scores:
        wider = {(pair.first, pair.second): pair for pair in by_score(many)[score.score].differences}
        for pair in score.differences:
            assert wider[pair.first, pair.second].difference.differs <= pair.difference.differs


def lose(members: Sequence[Episode], count: int) -> list[Episode]:
    return [replace(member, outcome=INVALID) if n < count else member for n, member in enumerate(members)]


@pytest.mark.parametrize(("share", "left_out"), [(0.1, False), (0.3, True)])
def test_who_lost_many_episodes_is_not_ranked(share: float, left_out: bool) -> None:
    whole = episodes("bayes")
    lossy = lose(whole, int(share * len(whole)))
    ranking = rank_minds(
        {"lossy": {KEY: lossy}, "bayes": {KEY: whole}, "uniform": {KEY: episodes("uniform")}}
    )
    assert ranking.lost == {"lossy": int(share * len(whole)), "bayes": 0, "uniform": 0}
    assert ranking.left_out == (("lossy",) if left_out else ())
    for score in ranking.scores:
        assert ("lossy" in [mind.name for mind in score.minds]) == (not left_out)
        assert not any("bayes" in mind.better_than for mind in score.minds if mind.name == "lossy")


def test_only_episodes_that_all_have_count() -> None:
    part = episodes("bayes")[: len(episodes("bayes")) // 2]
    ranking = rank_minds({"part": {KEY: part}, **{m: {KEY: episodes(m)} for m in MINDS[1:]}})
    assert ranking.episodes == len(part)
    nothing = rank_minds({"a": {KEY: part}, "b": {("ipd-mixed-v1", "mind"): part}})
    assert (nothing.episodes, nothing.scores) == (0, ())
    assert nothing.reason == "no episode was recorded of all of them"
