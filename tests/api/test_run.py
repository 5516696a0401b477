"""Many episodes in one line."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

import otherminds as om
from otherminds.core.record import Outcome
from otherminds.studies.plan import plan_file
from otherminds.studies.progress import ShownProgress
from otherminds.studies.run_dir import results

Cells = list[dict[str, Any]]


def test_cells_are_run_reported_and_resumed(
    cells: Cells, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = om.run(cells, tmp_path / "out")
    assert [(row["scenario"], row["mind"], row["planned"], row["scored"]) for row in rows] == [
        ("rps-mixed-v1", "rmax", 6, 6),
        ("rps-mixed-v1", "qa@scripted:first", 6, 6),
        ("ipd-tit_for_tat-v1", "rmax", 6, 6),
        ("ipd-tit_for_tat-v1", "qa@scripted:first", 6, 6),
    ]
    assert rows == om.report(tmp_path / "out")
    assert "24/24 episodes" in capsys.readouterr().err
    before = [record.hash for record in results(tmp_path / "out")[1]]

    async def again() -> None:
        assert om.run(cells, tmp_path / "out") == rows
        assert await om.arun(cells, tmp_path / "out") == rows

    asyncio.run(again())
    assert "24 of 24 episodes are recorded already" in capsys.readouterr().err
    assert [record.hash for record in results(tmp_path / "out")[1]] == before


def test_a_study_file_and_a_whole_study_in_python_are_one(tmp_path: Path) -> None:
    study = {
        "name": "small",
        "cells": [{"scenarios": ["rps-single-v1"], "minds": ["nash"], "episodes": 3, "rounds": 4}],
    }
    file = tmp_path / "small.toml"
    file.write_text(
        'name = "small"\n[[cells]]\nscenarios = ["rps-single-v1"]\nminds = ["nash"]\nepisodes = 3\nrounds = 4\n'
    )
    rows = om.run(study, tmp_path / "out")
    assert om.run(file, tmp_path / "out") == rows
    assert plan_file(file).identity == results(tmp_path / "out")[0].identity


def test_models_and_lengths_are_filled_in(tmp_path: Path) -> None:
    study = [{"scenarios": ["ipd-single-v1"], "minds": ["qa@MODEL"]}]
    (row,) = om.run(study, tmp_path / "out", models="scripted:first", episodes=2, rounds=3)
    assert (row["mind"], row["planned"], row["calls"]) == ("qa@scripted:first", 2, 2 * 3 * 2)
    with pytest.raises(om.StudyError, match="needs a model"):
        om.run(study, tmp_path / "other")


@pytest.mark.parametrize(
    ("study", "text"),
    [
        (
            [{"scenarios": ["rps-mixd-v1"], "minds": ["rmax"]}],
            r"cells\[0\].scenarios\[0\]: .*did you mean rps-mixed",
        ),
        ([{"scenarios": ["rps-mixed-v1"]}], r"cells\[0\].minds: field required"),
        ("no-such-study", "no such study file"),
    ],
)
def test_a_wrong_study_is_refused_before_anything_runs(study: Any, text: str, tmp_path: Path) -> None:
    with pytest.raises(om.StudyError, match=text):
        om.run(study, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("widgets", [True, False])
def test_a_notebook_has_a_bar_if_it_can_show_one(widgets: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    progress = ShownProgress()
    progress._console.is_jupyter = True
    monkeypatch.setattr("otherminds.studies.progress.find_spec", lambda name: object() if widgets else None)
    assert progress._has_bar() is widgets


def test_a_run_that_is_cancelled_stops_after_the_next_episode(cells: Cells, tmp_path: Path) -> None:
    progress = ShownProgress()
    progress.start(2, 0, 0)
    spec = om.play("ipd-single-v1", "nash", options={"rounds": 2}).spec
    progress.advance(spec, Outcome())
    progress.stopped = True
    with pytest.raises(KeyboardInterrupt):
        progress.advance(spec, Outcome())
    progress.close()

    async def cancelled() -> None:
        task = asyncio.create_task(om.arun(cells, tmp_path / "out"))
        await asyncio.sleep(0.05)
        task.cancel()
        await task

    with pytest.raises((asyncio.CancelledError, KeyboardInterrupt)):
        asyncio.run(cancelled())
    rows = om.run(cells, tmp_path / "out")
    assert all(row["missing"] == 0 for row in rows)
