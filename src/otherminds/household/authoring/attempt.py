"""An attempt at a task: an author's turns with tools, bounded, kept as a record, resumed and replayed (algorithm 1 of the paper).

Juneja et al. 2026, section 4.2. The calls of the author are those of a :class:`~otherminds.studies.outside.CallSession`, turn
by turn; its record has the prompts and replies, and :class:`~.journal.AttemptRecord` what they did. :class:`Writers` are the
models that write and judge, whose sessions have one budget."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

import msgspec
from msgspec import structs

from otherminds.core.data import Invalid
from otherminds.core.disk import read_file, replace_file
from otherminds.core.encoding import digest
from otherminds.core.errors import StudyError
from otherminds.core.model import Completion, Decoding, Price, Usage, cost
from otherminds.core.record import Timing
from otherminds.core.segments import hashed_line, read_line
from otherminds.household.authoring.authored_pool import AuthoredPool
from otherminds.household.authoring.conversation import (
    Conversation,
    ToolUse,
    format_assignment,
    read_turn,
    system_prompt,
)
from otherminds.household.authoring.council import LEAST, Council, CouncilRule
from otherminds.household.authoring.journal import (
    RECORD,
    AttemptRecord,
    AttemptStep,
    Ending,
    Journal,
    ToolResult,
)
from otherminds.household.authoring.results import (
    Assignment,
    AttemptLine,
    Gates,
    SampledTask,
    Spending,
    Stage,
)
from otherminds.household.authoring.tools import AuthorTools, Services, list_tools
from otherminds.household.authoring.workspace import Workspace, remove
from otherminds.models.registry import identity
from otherminds.studies.outside import CallSession, RoleModels

if TYPE_CHECKING:
    from otherminds.sandbox.kinds import Sandbox


ROLE = "author"
"""The role of the author's session."""
PURPOSE = "author"
JOURNAL, WORKSPACE = "journal.jsonl", "workspace"
"""The files of an attempt's folder besides its record."""
RESERVE = 16
"""Tokens of a model's context that are left free."""


@dataclass(frozen=True)
class AttemptOptions:
    """The limits of an attempt, its ``name`` and ``generation``, and the ``sandbox`` of its shell (``None``: typed edits).

    ``max_unusable`` replies in a row without an action end it. ``reply_tokens`` bounds a reply. ``watch`` is called with
    each step that is made.
    """

    name: str
    generation: int = 0
    max_turns: int = 60
    max_unusable: int = 5
    reply_tokens: int = 4096
    sandbox: Sandbox | None = None
    watch: Callable[[AttemptStep], object] = lambda step: None


async def attempt(
    assignment: Assignment,
    session: CallSession,
    services: Services,
    folder: Path,
    sampled: Sequence[SampledTask],
    options: AttemptOptions,
) -> AttemptRecord:
    """One attempt at a task, with its workspace, journal and record in ``folder``.

    Entered again after an interruption, it repeats no finished action, and the session no call. The record is on disk
    before this returns.

    Raises:
        StudyError: the folder belongs to another attempt, or cannot be used.
        ProviderError: the author's model or a judge does not answer.
        BudgetSpentError: a limit is reached; entered again with a higher one, the attempt goes on.
    """
    sampled = sampled if services.gates.examples else ()
    blank = AttemptRecord(
        attempt=options.name,
        generation=options.generation,
        assignment=assignment,
        author=session.model.spec,
        gates=services.gates,
        sandbox=options.sandbox.name if options.sandbox else "",
        shown=(),
        limits=(options.max_turns, options.max_unusable, options.reply_tokens),
        steps=(),
        ended="turns",
        stage="no task",
        task_id="",
        unusable=0,
        spending=Spending(),
    )
    folder.mkdir(parents=True, exist_ok=True)
    workspace = Workspace(folder / WORKSPACE)
    journal = Journal(folder / JOURNAL, digest(blank), tuple(seed_task.task.task_id for seed_task in sampled))
    blank = structs.replace(blank, shown=journal.shown)
    tools = AuthorTools(blank, services, workspace, options.sandbox)
    tools.resume(journal.steps)
    if not journal.steps:
        remove(
            workspace.folder
        )  # it may lack, or have the seed tasks of an attempt that was stopped before its first step
    workspace.fill(assignment, sampled)

    def add(step: AttemptStep, seconds: float) -> None:
        journal.add(step, seconds)
        tools.finish_step()
        options.watch(step)

    async def act(use: ToolUse) -> ToolResult:
        return await tools.use(use, journal.steps)

    ended = await _turns(blank, session, journal.steps, act, add)
    stage: Stage = "kept" if ended == "submitted" else await tools.standing(journal.steps)
    record = _build_record(blank, session, journal.steps, ended, stage)
    timing = Timing(sum(journal.seconds), session.timing().calls, session.timing().cached_tokens)
    replace_file(folder / RECORD, hashed_line(digest(blank)[:16], record, timing) + b"\n", durable=True)
    return record


async def replayed(record: AttemptRecord, session: CallSession) -> AttemptRecord:
    """The attempt again from a session that returns the recorded replies; the results of tools are those of ``record``.

    It is equal to ``record`` if that was made from these replies. No model is called, and no tool.

    Raises:
        ProviderError: the session has no such reply.
        StudyError: the replies lead to actions that the record does not have.
    """
    blank = structs.replace(
        record, steps=(), ended="turns", stage="no task", task_id="", unusable=0, spending=Spending()
    )
    steps = list(record.steps)

    async def act(use: ToolUse) -> ToolResult:
        raise StudyError(
            f"attempt {record.attempt!r}: its record has no result of {use.tool}; restore the record"
        )

    def add(step: AttemptStep, seconds: float) -> None:
        raise StudyError(f"attempt {record.attempt!r}: its replies are not those of the record")

    ended = await _turns(blank, session, steps, act, add)
    return _build_record(blank, session, steps, ended, record.stage)


async def _turns(
    terms: AttemptRecord,
    session: CallSession,
    steps: list[AttemptStep],
    act: Callable[[ToolUse], Awaitable[ToolResult]],
    add: Callable[[AttemptStep, float], None],
) -> Ending:
    """Plays turns until the attempt ends. ``steps`` are those already made, and grow by ``add``."""
    tools = list_tools(bool(terms.sandbox))
    max_turns, max_unusable, reply_tokens = terms.limits
    decoding = Decoding(max_tokens=reply_tokens, tools=tuple(tool.native for tool in tools.values()))
    talk = Conversation(
        system_prompt(tools, terms.gates),
        format_assignment(terms.assignment, len(terms.shown)),
        session.model.context - reply_tokens - RESERVE,
        session.model.count,
    )
    short = unusable = 0
    for turn in range(max_turns):
        step = steps[turn] if turn < len(steps) else None
        fitting = step.shortened if step else talk.fitting(short)
        if fitting is None:
            return "context"
        short = fitting
        started = monotonic()
        reply = await session.context(turn).generate(talk.messages(short), PURPOSE, decoding)
        use = read_turn(reply, tools)
        if step is None:
            step = await _step(turn, short, use, act)
            add(step, monotonic() - started)
        elif not _same(step, use):
            raise StudyError(
                f"turn {turn} of attempt {terms.attempt!r}: the reply is not that of its journal"
            )
        talk.add(_format_reply(reply, use), _answer(step))
        unusable = unusable + 1 if step.unusable else 0
        if step.result and step.result.task_id:
            return "submitted"
        if step.result and step.result.full:
            return "unusable"
        if unusable >= max_unusable:
            return "unusable"
    return "turns"


async def _step(
    turn: int, short: int, use: ToolUse | Invalid, act: Callable[[ToolUse], Awaitable[ToolResult]]
) -> AttemptStep:
    if isinstance(use, Invalid):
        return AttemptStep(turn, short, unusable=use.reason, cause=use.cause)
    return AttemptStep(turn, short, use.tool, use.argument, await act(use))


def _same(step: AttemptStep, use: ToolUse | Invalid) -> bool:
    if isinstance(use, Invalid):
        return step.unusable == use.reason
    return (step.tool, step.argument) == (use.tool, use.argument)


def _format_reply(reply: Completion, use: ToolUse | Invalid) -> str:
    """The reply as the conversation shows it; a native call is written as an action."""
    if isinstance(use, Invalid) or not reply.tools:
        return reply.text
    return f"{reply.text}\n{use.text}".strip()


def _answer(step: AttemptStep) -> str:
    """What the author reads about its turn."""
    if step.unusable:
        return f"No action was done: {step.unusable}."
    return step.result.text if step.result else ""


def _build_record(
    blank: AttemptRecord, session: CallSession, steps: Sequence[AttemptStep], ended: Ending, stage: Stage
) -> AttemptRecord:
    calls = session.record().calls
    spending = Spending(
        len(calls),
        sum(call.prompt_tokens for call in calls),
        sum(call.completion_tokens for call in calls),
        None,
    )
    ids = (step.result.task_id for step in steps if step.result)
    return structs.replace(
        blank,
        steps=tuple(steps),
        ended=ended,
        stage=stage,
        task_id=next(filter(None, ids), ""),
        unusable=sum(bool(step.unusable) for step in steps),
        spending=spending,
    )


def read_attempt(folder: Path) -> tuple[AttemptRecord, Timing] | None:
    """The record of the attempt in ``folder`` with its wall-clock figures; ``None`` if it is not finished.

    Raises:
        StudyError: the record is damaged, or another version of the software wrote it.
    """
    path = folder / RECORD
    if not path.exists():
        return None
    line = read_line(read_file(path), str(path))
    try:
        return msgspec.json.decode(line.body, type=AttemptRecord), line.timing
    except (msgspec.MsgspecError, RecursionError) as error:
        raise StudyError(f"{path}: no record of an attempt ({error}); restore the file") from None


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
