"""Rewards around the moment of validation."""

from __future__ import annotations

import pytest

from otherminds.core.errors import StudyError
from otherminds.measures.curves import TOO_FEW, around_validation
from otherminds.measures.episode import summarise

KEY = ("rps-single-v1", "scripted")


@pytest.fixture(scope="module")
def episodes(play, think):
    """Validated after 2, 4 and 0 of eight rounds, and never; loses one way before, wins after."""

    def one(seed: int, first: int | None):
        def act(history):
            theirs = history[-1][1] if history else 0
            return (theirs + (1 if first is not None and len(history) >= max(first, 1) else 2)) % 3

        flags = [first is not None and n >= first for n in range(9)]
        return summarise(think(play("rps-single-v1", act, lambda h: 0, seed, rounds=8), flags))

    return [one(0, 2), one(1, 4), one(2, 0), one(3, None)]


def test_points_lie_on_both_sides_of_the_validation(episodes) -> None:
    (found,) = around_validation([KEY], episodes, reach=3)
    assert found.offsets == (-3, -2, -1, 1, 2, 3)
    assert (found.validated, found.streams) == (3, 4)
    assert found.counts == (1, 2, 2, 3, 3, 3)
    assert found.rewards[0].reason == TOO_FEW
    assert found.rewards[4].mean == found.rewards[5].mean == 1.0
    assert found.rewards[2].mean == -1.0


def test_each_point_is_the_mean_of_the_courses_at_that_offset(episodes) -> None:
    (found,) = around_validation([KEY], episodes, reach=4)
    hypothesis_tracks = [
        episode.hypothesis_tracks[0] for episode in episodes if episode.hypothesis_tracks[0].first is not None
    ]
    for offset, point in zip(found.offsets, found.rewards, strict=True):
        places = [course.first + (offset if offset < 0 else offset - 1) for course in hypothesis_tracks]
        there = [
            c.rewards[i] for c, i in zip(hypothesis_tracks, places, strict=True) if 0 <= i < len(c.rewards)
        ]
        if len(there) > 1:
            assert point.mean == pytest.approx(sum(there) / len(there))
            assert point.low is None or point.low <= point.mean <= point.high


def test_minds_without_notes_have_none(play) -> None:
    silent = summarise(play("rps-single-v1", lambda h: 0, lambda h: 0, rounds=3))
    assert around_validation([KEY], [silent]) == []


def test_an_episode_that_was_not_planned_is_refused(episodes) -> None:
    with pytest.raises(StudyError):
        around_validation([("other", "mind")], episodes)
