"""Submitit: a run of jobs, here processes of this machine, of which one dies, has the records of a plain run."""

from pathlib import Path

import pytest

pytest.importorskip("submitit")

from otherminds.bridges import clusters
from otherminds.core.errors import StudyError
from otherminds.studies.executor import open_executor
from tests.bridges.clusters import Kills, same_as_here


def test_a_job_that_dies_changes_no_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "SIZE", 120)
    same_as_here(f"submitit:{tmp_path / 'jobs'}?timeout_min=5", tmp_path, Kills())
    assert len(list((tmp_path / "jobs").glob("*_submitted.pkl"))) == 3, (
        "two of 120 episodes, and one of them again"
    )


@pytest.mark.parametrize(
    ("where", "text"),
    [("", "needs a folder"), ("jobs?no_such_option=1", "cannot be opened: NameError: .*no_such_option")],
)
def test_a_wrong_place_is_named(
    where: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StudyError, match=text), open_executor(f"submitit:{where}", ()):
        pass
