"""Tasks and judges for tests of the council."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache

from otherminds.core.data import Message
from otherminds.household.authoring.checking import CheckedTask, checks_of
from otherminds.household.authoring.judge_prompt import rubrics
from otherminds.household.pool.store import pool_called
from otherminds.household.task import Category, Task
from otherminds.models.scripted import ScriptedModel
from otherminds.studies.outside import CallSession


@cache
def sound(pattern: str = "gated") -> Task:
    """The first task of a pattern in the split dev, which is proved."""
    return next(one.task for one in pool_called("dev") if one.entry.pattern == pattern)


@cache
def checked(pattern: str = "gated") -> CheckedTask:
    return checks_of(sound(pattern))


def reply(category: Category = "cooperative", score: float = 0.9, quote: str = "", **scores: float) -> str:
    """A reply that gives ``score``, or the one that is named."""
    found = {
        one.criterion: {"score": scores.get(one.criterion, score), "reasoning": "So.", "quote": quote}
        for one in rubrics(category)
    }
    return json.dumps({**found, "overall_reasoning": "Well.", "required_fixes": ["Change it."]})


def judge(number: int, says: Callable[[str, int], str]) -> CallSession:
    """A judge that replies ``says(prompt, seed)``."""

    def model(messages: Sequence[Message], decoding: object) -> str:
        return says(messages[-1].content, getattr(decoding, "seed", 0))

    return CallSession(f"judge_{number}", ScriptedModel(model, spec=f"fake:{number}"))
