"""The page of an episode without a map."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from otherminds import Record, SeatSpec
from otherminds.core.errors import StudyError
from otherminds.reports.replay.page import as_rounds_page
from tests.reports.replay import reading

Reader, told = reading.Reader, reading.told


def test_every_round_stands_beside_what_was_predicted_for_it(rounds: Record) -> None:
    story = told(as_rounds_page(rounds))
    assert (story["first"], story["last"], len(story["rounds"])) == (0, 5, 5)
    assert [one["step"] for one in story["rounds"]] == [0, 1, 2, 3, 4]
    assert story["rounds"][-1]["total"] == rounds.total("ego")
    assert [one["said"][0][1:] for one in story["rounds"]] == [
        [None, False],
        [True, False],
        [False, False],
        [True, False],
        [True, True],
    ]
    assert len(story["minds"]) == 1


def test_names_are_no_markup(rounds: Record) -> None:
    evil = "</script><script>alert(1)</script>$title"
    rounds.spec = replace(
        rounds.spec, label=evil, seats={**rounds.spec.seats, "ego": SeatSpec("x", label=evil)}
    )
    page = as_rounds_page(rounds)
    read = Reader(page)
    assert "alert(1)</script>" not in page
    assert read.tags.count("script") == 2
    assert read.text.count(evil) == 3  # the title, the heading, and who played


def test_the_names_that_options_were_told_by_are_given(rounds: Record) -> None:
    page = as_rounds_page(rounds)
    labels = rounds.drawn["names"][0]
    assert rounds.game is not None
    assert f"told as rock {labels[rounds.game.behaviours[0].index('rock')]}" in page


def test_without_notes_there_is_nothing_to_show(rounds: Record) -> None:
    rounds.notes = ()
    with pytest.raises(
        StudyError, match="for worlds with a map, and 'rps-single-v1' has none; nor did a mind"
    ):
        as_rounds_page(rounds)
