"""Episodes to report on, played by the scripted minds of the measures' tests."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path

import pytest

from otherminds import Invalid, Record
from otherminds.core.record import Outcome
from otherminds.measures.cells import Cell, cells
from otherminds.measures.curves import Curve, learning_curves
from otherminds.measures.episode import summarise

_path = Path(__file__).parents[1] / "measures" / "conftest.py"
_spec = importlib.util.spec_from_file_location("scripted_minds", _path)
_scripted = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_scripted)

SCENARIOS = ("rps-single-v1", "rps-tit_for_tat-v1", "ipd-mixed-v1")
PLANNED = {(scenario, mind): 6 for scenario in SCENARIOS for mind in ("talker", "doer")}
History = list[tuple[int, int]]


def last(history: History) -> int:
    return history[-1][1] if history else 0


def act(scenario: str, mind: str, history: History) -> int:
    if mind == "talker":
        return 0
    return (last(history) + 1) % 3 if scenario.startswith("rps") else last(history)


def sample() -> list[Record]:
    """Six episodes a cell but one: a talker in RPS fails once, is invalid once, and lacks one."""
    records: list[Record] = []
    for scenario, mind in PLANNED:
        for seed in range(6):
            record = _scripted.played(
                scenario,
                lambda h, scenario=scenario, mind=mind: act(scenario, mind, h),
                last if mind == "talker" else lambda h: 1,
                seed,
                label=mind,
                rounds=12,
            )
            if (scenario, mind, seed) == ("rps-single-v1", "talker", 5):
                continue
            if (scenario, mind, seed) == ("rps-single-v1", "talker", 4):
                record.outcome = Outcome("failed", "provider", "no answer", 3)
            records.append(record)
    return [
        _scripted.played(r.spec.scenario, lambda h: Invalid("?"), last, 3, label="talker", rounds=12)
        if (r.spec.title, r.spec.seats["ego"].title, r.spec.seed) == ("rps-single-v1", "talker", 3)
        else r
        for r in records
    ]


@pytest.fixture(scope="session")
def records() -> list[Record]:
    return sample()


@pytest.fixture(scope="session")
def found(records: list[Record]) -> list[Cell]:
    return cells(PLANNED, map(summarise, records))


@pytest.fixture(scope="session")
def curves(records: list[Record]) -> list[Curve]:
    return learning_curves(PLANNED, map(summarise, records))


@pytest.fixture(scope="session")
def planned() -> dict[tuple[str, str], int]:
    return dict(PLANNED)


@pytest.fixture(scope="session")
def play() -> Callable[..., Record]:
    return _scripted.played
