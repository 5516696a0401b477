"""A kitchen is one file: a user's own plays, trains and is scored by its path; an error says the line and what is wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import otherminds as om
from otherminds.core.errors import StudyError
from otherminds.core.scenario import scenario
from otherminds.gridworlds.cooking.rules import COOKING_ASYMMETRIC, SUBSTRATES, Rules, read_rules
from otherminds.gridworlds.grid.learner import substrate
from tests.cases import for_each

OWN = """
cooking = 8
map = \"\"\"
xx#C#xx
xxO PDx
xx#P #x
xxx#T#x
\"\"\"
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "corner.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_kitchen_of_a_users_own_is_played_scored_and_learned_in_by_its_path(tmp_path: Path) -> None:
    path = str(written(tmp_path, OWN))
    record = om.play(path, "cook", seed=1, options={"which": "0", "steps": 200})
    assert record.facts["deliveries"]
    assert om.score(record).returns == record.total("ego") == 20.0 * len(record.facts["deliveries"])
    assert substrate(path).name == "corner"
    envs = om.make(path, num_envs=2, partners=path)
    envs.reset(seed=0)
    assert envs.step(np.zeros(2, int))[1].shape == (2,)


def test_a_kitchen_for_two_has_melting_pots_stand_ins_unless_its_file_says_otherwise(tmp_path: Path) -> None:
    rules = read_rules(written(tmp_path, OWN))
    assert (rules.cooks, rules.scenarios) == (COOKING_ASYMMETRIC.cooks, COOKING_ASYMMETRIC.scenarios)
    built = scenario(str(tmp_path / "corner.toml"), {})
    assert not {"informed", "blind"} & built.minds.keys(), "nobody measured which roles are best there"


@for_each(
    ("change", "text"),
    [
        (("#C#", "#Z#"), "line 4: the map has 'Z' in column 4"),
        (("xxx#T#x", "xxx# #x"), "line 3: the map of corner is not enclosed: (4, 3) is open"),
        (("xxO PDx", "xxOxPDx"), "line 3: the map of corner is not enclosed: (3, 1) can be reached"),
        (("#C#", "###"), "line 3: no soup can be delivered: a pot, 'C', is missing or cannot be reached"),
        (("#T#", "###"), "line 3: no soup can be delivered: the place of delivery, 'T'"),
        (("xxO", "xx#"), "line 3: no soup can be delivered: a dispenser of tomatoes, 'O'"),
        (
            ("xx#C#xx\nxxO PDx", "xx#C#Dx\nxxO P#x"),
            "a dispenser of dishes, 'D', is missing or cannot be reached",
        ),
        (("cooking = 8", "cooking = 8\npay = nan"), "line 3: pay: a number is from -1,000,000"),
        (("cooking = 8", "cooking = 8\npay = -1e7"), "line 3: pay: a number is from -1,000,000"),
        (("xx#C#xx", "xx#C#xx" + "x" * 60), "line 3: the map has 67 x 4 cells; it may have 200 at most"),
        (("cooking = 8", "cooking = 8\nview = { forward = 40 }"), "line 3: the window has 5 x 42 cells"),
        (("cooking = 8", "cooking = 8\nplayers = 3"), "corner has 3 avatars and 2 spawn points"),
        (("cooking = 8", "cooking = 0"), "line 2: cooking"),
        (("cooking = 8", "cooking = 8\npots = 2"), "line 3: there is no key 'pots'"),
        (("cooking = 8", "cooking = 8\nbest = { blind = ['alone', 'alone'] }"), "line 3: best must have"),
        (("cooking = 8", "cooking = 8\ncooks = { noop_bot = { idle = 0.5 } }"), "noop_bot does nothing"),
    ],
)
def test_a_file_that_is_no_kitchen_is_refused_with_the_line(
    tmp_path: Path, change: tuple[str, str], text: str
) -> None:
    with pytest.raises(StudyError) as error:
        read_rules(written(tmp_path, OWN.replace(*change)))
    assert text in str(error.value)
    assert "\n" not in str(error.value)


def test_a_scenario_of_an_unknown_cook_or_with_nobody_else_is_refused(tmp_path: Path) -> None:
    for entry, text in (
        ('cooks = ["chef_9"]', "there is no cook 'chef_9'"),
        ('cooks = ["chef_0"]\nfocal = 2', "of 2 players at most 1 can be under test, not 2"),
    ):
        path = written(tmp_path, f'{OWN}[[scenarios]]\nare = "new"\n{entry}\n')
        with pytest.raises(StudyError, match=text):
            read_rules(path)


@for_each("rules", SUBSTRATES.values())
def test_void_cells_of_a_shipped_kitchen_are_never_floor(rules: Rules) -> None:
    void = {(x, y) for y, line in enumerate(rules.drawn) for x, char in enumerate(line) if char == "x"}
    assert not void & rules.floor
