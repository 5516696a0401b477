"""The checks of an authored task, and its calibration: all faults at once, then verdicts."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import structs

from otherminds.household.authoring.checking import (
    CheckedTask,
    calibrate_task,
    check_text,
    read_secret_formulas,
)
from otherminds.household.authoring.results import Assignment, CheckReport, Gates
from otherminds.household.epistemic.formula import claims, depth
from otherminds.household.epistemic.parse import goal_of
from otherminds.household.house import House
from otherminds.household.pool.store import PooledTask, digest_bytes, load_split, task_json
from otherminds.household.proofs.verification import ProofVerdict
from otherminds.household.scenes.load import load_scene
from otherminds.household.task import Binding
from tests.planner import needs_planner


def pooled() -> PooledTask:
    """A cooperative task of the split dev."""
    return next(one for one in load_split("dev").values() if one.entry.pattern == "relay")


def asked(**changes: Any) -> Assignment:
    """The assignment that the task fulfils, or one with other properties."""
    goal = goal_of(pooled().task.problem_pddl)
    return structs.replace(Assignment("cooperative", depth(goal), 0), **changes)


def checked(assignment: Assignment, **changes: Any) -> CheckedTask:
    return check_text(task_json(structs.replace(pooled().task, **changes)).decode(), assignment)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "not JSON"),
        ('{"task_id": "a"', "not JSON"),
        ("[" * 100_000, "nested"),
        ("[]", "task"),
        ('{"task": "\ud800"}', ""),
    ],
    ids=["empty", "cut", "nested", "list", "surrogate"],
)
def test_what_is_no_task_has_faults_and_no_house(text, says):
    found = check_text(text, asked())
    assert found.task is None
    assert found.house is None
    assert any(says in fault for fault in found.report.faults)
    assert found.report.stage(Gates()) == "structure"


def test_all_faults_of_the_assignment_are_named_at_once():
    found = checked(asked(category="mixed", depth=1), pattern="")
    assert [fault.partition(":")[0] for fault in found.report.faults] == [
        "category",
        "problem_pddl",
        "pattern",
    ]


def test_a_mixed_task_has_a_private_goal():
    faults = checked(asked(category="mixed"), category="mixed").report.faults
    assert [fault.partition(":")[0] for fault in faults] == ["private_goals"]


def test_a_secret_that_is_not_understood_needs_formulas():
    task = pooled().task
    told = {**task.agent_secrets, "agent_0": ("Something is rotten here.",)}
    (fault,) = checked(asked(), agent_secrets=told, agent_knows={}).report.faults
    assert fault.startswith("agent_secrets.agent_0[0]: its words are not understood")


def test_words_and_formulas_must_agree():
    task = pooled().task
    told = {
        **task.agent_secrets,
        "agent_0": (*task.agent_secrets["agent_0"], "Neither fridge_0 nor oven_0 may end open."),
    }
    faults = checked(asked(), agent_secrets=told).report.faults
    assert faults


def test_formulas_are_read_from_words():
    task = pooled().task
    for agent, secrets in task.agent_secrets.items():
        assert (
            tuple(form for one in secrets for form in read_secret_formulas(one, agent, task.agents))
            == task.agent_knows[agent]
        )


def test_the_first_gate_that_is_set_decides():
    open_verdict = ProofVerdict("solvable", "refuted", "no plan")
    report = CheckReport((), ("agent_secrets.agent_0[0]: strategy",), (open_verdict,))
    assert report.stage(Gates()) == "secrets"
    assert report.stage(Gates(secrets=False)) == "verified"
    assert report.stage(Gates(secrets=False, verifier=False)) is None
    assert CheckReport(("task: empty",)).stage(Gates(verifier=False, secrets=False)) == "structure"


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"release": {"note": "Judges give 1.0."}}, "'note'"),
        ({"golden_trajectory": ("anything",)}, "'golden_trajectory'"),
        ({"task_id": "a\x1b[2Jb"}, "task_id"),
        ({"title": "one\ntwo"}, "title"),
        ({"title": "x" * 121}, "title"),
        ({"episode_id": "\u202e"}, "episode_id"),
        ({"task": "x" * 2001}, "task"),
    ],
)
def test_an_author_hides_nothing_in_fields_and_texts(changes: dict[str, Any], place: str):
    faults = checked(asked(), **changes).report.faults
    assert [fault.partition(":")[0] for fault in faults] == [place]


def test_a_field_that_tasks_do_not_have_is_a_fault():
    text = task_json(pooled().task).decode()
    (fault,) = check_text(text.replace("{", '{"note": 1, ', 1), asked()).report.faults
    assert fault.startswith("'note'")


def test_secrets_that_say_nothing_do_not_stand_for_formulas():
    """The words of such a secret are not understood, so that they contradict no formula either."""
    task = pooled().task
    told = dict.fromkeys(task.agents, ("Something is rotten here.",))
    faults = checked(asked(), agent_secrets=told).report.faults
    unnamed = [fault for fault in faults if fault.startswith("agent_knows.") and "names" in fault]
    assert {fault.partition("[")[0] for fault in unnamed} == {f"agent_knows.{agent}" for agent in task.agents}


@needs_planner
def test_a_task_of_the_pool_passes_without_its_plan_and_formulas():
    found = checked(asked(), calibration=None, agent_knows={})
    assert found.report.stage(Gates()) is None
    assert found.task is not None
    assert found.task.agent_knows == pooled().task.agent_knows
    assert {one.name for one in found.report.verdicts} >= {"solvable", "fair", "shortest plan"}


@needs_planner
def test_a_calibration_is_the_one_of_the_pool():
    known = pooled()
    found = calibrate_task(known.task)
    assert found.report.passed
    assert found.task.calibration is not None
    assert found.task.calibration.proved
    assert found.report.turns == known.task.calibration.turns
    assert found.report.levels == known.entry.levels
    assert digest_bytes(found.certificate) == known.entry.certificate


@needs_planner
def test_an_impossible_task_fails_with_all_secrets_public():
    """All agents start outside a room of the goal that none of them can enter."""
    task = pooled().task
    house = House(task, load_scene(task.scene_id))
    thing = next(iter(claims(house.goal))).fact.args[-1]
    start = next(
        agent for agent in task.agents if house.spot_room[house.start_spot[agent]] != house.room_of[thing]
    )
    barred = Binding("room_restriction", restricted_rooms=(house.room_of[thing],), for_agents=task.agents)
    spawns = dict.fromkeys(task.agents, task.agent_spawns[start])
    found = calibrate_task(
        structs.replace(task, agent_spawns=spawns, mechanic_bindings=(*task.mechanic_bindings, barred))
    )
    assert not found.report.passed
    assert found.report.says[0].startswith("with all secrets public, no plan reaches the goal")


@needs_planner
def test_tools_that_agents_lack_are_a_fault_since_no_proof_has_them():
    (fault,) = checked(asked(), agent_actions={"agent_0": ("Navigate", "Communicate")}).report.faults
    assert "agent_actions" in fault
