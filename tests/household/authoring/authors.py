"""Authors by script, and services that decide by the task's title, for tests of attempts."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import msgspec

from otherminds.core.data import Message
from otherminds.core.model import Decoding, Model
from otherminds.household.authoring.attempt import AttemptOptions, attempt
from otherminds.household.authoring.checking import CalibratedTask, CheckedTask
from otherminds.household.authoring.journal import AttemptRecord
from otherminds.household.authoring.results import (
    Assignment,
    CalibrationReport,
    CheckReport,
    CouncilReport,
    CriterionScore,
    Gates,
    Judgement,
    SampledTask,
    Submission,
    SubmissionResult,
)
from otherminds.household.proofs.verification import ProofVerdict
from otherminds.household.task import Task
from otherminds.models.scripted import ScriptedModel
from otherminds.studies.outside import CallSession

ASKED = Assignment("cooperative", 1, 7)
SOUND = Task(
    task_id="new_task", task="Tidy up.", scene_id="nowhere", num_agents=2, problem_pddl="(is_open cabinet_1)"
)


def task_text(title: str = "") -> str:
    """A task; :class:`TitleServices` decide by words in its title."""
    return msgspec.json.encode(msgspec.structs.replace(SOUND, title=title)).decode()


def says(*replies: str) -> ScriptedModel:
    """An author that says these replies, turn by turn, and then nothing."""

    def reply(messages: Sequence[Message], decoding: Decoding) -> str:
        turn = (len(messages) - 2) // 2
        return replies[turn] if turn < len(replies) else ""

    return ScriptedModel(reply, spec="scripted_test")


class TitleServices:
    """Rejects a task whose title has ``fault``, ``secret``, ``refuted``, ``dislike``, ``stuck`` or ``known``."""

    def __init__(self, gates: Gates = Gates()) -> None:  # noqa: B008 - frozen
        self.gates = gates
        self.calls: list[str] = []
        self.submitted: list[Submission] = []

    async def check(self, text: str, assignment: Assignment) -> CheckedTask:
        self.calls.append("check")
        try:
            task = msgspec.json.decode(text, type=Task)
        except msgspec.MsgspecError as error:
            return CheckedTask(None, None, CheckReport((f"working_task.json: {error}",)))
        if "fault" in task.title:
            return CheckedTask(None, None, CheckReport(("title: it is bad; write another",)))
        secrets = ("agent_secrets.agent_0[0]: an order",) if "secret" in task.title else ()
        status = "refuted" if "refuted" in task.title else "proved by planner"
        verdicts = (ProofVerdict("solvable", status, "there is no plan; give an agent a way"),)
        return CheckedTask(task, None, CheckReport((), secrets, verdicts))

    async def council(self, checked: CheckedTask, item: int) -> CouncilReport:
        self.calls.append(f"council {item}")
        assert checked.task is not None
        score = 0.3 if "dislike" in checked.task.title else 0.9
        judgement = Judgement(
            "judge_a", {"secret_quality": CriterionScore(score, "as it is")}, "", ("say less",)
        )
        return CouncilReport((judgement,), score > 0.5, () if score > 0.5 else ("secret_quality is 0.30",))

    async def calibrate(self, task: Task) -> CalibratedTask:
        self.calls.append("calibrate")
        passed = "stuck" not in task.title
        return CalibratedTask(
            task, b"{}", (), CalibrationReport(passed, 2 * passed, {}, ("turn 1: Open[cabinet_1]; Wait[]",))
        )

    async def submit(self, submission: Submission) -> SubmissionResult:
        self.calls.append("submit")
        if "known" in submission.task.title:
            return SubmissionResult("", "a task of the pool has this structure; change the goal")
        self.submitted.append(submission)
        return SubmissionResult("authored_0")


def attempted(
    model: Model,
    services: TitleServices,
    folder: Path,
    options: AttemptOptions | None = None,
    sampled: Sequence[SampledTask] = (),
) -> AttemptRecord:
    """An attempt with a session of its own, which keeps no replies."""
    session = CallSession("author", model, ASKED.seed)
    return asyncio.run(
        attempt(ASKED, session, services, folder, sampled, options or AttemptOptions("attempt_0"))
    )


def action(argument: str, tool: str = "write") -> str:
    """A reply with one action."""
    return f"Thought: so\nAction: {tool}[{argument}]"


JUDGE, TEST, SUBMIT = (action("", tool) for tool in ("judge", "test_task", "submit_task"))
