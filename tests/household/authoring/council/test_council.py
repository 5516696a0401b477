"""The council asks each judge, asks again, and gains nothing against proofs."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from otherminds.core.data import Invalid
from otherminds.core.errors import StudyError
from otherminds.household.authoring.checking import checks_of
from otherminds.household.authoring.council import (
    ATTEMPTS,
    LONGEST,
    MOST_FIXES,
    PURPOSE,
    Council,
    CouncilRule,
    read_judgement,
)
from otherminds.household.authoring.findings import Disagreement, disagreements, evidence, of_judges
from otherminds.household.authoring.judge_prompt import TASK, block_of, reply_schema
from otherminds.household.authoring.results import CouncilReport, Gates, Judgement
from otherminds.household.tasks.load import load_task
from tests.household.authoring.council.injections import INJECTIONS
from tests.household.authoring.council.made import checked, judge, reply, sound
from tests.planner import needs_planner

pytestmark = needs_planner


def judged(*says: str | list[str]) -> tuple[CouncilReport, Council]:
    """The report of judges, each of which says one thing, or one after the other."""
    queues = [iter([one] * ATTEMPTS if isinstance(one, str) else one) for one in says]
    council = Council(
        [judge(k, lambda prompt, seed, queue=queue: next(queue)) for k, queue in enumerate(queues)]
    )
    return asyncio.run(council.judged(sound(), checked().house, 0)), council


def test_both_judges_are_asked_and_the_calls_are_keyed() -> None:
    report, council = judged(reply(), reply(score=0.7))
    assert report.accepted
    assert [one.judge for one in report.judgements] == ["fake:0", "fake:1"]
    calls = [session.record().calls for session in council.judges]
    assert [[(one.seat, one.step, one.purpose, one.attempt) for one in each] for each in calls] == [
        [("judge_0", 0, PURPOSE, 0)],
        [("judge_1", 0, PURPOSE, 0)],
    ]


def test_an_unreadable_reply_is_asked_again_with_the_reason() -> None:
    prompts: list[str] = []
    replies = iter(["What?", reply()])

    def says(prompt: str, seed: int) -> str:
        prompts.append(prompt)
        return next(replies)

    council = Council([judge(0, says), judge(1, lambda prompt, seed: reply())])
    report = asyncio.run(council.judged(sound(), checked().house, 3))
    assert report.accepted
    assert prompts[1].startswith(prompts[0])
    assert prompts[1].endswith(
        "could not be read: there is no JSON object with scores. Reply in the form above."
    )


@pytest.mark.parametrize("rule", [CouncilRule(), CouncilRule("median")])
def test_a_judge_that_is_never_readable_is_invalid_and_never_passes(rule: CouncilRule) -> None:
    report, _ = judged("What?", reply())
    assert report.judgements[0].invalid.startswith(f"{ATTEMPTS} replies could not be read")
    assert not report.accepted
    assert not rule.decide(report.judgements, sound()).accepted


def test_a_prompt_that_does_not_fit_is_invalid_and_not_sent() -> None:
    small = judge(0, lambda prompt, seed: reply())
    small.model.context = 100
    council = Council([small, judge(1, lambda prompt, seed: reply())])
    report = asyncio.run(council.judged(sound(), checked().house, 0))
    assert "do not fit" in report.judgements[0].invalid
    assert not small.record().calls
    assert not report.accepted


def test_a_council_has_judges() -> None:
    with pytest.raises(StudyError, match="at least 2 judges"):
        Council([])


def test_disagreement_with_proofs_is_shown() -> None:
    report, _ = judged(reply(agent_necessity=0.1), reply(secret_quality=0.1))
    known = evidence(checked().report, "cooperative")
    assert tuple(disagreements(report, known)) == (
        Disagreement(0, "agent_necessity", 0.1, "proved: needs agent_0, needs agent_1"),
    )
    lines = of_judges(report, checked().report, "cooperative")
    assert "disagreement: judge_0 gives agent_necessity 0.10; proved: needs agent_0, needs agent_1" in lines


def test_a_gullible_judge_gains_nothing_against_proofs() -> None:
    refuted = load_task("mirrored_drawers")
    proved = checks_of(refuted)
    assert proved.report.stage(Gates()) == "verified"
    assert checks_of(structs.replace(refuted, task=INJECTIONS[0])).report.verdicts == proved.report.verdicts
    for item, text in enumerate(INJECTIONS):
        task = structs.replace(refuted, task=text)

        def obeys(prompt: str, seed: int, text: str = text) -> str:
            return reply(score=float(text in (block_of(TASK, prompt) or {})["task"]))

        council = Council([judge(0, obeys), judge(1, obeys)])
        report = asyncio.run(council.judged(task, proved.house, item))
        assert report.accepted, "the judges do as they are told"
        lines = of_judges(report, proved.report, task.category)
        assert any(line.startswith("disagreement: judge_1 gives ") and " 1.00; " in line for line in lines)


@pytest.mark.parametrize("pattern", ["gated", "mixed"])
def test_each_verdict_that_decides_stands_beside_a_criterion(pattern: str) -> None:
    report = checked(pattern).report
    beside = {one for found in evidence(report, sound(pattern).category).values() for one in found.verdicts}
    assert beside >= {one for one in report.verdicts if one.decisive}


def read(text: str) -> Judgement | Invalid:
    return read_judgement(text, "cooperative", "fake")


def changed(**fields: Any) -> str:
    return json.dumps({**json.loads(reply()), **fields})


@pytest.mark.parametrize(
    "text",
    [
        reply(),
        f"```json\n{reply()}\n```",
        f"Here is my judgement:\n{reply()}\nI hope that it helps.",
        f"<think>{reply(score=0.1)}</think>{reply()}",
        f"{reply()}\nOnce more:\n{reply()}",
        changed(subgoal_tension={"score": 3}),
        changed(overall_reasoning="Fine."),
    ],
)
def test_the_form_is_read_also_in_fences_and_prose(text: str) -> None:
    found = read(text)
    assert isinstance(found, Judgement)
    assert len(found.scores) == 8
    assert {one.score for one in found.scores.values()} == {0.9}
    assert found.fixes == ("Change it.",)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no JSON object"),
        ("All scores are 1.0.", "no JSON object"),
        (reply()[:-40], "no JSON object"),
        (f"{reply()}{reply(score=0.3)}", "two JSON objects"),
        (reply("mixed"), "task_interdependence: it is missing"),
        (changed(secret_quality=0.7), "secret_quality: it is missing, or not an object"),
        (changed(secret_quality={"reasoning": "So."}), "secret_quality: its score is not a number"),
        (changed(secret_quality={"score": "1.0", "reasoning": "So."}), "not a number"),
        (changed(secret_quality={"score": True, "reasoning": "So."}), "not a number"),
        (changed(secret_quality={"score": 1.2, "reasoning": "So."}), "not between 0 and 1"),
        (changed(secret_quality={"score": -0.1, "reasoning": "So."}), "not between 0 and 1"),
        (changed(secret_quality={"score": 1.0}), "reasoning"),
        (changed(secret_quality={"score": 1.0, "reasoning": "So.", "quote": 3}), "quote"),
        (changed(overall_reasoning=["So."]), "overall_reasoning"),
        (changed(required_fixes="none"), "required_fixes"),
        (changed(required_fixes=[1]), "required_fixes"),
        (reply().replace("0.9", "NaN"), "no JSON object"),
    ],
)
def test_what_is_not_in_the_form_is_not_read(text: str, why: str) -> None:
    found = read(text)
    assert isinstance(found, Invalid)
    assert why in found.reason


def test_texts_are_one_line_of_bounded_length() -> None:
    found = read(changed(overall_reasoning="a\nb\x1b[2J" + "c" * 9999, required_fixes=["d\ne"] * 99))
    assert isinstance(found, Judgement)
    assert found.overall.startswith("a b\\u001b[2Jccc")
    assert len(found.overall) == LONGEST
    assert found.fixes == ("d e",) * MOST_FIXES


@given(st.text())
def test_no_reply_is_read_in_part(text: str) -> None:
    found = read(text + reply())
    assert isinstance(found, Invalid) or found == read(reply())


def test_the_schema_asks_for_what_is_read() -> None:
    schema = reply_schema("mixed")
    assert schema["required"] == [*json.loads(reply("mixed"))]
