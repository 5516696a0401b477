"""What the tools of an attempt call: the checks, the judges, the calibrator and the pool."""

from __future__ import annotations

import asyncio

from otherminds.household.authoring.calibrating import CalibratedTask, calibrate_task
from otherminds.household.authoring.checking import CheckedTask, check_text
from otherminds.household.authoring.council.council import Council
from otherminds.household.authoring.pooling.pool import AuthoredPool
from otherminds.household.authoring.results import (
    Assignment,
    CouncilReport,
    Gates,
    Submission,
    SubmissionResult,
)
from otherminds.household.task import Task


class Services:
    """The services of one attempt, of which ``gates`` says which decide; without a ``council`` no judge is asked."""

    def __init__(self, gates: Gates, council: Council | None, pool: AuthoredPool) -> None:
        self.gates = gates
        self._council, self._pool = council, pool

    async def check(self, text: str, assignment: Assignment) -> CheckedTask:
        """The checks of a task file that need no model (:func:`~.checking.check_text`)."""
        return await asyncio.to_thread(check_text, text, assignment)

    async def council(self, checked: CheckedTask, item: int) -> CouncilReport:
        """The judgements of a task without faults; ``item`` numbers the judgements of an attempt, from 0."""
        if self._council is None or checked.task is None or checked.house is None:
            return CouncilReport((), not self.gates.council)
        return await self._council.judged(checked.task, checked.house, item)

    async def calibrate(self, task: Task) -> CalibratedTask:
        """The task with its calibration (:func:`~.calibrating.calibrate_task`)."""
        return await asyncio.to_thread(calibrate_task, task)

    async def submit(self, submission: Submission) -> SubmissionResult:
        """Adds a task to the pool; given again by the same attempt, an equal task has the id that it had."""
        return await asyncio.to_thread(self._pool.submit, submission)
