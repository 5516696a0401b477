"""Every kind of fault of a task file is found, at its place and in words that name the mend; all at once."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otherminds.core.errors import TaskError
from otherminds.testing.elsewhere import load
from otherminds.worlds.household.tasks.check import faults
from otherminds.worlds.household.tasks.load import examined, of_data, shipped_tasks

mutants = load(Path(__file__).with_name("mutants.py"))
MUTANTS, Data, sound, put, goal = mutants.MUTANTS, mutants.Data, mutants.sound, mutants.put, mutants.goal
OPENS, OTHER, ROOM, THIRD = mutants.OPENS, mutants.OTHER, mutants.ROOM, mutants.THIRD


def test_a_sound_task_has_no_fault_and_lacks_nothing() -> None:
    _, account = examined(sound())
    assert (account.faults, account.missing, account.notes) == ((), (), ())


@pytest.mark.parametrize("name", MUTANTS)
def test_every_mutant_is_caught_at_its_place_with_its_text(name: str) -> None:
    change, place, text = MUTANTS[name]
    data = sound()
    change(data)
    _, account = examined(data)
    found = [fault for fault in account.faults if fault.place == place]
    assert any(text in fault.text for fault in found), [str(fault) for fault in account.faults]
    with pytest.raises(TaskError, match="fault"):
        of_data(data, "mutant")


def test_a_goal_that_holds_at_the_start_is_rejected() -> None:
    data = sound()
    data["problem_pddl"] = f"(and (is_open {THIRD}) (K agent_0 (is_open {OTHER})))"
    data["agent_secrets"]["agent_0"].pop(3)
    _, account = examined(data)
    assert [str(fault) for fault in account.faults] == [
        "problem_pddl: all that it asks for holds at the start; ask for something to be done"
    ]


def test_all_faults_are_named_at_once_and_none_twice() -> None:
    data = sound()
    picked = (
        "no turns",
        "an unknown room",
        "an unknown tool",
        "a goal of an unknown thing",
        "a short position",
    )
    for name in picked:
        MUTANTS[name][0](data)
    with pytest.raises(TaskError) as error:
        of_data(data, "many.json")
    text = str(error.value)
    assert text.startswith("many.json: ")
    assert all(MUTANTS[name][1] in text and MUTANTS[name][2] in text for name in picked)
    _, account = examined(data)
    assert len(set(account.faults)) == len(account.faults)


def test_what_cannot_be_read_causes_no_second_fault() -> None:
    data = sound()
    data["agent_secrets"]["agent_0"][1] = 7
    data["num_agents"] = None
    data["mechanic_bindings"][0]["restricted_rooms"] = 3
    _, account = examined(data)
    assert [fault.place for fault in account.faults] == [
        "mechanic_bindings[0].restricted_rooms",
        "agent_secrets.agent_0[1]",
        "agent_secrets.agent_0[0]",
    ]


def test_without_the_scene_it_is_checked_as_far_as_can_be() -> None:
    data: Data = {**sound(), "scene_id": "102344280"}
    data["mechanic_bindings"][0]["for_agents"] = ["agent_5"]
    data["problem_pddl"] = "(and (is_open fridge_1) (is_closed fridge_1))"
    data["initial_states"] = {"fridge_1": {"is_open": "yes"}}
    task, account = examined(data)
    assert {fault.place for fault in account.faults} >= {
        "mechanic_bindings[0].for_agents[0]",
        "problem_pddl",
        "initial_states.fridge_1.is_open",
    }
    assert "scene '102344280' is not here" in account.missing[0]
    assert not any("no furniture" in fault.text for fault in account.faults)
    assert faults(task, None) == list(account.faults)


def test_a_mixed_task_without_private_goals_is_said_to_lack_them() -> None:
    data = sound()
    del data["private_goals"]
    data["agent_secrets"]["agent_1"].pop()
    _, account = examined(data)
    assert account.faults == ()
    assert account.missing == (
        "private_goals: none, though the task is mixed; nothing private can be scored",
    )


@pytest.mark.parametrize("data", [None, 3, "task", [], [{}], True])
def test_what_is_no_object_is_said_to_be_none(data: object) -> None:
    _, account = examined(data)
    assert account.faults[0].text == "a task is a JSON object; write {...} with the fields of a task"


JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 9)
    | st.sampled_from(["", "agent_0", OPENS, ROOM, "x" * 300, "(K"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["agent_0", "is_open", "room"]), inner, max_size=3)
    ),
    max_leaves=6,
)
PATHS = sorted(
    {
        "/".join(path)
        for path in [
            *((key,) for key in sound()),
            *((key, inner) for key, value in sound().items() if isinstance(value, dict) for inner in value),
            *(
                ("mechanic_bindings", str(k), key)
                for k, b in enumerate(sound()["mechanic_bindings"])
                for key in b
            ),
        ]
    }
)


@settings(max_examples=150)
@given(st.lists(st.tuples(st.sampled_from(PATHS), JUNK), min_size=1, max_size=3))
def test_whatever_stands_in_a_field_it_is_refused_or_read_and_nothing_breaks(
    changes: list[tuple[str, object]],
) -> None:
    data = sound()
    for path, value in changes:
        try:
            put(path, value)(data)
        except (KeyError, IndexError, TypeError):
            continue
    _, account = examined(data)
    assert all(fault.place and fault.text for fault in account.faults)
    assert msgspec.json.decode(msgspec.json.encode(account.faults)) is not None


@pytest.mark.parametrize("name", shipped_tasks())
def test_a_checked_task_reads_back_as_itself(name: str) -> None:
    from otherminds.worlds.household.tasks.load import load_task

    task = load_task(name)
    again = json.loads(msgspec.json.encode(task))
    assert of_data(again, "again") == task
