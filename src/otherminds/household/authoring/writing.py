"""Attempts with models: the author's and the judges' sessions under one budget, and the end of each attempt in the pool."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

from msgspec import structs

from otherminds.core.errors import StudyError
from otherminds.core.model import Price, Usage, cost
from otherminds.household.authoring.attempt import ROLE, AttemptOptions, attempt
from otherminds.household.authoring.calibrating import CalibratedTask, calibrate_task
from otherminds.household.authoring.checking import CheckedTask, check_text
from otherminds.household.authoring.council.council import LEAST, Council
from otherminds.household.authoring.council.rules import CouncilRule
from otherminds.household.authoring.pooling.lines import AttemptLine
from otherminds.household.authoring.pooling.pool import AuthoredPool
from otherminds.household.authoring.results import Assignment, CouncilReport, Gates, Spending
from otherminds.household.authoring.services import SampledTask, Submission, SubmissionResult
from otherminds.household.task import Task
from otherminds.models.registry import identity
from otherminds.studies.outside import CallSession, RoleModels


@dataclass(frozen=True)
class Writers:
    """Who writes and judges: the model of the ``author``, those of the ``judges``, and the ``rule`` of their council.

    Without the gate ``council`` no judge is asked. ``prices`` are US dollars for a million tokens, by model.
    """

    author: str
    judges: tuple[str, ...]
    rule: str = "paper"
    gates: Gates = field(default_factory=Gates)
    prices: Mapping[str, Price] = field(default_factory=dict[str, Price])

    def check(self) -> Writers:
        """This.

        Raises:
            StudyError: there are too few judges though the council decides, or there is no such rule.
        """
        if self.gates.council and len(self.judges) < LEAST:
            raise StudyError(
                f"name {LEAST} judges or more (--judges A,B), or leave the council out (--without council)"
            )
        CouncilRule(self.rule)
        return self

    @property
    def roles(self) -> dict[str, str]:
        """The model of each role; the author is first."""
        judges = self.judges if self.gates.council else ()
        return {ROLE: self.author} | {f"judge_{k}": judge for k, judge in enumerate(judges)}

    async def attempted(
        self,
        models: RoleModels,
        pool: AuthoredPool,
        folder: Path,
        assignment: Assignment,
        sampled: Sequence[SampledTask],
        options: AttemptOptions,
    ) -> AttemptLine:
        """Makes an attempt in ``folder``, or goes on with it; what became of it, which ``pool`` keeps too.

        Raises:
            StudyError: the folder or the pool cannot be used.
            ProviderError: a model's service does not answer.
            BudgetSpentError: a limit is reached.
        """
        began = monotonic()
        async with AsyncExitStack() as opened:
            sessions = {
                role: await opened.enter_async_context(models.session(role, model, assignment.seed))
                for role, model in self.roles.items()
            }
            author, *judges = sessions.values()
            council = Council(judges, self.rule) if judges else None
            services = Reviewing(self.gates, council, pool)
            record = await attempt(assignment, author, services, folder, sampled, options)
            spent = sum((self._sum_spending(role, session) for role, session in sessions.items()), Spending())
            line = record.line(structs.replace(spent, seconds=monotonic() - began))
            pool.add_attempt(line)  # before the sessions end and forget their replies
        return line

    def _sum_spending(self, role: str, session: CallSession) -> Spending:
        calls = session.record().calls
        usage = Usage(
            sum(call.prompt_tokens for call in calls), sum(call.completion_tokens for call in calls)
        )
        price = self.prices.get(identity(self.roles[role]))
        return Spending(len(calls), usage.prompt, usage.completion, cost(usage, price) if price else None)


class Reviewing:
    """What the tools of one attempt call; without a ``council`` or with its gate off, no judge is asked."""

    def __init__(self, gates: Gates, council: Council | None, pool: AuthoredPool) -> None:
        self.gates = gates
        self._council, self._pool = council, pool

    async def check(self, text: str, assignment: Assignment) -> CheckedTask:
        """The checks of a task file that need no model."""
        return await asyncio.to_thread(check_text, text, assignment)

    async def council(self, checked: CheckedTask, item: int) -> CouncilReport:
        """The judgements of a task without faults."""
        if self._council is None or checked.task is None or checked.house is None:
            return CouncilReport((), not self.gates.council)
        return await self._council.judged(checked.task, checked.house, item)

    async def calibrate(self, task: Task) -> CalibratedTask:
        """The task with its calibration."""
        return await asyncio.to_thread(calibrate_task, task)

    async def submit(self, submission: Submission) -> SubmissionResult:
        """Adds a task to the pool."""
        return await asyncio.to_thread(self._pool.submit, submission)
