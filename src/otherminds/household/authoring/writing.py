"""Attempts with models: the author's and the judges' sessions under one budget, and the end of each attempt in the pool."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

from msgspec import structs

from otherminds.core.errors import StudyError
from otherminds.core.model import Price, Usage, cost
from otherminds.household.authoring.attempt import ROLE, AttemptOptions, attempt
from otherminds.household.authoring.council.council import LEAST, Council
from otherminds.household.authoring.council.rules import CouncilRule
from otherminds.household.authoring.pooling.lines import AttemptLine
from otherminds.household.authoring.pooling.pool import AuthoredPool
from otherminds.household.authoring.results import Assignment, Gates, Spending
from otherminds.household.authoring.services import Services
from otherminds.models.registry import identity
from otherminds.studies.outside import CallSession, RoleModels

SHOWN = 4
"""Seed tasks that an author is shown."""


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
        rho: float,
        options: AttemptOptions,
    ) -> AttemptLine:
        """Makes an attempt in ``folder``, or goes on with it; what became of it, which ``pool`` keeps too.

        The author is shown tasks of the pool, of which the targets failed the fraction ``rho``.

        Raises:
            StudyError: the folder or the pool cannot be used.
            ProviderError: a model's service does not answer.
            BudgetSpentError: a limit is reached.
        """
        began, sampled = monotonic(), pool.sampled(assignment, rho, SHOWN)
        async with AsyncExitStack() as opened:
            sessions = {
                role: await opened.enter_async_context(models.session(role, model, assignment.seed))
                for role, model in self.roles.items()
            }
            author, *judges = sessions.values()
            council = Council(judges, self.rule) if judges else None
            services = Services(self.gates, council, pool)
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
