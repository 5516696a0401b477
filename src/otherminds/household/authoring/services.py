"""What the tools of an attempt call, what an attempt hands to the pool, and what it is shown of the pool."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from otherminds.household.authoring.results import (
    Assignment,
    CalibrationReport,
    CouncilReport,
    Gates,
    Judgement,
)
from otherminds.household.proofs.verification import ProofVerdict
from otherminds.household.task import Task

if TYPE_CHECKING:
    from otherminds.household.authoring.calibrating import CalibratedTask
    from otherminds.household.authoring.checking import CheckedTask


class Submission(Struct, frozen=True):
    """A finished task with what was found about it.

    ``certificate`` is the JSON of the certificate of its proofs, ``author`` the model's name, ``parents`` the ids of the
    seed tasks that the author was shown, and ``attempt`` the name of the attempt, which submits one task at most.
    """

    task: Task
    certificate: bytes
    verdicts: tuple[ProofVerdict, ...]
    judgements: tuple[Judgement, ...]
    calibration: CalibrationReport
    assignment: Assignment
    author: str
    parents: tuple[str, ...]
    attempt: str
    generation: int = 0


class SubmissionResult(Struct, frozen=True):
    """The id of the task in the pool; empty if it was ``refused``, which then says why."""

    task_id: str
    refused: str = ""


class SampledTask(Struct, frozen=True):
    """A seed task: a task of the pool, whether the targets ``failed`` it, and in which failure ``patterns``."""

    task: Task
    failed: bool
    patterns: tuple[str, ...] = ()


class Services(Protocol):
    """The checks, the judges, the calibrator and the pool of an attempt; ``gates`` says which of them decide."""

    @property
    def gates(self) -> Gates:
        """The gates that are set."""
        ...

    async def check(self, text: str, assignment: Assignment) -> CheckedTask:
        """The checks of a task file that need no model (:func:`~.checking.check_text`)."""
        ...

    async def council(self, checked: CheckedTask, item: int) -> CouncilReport:
        """The judgements of a task without faults; ``item`` numbers the judgements of an attempt, from 0."""
        ...

    async def calibrate(self, task: Task) -> CalibratedTask:
        """The task with its calibration (:func:`~.calibrating.calibrate_task`)."""
        ...

    async def submit(self, submission: Submission) -> SubmissionResult:
        """Adds a task to the pool; given again by the same attempt, an equal task has the id that it had."""
        ...
