"""Seed tasks: the share that failed, by the assignment's seed, of the wanted kind first."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from statistics import fmean

from otherminds.household.authoring.authored_pool import (
    AuthoredPool,
    draw_task_ids,
    failed_by_majority,
    failure_patterns,
)
from otherminds.household.authoring.results import Assignment, TaskProvenance
from otherminds.household.task import Category
from tests.household.authoring.pooling.submissions import dev_task, result, submission

WANTED = Assignment("cooperative", 2, 7)


def origin(task_id: str, category: Category = "cooperative", depth: int = 2) -> TaskProvenance:
    return TaskProvenance(task_id, "", "generator", category, depth)


def origins(*task_ids: str) -> dict[str, TaskProvenance]:
    return {task_id: origin(task_id) for task_id in task_ids}


def test_a_task_fails_by_the_majority_of_all_runs_of_all_targets() -> None:
    runs = [
        *(result("a", "x", run) for run in range(2)),
        result("a", "y", solved=True),
        result("b", "x"),
        result("b", "y", solved=True),
        result("c", solved=True),
    ]
    assert failed_by_majority(runs) == {"a": True, "b": False, "c": False}


def test_the_patterns_of_failed_runs_come_by_frequency() -> None:
    other = result("a", "z")
    runs = [result("a"), result("a", "y"), result("b", solved=True)]
    more = type(other)("a", "z", 0, False, ("idle", "wrong addressee"))
    assert failure_patterns([*runs, more]) == {"a": ("wrong addressee", "idle")}


def test_the_share_of_failed_tasks_is_rho_on_average() -> None:
    failed = {f"f{k}": True for k in range(9)} | {f"p{k}": False for k in range(9)}
    known = origins(*failed)
    for rho in (0.0, 0.8, 0.9, 1.0):
        counts = [
            sum(failed[one] for one in draw_task_ids(failed, known, Assignment("mixed", 1, seed), rho, 3))
            for seed in range(400)
        ]
        assert abs(fmean(counts) / 3 - rho) < 0.03
        assert {*counts} <= {int(rho * 3), -int(-Fraction(rho * 3) // 1)}


def test_the_wanted_category_and_depth_come_first() -> None:
    known = {
        "far": origin("far", "mixed", 3),
        "near": origin("near", depth=3),
        "same": origin("same"),
        "passed": origin("passed"),
    }
    failed = {name: name != "passed" for name in known}
    assert draw_task_ids(failed, known, WANTED, 1.0, 2) == ("same", "near")
    assert draw_task_ids(failed, known, WANTED, 1.0, 3) == ("same", "near", "far")


def test_a_kind_of_which_there_are_too_few_is_not_filled_up() -> None:
    failed = {"a": True, "b": False, "c": False}
    assert draw_task_ids(failed, origins(*failed), WANTED, 1.0, 3) == ("a",)
    assert draw_task_ids({"a": True}, origins("a"), WANTED, 0.0, 2) == ()


def test_equal_pools_give_equal_tasks_and_other_seeds_others(tmp_path: Path) -> None:
    pool = AuthoredPool.create(tmp_path / "pool")
    for k in range(6):
        pool.add_results([result(pool.submit(submission(k)).task_id, solved=k % 2 == 0)])
    first = pool.sampled(WANTED, 0.5, 2)
    assert pool.sampled(WANTED, 0.5, 2) == first
    assert [one.failed for one in first] == [True, False]
    assert [one.patterns for one in first] == [("wrong addressee",), ()]
    assert all(one.task in map(dev_task, range(6)) for one in first)
    others = {
        tuple(one.task.task_id for one in pool.sampled(Assignment("mixed", 1, seed), 0.5, 2))
        for seed in range(9)
    }
    assert len(others) > 1
