"""A judge without a language model: it reads the task out of its prompt and scores it by linter and verdicts.

Each criterion is turned into its opposite with a stated probability, by the seed of the call, so that two judges err
independently of each other. Where no check says anything about a criterion, the judge is content.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import msgspec

from otherminds.core.data import Message
from otherminds.core.model import Decoding, Model
from otherminds.core.seeds import stream
from otherminds.household.authoring.checking import checks_of
from otherminds.household.authoring.council.beside import Evidence, evidence
from otherminds.household.authoring.council.criteria import rubrics
from otherminds.household.authoring.council.prompt import TASK
from otherminds.household.authoring.council.quoting import block_of
from otherminds.household.authoring.scripted import read_rate
from otherminds.household.task import Task
from otherminds.models.scripted import ScriptedModel

GOOD, BAD = 0.9, 0.2
"""The scores that it gives."""
WORDS = 14
"""Words of a reasoning: fewer than 15, as the prompt asks."""


def open_judge(argument: str) -> Model:
    """The judge ``scripted_judge:RATE``; the rate is 0 without one.

    >>> open_judge("0.1").spec
    'scripted_judge:0.1'

    Raises:
        StudyError: ``argument`` is not a number from 0 to 1.
    """
    rate = read_rate("scripted_judge", argument)

    def reply(messages: Sequence[Message], decoding: Decoding) -> str:
        data = block_of(TASK, messages[-1].content)
        if data is None:
            return "There is no task to judge."
        return _judge_task(msgspec.convert(data, Task), rate, decoding.seed)

    return ScriptedModel(reply, spec=f"scripted_judge:{argument}" if argument else "scripted_judge")


def _judge_task(task: Task, rate: float, seed: int) -> str:
    evidence_by_criterion = evidence(checks_of(task).report, task.category)
    scores: dict[str, object] = {}
    for rubric in rubrics(task.category):
        beside = evidence_by_criterion[rubric.criterion]
        wrong = stream(seed, "judge", rubric.criterion).random() < rate
        good = beside.holds != wrong
        scores[rubric.criterion] = {
            "score": GOOD if good else BAD,
            "reasoning": _reason(beside, good),
            "quote": _line(task, rubric.places),
        }
    fixes = [text for proof in evidence_by_criterion.values() for text in proof.against]
    overall = "The checks find nothing." if not fixes else "The checks contradict it."
    return json.dumps({**scores, "overall_reasoning": overall, "required_fixes": fixes})


def _reason(beside: Evidence, good: bool) -> str:
    if good == beside.holds:
        text = "; ".join(beside.against) or "no check contradicts it"
    else:
        text = "it seems to be met" if good else "it does not seem to be met"
    return " ".join(text.split()[:WORDS])


def _line(task: Task, places: tuple[str, ...]) -> str:
    """A text of the task for a criterion about ``places``: a secret, the description, or the formal goal."""
    secrets = [text for texts in task.agent_secrets.values() for text in texts]
    if "agent_secrets" in places and secrets:
        return secrets[0]
    return task.task if "task" in places else task.problem_pddl
