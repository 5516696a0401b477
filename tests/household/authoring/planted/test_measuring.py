"""Judges are measured on planted faults: catch rates, false alarms, agreement, effective number."""

from __future__ import annotations

import asyncio

import pytest

from otherminds.household.authoring.council import Council, CouncilRule
from otherminds.household.authoring.planted import planted_faults
from otherminds.household.authoring.planted.measuring import (
    JudgedCase,
    agreement,
    cases,
    catch_rates,
    effective_judges,
    judged_cases,
    sound_tasks,
    unreadable,
)
from otherminds.household.pool.store import PATTERNS
from tests.household.authoring.council.made import judge, reply, sound
from tests.planner import needs_planner

pytestmark = needs_planner

KEPT = ("", "leaked_name", "waiting_in_secret", "other_story")


@pytest.fixture(scope="module")
def judged() -> tuple[JudgedCase, ...]:
    """A sound task and three faulty ones; one judge finds leaks and strategy, one always accepts, one cannot be read."""

    def finds(prompt: str, seed: int) -> str:
        leak, strategy = "Nobody has looked at" in prompt, "Wait for agent_1" in prompt
        return reply(task_naturalness=0.1 if leak else 0.9, secret_quality=0.1 if strategy else 0.9)

    says = (finds, lambda prompt, seed: reply(), lambda prompt, seed: "What?")
    given = [(name, task) for name, task in cases([sound()]) if name in KEPT]
    return asyncio.run(judged_cases(Council([judge(k, one) for k, one in enumerate(says)]), given))


def two(judged: tuple[JudgedCase, ...]) -> list[JudgedCase]:
    return [JudgedCase(one.fault, one.task, one.checks, one.judgements[:2]) for one in judged]


def test_catch_rates_are_those_of_the_judges(judged: tuple[JudgedCase, ...]) -> None:
    found = {one.fault: one for one in catch_rates(two(judged), CouncilRule())}
    assert list(found) == ["leaked_name", "other_story", "waiting_in_secret", ""]
    shares = {name: (one.checks.mean, one.rejected.mean, one.named.mean) for name, one in found.items()}
    assert shares == {
        "leaked_name": (1, 1, 1),
        "other_story": (0, 0, 0),
        "waiting_in_secret": (1, 1, 1),
        "": (0, 0, 0),
    }
    assert found["leaked_name"].criterion == "task_naturalness"
    assert found["leaked_name"].rejected.low == pytest.approx(0.2065, abs=1e-4)
    everything = {one.rejected.mean for one in catch_rates(judged, CouncilRule())}
    assert everything == {1}, "an invalid judgement never passes, so that sound tasks are rejected too"


def test_agreement_is_that_with_the_checks(judged: tuple[JudgedCase, ...]) -> None:
    assert agreement(judged, 0)["secret_quality"].mean == 1
    assert agreement(judged, 0)["task_naturalness"].mean == 1
    assert agreement(judged, 1)["secret_quality"].mean == 0
    assert "narrative_consistency" not in agreement(judged, 0), "no check decides it"
    assert agreement(judged, 2) == {}


def test_the_effective_number_follows_from_errors(judged: tuple[JudgedCase, ...]) -> None:
    # Wrong about one of three faults, and about all three: on four cases, the correlation is 1 / 3.
    found = effective_judges(two(judged))
    assert found.correlation == pytest.approx(1 / 3)
    assert found.number == pytest.approx(1.5)
    assert unreadable(judged, 2).mean == 1
    assert unreadable(judged, 0).mean == 0


def test_sound_tasks_are_of_all_patterns() -> None:
    tasks = sound_tasks(7)
    assert [task.pattern for task in tasks] == [*PATTERNS, *PATTERNS[:2]]
    assert len({task.task_id for task in tasks}) == 7
    names = [name for name, _ in cases(tasks)]
    assert names.count("") == 7


def test_every_fault_can_be_planted_in_some_sound_task() -> None:
    assert {name for name, _ in cases(sound_tasks(14))} == {"", *planted_faults}
