"""Unusable replies and fallbacks, from notes where there are any, else from re-asks."""

from __future__ import annotations

import pytest

from otherminds import Invalid
from otherminds.core.record import Call, Note
from otherminds.measures.fallbacks import fallbacks_an_encounter, unusable_replies
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
