"""The labelled texts of the secret linter and its counts on them; for the test and ``benchmarks/secret_linter.py``.

``secrets_corpus.txt`` has a label (``good`` or ``bad``) and a secret in each line. ``descriptions_corpus.txt`` has a label
(``clean`` or ``leak``), the things of the task's goal and a public description; fields are separated by tabs. A leak is
a text from which the exact thing can be read: its name in any spelling of the number after the kind, alone or in a list or
range. Ordinals ("the fourth table") and other numbers are none. The even lines of a corpus are the development half: rules
may be mended by them. The odd lines are the held-out half.

``secrets_second.txt`` has more secrets in the form of ``secrets_corpus.txt``, by a second author who had not seen the rules.
It is a test set as a whole: no rule may be mended by it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from otherminds.household.authoring.secret_linter import lint_secret, secret_findings
from otherminds.household.task import Task

Half: TypeAlias = Literal["dev", "held out"]
HALVES: tuple[Half, Half] = ("dev", "held out")


class Counts(NamedTuple):
    """Texts rightly found, all found, all that had to be found, and the lines that were judged wrongly."""

    hits: int
    found: int
    faulty: int
    misses: tuple[str, ...]

    @property
    def precision(self) -> float:
        return self.hits / self.found

    @property
    def recall(self) -> float:
        return self.hits / self.faulty


def counted_secrets(half: Half) -> Counts:
    """The counts of ``lint_secret`` on half of the secrets."""
    return _judged_secrets(_lines("secrets_corpus.txt", half))


def counted_second_secrets() -> Counts:
    """The counts of ``lint_secret`` on all secrets of the second author."""
    return _judged_secrets(_file("secrets_second.txt"))


def counted_descriptions(half: Half) -> Counts:
    """The counts of ``secret_findings`` on half of the descriptions, each in a task without secrets."""
    lines = _lines("descriptions_corpus.txt", half)
    return _counts([(line, line.startswith("leak"), bool(secret_findings(_task(line)))) for line in lines])


def _lines(name: str, half: Half) -> list[str]:
    """The lines of a half; the first line of a file is odd."""
    return _file(name)[HALVES[::-1].index(half) :: 2]


def _file(name: str) -> list[str]:
    return Path(__file__).with_name(name).read_text("utf-8").splitlines()


def _judged_secrets(lines: list[str]) -> Counts:
    return _counts([(line, line.startswith("bad"), bool(lint_secret(line.split("\t")[1]))) for line in lines])


def _task(line: str) -> Task:
    _, things, text = line.split("\t")
    goal = " ".join(f"(is_closed {thing})" for thing in things.split(","))
    return Task(task_id="described", task=text, scene_id="small", num_agents=2, problem_pddl=f"(and {goal})")


def _counts(judged: list[tuple[str, bool, bool]]) -> Counts:
    return Counts(
        sum(faulty and found for _, faulty, found in judged),
        sum(found for _, _, found in judged),
        sum(faulty for _, faulty, _ in judged),
        tuple(line for line, faulty, found in judged if faulty != found),
    )
