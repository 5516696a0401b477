"""A study whose model says nothing says so first, and ends with an exit code of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from otherminds.studies.run_dir import results
from tests.cases import thinned
from tests.cli.running import otherminds
from tests.models import serving
from tests.models.providers import replied

STUDY = """
name = "silent"
episodes = 2
rounds = 2
[[cells]]
scenarios = ["ipd-tit_for_tat-v1"]
minds = ["qa@MODEL", "rmax"]
"""
HOUSEHOLD = """
name = "silent"
episodes = 1
[[cells]]
scenarios = ["household-one_shot_relay-v1"]
options = { turns = 2 }
minds = ["tool_loop@MODEL"]
"""
CAUSES: dict[str, tuple[dict[str, Any], str, str]] = {
    "empty": ({"text": " \n"}, "is empty", "invalid 2"),
    "reasoning alone": ({"text": "", "reasoning_content": "Hm."}, "is empty", "invalid 2"),
    "refused": ({"text": "", "finish": "refusal"}, "is a refusal of the model", "refused 2"),
    "refused in words": ({"text": None, "refusal": "I cannot."}, "is a refusal of the model", "refused 2"),
    "filtered": ({"text": "", "finish": "content_filter"}, "was removed by a content filter", "filtered 2"),
    "cut": ({"text": "I think that", "finish": "length"}, "was cut at its limit of tokens", "cut 2"),
    "cut in thought": (
        {"text": "<think>F or", "finish": "length"},
        "was cut at its limit of tokens",
        "cut 2",
    ),
}


def ran(tmp_path: Path, answer: serving.Answer, study: str = STUDY) -> Any:
    (tmp_path / "study.toml").write_text(study)
    with serving.serving(answer) as local:
        model = f"openai:toy@{local.url}?context=9000"
        return otherminds("run", tmp_path / "study.toml", "--out", tmp_path / "out", "--model", model)


@pytest.mark.parametrize("cause", CAUSES)
def test_a_study_that_was_told_nothing_says_why_and_ends_with_code_3(cause: str, tmp_path: Path) -> None:
    fields, words, counted = CAUSES[cause]
    done = ran(tmp_path, lambda asked: replied(**fields))
    assert done.returncode == 3
    head, _, rest = " ".join(done.stdout.split()).partition("The scores of this model say nothing about it.")
    assert "Every reply of openai:toy (" in head
    assert words in head
    assert counted in rest.partition("mind ")[0], "what was lost comes before any table"
    assert len(head) < 400 < len(rest), "it is said before any score"
    assert words in done.stderr.splitlines()[-1]
    (said,) = json.loads(otherminds("report", tmp_path / "out", "--json").stdout)["silent"]
    assert words in said


def test_where_a_world_goes_on_without_an_answer_it_is_said_too(tmp_path: Path) -> None:
    done = ran(tmp_path, lambda asked: replied(""), HOUSEHOLD)
    assert done.returncode == 3, done.stderr
    assert {record.outcome.status for record in results(tmp_path / "out")[1]} == {"scored"}
    assert "is empty" in done.stderr


@pytest.mark.slow
def test_an_evaluation_of_a_silent_model_ends_with_code_3(tmp_path: Path) -> None:
    with serving.serving(lambda asked: replied("", "content_filter")) as local:
        model = f"openai:toy@{local.url}?context=9000"
        done = otherminds(
            "evaluate", model, "--suite", "matrix", "--size", "quick", "--out", tmp_path / "out"
        )
    assert done.returncode == 3, done.stderr
    first, *_, line = done.stdout.splitlines()
    assert "was removed by a content filter" in first
    assert json.loads(line)["silent"] == [first]


def test_one_answer_is_an_answer(tmp_path: Path) -> None:
    said = iter(["A: Option J"])
    done = ran(tmp_path, lambda asked: replied(next(said, "")))
    assert done.returncode == 0, done.stderr
    assert "say nothing about it" not in done.stdout + done.stderr


UNREAD: dict[str, str] = {
    "chatter": "I like turtles.",
    "a question": "Could you tell me more about the other player?",
    "another script": "¯\\_(ツ)_/¯",
    "two lines": "Hm.\nHm.",
}


@pytest.mark.parametrize("study", [STUDY, HOUSEHOLD], ids=["matrix", "household"])
@pytest.mark.parametrize("words", thinned(UNREAD, 2))
def test_a_study_of_which_no_reply_is_read_quotes_the_first_and_ends_with_code_3(
    words: str, study: str, tmp_path: Path
) -> None:
    done = ran(tmp_path, lambda asked: replied(UNREAD[words]), study)
    assert done.returncode == 3
    head = " ".join(done.stdout.split())
    assert "No reply of openai:toy (" in head
    assert "could be read as an answer" in head
    assert f'Its first unread reply: "{" ".join(UNREAD[words].split())}"' in head


def test_one_reply_that_is_read_among_many_is_scored_with_code_0(tmp_path: Path) -> None:
    asked_before: list[int] = []

    def answer(asked: Any) -> serving.Reply:
        asked_before.append(1)
        return replied("A: Option J" if len(asked_before) < 9 else "I like turtles.")

    assert ran(tmp_path, answer).returncode == 0


MANY = STUDY.replace("episodes = 2", "episodes = 40").replace('"qa@MODEL"', '"qa@MODEL", "cot@MODEL"')


def test_a_mind_of_which_no_reply_is_read_is_stopped_and_goes_on_when_the_run_is_resumed(
    tmp_path: Path,
) -> None:
    done = ran(tmp_path, lambda asked: replied("I like turtles."), MANY)
    assert done.returncode == 3
    assert done.stderr.count(" is stopped: none of its ") == 2
    assert 'the first: "I like turtles."' in done.stderr
    first = {one.spec.hash for one in results(tmp_path / "out")[1]}
    asked = len(first) - 40
    assert 24 <= asked < 80
    again = ran(tmp_path, lambda asked: replied("A: Option J"), MANY)
    assert again.returncode == 0
    records = list(results(tmp_path / "out")[1])
    assert len(records) == 120
    assert first < {one.spec.hash for one in records}
