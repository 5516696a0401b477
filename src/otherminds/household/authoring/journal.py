"""The steps of an attempt: what each turn did and got back, kept on disk as they are made, and the record of all of them.

A step that is in the journal is not made again when an attempt goes on or is replayed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from otherminds.core.data import Cause
from otherminds.core.disk import Log
from otherminds.core.errors import StudyError
from otherminds.core.record import SCHEMA
from otherminds.household.authoring.results import Assignment, AttemptLine, Gates, Judgement, Spending, Stage


class ToolResult(Struct, frozen=True, omit_defaults=True):
    """What a tool gave back: the ``text`` for the author, and what the attempt has to know.

    ``passed``: whether the task passed; ``None`` for a tool that does not say. ``stage``: the check that rejected it.
    ``task``: the SHA-256 of the bytes of the task that the tool looked at. ``task_id``: the id of a submitted task.
    ``full``: the workspace holds too much for any command, which ends the attempt.
    """

    text: str
    passed: bool | None = None
    stage: Stage | None = None
    task: str = ""
    judgements: tuple[Judgement, ...] = ()
    task_id: str = ""
    full: bool = False


class AttemptStep(Struct, frozen=True, omit_defaults=True):
    """A turn. The call of the model has the item ``turn`` in the session of the author.

    ``shortened`` is the number of earlier turns that the prompt shows in short. A turn without an action has ``unusable``,
    the reason, and its ``cause``; another one has the ``tool``, its ``argument`` and the ``result``.
    """

    turn: int
    shortened: int = 0
    tool: str = ""
    argument: str = ""
    result: ToolResult | None = None
    unusable: str = ""
    cause: Cause = "reply"


RECORD = "attempt.jsonl"
"""The file of the record in the folder of an attempt."""
Ending = Literal["submitted", "turns", "unusable", "context"]
"""Why an attempt ended: a task was kept, no turn was left, too many replies in a row had no action or the author filled its
workspace (both ``unusable``), or the conversation did not fit the model's context even with all turns shortened."""


class AttemptRecord(Struct, frozen=True):
    """What became of an attempt, and each step to it; equal for equal replies and tool results.

    ``author`` is the model, ``shown`` are the ids of the seed tasks, ``sandbox`` is the name of the sandbox of its shell
    (empty: typed edits), and ``unusable`` the number of turns without an action. ``spending`` has the author's calls and
    tokens; money and seconds depend on the run and are in :class:`~.pooling.lines.AttemptLine`.
    """

    attempt: str
    generation: int
    assignment: Assignment
    author: str
    gates: Gates
    sandbox: str
    shown: tuple[str, ...]
    limits: tuple[int, int, int]
    steps: tuple[AttemptStep, ...]
    ended: Ending
    stage: Stage
    task_id: str
    unusable: int
    spending: Spending
    schema: int = SCHEMA

    def line(self, spending: Spending) -> AttemptLine:
        """The attempt in one line, with what it cost in all."""
        uses = [step for step in self.steps if step.result is not None]
        stages = [step.result.stage for step in uses if step.result and step.result.passed is False]
        return AttemptLine(
            self.attempt,
            self.generation,
            self.author,
            self.assignment,
            self.stage,
            self.task_id,
            len(self.steps),
            self.unusable,
            dict(sorted(Counter(step.tool for step in uses).items())),
            dict(sorted(Counter(stage for stage in stages if stage).items())),
            spending,
        )


class _JournalLine(Struct, frozen=True):
    step: AttemptStep
    seconds: float


class _JournalHead(Struct, frozen=True):
    of: str
    shown: tuple[str, ...]


class Journal:
    """The steps of the attempt whose terms have the digest ``of``, in ``path``, one line each, on disk once added.

    ``shown`` are the ids of the seed tasks with which the attempt began: an attempt that goes on has those that it had,
    one without any step those that are given.

    Raises:
        StudyError: the file belongs to an attempt with other terms, is damaged, or cannot be read.
    """

    def __init__(self, path: Path, of: str, seed_task_ids: tuple[str, ...]) -> None:
        self.steps: list[AttemptStep] = []
        self.seconds: list[float] = []
        self.shown = seed_task_ids
        self._log = Log(path, advice="make room, then give the command again")
        if path.exists():
            self._log.repair()
        lines = [line.raw for line in self._log.lines()] if path.exists() else []
        if not lines:
            self._begin(of)
            return
        try:
            head = msgspec.json.decode(lines[0], type=_JournalHead)
            if head.of != of:
                raise StudyError(
                    f"{path}: an attempt with another assignment, author, sandbox or limits; choose another folder"
                )
            if len(lines) == 1:
                self._begin(of)
                return
            self.shown = head.shown
            for line in lines[1:]:
                entry = msgspec.json.decode(line, type=_JournalLine)
                self.steps.append(entry.step)
                self.seconds.append(entry.seconds)
        except msgspec.MsgspecError as error:
            raise StudyError(f"{path}: damaged ({error}); restore it, or begin in another folder") from None

    def add(self, step: AttemptStep, seconds: float) -> None:
        """Adds a finished step.

        Raises:
            StudyError: it cannot be written.
        """
        self._log.append([msgspec.json.encode(_JournalLine(step, round(seconds, 6))) + b"\n"])
        self.steps.append(step)
        self.seconds.append(seconds)

    def _begin(self, of: str) -> None:
        self._log.path.unlink(missing_ok=True)
        self._log.append([msgspec.json.encode(_JournalHead(of, self.shown)) + b"\n"])


def results(steps: list[AttemptStep], tool: str) -> Iterator[ToolResult]:
    """The results of the calls of ``tool``, the latest first."""
    return (step.result for step in reversed(steps) if step.tool == tool and step.result is not None)
