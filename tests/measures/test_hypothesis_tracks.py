"""The course of hypotheses, from the notes and the encounters of a record."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from otherminds.core.data import Encounter
from otherminds.core.record import Note
from otherminds.measures.notes import hypothesis_tracks, thoughts


@pytest.fixture
def rounds(play, think):
    """A record of RPS in which the first five rounds bring −1 or 0 or 1 by turns, with notes."""

    def make(*validated: bool):
        return think(
            play("rps-single-v1", lambda h: len(h) % 3, lambda h: 0, rounds=len(validated) - 1), validated
        )

    return make


def test_encounters_are_gone_into_with_what_was_noted_last(rounds) -> None:
    (course,) = hypothesis_tracks(rounds(False, False, True, False, True, True))
    assert course.partner == "partner_0"
    assert course.validated == (False, False, True, False, True)
    assert course.first == 2
    assert len(course.before) == 2
    assert course.before + course.after == course.rewards


def test_a_validation_by_the_last_encounter_has_none_after_it(rounds) -> None:
    (course,) = hypothesis_tracks(rounds(False, False, True))
    assert (course.first, course.after, len(course.before)) == (2, (), 2)


def test_without_a_validation_everything_came_before(rounds) -> None:
    (course,) = hypothesis_tracks(rounds(False, False, False))
    assert (course.first, course.after) == (None, ())
    assert course.before == course.rewards


def test_who_notes_nothing_has_no_course(play) -> None:
    assert hypothesis_tracks(play("rps-single-v1", lambda h: 0, lambda h: 0, rounds=2)) == ()


def test_partners_have_courses_of_their_own(rounds) -> None:
    record = rounds(False, True, True)
    met = [
        Encounter(n, {"ego": ("rock",), who: ("paper",)}, r)
        for n, who, r in ((3, "a", 1.0), (5, "b", -2.0), (9, "a", 4.0))
    ]
    notes = [(0, "a", False), (0, "b", False), (4, "a", True), (6, "b", False), (10, "a", True)]
    record.met = {"ego": tuple(met)}
    record.notes = tuple(
        Note(
            "ego",
            step,
            "thinking",
            {"partner": who, "encounter": 1, "came": None, "thoughts": [], "validated": 0 if held else None},
        )
        for step, who, held in notes
    )
    first, second = hypothesis_tracks(record)
    assert (first.partner, first.rewards, first.validated, first.first) == ("a", (1.0, 4.0), (False, True), 1)
    assert (second.partner, second.rewards, second.validated, second.first) == ("b", (-2.0,), (False,), None)


def test_notes_of_others_and_of_another_shape_are_left_out(rounds) -> None:
    record = rounds(False, True)
    kept = thoughts(record, "ego")
    record.notes = (
        Note("ego", 0, "thinking", "just words"),
        Note("ego", 0, "belief emptied", {}),
        *(replace(note, seat="partner_0") for note in record.notes),
        *record.notes,
    )
    assert thoughts(record, "ego") == kept
    assert [noted.step for noted in kept] == [0, 1]


@given(flags=st.lists(st.booleans(), min_size=1, max_size=30))
def test_before_and_after_are_all_encounters(rounds_of, flags) -> None:
    (course,) = hypothesis_tracks(rounds_of(flags))
    assert course.before + course.after == course.rewards
    assert course.first == (flags.index(True) if True in flags else None)
    assert len(course.validated) == len(flags) - 1


@pytest.fixture(scope="module")
def rounds_of(play, think):
    record = play("rps-single-v1", lambda h: len(h) % 3, lambda h: 0, rounds=30)
    every = record.met["ego"]

    def make(flags):
        record.met, record.notes = {"ego": every[: len(flags) - 1]}, ()
        return think(record, flags)

    return make
