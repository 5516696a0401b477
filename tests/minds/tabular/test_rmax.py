"""The published yardstick, on few episodes; ``benchmarks/reproduce_riemer.py`` has 10,000 a cell."""

from __future__ import annotations

from collections.abc import Callable
from statistics import mean, stdev

import pytest

from otherminds import Record, SeatSpec
from otherminds.measures.literal import tom_percent
from otherminds.measures.regret import paper_delta_functional, paper_delta_tom
from otherminds.minds.tabular import START, greedy
from tests.cases import thinned

Cell = Callable[..., list[Record]]


def test_an_unknown_action_is_worth_the_highest_reward_for_ever() -> None:
    assert greedy((), 1.0, 3) == {START: (0, 1, 2)}
    tried = (((START, 0), (4, 1.0)),)
    assert greedy(tried, 1.0, 3)[START] == (0, 1, 2), (
        "a winning try leads to an unknown state: as good as untried"
    )
    lost = (((START, 0), (4, -1.0)),)
    assert greedy(lost, 1.0, 3)[START] == (1, 2)


def test_value_iteration_prefers_the_loop_that_pays() -> None:
    known = (((0, 0), (0, 5.0)), ((0, 1), (1, 10.0)), ((1, 0), (1, 0.0)), ((1, 1), (1, 0.0)))
    assert greedy(known, 10.0, 2)[0] == (0,)


def test_predictions_are_exact_against_tit_for_tat(cell: Cell) -> None:
    for name, expected in (("rps-tit_for_tat-v1", 93.0), ("ipd-tit_for_tat-v1", 98.0)):
        assert {tom_percent(r) for r in cell(name, SeatSpec("rmax"), 20)} == {expected}


@pytest.mark.parametrize(
    ("name", "functional", "tom"),
    thinned(
        [
            ("rps-single-v1", 0.0794, 0.0400),
            ("ibs-single-v1", 0.2025, 0.1050),
            ("ipd-single-v1", 0.0898, 0.0750),
            ("rps-tit_for_tat-v1", 0.2145, 0.1050),
            ("ibs-tit_for_tat-v1", 0.4762, 0.1593),
            ("ipd-tit_for_tat-v1", 0.2479, 0.0700),
        ],
        2,
    ),
)
def test_regret_is_within_sampling_error_of_the_published_yardstick(
    cell: Cell, name: str, functional: float, tom: float
) -> None:
    records = cell(name, SeatSpec("rmax"), 150)
    for measure, expected in ((paper_delta_functional, functional), (paper_delta_tom, tom)):
        values = [float(value) for r in records if isinstance(value := measure(r), float)]
        assert len(values) == 150
        error = 4 * stdev(values) / len(values) ** 0.5
        assert mean(values) == pytest.approx(expected, abs=error + 0.0002)
