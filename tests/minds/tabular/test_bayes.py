"""Bayes-optimal play reaches the ceiling, exactly, through the one loop."""

from __future__ import annotations

from collections.abc import Callable
from statistics import mean

import pytest

from otherminds import Record, SeatSpec
from otherminds.core.errors import StudyError
from otherminds.measures.regret import delta_functional
from otherminds.minds.references import Bayes
from tests.cases import for_each

Cell = Callable[..., list[Record]]


def regret(records: list[Record]) -> float:
    return mean(float(value) for r in records if isinstance(value := delta_functional(r), float))


@for_each(
    ("name", "expected"),
    [
        ("rps-single-v1", 0.0100),
        ("ibs-single-v1", 0.0350),
        ("ipd-single-v1", 0.0),
        ("rps-tit_for_tat-v1", 0.0),
        ("ibs-tit_for_tat-v1", 0.0),
        ("ipd-tit_for_tat-v1", 0.0),
    ],
)
def test_with_the_own_family_it_reaches_the_ceiling(cell: Cell, name: str, expected: float) -> None:
    assert regret(cell(name, SeatSpec("bayes"), 6)) == pytest.approx(expected, abs=1e-9)


@for_each(
    ("game", "expected"), [("rps", (0.0133 + 0) / 2), ("ibs", (0.0350 + 0) / 2), ("ipd", (0.01 + 0.06) / 2)]
)
def test_with_the_mixed_prior_it_reaches_the_weighted_mean(cell: Cell, game: str, expected: float) -> None:
    assert regret(cell(f"{game}-mixed-v1", SeatSpec("bayes"), 12)) == pytest.approx(expected, abs=0.0005)


def test_the_mixed_prior_can_be_taken_into_another_scenario(cell: Cell) -> None:
    mixed = SeatSpec("bayes", {"prior": "mixed"})
    singles = regret(cell("rps-single-v1", mixed, 6))
    reacting = regret(cell("rps-tit_for_tat-v1", mixed, 1))
    assert (singles + reacting) / 2 == pytest.approx(0.0133 / 2, abs=0.0001)


def test_informed_has_no_regret_and_blind_earns_the_blind_bound(cell: Cell) -> None:
    for name in ("rps-mixed-v1", "ibs-mixed-v1", "ipd-mixed-v1"):
        assert regret(cell(name, SeatSpec("informed"), 12)) == pytest.approx(0.0, abs=1e-9)
        records = cell(name, SeatSpec("blind"), 12)
        assert records[0].bounds is not None
        mean = sum(record.total("ego") for record in records) / len(records)
        assert mean == pytest.approx(records[0].bounds.blind)


def test_another_prior_is_refused() -> None:
    with pytest.raises(StudyError, match="'family' or 'mixed'"):
        Bayes("flat")
