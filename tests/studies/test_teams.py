"""Teams under test: everyone alike, or a mind and a model of one's own in a seat; and tasks without a study file."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from otherminds.core.errors import StudyError
from otherminds.household.tasks.load import read_json
from otherminds.measures.cells import tabulate
from otherminds.studies.plan import ego, plan_file
from otherminds.studies.run import run
from otherminds.studies.run_dir import results
from otherminds.studies.run_overrides import RunOverrides

TASK = "nested_confirmation"
STUDY = """
name = "teams"
episodes = 1
[[cells]]
scenarios = ["household-nested_confirmation-v1"]
minds = [{minds}]
"""


def study(tmp_path: Path, minds: str) -> Path:
    path = tmp_path / "teams.toml"
    path.write_text(STUDY.format(minds=minds))
    return path


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    """A folder with one task, under a name of its own."""
    import msgspec

    folder = tmp_path / "mine"
    folder.mkdir()
    data = read_json(TASK)
    assert isinstance(data, dict)
    (folder / "evening.json").write_bytes(msgspec.json.encode({**data, "task_id": "evening"}))
    return folder


def test_every_seat_under_test_is_filled_alike(tmp_path: Path) -> None:
    spec = plan_file(study(tmp_path, '"informed"')).episodes[0]
    assert {seat: who.mind for seat, who in spec.seats.items()} == dict.fromkeys(
        ("agent_0", "agent_1"), "informed"
    )
    assert spec.grants == dict.fromkeys(("agent_0", "agent_1"), ("secrets",))


def test_a_seat_can_have_a_mind_and_a_model_of_its_own(tmp_path: Path) -> None:
    mixed = '{ mind = "cot", model = "MODEL", seats = { agent_1 = "no_message" } }'
    spec = plan_file(study(tmp_path, mixed), RunOverrides(("scripted:first",))).episodes[0]
    assert [(who.mind, who.model) for who in spec.seats.values()] == [
        ("cot", "scripted:first"),
        ("no_message", ""),
    ]
    assert ego(spec).title == "cot@scripted:first + no_message"


def test_two_models_play_in_one_team(tmp_path: Path, heard) -> None:
    mixed = '{ mind = "qa", model = "scripted:first", seats = { agent_1 = "qa@scripted:uniform" } }'
    plan = plan_file(study(tmp_path, mixed))
    assert run(plan, tmp_path / "out", heard)["scored"] == 1
    (record,) = results(tmp_path / "out")[1]
    assert {call.seat for call in record.calls} == {"agent_0", "agent_1"}


def test_a_seat_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match=r"minds\[0\]: seats: .*agent_7.*agent_0, agent_1"):
        plan_file(study(tmp_path, '{ mind = "informed", seats = { agent_7 = "random" } }'))


def test_a_folder_of_tasks_is_played_without_a_study_file(tasks: Path, tmp_path: Path, heard) -> None:
    plan = plan_file(tasks, RunOverrides(minds=("informed", "no_message")))
    assert plan.cells() == {("evening", "informed"): 3, ("evening", "no_message"): 3}
    assert run(plan, tmp_path / "out", heard)["scored"] == 6
    shutil.rmtree(tasks)  # the plan and its records hold the task whole
    played, records = results(tmp_path / "out")
    cells = {cell.mind: cell for cell in tabulate(played.cells(), records)}
    assert cells["informed"].reward == 1
    assert cells["no_message"].reward == 0


def test_one_task_file_is_played_too(tasks: Path) -> None:
    assert len(plan_file(tasks / "evening.json", RunOverrides(minds=("random",))).episodes) == 3


def test_tasks_need_somebody_who_plays_them(tasks: Path) -> None:
    with pytest.raises(StudyError, match="name the minds that play these tasks, such as --mind level_k"):
        plan_file(tasks)


def test_an_empty_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="no task file there; give a"):
        plan_file(tmp_path, RunOverrides(minds=("random",)))


def test_minds_for_tasks_do_not_change_a_study_file(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="--mind is for task files"):
        plan_file(study(tmp_path, '"informed"'), RunOverrides(minds=("random",)))


def test_a_cell_needs_somewhere_to_play(tmp_path: Path) -> None:
    path = tmp_path / "none.toml"
    path.write_text('name = "none"\n[[cells]]\nminds = ["random"]\n')
    with pytest.raises(StudyError, match="needs scenarios or tasks"):
        plan_file(path)


def test_tasks_take_options_and_show_them(tasks: Path, tmp_path: Path) -> None:
    path = tmp_path / "short.toml"
    path.write_text(
        'name = "short"\n[[cells]]\ntasks = ["mine"]\noptions = { turns = 4 }\nminds = ["random"]\n'
    )
    assert plan_file(path).episodes[0].title == "evening [turns=4]"


def test_what_tasks_do_not_have_is_refused(tasks: Path, tmp_path: Path) -> None:
    path = tmp_path / "rounds.toml"
    path.write_text('name = "rounds"\n[[cells]]\ntasks = ["mine"]\nrounds = 5\nminds = ["random"]\n')
    with pytest.raises(StudyError, match=r"cells\[0\]: tasks have no rounds"):
        plan_file(path)
