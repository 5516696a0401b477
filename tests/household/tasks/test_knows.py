"""Formulas and prose of one task agree, or the fault is named; a task without formulas is unverified, never refused."""

from __future__ import annotations

from typing import Any

import pytest

from otherminds.household.calibrate import played
from otherminds.household.epistemic.forms import forms
from otherminds.household.epistemic.words.sentences import read
from otherminds.household.house import House
from otherminds.household.reference.roster import ROSTER
from otherminds.household.scenes.load import load_scene
from otherminds.household.tasks.check_told import verified
from otherminds.household.tasks.load import load_task, read_json, shipped_tasks
from tests.cases import for_each
from tests.household.tasks.examining import examined

NAME = "nested_confirmation"


def whole(name: str = NAME) -> dict[str, Any]:
    data = read_json(name)
    assert isinstance(data, dict)
    return data


COUNT = len(whole()["agent_knows"]["agent_0"])
"""The formulas that agent_0 has: one more comes at that place."""


def faults(data: dict[str, Any]) -> list[str]:
    return [str(fault) for fault in examined(data)[1].faults]


@for_each("name", shipped_tasks())
def test_a_shipped_task_is_verified(name: str) -> None:
    task = load_task(name)
    assert verified(task).startswith("verified: ")
    assert set(task.agent_knows) == set(task.agent_secrets)


@for_each("name", shipped_tasks())
def test_formulas_say_what_can_be_read_of_the_prose(name: str) -> None:
    task = load_task(name)
    for agent in task.agents:
        prose = [one for text in task.agent_secrets.get(agent, ()) for one in read(text, you=agent)]
        told = task.told_to(agent)
        assert [form for one in told for form in forms(one, task.agents)] == [
            form for one in prose for form in forms(one, task.agents)
        ]


def test_a_task_without_formulas_is_unverified_and_has_no_fault() -> None:
    data = whole()
    del data["agent_knows"]
    task, account = examined(data)
    assert account.faults == ()
    assert verified(task) == (
        "unverified: no agent_knows, so that what agents are told is prose alone (0 secrets in free words)"
    )


def test_prose_that_says_something_else_is_a_fault_at_its_sentence() -> None:
    data = whole()
    data["agent_knows"]["agent_0"].remove("(goal (is_on_top remote_control_0 counter_20))")
    assert faults(data) == [
        "agent_secrets.agent_0[1]: it says (goal (is_on_top remote_control_0 counter_20)), which agent_knows does not "
        "hold; add it there, or mend the sentence"
    ]


def test_a_formula_that_no_sentence_says_is_a_fault_unless_words_are_free() -> None:
    data = whole()
    data["agent_knows"]["agent_0"].append("(goal (is_open cabinet_56))")
    assert faults(data) == [
        f"agent_knows.agent_0[{COUNT}]: no secret of agent_0 says (goal (is_open cabinet_56)); say it, or take it out"
    ]
    data["agent_secrets"]["agent_0"].append("The cupboard by the door would better not be shut.")
    task, account = examined(data)
    assert account.faults == ()
    assert verified(task).endswith("; 1 secrets in free words are not compared")


@for_each(
    ("form", "why"),
    [
        ("(is_opn cabinet_56)", "did you mean is_open"),
        ("(goal (is_open cabinet_99))", "which is not in the scene"),
        ("(message_limit agent_7 1)", "who is not in this task"),
        ("(is_inverse cabinet_56)", "no binding makes it so"),
        ("(message_limit agent_1 9)", "by the bindings agent_1 can send"),
        ("(is_restricted agent_1 kitchen_1)", "no binding keeps agent_1 out"),
        ("(K agent_1 (goal (is_open stand_1)))", "no secret tells agent_1 that goal"),
        ("(K agent_7 (goal (is_open stand_1)))", "who is not in this task"),
        ("(K table_1 (goal (is_open stand_1)))", "no agent"),
        ("(K agent_1 (goal (K agent_0 (is_open stand_1))))", "leave out the inner K"),
        ("(goal (is_open stand_1))", ""),
        ("(is_open cabinet_56)", "cabinet_56 is closed at the start"),
        ("(private_goal (is_open cabinet_56))", "no such private goal"),
    ],
)
def test_a_formula_that_is_none_or_is_not_so_is_a_fault_at_its_place(form: str, why: str) -> None:
    data = whole()
    data["agent_secrets"]["agent_0"].append("Something else is so, in free words.")
    data["agent_knows"]["agent_0"].append(form)
    found = faults(data)
    assert any(text.startswith(f"agent_knows.agent_0[{COUNT}]: ") and why in text for text in found), found


def test_who_has_secrets_has_formulas_and_who_is_not_there_has_none() -> None:
    data = whole()
    data["agent_knows"]["agent_9"] = data["agent_knows"].pop("agent_1")
    found = faults(data)
    assert any(text.startswith("agent_knows.agent_1: it has secrets, and no formulas") for text in found)
    assert any(text.startswith("agent_knows.agent_9: no agent 'agent_9'") for text in found)


def test_a_private_goal_is_among_the_formulas() -> None:
    data = whole("safety_staging")
    data["agent_knows"]["agent_1"].remove("(private_goal (is_closed fridge_1))")
    assert faults(data) == [
        "agent_knows.agent_1: (private_goal (is_closed fridge_1)) is missing, the private goal that it is scored by; add it"
    ]


@pytest.mark.parametrize("team", ["informed", "level_k"])
@pytest.mark.parametrize("name", [NAME, "cabinet_confirmation"])
def test_teams_read_the_formulas_where_the_prose_is_free(name: str, team: str) -> None:
    data = whole(name)
    data["agent_secrets"] = {
        agent: [f"A bird told you this: {text}" for text in told]
        for agent, told in data["agent_secrets"].items()
    }
    task, account = examined(data)
    assert account.faults == ()
    house = House(task, load_scene(task.scene_id))
    prose = House(load_task(name), house.scene)
    records = [
        played(place, {seat: ROSTER[team](place) for seat in place.agents}, 20) for place in (house, prose)
    ]
    assert [record.facts["solved"] for record in records] == [True, True]
    assert records[0].actions == records[1].actions


def test_a_mind_without_the_grant_reads_its_own_formulas_alone() -> None:
    place = House(load_task(NAME), load_scene(load_task(NAME).scene_id))
    mind = ROSTER["level_k"](place)
    played(place, {"agent_0": mind, "agent_1": ROSTER["random"](place)}, 1)
    own = place.task.told_to("agent_0")
    assert list(mind.knowledge._told) == ["agent_0"]
    assert mind.knowledge._told["agent_0"] == own
