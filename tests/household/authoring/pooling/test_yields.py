"""Acceptance by stage, cost by kept task, and pass rates by generation, from the lines of a pool."""

from __future__ import annotations

from msgspec.structs import replace

from otherminds.household.authoring.accounts import (
    acceptance,
    cost,
    cumulative,
    overall,
    pass_rates,
    refusals,
    unsound,
)
from otherminds.household.authoring.results import CalibrationReport, Spending, Stage, TaskProvenance
from otherminds.household.proofs.verification import ProofVerdict
from otherminds.measures.intervals import share_of
from tests.household.authoring.pooling.submissions import ended, result
from tests.household.pool.pooled import pooled

ENDS: tuple[Stage, ...] = (
    "kept",
    "no task",
    "judged",
    "duplicate",
    "structure",
    "kept",
    "calibrated",
    "verified",
)
ATTEMPTS = [ended(k, stage) for k, stage in enumerate(ENDS)]


def test_an_attempt_has_passed_what_is_before_its_end() -> None:
    assert acceptance(ATTEMPTS) == {
        "attempts": 8,
        "a task was written": 7,
        "structure": 6,
        "secrets": 6,
        "verified": 5,
        "judged": 4,
        "calibrated": 3,
        "kept": 2,
    }
    assert set(acceptance([]).values()) == {0}


def test_refusals_are_added_in_the_order_of_stages() -> None:
    more = replace(ended(9), rejected={"judged": 2, "structure": 1, "secrets": 0})
    assert [*refusals([more, *ATTEMPTS]).items()] == [("structure", 9), ("judged", 2)]


def test_cost_is_divided_by_attempts_and_kept_tasks() -> None:
    found = cost(ATTEMPTS)
    assert (found.attempts, found.kept, found.spent.calls) == (8, 2, 72)
    assert (found.dollars_per(8), found.dollars_per(2), found.seconds_per_kept) == (0.5, 2.0, 40.0)
    assert found.dollars_per(0) is None
    unknown = cost([replace(ended(0), spending=Spending(dollars=None)), ended(1)])
    assert unknown.dollars_per(1) is None
    assert cost([]).seconds_per_kept is None


def test_the_yield_grows_with_each_kept_task() -> None:
    assert cumulative(ATTEMPTS) == (1, 1, 1, 1, 1, 2, 2, 2)


def test_a_task_counts_by_its_share_of_solved_runs() -> None:
    runs = [
        *(result("a", run=run, solved=run > 0) for run in range(3)),
        result("b"),
        result("c", solved=True),
        result("a", "other", solved=True),
        result("unknown"),
    ]
    rates = pass_rates(runs, {"a": 0, "b": 0, "c": 1})
    assert rates == {
        "level_1": {0: share_of(2 / 3, 2), 1: share_of(1, 1)},
        "other": {0: share_of(1, 1)},
    }
    assert overall(runs, ("a", "b")) == share_of(3 / 4, 2)


def test_a_kept_task_can_fail_a_check_that_decided_nothing() -> None:
    entry = pooled(1).entry
    origin = TaskProvenance("a", "", "me", "mixed", 1)
    failed = replace(origin, calibration=CalibrationReport(False, 0, {}, ()))
    refuted = replace(entry, verdicts=(ProofVerdict("fair", "refuted", ""),))
    minor = replace(entry, verdicts=(ProofVerdict("fair", "refuted", "", decisive=False),))
    assert [unsound(entry, origin), unsound(entry, failed), unsound(refuted, origin)] == [False, True, True]
    assert not unsound(minor, origin)
