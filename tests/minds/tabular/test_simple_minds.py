"""Expected trajectories of the minds that are simple rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from otherminds import Record, SeatSpec
from otherminds.core.errors import StudyError
from otherminds.measures.literal import tom_percent
from otherminds.measures.regret import best_response_rate
from otherminds.minds.tabular import LevelK, Simulated
from tests.cases import for_each

Cell = Callable[..., list[Record]]
Moves = Callable[[Record], str]


def test_fictitious_play_answers_what_it_met_most(cell: Cell, moves: Moves) -> None:
    always = cell("rps-single-v1", SeatSpec("fictitious_play"), 3, rounds=6)
    assert [moves(record) for record in always] == ["rppppp", "rsssss", "rrrrrr"]
    assert [tom_percent(record) for record in always] == [
        100.0,
        pytest.approx(500 / 6),
        pytest.approx(500 / 6),
    ]


def test_fictitious_play_is_led_by_the_nose_by_tit_for_tat(cell: Cell) -> None:
    (record,) = cell("rps-tit_for_tat-v1", SeatSpec("fictitious_play"), 1, rounds=100)
    assert record.total("ego") == -32


def test_level_two_beats_tit_for_tat_in_rps_and_knows_why(cell: Cell, moves: Moves) -> None:
    (record,) = cell("rps-tit_for_tat-v1", SeatSpec("level_k"), 1, rounds=6)
    assert moves(record) == "sprspr"
    assert record.total("ego") == 6
    assert tom_percent(record) == 100.0


def test_level_one_answers_the_last_behaviour(cell: Cell, moves: Moves) -> None:
    (record,) = cell("rps-cycler-v1", SeatSpec("level_k", {"level": 1}), 1, rounds=7)
    assert moves(record) == "ppsrpsr"


def test_nash_plays_the_equilibrium(cell: Cell, moves: Moves) -> None:
    played = Counter("".join(moves(r) for r in cell("rps-single-v1", SeatSpec("nash"), 30)))
    assert all(900 < played[move] < 1100 for move in "rps")
    assert set("".join(moves(r) for r in cell("ipd-single-v1", SeatSpec("nash"), 2))) == {"d"}
    fights = Counter("".join(moves(r) for r in cell("ibs-single-v1", SeatSpec("nash"), 30)))["f"]
    assert fights / 3000 == pytest.approx(10 / 17, abs=0.03)


def test_uniform_plays_everything_alike(cell: Cell, moves: Moves) -> None:
    played = Counter("".join(moves(r) for r in cell("ipd-single-v1", SeatSpec("uniform"), 30)))
    assert played["c"] / 3000 == pytest.approx(0.5, abs=0.04)


@for_each("accuracy", [0.0, 0.4, 1.0])
@for_each("rationality", [0.0, 0.7, 1.0])
def test_simulated_ability_is_what_is_measured(cell: Cell, accuracy: float, rationality: float) -> None:
    mind = SeatSpec("simulated", {"accuracy": accuracy, "rationality": rationality})
    records = cell("rps-single-v1", mind, 15)
    said = sum(float(x) for r in records if isinstance(x := tom_percent(r), float)) / 1500
    done = sum(float(x) for r in records if isinstance(x := best_response_rate(r), float)) / 15
    exact = 0.0 if accuracy in (0.0, 1.0) else 0.04
    assert said == pytest.approx(accuracy, abs=exact)
    assert done == pytest.approx(rationality, abs=0.0 if rationality in (0.0, 1.0) else 0.04)


def test_values_that_make_no_sense_are_refused() -> None:
    with pytest.raises(StudyError, match=r"0\.\.1"):
        Simulated(accuracy=1.5)
    with pytest.raises(StudyError, match="at least 1"):
        LevelK(0)
