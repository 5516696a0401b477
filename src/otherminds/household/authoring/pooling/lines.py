"""The lines of an authored pool's files: where a task comes from, how an attempt ended, and how a target did."""

from __future__ import annotations

from msgspec import Struct

from otherminds.household.authoring.results import Assignment, CalibrationReport, Judgement, Spending, Stage
from otherminds.household.task import Category

PROVENANCE, ATTEMPTS, RESULTS = "authored.jsonl", "attempts.jsonl", "results.jsonl"
GENERATOR = "generator"
"""The author of tasks that no attempt wrote."""


class TaskProvenance(Struct, frozen=True):
    """Where a task of the pool comes from; ``sha256`` is that of its ledger entry.

    Tasks that the pool started with have generation 0 and no ``attempt``, and those of a plain pool or split the author
    ``generator``. The money and time of a task is that of its attempt (:class:`AttemptLine`).
    """

    task_id: str
    sha256: str
    author: str
    category: Category
    depth: int
    generation: int = 0
    parents: tuple[str, ...] = ()
    attempt: str = ""
    judgements: tuple[Judgement, ...] = ()
    calibration: CalibrationReport | None = None


class AttemptLine(Struct, frozen=True):
    """How an attempt ended.

    ``task_id`` is empty unless its task was kept. ``turns`` are the author's replies, ``unusable`` those without an
    action; ``tools`` counts the calls of each tool, and ``rejected`` how often a tool refused at each stage.
    """

    attempt: str
    generation: int
    author: str
    assignment: Assignment
    stage: Stage
    task_id: str
    turns: int
    unusable: int
    tools: dict[str, int]
    rejected: dict[str, int]
    spending: Spending


class TargetResult(Struct, frozen=True):
    """Whether a target model solved a task in a run, from 0, and the patterns of its failure."""

    task_id: str
    target: str
    run: int
    solved: bool
    patterns: tuple[str, ...] = ()
