"""Targets: reference teams by the entries of tasks, minds with models by a study, which resumes."""

from __future__ import annotations

import pytest

from otherminds.core.errors import StudyError
from otherminds.household.authoring.targets import checked_target, model_results, team_results
from otherminds.household.pool.splits import load_split
from otherminds.models.hosts import Hosts
from otherminds.studies.access import Limits
from otherminds.studies.progress import ShownProgress

TASKS = tuple(load_split("dev").values())[:2]


@pytest.mark.parametrize("target", ["levle 2", "tool_loop", "tool_loop@"])
def test_what_is_no_target_is_refused(target):
    with pytest.raises(StudyError, match="a target is a team"):
        checked_target(target)


def test_a_model_alone_plays_with_tools():
    assert checked_target("openai:m@http://127.0.0.1:1/v1") == "tool_loop@openai:m@http://127.0.0.1:1/v1"


def test_teams_have_the_runs_of_the_entries():
    results = team_results(TASKS, "level 2")
    assert [one.run for one in results] == [0, 1, 2] * 2
    solved = {one.entry.task_id: one.entry.levels["level 2"] for one in TASKS}
    assert {
        one: sum(result.solved for result in results if result.task_id == one) for one in solved
    } == solved


def test_a_model_plays_each_task_three_times_and_no_run_twice(tmp_path):
    def played():
        progress = ShownProgress()
        return model_results(
            TASKS, "tool_loop@scripted:first", tmp_path / "study", Limits(), progress, Hosts()
        )

    first = played()
    assert [
        (one.task_id, one.run) for one in sorted(first, key=lambda one: (one.task_id, one.run))
    ] == sorted((one.entry.task_id, run) for one in TASKS for run in range(3))
    assert not any(one.solved for one in first)
    assert played() == first
