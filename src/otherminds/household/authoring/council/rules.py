"""When a council accepts a task.

``paper``: for each judge the mean is at least .65 and no criterion is below .5 (Juneja et al. 2026, section 4.3). ``median``:
each criterion is met by more than half of the judges; a vote for it counts only with a quoted line that occurs in the task.
An invalid judgement meets nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median
from typing import Literal, TypeAlias, get_args

from msgspec import Struct

from otherminds.core.errors import StudyError
from otherminds.core.near import quoted
from otherminds.household.authoring.council.prompt import task_data
from otherminds.household.authoring.council.quoting import format_json
from otherminds.household.authoring.results import CouncilReport, Criterion, CriterionScore, Judgement
from otherminds.household.task import Task

RuleName: TypeAlias = Literal["paper", "median"]
MEAN, FLOOR = 0.65, 0.5
"""The least mean of a judge, and the least score of a criterion."""
SHORTEST = 8
"""Characters that a quote has at least: fewer occur in most tasks."""


class CouncilRule(Struct, frozen=True):
    """A rule by its name.

    Raises:
        StudyError: there is no such rule.
    """

    name: str = "paper"

    def __post_init__(self) -> None:
        if self.name not in (names := get_args(RuleName)):
            raise StudyError(
                f"no rule of a council is called {quoted(self.name)}; the rules are {', '.join(names)}"
            )

    def decide(self, judgements: Sequence[Judgement], task: Task) -> CouncilReport:
        """The report of ``judgements`` about ``task``; it is not accepted without judgements."""
        lacking = self._paper(judgements) if self.name == "paper" else self._median(judgements, task)
        why = tuple(lacking) if judgements else ("there is no judgement",)
        return CouncilReport(tuple(judgements), not why, why)

    def _paper(self, judgements: Sequence[Judgement]) -> Iterator[str]:
        for number, judgement in enumerate(judgements):
            name = f"judge_{number}"
            if judgement.invalid:
                yield f"{name}: no judgement: {judgement.invalid}"
                continue
            for criterion, score in judgement.scores.items():
                if not meets_criterion(score):
                    yield f"{name}: {criterion} {score.score:.2f} is below {FLOOR}: {score.reasoning}"
            if judgement.mean < MEAN:
                yield f"{name}: the mean {judgement.mean:.2f} is below {MEAN}"

    def _median(self, judgements: Sequence[Judgement], task: Task) -> Iterator[str]:
        text = gather_quotable_text(task)
        criteria: dict[Criterion, None] = {
            name: None for judgement in judgements for name in judgement.scores
        }
        for criterion in criteria:
            votes = [self._vote(judgement, criterion, text) for judgement in judgements]
            if median(votes) <= 0.5:
                yield f"{criterion}: {sum(votes)} of {len(votes)} judges say that it is met, with a line of the task"
        if all(judgement.invalid for judgement in judgements):
            yield "all judgements are invalid"

    def _vote(self, judgement: Judgement, criterion: Criterion, text: str) -> bool:
        score = judgement.scores.get(criterion)
        return score is not None and meets_criterion(score) and occurs(score.quote, text)


def meets_criterion(score: CriterionScore) -> bool:
    """Whether a score meets its criterion."""
    return score.score >= FLOOR


def occurs(quote: str, text: str) -> bool:
    """Whether a quote of at least :data:`SHORTEST` characters occurs in ``text``, up to blanks and marks around it.

    >>> occurs(" You  cannot enter kitchen_1.", "You cannot enter kitchen_1. You can send 2 messages.")
    True
    >>> occurs("kitchen", "You cannot enter kitchen_1.")
    False
    """
    plain = " ".join(quote.split()).strip(" ,\"'")
    return len(plain) >= SHORTEST and plain in text


def gather_quotable_text(task: Task) -> str:
    """The lines that a judge is shown, and all texts of the task without escapes, with single blanks."""
    data = task_data(task)
    return " ".join(" ".join([format_json(data), *_texts(data)]).split())


def _texts(data: object) -> Iterator[str]:
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict):
        for value in data.values():
            yield from _texts(value)
    elif isinstance(data, (list, tuple)):
        for value in data:
            yield from _texts(value)
