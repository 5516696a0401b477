"""``otherminds tasks judge``: a task beside its proofs, and judges on planted faults."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from otherminds.household.authoring.planted import measuring
from otherminds.household.cli import judging
from tests.cli.running import otherminds
from tests.planner import needs_planner

pytestmark = needs_planner

SOUND, REFUTED = "nested_confirmation", "mirrored_drawers"
CONTENT = "scripted_judge,scripted_judge:0"


def test_without_judges_the_checks_decide() -> None:
    done = otherminds("tasks", "judge", SOUND)
    assert done.returncode == 0
    assert "Proved: solvable" in done.stdout
    assert otherminds("tasks", "judge", REFUTED).returncode == 1


def test_scores_stand_beside_proofs_and_all_is_kept(tmp_path: Path) -> None:
    done = otherminds("tasks", "judge", SOUND, "--judges", CONTENT, "--out", tmp_path / "out")
    assert done.returncode == 0
    assert "council: accepted" in done.stdout
    assert "  agent_necessity: proved" in done.stdout
    kept = json.loads((tmp_path / "out" / "report.json").read_bytes())
    assert [len(one["scores"]) for one in kept["council"]["judgements"]] == [8, 8]
    assert kept["disagreements"] == []


def test_judges_that_err_disagree_with_proofs_and_reject() -> None:
    done = otherminds("tasks", "judge", SOUND, "--judges", "scripted_judge:1,scripted_judge")
    assert done.returncode == 1
    assert "disagreement: judge_0 gives agent_necessity 0.20; proved: needs agent_0" in done.stdout


def test_a_refuted_task_is_rejected_though_judges_accept() -> None:
    done = otherminds("tasks", "judge", REFUTED, "--judges", "scripted:uniform,scripted:uniform")
    assert done.returncode == 3, "no reply can be read"
    assert "rejected by what is proved or found (verified), whatever judges say" in done.stdout


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "give either a task, or --planted"),
        ((SOUND, "--planted", "2"), "give either a task, or --planted"),
        (("no_such_task", "--judges", CONTENT), "neither a shipped task nor a file"),
        ((SOUND, "--judges", "scripted_judge"), "at least 2 judges"),
        (("--planted", "1"), "at least 2 judges"),
        ((SOUND, "--judges", CONTENT, "--rule", "mean"), "no rule of a council is called 'mean'"),
        ((SOUND, "--judges", "scripted_judge,no_such_model"), "no model is called"),
        ((SOUND, "--judges", "scripted_judge,scripted_judge:2"), "a number from 0 to 1"),
    ],
)
def test_a_wrong_argument_is_one_line(words: tuple[str, ...], says: str) -> None:
    done = otherminds("tasks", "judge", *words)
    assert done.returncode == 2
    assert says in done.stderr
    assert done.stderr.count("\n") == 1


def test_judges_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    def few(tasks):
        return [one for one in measuring.cases(tasks) if one[0] in ("", "other_story", "leaked_name")]

    monkeypatch.setattr(judging, "cases", few)
    done = otherminds("tasks", "judge", "--planted", "1", "--judges", CONTENT)
    assert done.returncode == 0
    for expected in (
        "leaked_name",
        "(sound)",
        "effective number of judges",
        "judge_1 (scripted_judge:0)",
    ):
        assert expected in done.stdout
