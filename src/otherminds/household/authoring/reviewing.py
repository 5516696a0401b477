"""The services of attempts: checks and calibration in threads, the council's sessions, and the pool."""

from __future__ import annotations

import asyncio

from otherminds.household.authoring.calibrating import Calibrated, calibrated
from otherminds.household.authoring.checking import Checked, check_text
from otherminds.household.authoring.council.council import Council
from otherminds.household.authoring.pooling.pool import AuthoredPool
from otherminds.household.authoring.results import Assignment, CouncilReport, Gates
from otherminds.household.authoring.services import Submission, Submitted
from otherminds.household.task import Task


class Reviewing:
    """What the tools of one attempt call; without a ``council`` or with its gate off, no judge is asked."""

    def __init__(self, gates: Gates, council: Council | None, pool: AuthoredPool) -> None:
        self.gates = gates
        self._council, self._pool = council, pool

    async def check(self, text: str, assignment: Assignment) -> Checked:
        """The checks of a task file that need no model."""
        return await asyncio.to_thread(check_text, text, assignment)

    async def council(self, checked: Checked, item: int) -> CouncilReport:
        """The judgements of a task without faults."""
        if self._council is None or checked.task is None or checked.house is None:
            return CouncilReport((), not self.gates.council)
        return await self._council.judged(checked.task, checked.house, item)

    async def calibrate(self, task: Task) -> Calibrated:
        """The task with its calibration."""
        return await asyncio.to_thread(calibrated, task)

    async def submit(self, submission: Submission) -> Submitted:
        """Adds a task to the pool."""
        return await asyncio.to_thread(self._pool.submit, submission)
