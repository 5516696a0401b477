"""RMax with payoffs and partner apart: its stated figures, and what it assumes."""

from __future__ import annotations

from collections.abc import Callable
from statistics import mean, stdev

import pytest

from otherminds import Record, SeatSpec
from otherminds.measures.regret import paper_delta_functional
from otherminds.minds.tabular import START, best_actions
from tests.cases import thinned

Cell = Callable[..., list[Record]]


def test_it_prefers_a_known_cell_among_equals() -> None:
    assert best_actions((((2, 0), 1.0),), ((START, 0),), 0, 2, 1.0, 3) == (2,)


def test_a_reply_that_is_open_is_worth_the_highest_reward() -> None:
    assert best_actions((((0, 0), 0.0),), (), None, START, 1.0, 2) == (0, 1)


@pytest.mark.parametrize(
    ("name", "expected"),
    thinned(
        [
            ("rps-single-v1", 0.015),
            ("ibs-single-v1", 0.060),
            ("ipd-single-v1", 0.030),
            ("rps-tit_for_tat-v1", 0.054),
            ("ibs-tit_for_tat-v1", 0.157),
            ("ipd-tit_for_tat-v1", 0.105),
        ],
        2,
    ),
)
def test_regret_is_as_stated(cell: Cell, name: str, expected: float) -> None:
    records = cell(name, SeatSpec("factored_rmax"), 150)
    values = [float(value) for r in records if isinstance(value := paper_delta_functional(r), float)]
    assert len(values) == 150
    assert mean(values) == pytest.approx(expected, abs=4 * stdev(values) / 150**0.5 + 0.0006)
