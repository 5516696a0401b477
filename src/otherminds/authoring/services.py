"""What an attempt hands to the pool, what it gets back, and what it is shown of the pool."""

from __future__ import annotations

from msgspec import Struct

from otherminds.authoring.results import Assignment, CalibrationReport, Judgement
from otherminds.worlds.household.proofs.verification import Verdict
from otherminds.worlds.household.task import Task


class Submission(Struct, frozen=True):
    """A finished task with what was found about it.

    ``certificate`` is the JSON of the certificate of its proofs, ``author`` the model's name, ``parents`` the ids of the
    seed tasks that the author was shown, and ``attempt`` the name of the attempt, which submits one task at most.
    """

    task: Task
    certificate: bytes
    verdicts: tuple[Verdict, ...]
    judgements: tuple[Judgement, ...]
    calibration: CalibrationReport
    assignment: Assignment
    author: str
    parents: tuple[str, ...]
    attempt: str
    generation: int = 0


class Submitted(Struct, frozen=True):
    """The id of the task in the pool; empty if it was ``refused``, which then says why."""

    task_id: str
    refused: str = ""


class SampledTask(Struct, frozen=True):
    """A seed task: a task of the pool, whether the targets ``failed`` it, and in which failure ``patterns``."""

    task: Task
    failed: bool
    patterns: tuple[str, ...] = ()
