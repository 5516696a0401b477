"""What the page about task files says is so."""

from __future__ import annotations

import json
import re
from pathlib import Path

import msgspec

from otherminds.household.calibrate import calibration_faults
from otherminds.household.epistemic.words import Statement
from otherminds.household.epistemic.words.sentences import read
from otherminds.household.house import House
from otherminds.household.mechanics.mechanic import mechanics
from otherminds.household.scenes.load import load_scene
from otherminds.household.task import Binding, Task
from otherminds.household.tasks.convert import OTHER_NAMES
from tests.cases import for_each
from tests.household.tasks.examining import examined

PAGE = (Path(__file__).parents[3] / "docs" / "household_tasks.md").read_text(encoding="utf-8")


def test_its_example_has_no_fault() -> None:
    found = re.search(r"```json\n(.*?)```", PAGE, re.DOTALL)
    assert found
    task, account = examined(json.loads(found[1]))
    assert (account.faults, account.missing, account.notes) == ((), (), ())
    assert calibration_faults(House(task, load_scene(task.scene_id))) == []
    assert (task.verified, task.calibration is None) == (True, False)


@for_each("name", [*Task.__struct_fields__, *Binding.__struct_fields__, *OTHER_NAMES, *mechanics])
def test_it_names_every_field_and_mechanic(name: str) -> None:
    assert f"`{name}`" in PAGE


def test_the_sentences_that_it_shows_are_understood() -> None:
    rows = PAGE.split("### Secrets")[1].split("## What is found")[0]
    shown = re.findall(r"`([^`]*\.)`", rows)
    assert len(shown) == 12
    statements: list[Statement] = [one for text in shown for one in read(text, you="agent_0")]
    assert len(statements) == len(shown)
    assert msgspec.json.encode(statements)
