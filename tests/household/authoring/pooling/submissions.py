"""Submissions made of the tasks of the split dev, and results of targets."""

from __future__ import annotations

from functools import cache

from msgspec.structs import replace

from otherminds.household.authoring.authored_pool import name_by_structure
from otherminds.household.authoring.results import (
    Assignment,
    AttemptLine,
    CalibrationReport,
    CriterionScore,
    Judgement,
    Spending,
    Stage,
    Submission,
    TargetResult,
)
from otherminds.household.epistemic.formula import depth
from otherminds.household.epistemic.parse import goal_of
from otherminds.household.pool.store import load_split
from otherminds.household.task import Task
from tests.household.pool.pooled import CERTIFICATE, VERDICTS

JUDGED = Judgement("scripted_judge", {"secret_quality": CriterionScore(0.75, "says what, not how")})


@cache
def dev_task(k: int) -> Task:
    """The k-th task of the split dev under the name that an authored pool gives it."""
    return name_by_structure([*load_split("dev").values()][k].task)


def submission(k: int, attempt: str = "", generation: int = 1) -> Submission:
    """The k-th task of the split dev as an author's, with no real certificate."""
    task = dev_task(k)
    return Submission(
        task,
        CERTIFICATE,
        VERDICTS,
        (JUDGED,),
        CalibrationReport(True, 4, {"level_0": 0, "level_3": 3}, ("solved in 4 turns",)),
        Assignment(task.category, depth(goal_of(task.problem_pddl)), k),
        "scripted_author",
        ("relay_7",),
        attempt or f"attempt_{k}",
        generation,
    )


def ended(k: int, stage: Stage = "kept", generation: int = 1, attempt: str = "") -> AttemptLine:
    """The end of the k-th attempt, which took 10 seconds and 0.5 dollars."""
    given = submission(k, attempt)
    return AttemptLine(
        given.attempt,
        generation,
        given.author,
        given.assignment,
        stage,
        given.task.task_id if stage == "kept" else "",
        turns=7,
        unusable=1,
        tools={"judge": 2, "test_task": 1},
        rejected={"structure": 1},
        spending=Spending(calls=9, prompt=1000, completion=200, dollars=0.5, seconds=10.0),
    )


def result(task_id: str, target: str = "level_1", run: int = 0, *, solved: bool = False) -> TargetResult:
    """A result of a target; a failure has the pattern ``wrong addressee``."""
    return TargetResult(task_id, target, run, solved, () if solved else ("wrong addressee",))


def renamed_task(submitted: Submission, task_id: str) -> Submission:
    """The same submission with another name of the task."""
    return replace(submitted, task=replace(submitted.task, task_id=task_id))
