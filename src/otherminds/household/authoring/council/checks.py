"""The checks of a task as it is, without an assignment: its own category and depth are what is asked for."""

from __future__ import annotations

from msgspec import structs

from otherminds.household.authoring.checking import Checked, check_text
from otherminds.household.authoring.results import Assignment
from otherminds.household.epistemic.formula import FormulaError, depth
from otherminds.household.epistemic.parse import goal_of
from otherminds.household.pool.entry import Pattern, task_json
from otherminds.household.task import Task

PATTERN: Pattern = "gated"
"""Checks ask for a functional pattern, which a task that nobody was asked for need not have; no verdict depends on it."""


def checks_of(task: Task) -> Checked:
    """The faults of a task, or else the findings about its secrets and all verdicts; about 0.2 s.

    Raises:
        StudyError: the planner is not installed.
    """
    try:
        deep = depth(goal_of(task.problem_pddl))
    except FormulaError:
        deep = 0  # the goal is a fault, and its depth is not looked at
    named = structs.replace(
        task, pattern=task.pattern or PATTERN, calibration=None, golden_trajectory=(), release={}
    )
    return check_text(task_json(named).decode(), Assignment(task.category, deep, 0))
