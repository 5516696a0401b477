"""Unusable replies and fallbacks, from notes where there are any, else from re-asks."""

from __future__ import annotations

import pytest

from otherminds.core.data import Invalid
from otherminds.core.record import Call, Note
from otherminds.measures.notes import (
    MARK,
    about,
    common,
    fallback_share,
    fallbacks_an_encounter,
    has_many_fallbacks,
    unusable_replies,
)
from otherminds.measures.registry import Unknown


@pytest.fixture
def record(play):
    return play("rps-single-v1", lambda h: 0, lambda h: 0, rounds=4)


def called(record, *attempts: int, seat: str = "ego") -> None:
    record.calls += tuple(Call(seat, 0, "predict", attempt, ()) for attempt in attempts)


def noted(record, *kinds: str, seat: str = "ego") -> None:
    record.notes += tuple(Note(seat, 0, kind, {}) for kind in kinds)


def test_notes_count_against_calls_and_encounters(record) -> None:
    called(record, 0, 1, 2, 0)
    called(record, 0, 1, seat="partner_0")
    noted(record, "unusable", "unusable", "unusable", "fallback")
    noted(record, "unusable", "fallback", seat="partner_0")
    assert unusable_replies(record) == (3, 4)
    assert fallbacks_an_encounter(record) == (1, 4)


def test_a_mind_that_thinks_in_notes_and_had_no_trouble_has_none(record) -> None:
    called(record, 0, 0)
    noted(record, "thinking")
    assert unusable_replies(record) == (0, 2)
    assert fallbacks_an_encounter(record) == (0, 4)


def test_of_other_minds_re_asks_and_invalid_replies_tell(play) -> None:
    record = play("rps-single-v1", lambda h: 0, lambda h: Invalid("?") if len(h) == 1 else 0, rounds=4)
    called(record, 0, 1, 2, 0, 0)
    assert unusable_replies(record) == (3, 5)
    del record.calls
    record.calls = ()
    called(record, 0)
    assert unusable_replies(record) == (1, 1)


def test_without_a_model_there_are_no_replies(record) -> None:
    noted(record, "thinking")
    called(record, 0, seat="partner_0")
    assert isinstance(unusable_replies(record), Unknown)
    assert isinstance(fallbacks_an_encounter(record), Unknown)


def asked(record, purpose: str, usable: int, fallen: int = 0, tries: int = 1, seat: str = "ego") -> None:
    """``usable`` requests and then ``fallen`` ones, each in a step of its own with ``tries`` calls."""
    first = len(record.calls)
    for step in range(first, first + usable + fallen):
        record.calls += tuple(Call(seat, step, purpose, attempt, ()) for attempt in range(tries))
        if step >= first + usable:
            record.notes += (Note(seat, step, "fallback", {"purpose": purpose, "kept": "rest"}),)


def test_the_share_of_fallbacks_is_of_requests_and_not_of_calls(record) -> None:
    asked(record, "predict:0", 3, 1, tries=3)
    asked(record, "predict:1", 0, 9, seat="partner_0")
    assert fallback_share(record) == 1 / 4


def test_usable_predictions_do_not_hide_plans_that_are_not(record) -> None:
    asked(record, "predict:0", 90)
    assert fallback_share(record) == 0.0
    asked(record, "plan", 6, 4)
    assert fallback_share(record) == 0.4
    asked(record, "predict:1", 0, 100)
    assert fallback_share(record) == 104 / 200


def test_a_fallback_that_no_request_came_before_is_not_counted_twice(record) -> None:
    """A choice without a target, after the request for one had failed."""
    asked(record, "open", 9, 1)
    record.notes += (Note("ego", 9, "fallback", {"purpose": "act", "kept": "rock, the first behaviour"}),)
    assert fallback_share(record) == 0.1


@pytest.mark.parametrize(("fallen", "is_marked"), [(0, False), (20, False), (21, True), (100, True)])
def test_an_episode_is_marked_above_a_fifth(record, fallen: int, is_marked: bool) -> None:
    asked(record, "plan", 100 - fallen, fallen)
    assert has_many_fallbacks(record) is is_marked
    assert about(record).marked == is_marked


def test_without_a_model_nothing_is_marked(record) -> None:
    assert isinstance(fallback_share(record), Unknown)
    assert not has_many_fallbacks(record)


def test_a_cell_says_how_many_of_its_episodes_are_marked(play) -> None:
    played = [play("rps-single-v1", lambda h: 0, lambda h: 0, rounds=4, seed=seed) for seed in range(3)]
    for record in played[:2]:
        asked(record, "plan", 1, 1)
    asked(played[2], "plan", 2)
    together = common([about(record) for record in played])
    assert together.marked == 2
    (caution,) = together.cautions
    assert caution.startswith(
        f"{MARK} {played[0].spec.seats['ego'].title}: in 2 of 3 episodes more than 20% of"
    )
    assert common([about(played[2])]).cautions == ()
