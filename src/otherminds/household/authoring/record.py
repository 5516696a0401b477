"""The record of an attempt: what became of it, and each step to it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from otherminds.core.disk import read_file
from otherminds.core.errors import StudyError
from otherminds.core.record import SCHEMA, Timing
from otherminds.core.segments import read_line
from otherminds.household.authoring.journal import AttemptStep
from otherminds.household.authoring.pooling.lines import AttemptLine
from otherminds.household.authoring.results import Assignment, Gates, Spending, Stage

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
