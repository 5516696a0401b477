"""Files in the shapes that the paper's appendices describe are read, and every change is noted."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import msgspec
import pytest

from otherminds.core.errors import TaskError
from otherminds.household.tasks.convert import BINDING_NAMES, convert_task
from otherminds.household.tasks.diagnostics import Graph, from_file, of_graph
from otherminds.household.tasks.load import read_json, shipped_tasks
from tests.cases import for_each
from tests.household.tasks.examining import examined

# The abridged scene graph of appendix F, with its bowl on a chair that no list of furniture has.
GRAPH: dict[str, Any] = {
    "scene_id": "102344280",
    "episode_id": "885",
    "rooms": ["office_1", "dining_room_1", "laundryroom_1", "kitchen_2", "entryway_1"],
    "furniture": ["table_25", "cabinet_33", "couch_9", "counter_30", "cabinet_31", "table_18"],
    "objects": ["cushion_2", "bowl_4"],
    "articulated_furniture": ["cabinet_33", "cabinet_31"],
    "furniture_in_rooms": {
        "office_1": ["table_25", "cabinet_33"],
        "dining_room_1": ["couch_9"],
        "laundryroom_1": ["counter_30"],
        "kitchen_2": ["cabinet_31"],
        "entryway_1": ["table_18"],
    },
    "objects_on_furniture": {"table_25": ["cushion_2"], "chair_10": ["bowl_4"]},
    "agent_spawns": {
        "agent_0": {"position": [1.2, 0.1, 3.4], "room": "office_1"},
        "agent_1": {"position": [5.6, 0.1, 2.1], "room": "dining_room_1"},
    },
}
# A task in that scene with a goal of the form of appendix E, its problem written whole.
TASK: dict[str, Any] = {
    "task_id": 17,
    "title": "After the appendix",
    "category": "Mixed-motive",
    "description": "Set the table for a late guest.",
    "scene_id": 102344280,
    "episode_id": 885,
    "agent_spawns": {
        "agent_0": {"position": [1.2, 0.1, 3.4], "room": "office_1", "rotation": 0.5},
        "agent_1": [5.6, 0.1, 2.1],
    },
    "initial_states": ["(is_open cabinet_31)", "(not (is_open cabinet_33))"],
    "mechanic_bindings": [
        {
            "mechanic_type": "room_restriction",
            "rooms": "kitchen_2",
            "agents": "agent_0",
            "target_object": None,
        },
        {"mechanic_type": "limited_bandwidth", "message_limits": 2, "for_agents": ["agent_0", "agent_1"]},
        {"mechanic_type": "restricted_communication", "allowed_targets": {"agent_0": "agent_1"}},
        {"type": "remote_control", "trigger": "cabinet_33", "target": "cabinet_31", "target_state": "closed"},
    ],
    "agent_secrets": {"agent_0": "You cannot enter kitchen_2.", "agent_1": None},
    "agent_actions": {"agent_0": "Navigate"},
    "message_targets": {"agent_0": ["agent_1"], "agent_1": "agent_0"},
    "problem_pddl": """(define (problem guest) (:domain household)
      (:objects agent_0 - agent cabinet_31 - furniture)
      (:init (is_open cabinet_31))
      (:goal (and (is_on_top bowl_4 - object table_25 - furniture)
                  (K agent_0 - agent (K agent_1 - agent (is_on_top bowl_4 table_25)))
                  (not (is_open cabinet_31)))))""",
    "difficulty": {"rho": 0.8},
}


def test_a_file_after_the_appendix_is_read_with_a_note_for_every_change() -> None:
    found = convert_task(deepcopy(TASK))
    notes = "\n".join(found.notes)
    for place in (
        "task_id: a number",
        "scene_id: a number",
        "category: 'Mixed-motive' is 'mixed' here",
        "description: called task here",
        "agent_spawns.agent_1: a position without a room",
        "agent_spawns.agent_0.rotation: the format of Other Minds has no such field",
        "initial_states: literals",
        "mechanic_bindings[0].rooms: called restricted_rooms here",
        "mechanic_bindings[0].restricted_rooms: one name",
        "mechanic_bindings[0].for_agents: one name",
        "mechanic_bindings[0].target_object: null",
        "mechanic_bindings[1].message_limits: one number",
        "mechanic_bindings[1].for_agents: said again",
        "mechanic_bindings[2].allowed_targets: one name",
        "mechanic_bindings[3].trigger: called trigger_object here",
        "active_mechanics: not given",
        "agent_secrets.agent_0: one text",
        "agent_secrets.agent_1: nothing",
        "agent_actions.agent_0: one text",
        "message_targets.agent_1: one text",
        "problem_pddl: the types of names left out",
        "num_agents: not given, counted",
        "difficulty: the format of Other Minds has no such field",
    ):
        assert place in notes, place
    assert found.aside == {"difficulty": {"rho": 0.8}, "agent_spawns.agent_0.rotation": 0.5}


def test_its_goal_mechanics_and_states_come_out_as_they_were_meant() -> None:
    things, notes = of_graph(msgspec.convert(GRAPH, Graph))
    task, account = examined(deepcopy(TASK), things)
    assert notes == ("chair_10 is used but not in the list furniture; taken as if it were",)
    assert things.furniture["chair_10"] == ""
    assert account.faults == ()
    assert account.missing[0].startswith("scene graph 102344280 has names and no geometry")
    assert task.num_agents == 2
    assert task.initial_states == {"cabinet_31": {"is_open": True}, "cabinet_33": {"is_open": False}}
    assert task.mechanic_bindings[1].message_limits == {"agent_0": 2, "agent_1": 2}
    assert task.mechanic_bindings[3].trigger_object == "cabinet_33"
    assert task.active_mechanics == (
        "room_restriction",
        "limited_bandwidth",
        "restricted_communication",
        "remote_control",
    )
    assert task.agent_secrets == {"agent_0": ("You cannot enter kitchen_2.",), "agent_1": ()}


def test_a_scene_graph_knows_names_and_what_opens_and_no_more(tmp_path: Path) -> None:
    path = tmp_path / "current_scene.json"
    path.write_text(json.dumps(GRAPH))
    things, notes = from_file(path)
    assert len(notes) == 1
    data = deepcopy(TASK)
    data["problem_pddl"] = "(and (is_open couch_9) (is_open cabinet_32) (is_inside bowl_4 counter_30))"
    _, account = examined(data, things)
    assert [str(fault) for fault in account.faults] == [
        "problem_pddl: (is_open couch_9): couch_9 cannot be opened or closed; name something that can",
        "problem_pddl: (is_open cabinet_32): no furniture 'cabinet_32' in scene graph 102344280; "
        "did you mean cabinet_33 or cabinet_31?",
    ]


@for_each(
    ("given", "meant"),
    [
        ({"cabinet_31": "open"}, {"cabinet_31": {"is_open": True}}),
        ({"cabinet_31": {"open": False}}, {"cabinet_31": {"is_open": False}}),
        ({"cabinet_31": ["is_open"]}, {"cabinet_31": {"is_open": True}}),
        ({"is_open": {"cabinet_31": True}}, {"cabinet_31": {"is_open": True}}),
        ({"is_closed": ["cabinet_31"]}, {"cabinet_31": {"is_closed": True}}),
        ({"lamp_1": {"on": True}}, {"lamp_1": {"is_powered_on": True}}),
        (["(is_on_top bowl_4 table_25)"], {"bowl_4": {"is_on_top": "table_25"}}),
        (
            ["(and (is_open cabinet_31) (is_dirty bowl_4))"],
            {"cabinet_31": {"is_open": True}, "bowl_4": {"is_dirty": True}},
        ),
    ],
)
def test_initial_states_in_every_shape(given: object, meant: object) -> None:
    found = convert_task({"initial_states": given})
    assert isinstance(found.data, dict)
    assert found.data["initial_states"] == meant
    assert found.notes


@for_each(
    ("given", "meant"),
    [
        (
            {"limited_bandwidth": {"limits": {"agent_0": 1}}},
            [{"mechanic_type": "limited_bandwidth", "message_limits": {"agent_0": 1}}],
        ),
        (
            [{"mechanic": "limited_bandwidth", "limit": [{"agent": "agent_1", "messages": 3}]}],
            [{"mechanic_type": "limited_bandwidth", "message_limits": {"agent_1": 3}}],
        ),
        (
            [{"mechanic_type": "restricted_communication", "agents": ["agent_0"], "targets": ["agent_1"]}],
            [{"mechanic_type": "restricted_communication", "allowed_targets": {"agent_0": ["agent_1"]}}],
        ),
        (
            [{"mechanic_type": "limited_bandwidth", "limit": 1}],
            [{"mechanic_type": "limited_bandwidth", "message_limits": {"agent_0": 1, "agent_1": 1}}],
        ),
    ],
)
def test_bindings_in_every_shape(given: object, meant: object) -> None:
    found = convert_task({"agent_secrets": {"agent_0": [], "agent_1": []}, "mechanic_bindings": given})
    assert isinstance(found.data, dict)
    assert found.data["mechanic_bindings"] == meant
    assert set(BINDING_NAMES) >= {"trigger", "target", "rooms", "agents"}


def test_lists_in_the_order_of_agents_are_read_by_agent() -> None:
    found = convert_task(
        {
            "agent_secrets": [["You know."], "You too."],
            "agent_spawns": [{"position": [0, 0, 0], "room": "a_1"}],
        }
    )
    assert found.data == {
        "agent_secrets": {"agent_0": ["You know."], "agent_1": ["You too."]},
        "agent_spawns": {"agent_0": {"position": [0, 0, 0], "room": "a_1"}},
        "num_agents": 2,
    }


def test_initial_states_that_are_none_are_left_for_the_check() -> None:
    given = {"vase_1": 7, "is_open": ["vase_1"], "lamp_1": [3], "is_dirty": [[]]}
    found = convert_task({"initial_states": given})
    assert isinstance(found.data, dict)
    assert found.data["initial_states"] == {"vase_1": 7, "lamp_1": [3], "is_dirty": [[]]}


def test_a_slip_is_left_for_the_check_and_a_strange_field_laid_aside() -> None:
    found = convert_task({"agent_secrts": {}, "provenance": "somewhere"})
    assert found.data == {"agent_secrts": {}, "release": {"provenance": "somewhere"}}
    assert found.aside == {"provenance": "somewhere"}


@for_each("name", shipped_tasks())
def test_a_file_in_our_own_form_comes_out_as_it_went_in(name: str) -> None:
    data = read_json(name)
    before = deepcopy(data)
    found = convert_task(data)
    assert (found.data, found.notes, found.aside) == (before, (), {})
    assert data == before


@pytest.mark.parametrize("text", ["[1, 2]", "{", '{"scene_id": 3}'])
def test_a_file_that_is_no_scene_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "scene.json"
    path.write_text(text)
    with pytest.raises(TaskError, match=r"scene\.json"):
        from_file(path)


def test_a_scene_file_that_is_not_there_is_said() -> None:
    with pytest.raises(TaskError, match="no such scene file"):
        from_file(Path("nowhere.json"))
