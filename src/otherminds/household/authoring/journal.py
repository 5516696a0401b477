"""The steps of an attempt: what each turn did and got back, kept on disk as they are made.

A step that is in the journal is not made again when an attempt goes on or is replayed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from otherminds.core.data import Cause
from otherminds.core.disk import append_file, read_file
from otherminds.core.errors import StudyError
from otherminds.household.authoring.results import Judgement, Stage
from otherminds.household.pool.entry import digest


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


class Step(Struct, frozen=True, omit_defaults=True):
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


class _Line(Struct, frozen=True):
    step: Step
    seconds: float


class _Head(Struct, frozen=True):
    of: str
    shown: tuple[str, ...]


class Journal:
    """The steps of the attempt whose terms have the digest ``of``, in ``path``, one line each, on disk once added.

    ``shown`` are the ids of the seed tasks with which the attempt began: an attempt that goes on has those that it had,
    one without any step those that are given.

    Raises:
        StudyError: the file belongs to an attempt with other terms, is damaged, or cannot be read.
    """

    def __init__(self, path: Path, of: str, shown: tuple[str, ...]) -> None:
        self.steps: list[Step] = []
        self.seconds: list[float] = []
        self.shown = shown
        self._path = path
        lines = read_file(path).split(b"\n") if path.exists() else []
        if len(lines) < 2:
            self._begin(_Head(of, shown))
            return
        whole, torn = lines[:-1], lines[-1]
        try:
            head = msgspec.json.decode(whole[0], type=_Head)
            if head.of != of:
                raise StudyError(
                    f"{path}: an attempt with another assignment, author, sandbox or limits; choose another folder"
                )
            if len(whole) == 1:
                self._begin(_Head(of, shown))
                return
            self.shown = head.shown
            for line in map(_decoded, whole[1:]):
                self.steps.append(line.step)
                self.seconds.append(line.seconds)
        except msgspec.MsgspecError as error:
            raise StudyError(f"{path}: damaged ({error}); restore it, or begin in another folder") from None
        if torn:
            with path.open("r+b") as file:
                file.truncate(path.stat().st_size - len(torn))

    def add(self, step: Step, seconds: float) -> None:
        """Adds a finished step.

        Raises:
            StudyError: it cannot be written.
        """
        self._append(msgspec.json.encode(_Line(step, round(seconds, 6))))
        self.steps.append(step)
        self.seconds.append(seconds)

    def _begin(self, head: _Head) -> None:
        self._path.unlink(missing_ok=True)
        self._append(msgspec.json.encode(head))

    def _append(self, line: bytes) -> None:
        try:
            append_file(self._path, line + b"\n")
        except OSError as error:
            raise StudyError(
                f"{self._path}: cannot be written ({error.strerror}); make room, then give the command again"
            ) from error


def _decoded(line: bytes) -> _Line:
    return msgspec.json.decode(line, type=_Line)


def results(steps: list[Step], tool: str) -> Iterator[ToolResult]:
    """The results of the calls of ``tool``, the latest first."""
    return (step.result for step in reversed(steps) if step.tool == tool and step.result is not None)


def digest_of(text: str) -> str:
    """The SHA-256 of a task's text."""
    return digest(text.encode())
