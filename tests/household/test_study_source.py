"""Household tasks stand where a study is expected: by file, folder, pool and name."""

from __future__ import annotations

from pathlib import Path

import pytest

from otherminds.core.errors import TaskError
from otherminds.household.scenarios import named
from otherminds.household.study_source import HouseholdTasks
from otherminds.studies.file import SourceClaim, read_tasks, study_of_tasks
from tests.cases import for_each

NAME = "one_shot_relay"
SOURCE = HouseholdTasks()


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_shipped_tasks_name_is_played_as_its_own_scenario(here: Path) -> None:
    assert study_of_tasks(Path(NAME), ["random"]) is not None
    expected = [(NAME, named(NAME), {})]
    assert SOURCE.scenarios_of(Path(NAME)) == read_tasks(Path(NAME), here) == expected
    assert study_of_tasks(Path("demo"), ["random"]) is None
    assert study_of_tasks(Path("somewhere") / NAME, ["random"]) is None
    Path(NAME).write_text('name = "a study of that name"')
    assert study_of_tasks(Path(NAME), ["random"]) is None


@for_each(
    ("name", "claim"),
    [
        (NAME, SourceClaim.SURE),
        ("mine.json", SourceClaim.SURE),
        ("mine.jsonl.gz", SourceClaim.SURE),
        ("pool", SourceClaim.SURE),
        ("folder", SourceClaim.POSSIBLE),
        ("study.toml", SourceClaim.NONE),
        ("folder/one_shot_relay", SourceClaim.NONE),
        ("nothing", SourceClaim.NONE),
    ],
)
def test_a_folder_is_claimed_less_surely_than_what_only_the_household_has(
    name: str, claim: SourceClaim, here: Path
) -> None:
    for folder in ("pool", "folder"):
        (here / folder).mkdir(exist_ok=True)
    (here / "pool" / "pool.json").write_text("{}")
    assert SOURCE.claim(Path(name), Path()) == SOURCE.claim(Path(name), here) == claim


def test_an_entry_of_tasks_that_is_nothing_is_refused_with_the_names_that_there_are(here: Path) -> None:
    with pytest.raises(TaskError, match=f"no task file there.*{NAME}"):
        read_tasks(Path("one_shot_rely"), here)
