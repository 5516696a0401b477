"""The tools of an author: they change the workspace, and ask the checks, the judges, the calibrator and the pool.

What a tool needs of earlier turns it reads from their steps, so that an attempt goes on where it stopped."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec import structs

from otherminds.core.errors import TaskError
from otherminds.household.authoring.authored_pool import AuthoredPool
from otherminds.household.authoring.checking import (
    FILE,
    CalibratedTask,
    CheckedTask,
    calibrate_task,
    check_text,
)
from otherminds.household.authoring.conversation import AuthorTool, ToolUse
from otherminds.household.authoring.council import Council
from otherminds.household.authoring.findings import of_calibration, of_checks, of_council, of_disagreements
from otherminds.household.authoring.journal import AttemptRecord, AttemptStep, ToolResult, results
from otherminds.household.authoring.references import FEWEST, MOST, draw_scene, in_short
from otherminds.household.authoring.results import (
    Assignment,
    CouncilReport,
    Gates,
    Stage,
    Submission,
    SubmissionResult,
)
from otherminds.household.authoring.workspace import (
    TEMPLATE,
    Workspace,
    WorkspaceCopies,
    apply_edit,
    pretty,
    whole,
)
from otherminds.household.pool.store import digest_bytes
from otherminds.household.task import Task
from otherminds.sandbox.supervised import FullWorkspaceError

if TYPE_CHECKING:
    from otherminds.sandbox.kinds import Sandbox


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


Tool: TypeAlias = Callable[[str, list[AttemptStep]], Coroutine[Any, Any, ToolResult]]
LONGEST = 12_000
"""Characters of a result that the author reads."""
CHANGING = ("new_scene", "bash", "write", "edit", "submit_task")
"""The tools that change the workspace."""


class AuthorTools:
    """The tools of the attempt whose record, yet without steps, is ``terms``. Only those of :func:`list_tools` are called."""

    def __init__(
        self, terms: AttemptRecord, services: Services, workspace: Workspace, sandbox: Sandbox | None
    ) -> None:
        self._terms, self._services, self._workspace, self._sandbox = terms, services, workspace, sandbox
        self._kept = WorkspaceCopies(workspace)
        self._tools: dict[str, Tool] = {
            "new_scene": self._new_scene,
            "bash": self._bash,
            "read": self._read,
            "write": self._write,
            "edit": self._edit,
            "judge": self._judge,
            "test_task": self._test,
            "submit_task": self._submit,
        }

    async def use(self, use: ToolUse, steps: list[AttemptStep]) -> ToolResult:
        """Does an action after ``steps``; what the author did wrong comes back as text.

        Raises:
            StudyError: the workspace cannot be written.
            ProviderError: a judge does not answer.
        """
        if use.tool in CHANGING:
            self._kept.take(len(steps))
        try:
            result = await self._tools[use.tool](use.argument, steps)
        except TaskError as error:
            result = ToolResult(f"error: {error}")
        return structs.replace(result, text=shorten_text(result.text, LONGEST))

    def finish_step(self) -> None:
        """Called when the step of the last action is in the journal."""
        self._kept.drop()

    def resume(self, steps: list[AttemptStep]) -> None:
        """Makes the workspace as the last finished step left it."""
        self._kept.restore(len(steps))

    async def standing(self, steps: list[AttemptStep]) -> Stage:
        """The check that the task in the workspace does not pass, by the gates; that of the last one if it passed all."""
        try:
            text = self._workspace.task()
            if text == self._workspace.read(TEMPLATE):
                return "no task"
        except TaskError:
            return "no task"
        key, checked = await self._examine()
        if rejected := checked.report.stage(self._services.gates):
            return rejected
        if self._services.gates.council and not _has_passed(steps, "judge", key):
            return "judged"
        refused = _find_last(steps, "submit_task", key)
        return refused.stage if refused and refused.stage else "calibrated"

    async def _examine(self) -> tuple[str, CheckedTask]:
        """The digest of the task being written, and its checks."""
        text = self._workspace.task()
        checked = await self._services.check(text, self._terms.assignment)
        return digest_bytes(text.encode()), checked

    async def _new_scene(self, argument: str, steps: list[AttemptStep]) -> ToolResult:
        if not argument.isdecimal() or len(argument) > 3:
            raise TaskError(f"new_scene: the argument is the number of agents, {FEWEST} to {MOST}")
        assignment = self._terms.assignment
        scene_draw = draw_scene(assignment.seed, sum(1 for _ in results(steps, "new_scene")), int(argument))
        self._workspace.reset(assignment, scene_draw)
        return ToolResult(f"{in_short(scene_draw)}\n{FILE} is the blank task of this scene.")

    async def _bash(self, argument: str, steps: list[AttemptStep]) -> ToolResult:
        if self._sandbox is None:
            raise TaskError("bash: there is no shell here")
        try:
            ran = await self._sandbox.run(argument, self._workspace.folder)
        except FullWorkspaceError:
            return ToolResult(
                "error: the workspace holds too much for a command; the attempt is over", full=True
            )
        if self._workspace.crowded or not self._workspace.folder.is_dir():
            self._kept.restore(len(steps))
            self._kept.take(len(steps))
            return ToolResult("error: the workspace would hold too much; the command was undone")
        lines = [f"exit code {ran.code}" + (", stopped: it took too long" if ran.timed_out else "")]
        for name, text in (("stdout", ran.stdout), ("stderr", ran.stderr)):
            if text:
                cut = " (cut)" if name in ran.cut else ""
                lines.append(f"{name}{cut}:\n{shorten_text(text.rstrip(), LONGEST // 2)}")
        return ToolResult("\n".join(lines))

    async def _read(self, argument: str, steps: list[AttemptStep]) -> ToolResult:
        return ToolResult(self._workspace.read(argument))

    async def _write(self, argument: str, steps: list[AttemptStep]) -> ToolResult:
        self._workspace.put(FILE, pretty(whole(argument, "write")))
        return ToolResult(f"{FILE} is written.")

    async def _edit(self, argument: str, steps: list[AttemptStep]) -> ToolResult:
        task = whole(self._workspace.task(), FILE)
        done = apply_edit(task, argument)
        self._workspace.put(FILE, pretty(task))
        return ToolResult(f"{done}.")

    async def _judge(self, argument: str, steps: list[AttemptStep]) -> ToolResult:
        gates = self._services.gates
        key, checked = await self._examine()
        rejected = checked.report.stage(gates)
        findings = of_checks(checked.report, gates)
        if rejected or checked.task is None:
            return ToolResult(f"judge: not passed\n{findings}", False, rejected or "structure", key)
        council = await self._services.council(checked, sum(1 for _ in results(steps, "judge")))
        passed = council.accepted or not gates.council
        beside = of_disagreements(council, checked.report, checked.task.category)
        lines = [
            f"judge: {'passed' if passed else 'not passed'}",
            findings,
            of_council(council, gates),
            *beside,
        ]
        return ToolResult("\n".join(lines), passed, None if passed else "judged", key, council.judgements)

    async def _test(self, argument: str, steps: list[AttemptStep]) -> ToolResult:
        gates = self._services.gates
        key, checked = await self._examine()
        if checked.task is None:
            return ToolResult(
                f"test_task: not passed\n{of_checks(checked.report, gates)}", False, "structure", key
            )
        report = (await self._services.calibrate(checked.task)).report
        answer = f"test_task: {'passed' if report.passed else 'not passed'}\n{of_calibration(report)}"
        rejects = gates.calibration and not report.passed
        return ToolResult(answer, report.passed, "calibrated" if rejects else None, key)

    async def _submit(self, argument: str, steps: list[AttemptStep]) -> ToolResult:
        services, terms = self._services, self._terms
        key, checked = await self._examine()
        rejected = checked.report.stage(services.gates)
        if rejected or checked.task is None:
            findings = of_checks(checked.report, services.gates)
            return ToolResult(f"submit_task: refused\n{findings}", False, rejected or "structure", key)
        needed: tuple[tuple[str, Stage, bool], ...] = (
            ("judge", "judged", services.gates.council),
            ("test_task", "calibrated", services.gates.calibration),
        )
        for tool, stage, required in needed:
            if required and not _has_passed(steps, tool, key):
                why = f"{FILE} as it is now has not passed {tool}; call {tool}[] and change nothing after it"
                return ToolResult(f"submit_task: refused: {why}", False, stage, key)
        calibrated, judged = await services.calibrate(checked.task), _find_last(steps, "judge", key)
        submitted = await services.submit(
            Submission(
                calibrated.task,
                calibrated.certificate,
                calibrated.verdicts,
                judged.judgements if judged else (),
                calibrated.report,
                terms.assignment,
                terms.author,
                terms.shown,
                terms.attempt,
                terms.generation,
            )
        )
        if submitted.refused:
            return ToolResult(f"submit_task: refused: {submitted.refused}", False, "duplicate", key)
        self._workspace.add_accepted(submitted.task_id, calibrated.task)
        return ToolResult(
            f"submit_task: kept as {submitted.task_id}", True, "kept", key, (), submitted.task_id
        )


def shorten_text(text: str, longest: int) -> str:
    """``text`` without its middle where it has more than ``longest`` characters, which is said there.

    >>> shorten_text("one two three four", 12)
    'one tw\\n[... 6 characters left out ...]\\ne four'
    """
    cut_length = len(text) - longest
    half = longest // 2
    return (
        text
        if cut_length <= 0
        else f"{text[:half]}\n[... {cut_length} characters left out ...]\n{text[len(text) - half :]}"
    )


def _has_passed(steps: list[AttemptStep], tool: str, key: str) -> bool:
    """Whether the last result of ``tool`` about these bytes is a pass."""
    last = _find_last(steps, tool, key)
    return last is not None and last.passed is True


def _find_last(steps: list[AttemptStep], tool: str, key: str) -> ToolResult | None:
    """The last result of ``tool`` about these bytes."""
    return next((outcome for outcome in results(steps, tool) if outcome.task == key), None)


SHELL = (
    AuthorTool(
        "bash", "command", "Run a shell command (jq, cat, python3, ...) in the folder of the workspace."
    ),
)
EDITS = (
    AuthorTool("read", "file", "Show a file of the workspace."),
    AuthorTool("write", "JSON", f"Replace {FILE} by this task."),
    AuthorTool(
        "edit",
        "JSON",
        f'Change one place of {FILE}: {{"path": "agent_secrets.agent_0[1]", "value": ...}}; '
        'instead of "value": "append" adds to a list, "remove": true takes out.',
    ),
)
"""What an author without a shell has instead of one."""


def list_tools(shell: bool) -> Mapping[str, AuthorTool]:
    """The tools that an author has, with a ``shell`` or with typed edits in its place."""
    scene = AuthorTool(
        "new_scene", "N", f"Draw a scene with N agents ({FEWEST} to {MOST}), and start the task anew in it."
    )
    review_tools = (
        AuthorTool("judge", "", "Check the task (structure, depth, secrets, proofs), then ask the judges."),
        AuthorTool(
            "test_task", "", "Look for a plan with all secrets public, and let reference teams play it."
        ),
        AuthorTool("submit_task", "", "Hand in the task; it must have passed judge and test_task unchanged."),
    )
    return {tool.name: tool for tool in (scene, *(SHELL if shell else EDITS), *review_tools)}
