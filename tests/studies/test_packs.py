"""Prompt packs of a study: read from files beside it, and part of its identity by content."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from otherminds.core.errors import StudyError
from otherminds.core.record import Record
from otherminds.minds.language.wording import shipped_packs
from otherminds.studies.plan import ego, plan_file
from otherminds.studies.run import run
from otherminds.studies.run_dir import results
from tests.studies.conftest import Heard

STUDY = """
name = "packs"
episodes = 2
rounds = 2
[[cells]]
scenarios = ["ipd-single-v1"]
minds = [
    { mind = "qa", model = "scripted:first", params = { pack = "mine.toml" } },
    { mind = "qa", model = "scripted:first" },
]
"""


@pytest.fixture
def study(tmp_path: Path) -> Path:
    (tmp_path / "mine.toml").write_text(shipped_packs()["terse"].read_text())
    (tmp_path / "study.toml").write_text(STUDY)
    return tmp_path / "study.toml"


def _edit(study: Path) -> None:
    file = study.parent / "mine.toml"
    file.write_text(file.read_text().replace("Answer with", "Reply with"))


def test_episodes_contain_the_text_and_no_path(study: Path, tmp_path: Path) -> None:
    specs = plan_file(study).episodes
    assert {ego(spec).called.partition("#")[0] for spec in specs} == {
        "qa@scripted:first(pack=mine",
        "qa@scripted:first",
    }
    whole = msgspec.json.encode(tuple(specs)).decode()
    assert "one line only, exactly as shown:" in whole
    assert str(tmp_path) not in whole
    assert "mine.toml" not in whole


def test_another_folder_with_the_same_text_is_the_same_study(study: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for file in (study, study.parent / "mine.toml"):
        (elsewhere / file.name).write_text(file.read_text())
    assert plan_file(elsewhere / "study.toml").identity == plan_file(study).identity


def test_a_changed_file_is_another_mind(study: Path) -> None:
    before = plan_file(study)
    _edit(study)
    after = plan_file(study)
    assert after.identity != before.identity
    assert (
        len({spec.hash for spec in before.episodes} & {spec.hash for spec in after.episodes}) == 2
    )  # plain ones


def test_a_run_is_not_resumed_with_a_changed_file_and_needs_no_file_to_be_read(
    study: Path, tmp_path: Path, heard: Heard
) -> None:
    out = tmp_path / "out"
    run(plan_file(study), out, heard)
    _edit(study)
    with pytest.raises(StudyError):
        run(plan_file(study), out, heard)
    (study.parent / "mine.toml").unlink()
    _, records = results(out)
    played: list[Record] = list(records)
    assert len(played) == 4
    assert any("Answer with one line only" in call.added[0].content for one in played for call in one.calls)
    with pytest.raises(StudyError, match=r"cells\[0\].minds\[0\]: prompt pack 'mine.toml': there is no file"):
        plan_file(study)
