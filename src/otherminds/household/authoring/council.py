"""The judge council: judges that score a task independently of one another, and the rule by which they accept it.

Two judges or more, each a session with a language model, score a task by eight criteria (:mod:`.judge_prompt`). By the rule
``paper`` the mean of each judge is at least .65 and no criterion is below .5 (Juneja et al. 2026, section 4.3). By ``median``
each criterion is met by more than half of the judges; a vote for it counts only with a quoted line that occurs in the task.
An invalid judgement meets nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any, Literal, TypeAlias, get_args

from msgspec import Struct

from otherminds.core.data import Invalid, Message
from otherminds.core.errors import StudyError
from otherminds.core.model import Decoding
from otherminds.core.text import plain, quote_name
from otherminds.household.authoring.judge_prompt import (
    format_json,
    judge_prompt,
    reply_schema,
    rubrics,
    task_data,
)
from otherminds.household.authoring.results import CouncilReport, Criterion, CriterionScore, Judgement
from otherminds.household.house import House
from otherminds.household.task import Category, Task
from otherminds.play.seat_context import side_by_side
from otherminds.replies.blocks import blocks
from otherminds.studies.outside import CallSession

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
                f"no rule of a council is called {quote_name(self.name)}; the rules are {', '.join(names)}"
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


ATTEMPTS = 3
"""Replies of a judge about one task before its judgement is invalid."""
MAX_TOKENS, MIN_TOKENS = 2048, 768
"""The longest reply, in tokens, and the room that a reply needs at least in a model's context."""
LEAST = 2
"""The judges that a council has at least."""
PURPOSE = "judgement"


class Council:
    """The judges, each a session with a model, and the name of the rule by which they accept.

    Raises:
        StudyError: there are fewer than two judges, or there is no such rule.
    """

    def __init__(self, judges: Sequence[CallSession], rule: str = "paper") -> None:
        if len(judges) < LEAST:
            raise StudyError(
                f"a council has at least {LEAST} judges, and this has {len(judges)}; name another"
            )
        self.judges, self.rule = tuple(judges), CouncilRule(rule)

    async def judged(self, task: Task, house: House | None, item: int) -> CouncilReport:
        """The judgements of ``task``, and whether the rule accepts it.

        ``item`` is the number of the judgement, from 0: the key of its calls. ``house`` is ``None`` for a task with faults.

        Raises:
            ProviderError: the service of a judge does not answer.
            BudgetSpentError: a limit is reached.
        """
        judgements = await side_by_side(judgement(judge, task, house, item) for judge in self.judges)
        return self.rule.decide(judgements, task)


async def judgement(judge: CallSession, task: Task, house: House | None, item: int) -> Judgement:
    """The judgement of one judge; ``invalid`` after :data:`ATTEMPTS` replies that cannot be read.

    Raises:
        ProviderError: the judge's service does not answer.
        BudgetSpentError: a limit is reached.
    """
    schema = reply_schema(task.category)
    name, why = judge.model.spec, ""
    for attempt in range(ATTEMPTS):
        prompt = judge_prompt(task, house, why)
        size = judge.model.count(prompt)
        if (room := judge.model.context - size) < MIN_TOKENS:
            why = f"a prompt of {size} tokens and its reply do not fit into {judge.model.context} tokens of context"
            return Judgement(name, invalid=why)
        decoding = Decoding(max_tokens=min(MAX_TOKENS, room), schema=schema)
        reply = await judge.context(item).generate((Message("user", prompt),), PURPOSE, decoding, attempt)
        outcome = read_judgement(reply.text, task.category, name)
        if isinstance(outcome, Judgement):
            return outcome
        why = outcome.reason
    return Judgement(name, invalid=f"{ATTEMPTS} replies could not be read; the last: {why}")


LONGEST = 500
"""Characters of a text in a reply that are kept."""
MOST_FIXES = 12
"""Required fixes that are kept."""


def read_judgement(reply: str, category: Category, judge: str) -> Judgement | Invalid:
    """The judgement in ``reply``, or why there is none: what is not wholly in the form is not read.

    The reply must have one JSON object with a score in [0, 1] and a reasoning for each criterion, and no other that differs.
    A quote may be missing. Objects that lack a criterion are not read, and keys that are not asked for are passed over.
    """
    criteria: list[Criterion] = [rubric.criterion for rubric in rubrics(category)]
    answers = [
        value for value in blocks(reply) if isinstance(value, dict) and not value.keys().isdisjoint(criteria)
    ]
    if not answers:
        return Invalid("there is no JSON object with scores", reply)
    if any(answer != answers[0] for answer in answers[1:]):
        return Invalid("there are two JSON objects with different scores", reply)
    scores: dict[Criterion, CriterionScore] = {}
    for criterion in criteria:
        score = _score(answers[0].get(criterion))
        if isinstance(score, str):
            return Invalid(f"{criterion}: {score}", reply)
        scores[criterion] = score
    overall, fixes = answers[0].get("overall_reasoning", ""), answers[0].get("required_fixes", [])
    if not isinstance(overall, str):
        return Invalid("overall_reasoning: it is not a text", reply)
    if not isinstance(fixes, list) or not all(isinstance(fix, str) for fix in fixes):
        return Invalid("required_fixes: it is not a list of texts", reply)
    return Judgement(judge, scores, _line(overall), tuple(map(_line, fixes[:MOST_FIXES])))


def _score(answer: Any) -> CriterionScore | str:
    """The score of one criterion, or what is wrong with it."""
    if not isinstance(answer, dict):
        return "it is missing, or not an object"
    score, reasoning, quote = answer.get("score"), answer.get("reasoning"), answer.get("quote", "")
    if isinstance(score, bool) or not isinstance(score, (int, float)):
        return "its score is not a number"
    if not 0 <= score <= 1:
        return "its score is not between 0 and 1"
    if not isinstance(reasoning, str) or not isinstance(quote, str):
        return "its reasoning or its quote is not a text"
    return CriterionScore(float(score), _line(reasoning), _line(quote))


def _line(text: str) -> str:
    """The text on one line that a terminal can show."""
    return plain(" ".join(text.split()))[:LONGEST]
