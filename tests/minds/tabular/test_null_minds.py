"""Null minds: what each plays and says, regardless of its partner."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from otherminds import Record, SeatSpec
from otherminds.core.errors import StudyError

Cell = Callable[..., list[Record]]
Moves = Callable[[Record], str]


def said(record: Record) -> str:
    return "".join(asked.answer[0] for asked in record.asked)


def test_echo_repeats_itself_and_says_so(cell: Cell, moves: Moves) -> None:
    records = cell("rps-mixed-v1", SeatSpec("echo"), 12, rounds=5)
    assert {moves(record) for record in records} == {"rrrrr", "ppppp", "sssss"}
    assert all(said(record) == moves(record) for record in records)


def test_mirror_says_what_it_plays(cell: Cell, moves: Moves) -> None:
    records = cell("rps-mixed-v1", SeatSpec("mirror"), 6, rounds=30)
    assert all(said(record) == moves(record) for record in records)
    assert all(len(set(moves(record))) == 3 for record in records)
    assert len({moves(record) for record in records}) == 6


def test_constant_says_what_it_is_told_to(cell: Cell, moves: Moves) -> None:
    seat = SeatSpec("constant", {"behaviour": "paper", "prediction": "scissors"})
    (record,) = cell("rps-single-v1", seat, 1, rounds=3)
    assert (moves(record), said(record)) == ("ppp", "sss")
    (plain,) = cell("rps-single-v1", SeatSpec("constant", {"behaviour": "paper"}), 1, rounds=3)
    assert said(plain) == "rrr"
    with pytest.raises(StudyError, match="cannot predict 'lizard'"):
        cell("rps-single-v1", SeatSpec("constant", {"behaviour": "paper", "prediction": "lizard"}), 1)


@pytest.mark.parametrize("name", ["echo", "mirror"])
def test_a_null_mind_looks_at_nothing(cell: Cell, moves: Moves, name: str) -> None:
    """The same play against partners of every kind, under the same seed."""
    lists = [cell(scenario, SeatSpec(name), 4, rounds=9) for scenario in ("rps-mixed-v1", "rps-cycler-v1")]
    assert [moves(record) for record in lists[0]] == [moves(record) for record in lists[1]]
