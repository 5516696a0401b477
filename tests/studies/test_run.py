"""Running and resuming a study."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from otherminds.core.errors import StudyError
from otherminds.core.locks import Lock
from otherminds.studies.plan import plan_file
from otherminds.studies.run import run
from otherminds.studies.run_dir import Ledger, results
from otherminds.studies.store import Store

if TYPE_CHECKING:
    from conftest import Heard

BROKEN = """
from otherminds.games.player import Player
from otherminds.minds.registry import minds

@minds.register("breaks_on_odd_seeds")
class Breaks(Player):
    def start(self, own, others):
        self.draws = self.context._seed
    def learn(self, own, other, reward): ...
    def choose(self):
        return [0][self.draws % 2]
    def predict(self):
        return 0
"""


def hashes(folder: Path) -> dict[str, str]:
    return {line.episode: line.hash for line in Store(folder).lines()}


def test_everything_planned_is_played_once(small: Path, tmp_path: Path, heard: Heard) -> None:
    plan = plan_file(small)
    run(plan, tmp_path / "out", heard)
    held, records = results(tmp_path / "out")
    played = list(records)
    assert held == plan
    assert {record.spec.hash for record in played} == {spec.hash for spec in plan.episodes}
    assert all(record.outcome.status == "scored" for record in played)
    assert len(heard.outcomes) == heard.planned == 24


def test_the_same_command_again_plays_nothing(small: Path, tmp_path: Path, heard: Heard) -> None:
    run(plan_file(small), tmp_path / "out", heard)
    before = (tmp_path / "out/records/00000.jsonl").read_bytes()
    heard.outcomes.clear()
    run(plan_file(small), tmp_path / "out", heard)
    assert heard.done == heard.planned == 24
    assert heard.outcomes == []
    assert (tmp_path / "out/records/00000.jsonl").read_bytes() == before


def test_what_was_torn_or_is_missing_is_played_again_alike(small: Path, tmp_path: Path, heard: Heard) -> None:
    run(plan_file(small), tmp_path / "out", heard)
    whole = hashes(tmp_path / "out")
    segment = tmp_path / "out/records/00000.jsonl"
    lines = segment.read_bytes().splitlines(keepends=True)
    segment.write_bytes(b"".join(lines[:10]) + lines[10][:50])
    (tmp_path / "out/ledger.sqlite").unlink()
    run(plan_file(small), tmp_path / "out", heard)
    assert any("incomplete last line" in said for said in heard.said)
    assert heard.done == 10
    assert hashes(tmp_path / "out") == whole


def test_more_episodes_extend_a_run(small: Path, tmp_path: Path, heard: Heard) -> None:
    run(plan_file(small), tmp_path / "out", heard)
    before = hashes(tmp_path / "out")
    small.write_text(small.read_text().replace("episodes = 6", "episodes = 8"))
    run(plan_file(small), tmp_path / "out", heard)
    after = hashes(tmp_path / "out")
    assert len(after) == 32
    assert before.items() <= after.items()


def test_the_folder_of_another_study_is_refused_and_left_alone(
    small: Path, tmp_path: Path, heard: Heard
) -> None:
    run(plan_file(small), tmp_path / "out", heard)
    before = hashes(tmp_path / "out")
    small.write_text(small.read_text().replace('"small"', '"other"'))
    with pytest.raises(StudyError, match="belongs to another study"):
        run(plan_file(small), tmp_path / "out", heard)
    assert hashes(tmp_path / "out") == before


def test_a_folder_with_something_else_is_refused(small: Path, tmp_path: Path, heard: Heard) -> None:
    with pytest.raises(StudyError, match="is not empty and holds no study"):
        run(plan_file(small), tmp_path, heard)


def test_two_runs_do_not_write_to_one_folder(small: Path, tmp_path: Path, heard: Heard) -> None:
    run(plan_file(small), tmp_path / "out", heard)
    lock = Lock(tmp_path / "out")
    with pytest.raises(StudyError, match="another run is writing"):
        run(plan_file(small), tmp_path / "out", heard)
    lock.release()
    run(plan_file(small), tmp_path / "out", heard)


def test_a_mind_that_breaks_fails_its_episode_and_no_other(tmp_path: Path, heard: Heard) -> None:
    (tmp_path / "broken.py").write_text(BROKEN)
    path = tmp_path / "study.toml"
    path.write_text(
        'name = "b"\nepisodes = 6\nrounds = 4\nplugins = ["broken.py"]\n'
        '[[cells]]\nscenarios = ["rps-single-v1"]\nminds = ["breaks_on_odd_seeds"]\n'
    )
    run(plan_file(path), tmp_path / "out", heard)
    played = list(results(tmp_path / "out")[1])
    status = {record.spec.seed: record.outcome.status for record in played}
    assert status == {0: "scored", 1: "failed", 2: "scored", 3: "failed", 4: "scored", 5: "failed"}
    failed = next(record for record in played if record.outcome.status == "failed")
    assert "IndexError" in failed.outcome.reason
    assert failed.outcome.blame == "ours"

    (tmp_path / "broken.py").write_text(BROKEN.replace("[0][self.draws % 2]", "0"))
    run(plan_file(path), tmp_path / "out", heard)
    assert heard.done == 6, "failed episodes count as done"
    run(plan_file(path), tmp_path / "out", heard, retry_failed=True)
    played = list(results(tmp_path / "out")[1])
    assert [record.outcome.status for record in played] == ["scored"] * 6


def test_the_ledger_says_what_the_records_say(small: Path, tmp_path: Path, heard: Heard) -> None:
    run(plan_file(small), tmp_path / "out", heard)
    ledger = Ledger(tmp_path / "out")
    assert ledger.counts() == {"scored": 24}
    ledger.close()
    db = sqlite3.connect(tmp_path / "out/ledger.sqlite")
    assert db.execute("SELECT COUNT(DISTINCT scenario) FROM episodes").fetchone() == (2,)
    db.close()


def test_a_folder_without_a_study_cannot_be_reported(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="holds no study"):
        results(tmp_path)


def test_a_damaged_ledger_is_made_anew(small: Path, tmp_path: Path, heard: Heard) -> None:
    run(plan_file(small), tmp_path / "out", heard)
    (tmp_path / "out/ledger.sqlite").write_text("damaged " * 1000)
    assert run(plan_file(small), tmp_path / "out", heard) == {"scored": 24}


def test_a_place_that_cannot_be_written_is_said(small: Path, tmp_path: Path, heard: Heard) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StudyError, match=r"file/out: cannot be written \(Not a directory\); choose another"):
        run(plan_file(small), tmp_path / "file/out", heard)


def test_a_run_that_was_killed_while_it_made_its_folder_goes_on(
    small: Path, tmp_path: Path, heard: Heard
) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/study.json.part").write_text("{")
    assert run(plan_file(small), tmp_path / "out", heard) == {"scored": 24}
