"""Every page of a replay is whole by itself, and lets no script run but its own."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import pytest

import otherminds as om
from otherminds import Record
from otherminds.gridworlds.replay.page import REPLAY, as_page
from otherminds.gridworlds.replay.scenes import GridReplay
from otherminds.household.acted_beliefs.replay import ENCOUNTERS, as_encounters_page
from otherminds.household.acted_beliefs.replayed import replay_encounters
from otherminds.household.reports.replay import HOUSEHOLD, HouseReplay, as_household_page
from otherminds.matrix.replay import MATRIX, as_matrix_page
from otherminds.reports.markup import AFTER, BEFORE, render
from otherminds.reports.replay.general import ROUNDS, as_rounds_page
from otherminds.wordgames.replay import WORD_GAMES, as_game_page, replay_game
from tests.reports.replay import reading


def encounters() -> Record:
    return om.play("acted_beliefs-tell-second-v1", "bayes", options={"encounters": 4})


def word_game() -> Record:
    return om.play("wavelength-giver-mixed-v1", "coin", options={"boards": 4})


@pytest.fixture(params=["replay", "household", "rounds", "matrix", "encounters", "word_game"])
def page(
    request: pytest.FixtureRequest, grid_replay: GridReplay, house_replay: HouseReplay, rounds: Record
) -> str:
    return {
        "replay": lambda: as_page(grid_replay),
        "household": lambda: as_household_page(house_replay),
        "rounds": lambda: as_rounds_page(rounds),
        "matrix": lambda: as_matrix_page(rounds),
        "encounters": lambda: as_encounters_page(replay_encounters(encounters())),
        "word_game": lambda: as_game_page(replay_game(word_game())),
    }[request.param]()


def test_it_is_whole_by_itself(page: str) -> None:
    read = reading.Reader(page)
    assert not {"link", "img", "iframe", "object"} & set(read.tags)
    assert not {"src", "href", "srcset"} & {name for name, _ in read.attributes}
    assert not re.findall(r"https?://|@import|fetch\(|XMLHttpRequest", page)


def test_no_script_runs_but_its_own(page: str) -> None:
    read = reading.Reader(page)
    (policy,) = [value for name, value in read.attributes if name == "content" and "default-src" in value]
    digest = b64encode(sha256(read.scripts[""].encode()).digest()).decode()
    assert policy.startswith("default-src 'none'")
    assert re.findall(r"script-src ([^;]*)", policy) == [f"'sha256-{digest}'"]
    assert not [name for name, _ in read.attributes if name.startswith("on")]
    assert not re.findall(r"outerHTML|insertAdjacentHTML|document\.write|\beval\(", read.scripts[""])


def test_every_script_but_one_is_data(page: str) -> None:
    read = reading.Reader(page)
    kinds = [value for name, value in read.attributes if name == "type" and value in ("text/plain", "module")]
    assert kinds.count("module") == 1
    assert len(kinds) == read.tags.count("script") == len(read.scripts)


def test_the_script_asks_for_no_element_that_is_not_there(page: str) -> None:
    assert {"story", "play", "step", "minds"} <= reading.asked(page) <= reading.Reader(page).names


def test_no_identifier_is_there_twice(page: str) -> None:
    names = [value for name, value in reading.Reader(page).attributes if name == "id"]
    assert len(names) == len(set(names))


def test_it_is_readable_in_light_and_in_dark(page: str) -> None:
    assert "prefers-color-scheme: dark" in page
    assert 'name="color-scheme" content="light dark"' in page


def test_every_part_of_a_script_has_its_page() -> None:
    package = Path(om.__file__).parent
    used = {
        *BEFORE,
        *AFTER,
        *REPLAY.script,
        *HOUSEHOLD.script,
        *ROUNDS.script,
        *MATRIX.script,
        *ENCOUNTERS.script,
        *WORD_GAMES.script,
    }
    own = {path.name for path in (package / "reports" / "replay" / "script").iterdir()}
    wings = {
        "gridworlds.replay:replay.js",
        "household.acted_beliefs:replay.js",
        "household.reports:script/replay.js",
        "matrix:replay.js",
        "wordgames:replay.js",
    }
    assert used == own | {f"otherminds.{part}" for part in wings}


def test_a_speed_that_is_not_among_the_choices_is_one_and_is_chosen() -> None:
    told = {"unit": "turn", "stop": "<b>", "speeds": [0.5, 1, 1.5, 2], "speed": 1.5}
    controls = render("replay/controls.html", told)
    read = reading.Reader(controls)
    assert [value for name, value in read.attributes if name == "value"] == ["0.5", "1", "1.5", "2"]
    assert re.findall(r"[\d.]+ turns? a second", read.text) == [
        "0.5 turns a second",
        "1 turn a second",
        "1.5 turns a second",
        "2 turns a second",
    ]
    assert [name for name, _ in read.attributes].count("selected") == 1
    assert '<option value="1.5" selected>' in controls
    assert "b" not in read.tags
