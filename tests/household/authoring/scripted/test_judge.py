"""The judge without a model: it speaks the form, knows what is proved, and errs at its rate."""

from __future__ import annotations

import asyncio
from itertools import chain

import pytest
from msgspec import structs

from otherminds.core.errors import StudyError
from otherminds.household.authoring.council import judgement
from otherminds.household.authoring.results import Judgement
from otherminds.household.authoring.scripted.models import open_judge
from otherminds.household.epistemic.formula import claims
from otherminds.household.epistemic.parse import parse
from otherminds.household.task import Task
from otherminds.models.registry import open_model
from otherminds.studies.outside import CallSession
from tests.household.authoring.council.made import checked, sound
from tests.planner import needs_planner

pytestmark = needs_planner


def judged(spec: str, task: Task, items: int = 1, seed: int = 0) -> list[Judgement]:
    session = CallSession("judge_0", open_model(spec), seed)

    async def each() -> list[Judgement]:
        return [await judgement(session, task, checked().house, item) for item in range(items)]

    return asyncio.run(each())


def test_it_scores_by_what_is_proved() -> None:
    (found,) = judged("scripted_judge", sound())
    assert {one.score for one in found.scores.values()} == {0.9}
    named = next(iter(claims(parse(sound().problem_pddl)))).fact.args[0]
    bad = structs.replace(sound(), task=f"Somebody has to move {named}.")
    (found,) = judged("scripted_judge:0", bad)
    assert [name for name, one in found.scores.items() if one.score < 0.5] == ["task_naturalness"]
    assert found.fixes[0].startswith(f"task: it names {named}")


def test_it_errs_at_its_rate_and_again_in_the_same_way() -> None:
    found = judged("scripted_judge:0.3", sound(), items=12, seed=3)
    wrong = [one.score < 0.5 for one in chain(*(judgement.scores.values() for judgement in found))]
    assert 0.2 < sum(wrong) / len(wrong) < 0.4
    assert judged("scripted_judge:0.3", sound(), items=12, seed=3) == found
    assert judged("scripted_judge:0.3", sound(), items=12, seed=1) != found


@pytest.mark.parametrize("rest", ["2", "-0.1", "often", "nan"])
def test_a_rate_is_a_probability(rest: str) -> None:
    with pytest.raises(StudyError, match="from 0 to 1"):
        open_judge(rest)
