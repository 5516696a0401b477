"""The tools of an attempt: what passes, what is refused, and what the author reads."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from otherminds.household.authoring.attempt import AttemptOptions
from otherminds.household.authoring.journal import AttemptRecord
from otherminds.household.authoring.results import Gates, SampledTask
from tests.household.authoring.authors import (
    JUDGE,
    SOUND,
    SUBMIT,
    TEST,
    TitleServices,
    action,
    attempted,
    says,
    task_text,
)


def told(record: AttemptRecord) -> list[str]:
    return [step.result.text if step.result else step.unusable for step in record.steps]


def test_a_task_that_passes_judge_and_test_is_kept(tmp_path: Path) -> None:
    services = TitleServices()
    record = attempted(says(action(task_text()), TEST, JUDGE, SUBMIT), services, tmp_path)
    assert (record.stage, record.task_id, record.ended) == ("kept", "authored_0", "submitted")
    (submission,) = services.submitted
    assert submission.task == SOUND
    assert [one.judge for one in submission.judgements] == ["judge_a"]
    assert (submission.author, submission.attempt) == ("scripted_test", "attempt_0")
    assert (tmp_path / "workspace/submitted_tasks/authored_0.json").is_file()


@pytest.mark.parametrize("missing", ["judge", "test_task"])
def test_both_must_have_passed_on_the_very_bytes(tmp_path: Path, missing: str) -> None:
    touched = (action(task_text() + " "), TEST if missing == "judge" else JUDGE)
    services = TitleServices()
    replies = (action(task_text()), JUDGE, TEST, action(task_text("another")), *touched[1:], SUBMIT)
    record = attempted(says(*replies), services, tmp_path, AttemptOptions("attempt_0", max_turns=6))
    assert f"has not passed {missing}" in told(record)[-1]
    assert not services.submitted
    assert record.stage == ("judged" if missing == "judge" else "calibrated")


def test_the_last_judgement_of_the_bytes_counts(tmp_path: Path) -> None:
    """Asking judges again until they agree by chance is of no use once they have declined."""
    services = TitleServices()
    accepted = services.council

    async def council(checked: object, item: int) -> object:
        report = await accepted(checked, item)  # type: ignore[arg-type]
        return report if item == 0 else type(report)(report.judgements, False, ("no",))

    services.council = council  # type: ignore[method-assign,assignment]
    record = attempted(says(action(task_text()), JUDGE, JUDGE, TEST, SUBMIT), services, tmp_path)
    assert "has not passed judge" in told(record)[4]


@pytest.mark.parametrize(
    ("title", "stage", "said"),
    [
        ("fault", "structure", "title: it is bad; write another"),
        ("secret", "secrets", "agent_secrets.agent_0[0]: an order"),
        ("refuted", "verified", "solvable (refuted): there is no plan; give an agent a way"),
    ],
)
def test_judges_are_asked_only_about_what_passes_the_checks(
    tmp_path: Path, title: str, stage: str, said: str
) -> None:
    services = TitleServices()
    record = attempted(says(action(task_text(title)), JUDGE), services, tmp_path)
    assert said in told(record)[1]
    assert record.stage == stage
    assert record.line(record.spending).rejected == {stage: 1}
    assert "council 0" not in services.calls


def test_what_judges_say_is_shown_by_criterion_with_required_fixes(tmp_path: Path) -> None:
    record = attempted(says(action(task_text("dislike")), JUDGE), TitleServices(), tmp_path)
    for said in (
        "not passed",
        "secret_quality 0.30: as it is",
        "required: say less",
        "secret_quality is 0.30",
    ):
        assert said in told(record)[1]
    assert record.stage == "judged"


def test_a_task_without_a_plan_is_rejected_with_what_was_found(tmp_path: Path) -> None:
    replies = (action(task_text("stuck")), JUDGE, TEST, SUBMIT)
    record = attempted(says(*replies), TitleServices(), tmp_path)
    assert "test_task: not passed\nturn 1: Open[cabinet_1]; Wait[]" in told(record)[2]
    assert record.stage == "calibrated"


def test_a_duplicate_comes_back_as_text(tmp_path: Path) -> None:
    record = attempted(says(action(task_text("known")), JUDGE, TEST, SUBMIT), TitleServices(), tmp_path)
    assert "refused: a task of the pool has this structure; change the goal" in told(record)[3]
    assert (record.stage, record.task_id) == ("duplicate", "")


@pytest.mark.parametrize(
    ("gates", "title", "replies"),
    [
        (Gates(council=False), "dislike", (TEST,)),
        (Gates(council=False), "dislike", (JUDGE, TEST)),
        (Gates(calibration=False), "stuck", (JUDGE,)),
        (Gates(secrets=False), "secret", (JUDGE, TEST)),
        (Gates(verifier=False), "refuted", (JUDGE, TEST)),
    ],
)
def test_a_gate_that_is_off_is_not_required(
    tmp_path: Path, gates: Gates, title: str, replies: tuple[str, ...]
) -> None:
    record = attempted(says(action(task_text(title)), *replies, SUBMIT), TitleServices(gates), tmp_path)
    assert record.stage == "kept"
    with_all = attempted(says(action(task_text(title)), *replies, SUBMIT), TitleServices(), tmp_path / "all")
    assert with_all.stage != "kept"


def test_seed_tasks_are_shown_unless_that_gate_is_off(tmp_path: Path) -> None:
    seeds = [SampledTask(SOUND, True)]
    shown = attempted(says(), TitleServices(), tmp_path / "on", sampled=seeds)
    hidden = attempted(says(), TitleServices(Gates(examples=False)), tmp_path / "off", sampled=seeds)
    assert (shown.shown, hidden.shown) == (("new_task",), ())
    assert not list((tmp_path / "off/workspace/sampled_tasks").iterdir())


def test_a_new_scene_is_another_house_and_the_blank_task(tmp_path: Path) -> None:
    replies = (
        action("2", "new_scene"),
        action(task_text()),
        action("3", "new_scene"),
        action("9", "new_scene"),
    )
    record = attempted(says(*replies), TitleServices(), tmp_path)
    first, _, second, refused = told(record)[:4]
    assert "agent_1 starts in" in first
    assert "agent_2 starts in" in second
    assert "write a number from 2 to 4" in refused
    assert record.stage == "no task"


def test_each_new_scene_is_another_draw(tmp_path: Path) -> None:
    record = attempted(says(*(action("2", "new_scene"),) * 4), TitleServices(), tmp_path)
    assert len({*told(record)[:4]}) > 1


def test_without_the_gate_of_the_council_judges_decide_nothing(tmp_path: Path) -> None:
    services = TitleServices(Gates(council=False))
    record = attempted(says(action(task_text("dislike")), JUDGE), services, tmp_path)
    result = record.steps[1].result
    assert result is not None
    assert (result.passed, result.stage) == (True, None)
    assert "For information, not required: Not accepted" in result.text


def test_the_tools_of_an_author_without_a_shell(tmp_path: Path) -> None:
    edit = '{"path": "title", "value": "dislike"}'
    replies = (
        action("ls", "bash"),
        action(task_text()),
        action(edit, "edit"),
        action("working_task.json", "read"),
    )
    record = attempted(says(*replies), TitleServices(), tmp_path)
    no_bash, _, done, file = told(record)[:4]
    assert "no tool 'bash'" in no_bash
    assert "read[file], write[JSON], edit[JSON]" in no_bash
    assert done == "added title."
    assert '"title": "dislike"' in file


class Shell:
    """Runs nothing: writes the command into the task file, and says so."""

    name = "shell_test"

    async def run(self, command: str, folder: Path) -> SimpleNamespace:
        if command == "fill":
            (folder / "big").touch()
            with (folder / "big").open("r+b") as file:
                file.truncate(2**40)
        (folder / "working_task.json").write_text(command)
        return SimpleNamespace(code=3, stdout="out\n", stderr="e" * 50_000, timed_out=False, cut=("stderr",))


def test_the_shell_works_in_the_workspace_and_what_it_says_is_cut(tmp_path: Path) -> None:
    options = AttemptOptions("attempt_0", sandbox=Shell())  # type: ignore[arg-type]
    replies = (action("hello", "bash"), action("x", "read"), action("fill", "bash"))
    record = attempted(says(*replies), TitleServices(), tmp_path, options)
    ran, no_read, undone = told(record)[:3]
    assert ran.startswith("exit code 3\nstdout:\nout\nstderr (cut):\neee")
    assert "characters left out" in ran
    assert len(ran) < 13_000
    assert "no tool 'read'" in no_read
    assert "undone" in undone
    assert (tmp_path / "workspace/working_task.json").read_text() == "hello"
    assert not (tmp_path / "workspace/big").exists()
    assert record.sandbox == "shell_test"
