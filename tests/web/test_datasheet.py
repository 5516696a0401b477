"""The data sheet says what the study and the protocol say, and marks what they cannot know."""

from __future__ import annotations

import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

from otherminds.studies.file import check_study
from otherminds.studies.plan import plan
from otherminds.web.datasheet import FILL, write_datasheet
from otherminds.web.protocol import Protocol
from tests.cases import for_each

BASE: dict[str, Any] = {"consent": "May we?", "seconds": 60}


def make_sheet(protocol: dict[str, Any], *minds: Any) -> str:
    """The sheet without its first lines, whose hash is another one for every protocol."""
    cell = {"scenarios": ["rps-mixed-v1"], "minds": list(minds) or [{"mind": "chat", "model": "person:ann"}]}
    study = check_study({"name": "sheet", "episodes": 2, "rounds": 3, "cells": [cell]})
    return write_datasheet(plan(study, Path()), Protocol.model_validate(protocol)).partition("\n## ")[2]


CHECK = {"text": "Choose green.", "options": ["red", "green"], "answer": "green"}
CHANGES: list[tuple[dict[str, Any], str]] = [
    ({"consent": "Will you?"}, sha256(b"Will you?").hexdigest()),
    ({"instructions": "Play well."}, "> Play well."),
    ({"questions": [CHECK]}, "Choose green."),
    ({"questions": [CHECK], "attempts": 7}, "7 answers"),
    ({"attention": [CHECK | {"episode": 2, "round": 5}]}, "(episode 2, round 5)"),
    ({"attention": [CHECK], "attention_failures": 4}, "more than 4 wrong answers"),
    ({"seconds": 17}, "at most 17 s"),
    ({"arrival_seconds": 555}, "within 555 s"),
    ({"total_seconds": 777}, "at most 777 s"),
    ({"missed": 9}, "9 turns in a row"),
    ({"drop_out": "wait", "wait_seconds": 77}, "wait for 77 s more"),
    ({"drop_out": "automaton", "automaton": "scripted:uniform"}, "`scripted:uniform` plays on"),
    (
        {"bonus": {"per_point": 0.25, "at_most": 5, "currency": "EUR"}},
        "0.25 EUR for each point of scored episodes, from 0 to 5.00 EUR",
    ),
    ({"join": {"parameter": "PROLIFIC_PID"}}, "PROLIFIC_PID"),
    ({"debrief": "It was a program."}, "> It was a program."),
]


@for_each(("change", "sentence"), CHANGES)
def test_each_key_that_matters_to_people_is_in_the_sheet(change: dict[str, Any], sentence: str) -> None:
    assert sentence not in make_sheet(BASE)
    assert sentence in make_sheet(BASE | change)


def test_every_key_of_a_protocol_is_in_the_sheet_or_is_a_code() -> None:
    told = {key for change, _ in CHANGES for key in change}
    assert Protocol.model_fields.keys() - told == {"no_consent", "code", "screened_code"}


def test_a_model_of_a_provider_that_plays_with_people_is_named_as_who_receives_it() -> None:
    alone = make_sheet(
        BASE,
        {"mind": "chat", "model": "person:ann"},
        {"mind": "chat", "model": "openai:m@http://127.0.0.1:9/v1"},
    )
    assert "No service outside" in alone  # a cell of its own: it never meets a person
    together = make_sheet(
        BASE,
        {"ego": "chat@person:ann", "partner_0": "chat@openai:m@http://127.0.0.1:9/v1"},
    )
    assert "is sent to" in together
    assert "openai:m is asked at http://127.0.0.1:9" in together


def test_a_study_without_consent_is_said_to_be_a_trial() -> None:
    assert "trial among colleagues" in make_sheet({"no_consent": True})


def test_the_command_prints_the_sheet_of_the_example_and_refuses_a_study_without_people(
    tmp_path: Path,
) -> None:
    def call(study: str | Path) -> subprocess.CompletedProcess[str]:
        words = ["people", "datasheet", str(study), "--protocol", "examples/people_protocol.toml"]
        return subprocess.run(
            [sys.executable, "-m", "otherminds", *words], capture_output=True, text=True, check=False
        )

    done = call("examples/people.toml")
    assert done.returncode == 0
    assert done.stdout.startswith("# Data sheet: people\n")
    assert done.stdout.count(FILL) == 5
    (tmp_path / "x.toml").write_text(
        'name = "x"\n[[cells]]\nscenarios = ["rps-mixed-v1"]\nminds = ["uniform"]\n', "utf-8"
    )
    assert "has no people" in call(tmp_path / "x.toml").stderr
