"""Typed edits of a task."""

from __future__ import annotations

import json
from typing import Any

import pytest

from otherminds.core.errors import TaskError
from otherminds.household.authoring.workspace import apply_edit, whole


def task() -> dict[str, Any]:
    return {
        "title": "A",
        "agent_secrets": {"agent_0": ["one", "two"]},
        "mechanic_bindings": [{"for_agents": []}],
    }


@pytest.mark.parametrize(
    ("edit", "place", "value"),
    [
        ({"path": "title", "value": "B"}, ("title",), "B"),
        ({"path": "private_goals", "value": {"agent_0": "x"}}, ("private_goals", "agent_0"), "x"),
        ({"path": "agent_secrets.agent_0[1]", "value": "2"}, ("agent_secrets", "agent_0"), ["one", "2"]),
        ({"path": "agent_secrets.agent_1", "value": []}, ("agent_secrets", "agent_1"), []),
        ({"path": "agent_secrets.agent_0", "append": "three"}, ("agent_secrets", "agent_0", 2), "three"),
        ({"path": "agent_secrets.agent_0[0]", "remove": True}, ("agent_secrets", "agent_0"), ["two"]),
        (
            {"path": "mechanic_bindings[0].for_agents", "append": "agent_1"},
            ("mechanic_bindings", 0, "for_agents"),
            ["agent_1"],
        ),
    ],
)
def test_an_edit_changes_one_place(edit: dict[str, Any], place: tuple[str | int, ...], value: object) -> None:
    data: Any = task()
    apply_edit(data, json.dumps(edit))
    for key in place:
        data = data[key]
    assert data == value


@pytest.mark.parametrize(
    ("edit", "there"),
    [
        ({"path": "agent_secret.agent_0", "append": "x"}, "did you mean agent_secrets"),
        ({"path": "agent_secrets.agent_9[0]", "value": "x"}, "did you mean agent_0"),
        ({"path": "agent_secrets.agent_0[2]", "value": "x"}, "the last one is [1]"),
        ({"path": "mechanic_bindings[0].for_agents[0]", "remove": True}, "it is empty"),
        ({"path": "title.x", "value": 1}, "title is a text"),
        ({"path": "title[0]", "value": 1}, "title is a text"),
        ({"path": "agent_secrets[0]", "value": 1}, "its fields are 'agent_0'"),
        ({"path": "mechanic_bindings.x", "value": 1}, "it has 1 items"),
        ({"path": "title", "append": "x"}, "is a text and no list"),
        ({"path": "", "value": 1}, "is no path"),
        ({"path": "a..b", "value": 1}, "is no path"),
        ({"path": "[0]", "value": 1}, "is no path"),
        ({"path": "a" * 10_000, "value": 1}, "is no path"),
        ({"path": 1, "value": 1}, "the path is a text"),
        ({"path": "title"}, "write {"),
        ({"path": "title", "value": 1, "append": 2}, "write {"),
        ({"path": "title", "remove": False}, '"remove": true'),
        ([], "write {"),
    ],
)
def test_an_edit_that_leads_nowhere_says_what_is_there_and_changes_nothing(edit: object, there: str) -> None:
    data = task()
    with pytest.raises(TaskError) as refused:
        apply_edit(data, json.dumps(edit))
    assert there in str(refused.value)
    assert data == task()


@pytest.mark.parametrize("text", ["[1]", "{", '{"a": 1, "a": 2}', "[" * 100_000, '{"a": 1e999}', "1"])
def test_a_whole_task_is_a_json_object_of_bounded_depth(text: str) -> None:
    with pytest.raises(TaskError):
        whole(text, "write")
