"""Planted faults: each changes its task, and what is said to see it sees it, and did not before."""

from __future__ import annotations

import random
from functools import cache

import pytest

from otherminds.household.authoring.checking import checks_of
from otherminds.household.authoring.planted import plant, planted_faults
from otherminds.household.authoring.results import CheckReport, Gates
from otherminds.household.pool.store import PATTERNS, pool_called, task_json
from otherminds.household.task import Task
from tests.planner import needs_planner

FAULTS = tuple(planted_faults)


@cache
def bases() -> tuple[Task, ...]:
    """The first task of each pattern."""
    tasks = [one.task for one in pool_called("dev")]
    return tuple(next(one for one in tasks if one.pattern == pattern) for pattern in PATTERNS[::-1])


def against(report: CheckReport) -> list[str]:
    unproved = (one.name for one in report.verdicts if not one.proved)
    return [*report.faults, *report.secrets, *unproved]


def test_there_are_twenty_four_kinds_or_more() -> None:
    assert len(FAULTS) >= 24


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_says_what_it_is_and_changes_a_task(name: str) -> None:
    fault = planted_faults.get(name)
    assert fault.about.endswith(".")
    found = [(task, faulty) for task in bases() if (faulty := fault.plant_in(task)) is not None]
    assert found, "it can be planted in one of the tasks"
    assert all(faulty != task and faulty.calibration is None for task, faulty in found)


@needs_planner
@pytest.mark.parametrize("name", [name for name in FAULTS if planted_faults.get(name).seen])
def test_what_sees_a_fault_sees_it(name: str) -> None:
    fault = planted_faults.get(name)
    task, faulty = next((task, faulty) for task in bases() if (faulty := fault.plant_in(task)) is not None)
    assert not [one for one in against(checks_of(task).report) if one.startswith(fault.seen)]
    found = checks_of(faulty).report
    assert [one for one in against(found) if one.startswith(fault.seen)]
    assert fault.seen.startswith("needs depth") or found.stage(Gates())


def test_plant_draws_a_fault() -> None:
    task = bases()[0]
    assert plant(task, random.Random(0)) == plant(task, random.Random(0))
    found = [plant(task, random.Random(seed)) for seed in range(8)]
    assert task not in found
    assert len({task_json(one) for one in found if one}) > 4
