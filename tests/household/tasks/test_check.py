"""Every kind of fault of a task file is found, at its place and in words that name the mend; all at once."""

from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.core.errors import TaskError
from otherminds.household.mechanics.mechanic import mechanics
from otherminds.household.tasks.check import check_task
from otherminds.household.tasks.load import of_data, shipped_tasks
from tests.cases import for_each
from tests.household.tasks import mutants
from tests.household.tasks.examining import examined

MUTANTS, Data, sound, put, goal = mutants.MUTANTS, mutants.Data, mutants.sound, mutants.put, mutants.goal
OPENS, OTHER, ROOM, THIRD = mutants.OPENS, mutants.OTHER, mutants.ROOM, mutants.THIRD
HALL, DULL = mutants.HALL, mutants.pieces(articulated=False, interior=False, switch=False)[0]
THING, PLACE = next(
    (o, f)
    for f, on in mutants.SCENE.objects_on_furniture.items()
    for o in on
    if mutants.SCENE.geometry.objects[o].relation == "on" and f != mutants.TABLE
)
"""An object, and what it is on."""
ELSEWHERE = mutants.TABLE
HOME, AWAY = sorted(
    mutants.SCENE.rooms, key=lambda room: PLACE not in mutants.SCENE.furniture_in_rooms[room]
)[:2]
"""The room where that is, and another."""


def test_a_sound_task_has_no_fault_and_lacks_nothing() -> None:
    _, account = examined(sound())
    assert (account.faults, account.missing, account.notes) == ((), (), ())


@for_each("name", MUTANTS)
def test_every_mutant_is_caught_at_its_place_with_its_text(name: str) -> None:
    change, place, text = MUTANTS[name]
    data = sound()
    change(data)
    _, account = examined(data)
    found = [fault for fault in account.faults if fault.place == place]
    assert any(text in fault.text for fault in found), [str(fault) for fault in account.faults]
    with pytest.raises(TaskError, match="fault"):
        of_data(data, "mutant")


START = {
    f"{THIRD} is open.": "",
    f"{THIRD} is not closed.": "",
    f"{THIRD} is closed.": f"{THIRD} is open at the start; say so, or mend initial_states",
    f"{THIRD} is not open.": f"{THIRD} is open at the start; say so, or mend initial_states",
    f"agent_0 knows that {THIRD} is closed.": f"{THIRD} is open at the start",
    f"agent_0 knows that {THIRD} is open.": "",
    f"{THING} is on {PLACE}.": "",
    f"{THING} is in {HOME}.": "",
    f"{THING} is not on {PLACE}.": f"{THING} is on {PLACE} at the start",
    f"{THING} is on {ELSEWHERE}.": f"{THING} is on {PLACE} in {HOME} at the start; say so, or mend initial_states",
    f"{THING} is on the floor.": f"{THING} is on {PLACE} in {HOME} at the start",
    f"agent_0 holds {THING}.": f"{THING} is on {PLACE} in {HOME} at the start",
    f"You are in {HALL}.": "",
    f"You are in {ROOM}.": f"agent_1 is in {HALL} at the start; say so, or mend agent_spawns",
    f"{PLACE} is in {HOME}.": "",
    f"{PLACE} is in {AWAY}.": f"{PLACE} is in {HOME} at the start",
    f"{DULL} is open.": f"{DULL} cannot be opened or closed; say otherwise",
    f"{DULL} is not open.": "",
    f"{THING} is open.": f"{THING} is an object, not furniture; say otherwise",
    f"{THING} is next to {THING}.": f"{THING} is not next to {THING} at the start",
    f"Perhaps {THIRD} is closed.": "",
    f"I hear that {THING} was on {ELSEWHERE} in olden days": "",
}


@for_each("secret", START)
def test_what_a_secret_says_of_the_start_must_be_so(secret: str) -> None:
    data = sound()
    data["agent_secrets"]["agent_1"].append(secret)
    _, account = examined(data)
    found = [fault for fault in account.faults if fault.place == "agent_secrets.agent_1[3]"]
    assert len(found) == len(account.faults) == bool(START[secret])
    assert all(fault.text.startswith(START[secret]) for fault in found), found


def test_where_a_thing_lies_counts_as_the_task_puts_it() -> None:
    data = sound()
    data["initial_states"][THING] = {"lies_on": f"floor_{HALL}"}
    data["agent_secrets"]["agent_1"] += [f"{THING} is on the floor.", f"{THING} is on floor_{HALL}."]
    assert examined(data)[1].faults == ()
    data["agent_secrets"]["agent_1"].append(f"{THING} is on floor_{ROOM}.")
    (fault,) = examined(data)[1].faults
    assert fault.text.startswith(f"{THING} is on floor_{HALL} in {HALL} at the start")


def test_the_start_is_compared_though_the_goal_is_faulty_but_not_if_the_start_is() -> None:
    data = sound()
    data["agent_secrets"]["agent_1"].append(f"{THIRD} is closed.")
    data["problem_pddl"] = "(is_open"
    assert [fault.place for fault in examined(data)[1].faults] == ["problem_pddl", "agent_secrets.agent_1[3]"]
    data["initial_states"] = 7
    assert [fault.place for fault in examined(data)[1].faults] == ["initial_states", "problem_pddl"]


def without_its_secret() -> Data:
    data = sound()
    del data["agent_secrets"]["agent_1"][2]
    return data


def test_a_private_goal_that_nobody_tells_its_owner_is_a_fault() -> None:
    data = without_its_secret()
    told = f"no secret tells agent_1 its private goal (is_closed {THIRD}); say so, naming {THIRD}"
    assert [str(fault) for fault in examined(data)[1].faults] == [f"agent_secrets.agent_1: {told}"]
    data["agent_secrets"]["agent_0"].append(f"Privately, agent_1 would like {THIRD} closed.")
    assert [fault.text for fault in examined(data)[1].faults] == [told]
    data["agent_secrets"]["agent_1"].append("Privately, you would like something closed.")
    assert [fault.text for fault in examined(data)[1].faults] == [told]
    data["agent_secrets"]["agent_1"].append(f"{THIRD} is open.")
    assert [fault.text for fault in examined(data)[1].faults] == [told]
    del data["agent_secrets"]["agent_1"]
    assert [fault.text for fault in examined(data)[1].faults] == [told]


@pytest.mark.parametrize(
    "secret", [f"Privately, you would rather have {THIRD} shut.", f"{THIRD} must not end open."]
)
def test_a_private_goal_may_be_told_freely_by_its_names_or_in_other_words(secret: str) -> None:
    data = without_its_secret()
    data["agent_secrets"]["agent_1"].append(secret)
    assert examined(data)[1].faults == ()


def test_a_private_goal_of_knowledge_names_who_is_to_know() -> None:
    data = without_its_secret()
    data["private_goals"]["agent_1"] = f"(and (is_closed {THIRD}) (K agent_1 (K agent_0 (is_open {OTHER}))))"
    data["agent_secrets"]["agent_1"] += [f"{THIRD} must end closed.", f"Privately, {OTHER} matters."]
    (fault,) = examined(data)[1].faults
    assert fault.text.endswith(f"naming agent_0, {OTHER}")
    data["agent_secrets"]["agent_1"][-1] = (
        f"By the end, you must know that agent_0 knows that {OTHER} is open."
    )
    assert examined(data)[1].faults == ()


def test_a_secret_that_cannot_be_read_leaves_open_what_it_tells() -> None:
    data = sound()
    data["agent_secrets"]["agent_1"][2] = 7
    assert [fault.place for fault in examined(data)[1].faults] == ["agent_secrets.agent_1[2]"]


@for_each("text", ["(is_opn x_1)", "(and (is_open", "", None])
def test_a_goal_that_cannot_be_read_is_one_fault(text: str | None) -> None:
    data = sound()
    data["agent_secrets"]["agent_1"] += [f"{OTHER} must end open.", f"agent_0 must end in {HALL}."]
    data["problem_pddl"] = text
    assert [fault.place for fault in examined(data)[1].faults] == ["problem_pddl"]


def test_private_goals_that_cannot_be_read_are_one_fault() -> None:
    data = sound()
    data["private_goals"] = "(is_open"
    assert [fault.place for fault in examined(data)[1].faults] == ["private_goals"]
    data["private_goals"] = {"agent_1": "(is_open"}
    assert [fault.place for fault in examined(data)[1].faults] == ["private_goals.agent_1"]


def test_bindings_that_cannot_be_read_are_one_fault() -> None:
    data = sound()
    data["mechanic_bindings"] = 7
    assert [fault.place for fault in examined(data)[1].faults] == ["mechanic_bindings"]


def test_the_cause_comes_before_what_follows_from_it() -> None:
    data = sound()
    data["problem_pddl"] = f"(is_closed {OPENS})"
    data["mechanic_bindings"][0]["restricted_rooms"] = ["attic_9"]
    data["agent_actions"] = {"agent_0": ["Fly"]}
    data["private_goals"]["agent_1"] = "(is_open cabinet_99)"
    places = [fault.place.split("[")[0].split(".")[0] for fault in examined(data)[1].faults]
    order = ("mechanic_bindings", "problem_pddl", "private_goals", "agent_secrets", "agent_actions")
    assert places == sorted(places, key=order.index)
    assert {"mechanic_bindings", "private_goals", "agent_secrets", "agent_actions"} <= set(places)


def nested(levels: int) -> str:
    text = f"(is_open {OTHER})"
    for k in range(levels):
        text = f"(K agent_{k % 2} {text})"
    return f"(and (is_open {OTHER}) {text})"


def test_knowledge_nests_eight_deep_and_no_deeper() -> None:
    data = sound()
    data["problem_pddl"] = nested(8)
    assert examined(data)[1].faults == ()
    data["problem_pddl"] = nested(9)
    assert [str(fault) for fault in examined(data)[1].faults] == [
        "problem_pddl: it nests K 9 deep; 8 is the most: ask for shorter chains of who knows of whom"
    ]


def test_an_agent_has_a_thousand_messages_and_no_more() -> None:
    data = sound()
    data["mechanic_bindings"][2]["message_limits"]["agent_0"] = 1000
    data["agent_secrets"]["agent_0"][2] = "You can send 1000 messages."
    assert examined(data)[1].faults == ()
    data["mechanic_bindings"][2]["message_limits"]["agent_0"] = 1001
    assert str(examined(data)[1].faults[0]) == (
        "mechanic_bindings[2]: message_limits: agent_0 has 1001 messages; write 0 or more, and at most 1000"
    )


def test_a_mechanic_like_no_other_is_answered_with_the_six() -> None:
    data = sound()
    data["mechanic_bindings"][4]["mechanic_type"] = "xyz"
    (text,) = [
        one.text for one in examined(data)[1].faults if one.place == "mechanic_bindings[4].mechanic_type"
    ]
    assert all(name in text for name in mechanics)
    assert "otherminds list" not in text


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
    assert "scene '102344280' is missing" in account.missing[0]
    assert not any("no furniture" in fault.text for fault in account.faults)
    assert check_task(task, None).faults == account.faults


def test_a_mixed_task_without_private_goals_is_said_to_lack_them() -> None:
    data = sound()
    del data["private_goals"]
    data["agent_secrets"]["agent_1"].pop()
    _, account = examined(data)
    assert account.faults == ()
    assert account.missing == (
        "private_goals: none, though the task is mixed; nothing private can be scored",
    )


@for_each("data", [None, 3, "task", [], [{}], True])
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
    from otherminds.household.tasks.load import load_task

    task = load_task(name)
    again = json.loads(msgspec.json.encode(task))
    assert of_data(again, "again") == task
