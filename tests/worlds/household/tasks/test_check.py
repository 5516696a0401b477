"""Every kind of fault of a task file is found, at its place and in words that name the mend; all at once."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otherminds.core.errors import TaskError
from otherminds.worlds.household.scenes.load import load_scene
from otherminds.worlds.household.tasks.check import faults
from otherminds.worlds.household.tasks.load import examined, of_data, shipped_tasks

Data = dict[str, Any]
SCENE = load_scene("stitched_00")


def pieces(**flags: bool) -> list[str]:
    """The furniture of the scene with those flags."""
    shapes = SCENE.geometry.furniture
    return [f for f, piece in shapes.items() if all(getattr(piece, flag) is on for flag, on in flags.items())]


OPENS, OTHER, THIRD = pieces(articulated=True)[:3]
DULL = pieces(articulated=False, switch=False)[0]
SWITCH = pieces(switch=True, articulated=False)[0]
BARE = pieces(top=False)[0]
TABLE = pieces(top=True)[0]
THING = SCENE.objects[0]
HALL, ROOM = SCENE.rooms[-1], SCENE.rooms[0]


def sound() -> Data:
    """A task without a fault, in which every field is used."""
    x, z = SCENE.tables.spots[f"centre:{HALL}"]
    return {
        "task_id": "sound",
        "title": "A sound task",
        "category": "mixed",
        "task": "Leave the house in order.",
        "scene_id": SCENE.scene_id,
        "num_agents": 2,
        "agent_spawns": {agent: {"position": [x, 0.0, z], "room": HALL} for agent in ("agent_0", "agent_1")},
        "initial_states": {THIRD: {"is_open": True}},
        "active_mechanics": [
            "room_restriction",
            "restricted_communication",
            "limited_bandwidth",
            "remote_control",
            "inverse_state",
        ],
        "mechanic_bindings": [
            {"mechanic_type": "room_restriction", "restricted_rooms": [ROOM], "for_agents": ["agent_0"]},
            {"mechanic_type": "restricted_communication", "allowed_targets": {"agent_0": ["agent_1"]}},
            {"mechanic_type": "limited_bandwidth", "message_limits": {"agent_0": 2}},
            {
                "mechanic_type": "remote_control",
                "trigger_object": OPENS,
                "target_object": OTHER,
                "target_state": "open",
            },
            {"mechanic_type": "inverse_state", "trigger_object": OPENS},
        ],
        "agent_secrets": {
            "agent_0": [
                f"You cannot enter {ROOM}.",
                "You can only message agent_1.",
                "You can send 2 messages.",
                f"{OTHER} must end open.",
                "Be quick about it.",
            ],
            "agent_1": [
                f"{OPENS} works in reverse: opening closes it, and closing opens it.",
                f"Opening {OPENS} makes {OTHER} open, and closing it does the opposite.",
                f"{THIRD} must end closed.",
            ],
        },
        "agent_actions": {"agent_1": ["Navigate", "Open", "Close"]},
        "message_targets": {"agent_0": ["agent_1"]},
        "problem_pddl": f"(and (is_open {OTHER}) (K agent_0 (is_open {OPENS})))",
        "private_goals": {"agent_1": f"(is_closed {THIRD})"},
        "calibration": {"turns": 4, "messages": 0},
    }


def put(path: str, value: object) -> Callable[[Data], None]:
    """A change: what stands at ``path`` becomes ``value``."""

    def change(data: Data) -> None:
        *lead, last = [int(key) if key.isdigit() else key for key in path.split("/")]
        here: Any = data
        for key in lead:
            here = here[key]
        here[last] = value

    return change


def drop(path: str) -> Callable[[Data], None]:
    """A change: what stands at ``path`` is taken out."""

    def change(data: Data) -> None:
        *lead, last = [int(key) if key.isdigit() else key for key in path.split("/")]
        here: Any = data
        for key in lead:
            here = here[key]
        del here[last]

    return change


def bind(**fields: object) -> Callable[[Data], None]:
    """A change: one more binding."""

    def change(data: Data) -> None:
        data["mechanic_bindings"].append(fields)
        if fields["mechanic_type"] not in data["active_mechanics"]:
            data["active_mechanics"].append(fields["mechanic_type"])

    return change


def goal(text: str) -> Callable[[Data], None]:
    """A change: another goal."""
    return put("problem_pddl", text)


FAR = {"position": [99.0, 0.0, 99.0], "room": HALL}
WITHIN = {"position": [0.0, 0.0, 0.0], "room": ROOM}
NEAR_ROOM = f"{ROOM[:-1]}9"
MUTANTS: dict[str, tuple[Callable[[Data], None], str, str]] = {
    "no id": (drop("task_id"), "task_id", "missing"),
    "no goal": (drop("problem_pddl"), "problem_pddl", "missing; write the goal"),
    "no number of agents": (put("num_agents", "two"), "num_agents", "expected int, got str"),
    "a slip in a field": (put("agent_secret", {}), "agent_secret", "did you mean agent_secrets"),
    "a text for a list": (
        put("agent_secrets/agent_0", 7),
        "agent_secrets.agent_0",
        "expected array, got int",
    ),
    "no list": (put("mechanic_bindings", 7), "mechanic_bindings", "expected array"),
    "a spawn without its room": (
        drop("agent_spawns/agent_0/position"),
        "agent_spawns.agent_0.position",
        "missing",
    ),
    "a short position": (
        put("agent_spawns/agent_0/position", [1, 2]),
        "agent_spawns.agent_0.position",
        "length 3",
    ),
    "an unknown category": (put("category", "hostile"), "category", "invalid enum value 'hostile'"),
    "an empty id": (put("task_id", " "), "task_id", "it is empty"),
    "one agent": (put("num_agents", 1), "num_agents", "a task has 2 to 64"),
    "no turns": (put("calibration/turns", 0), "calibration", "at least 1 turn"),
    "a stranger's spawn": (put("agent_spawns/agent_7", FAR), "agent_spawns.agent_7", "no agent 'agent_7'"),
    "an unknown room of a spawn": (
        put("agent_spawns/agent_1/room", NEAR_ROOM),
        "agent_spawns.agent_1.room",
        f"did you mean {ROOM}",
    ),
    "a spawn outside its room": (
        put("agent_spawns/agent_1", FAR),
        "agent_spawns.agent_1.position",
        "is not in",
    ),
    "a spawn in a barred room": (
        put("agent_spawns/agent_0/room", ROOM),
        "agent_spawns.agent_0.room",
        "may not enter",
    ),
    "no spawn at all": (put("num_agents", 9), "agent_spawns", "none for agent_4"),
    "an unknown thing at the start": (
        put("initial_states/vase_99", {}),
        "initial_states.vase_99",
        "nothing is called",
    ),
    "an unknown predicate at the start": (
        put(f"initial_states/{THIRD}", {"is_opne": True}),
        f"initial_states.{THIRD}.is_opne",
        "did you mean is_open",
    ),
    "a state that it cannot have": (
        put(f"initial_states/{DULL}", {"is_open": True}),
        f"initial_states.{DULL}.is_open",
        "cannot be opened or closed",
    ),
    "a place for a truth": (
        put(f"initial_states/{THIRD}/is_open", "wide"),
        f"initial_states.{THIRD}.is_open",
        "write true or false",
    ),
    "a truth for a place": (
        put(f"initial_states/{THING}", {"is_on_top": True}),
        f"initial_states.{THING}.is_on_top",
        "wants the name of furniture",
    ),
    "on what has no top": (
        put(f"initial_states/{THING}", {"is_on_top": BARE}),
        f"initial_states.{THING}.is_on_top",
        "has no top",
    ),
    "two places": (
        put(f"initial_states/{THING}", {"is_on_top": TABLE, "lies_on": f"floor_{ROOM}"}),
        f"initial_states.{THING}",
        "cannot be in 2 places",
    ),
    "open and closed": (
        put(f"initial_states/{THIRD}", {"is_open": True, "is_closed": True}),
        f"initial_states.{THIRD}",
        "cannot both be true",
    ),
    "an unknown mechanic": (
        put("mechanic_bindings/4/mechanic_type", "inverse_stat"),
        "mechanic_bindings[4].mechanic_type",
        "did you mean inverse_state",
    ),
    "a field too few": (
        drop("mechanic_bindings/0/for_agents"),
        "mechanic_bindings[0].for_agents",
        "needs it",
    ),
    "a field too many": (
        put("mechanic_bindings/4/target_object", OTHER),
        "mechanic_bindings[4].target_object",
        "inverse_state has no such field",
    ),
    "an unknown room": (
        put("mechanic_bindings/0/restricted_rooms/0", NEAR_ROOM),
        "mechanic_bindings[0].restricted_rooms[0]",
        f"no room '{NEAR_ROOM}' in scene {SCENE.scene_id}; did you mean {ROOM}",
    ),
    "furniture for a room": (
        put("mechanic_bindings/0/restricted_rooms/0", TABLE),
        "mechanic_bindings[0].restricted_rooms[0]",
        f"{TABLE} is furniture, not a room",
    ),
    "an unknown agent": (
        put("mechanic_bindings/0/for_agents/0", "agent_5"),
        "mechanic_bindings[0].for_agents[0]",
        "they are agent_0 to agent_1",
    ),
    "an unknown agent's limit": (
        put("mechanic_bindings/2/message_limits/agent_5", 1),
        "mechanic_bindings[2].message_limits.agent_5",
        "no agent 'agent_5'",
    ),
    "less than no message": (
        put("mechanic_bindings/2/message_limits/agent_0", -1),
        "mechanic_bindings[2]",
        "write 0 or more",
    ),
    "an unknown target": (
        put("mechanic_bindings/1/allowed_targets/agent_0/0", "agent_5"),
        "mechanic_bindings[1].allowed_targets.agent_0[0]",
        "no agent 'agent_5'",
    ),
    "a message to oneself": (
        put("mechanic_bindings/1/allowed_targets/agent_0", ["agent_0"]),
        "mechanic_bindings[1]",
        "cannot write to itself",
    ),
    "an unknown trigger": (
        put("mechanic_bindings/3/trigger_object", "lever_9"),
        "mechanic_bindings[3].trigger_object",
        "no furniture 'lever_9'",
    ),
    "a trigger that does not move": (
        put("mechanic_bindings/3/trigger_object", DULL),
        "mechanic_bindings[3].trigger_object",
        "can neither be opened nor switched",
    ),
    "a state that is none": (
        put("mechanic_bindings/3/target_state", "ajar"),
        "mechanic_bindings[3]",
        "target_state 'ajar' is none of",
    ),
    "a state that the target cannot take": (
        put("mechanic_bindings/3/target_object", SWITCH),
        "mechanic_bindings[3].target_state",
        "cannot be opened or closed",
    ),
    "a thing that controls itself": (
        put("mechanic_bindings/3/target_object", OPENS),
        "mechanic_bindings[3]",
        "cannot control itself",
    ),
    "two that have no state in common": (
        bind(mechanic_type="state_mirroring", trigger_object=THIRD, target_object=SWITCH),
        "mechanic_bindings[5]",
        "no state in common",
    ),
    "two in step that start apart": (
        bind(mechanic_type="state_mirroring", trigger_object=THIRD, target_object=OTHER),
        "mechanic_bindings[5]",
        "start alike",
    ),
    "bindings against each other": (
        bind(
            mechanic_type="remote_control", trigger_object=OPENS, target_object=OTHER, target_state="closed"
        ),
        "mechanic_bindings",
        "would have to be both",
    ),
    "a mechanic that nothing binds": (
        put("active_mechanics/0", "state_mirroring"),
        "active_mechanics[0]",
        "bound by nothing",
    ),
    "a mechanic that is not listed": (
        drop("active_mechanics/4"),
        "active_mechanics",
        "inverse_state is bound",
    ),
    "targets against the bindings": (
        put("message_targets/agent_0", []),
        "message_targets.agent_0",
        "make them agree",
    ),
    "a stranger's targets": (
        put("message_targets/agent_6", []),
        "message_targets.agent_6",
        "no agent 'agent_6'",
    ),
    "a stranger's secret": (put("agent_secrets/agent_6", []), "agent_secrets.agent_6", "no agent 'agent_6'"),
    "an unknown thing in a secret": (
        put("agent_secrets/agent_1/2", f"Look into {OPENS}9 now."),
        "agent_secrets.agent_1[2]",
        f"which is not in scene {SCENE.scene_id}; did you mean {OPENS}",
    ),
    "an unknown thing in the description": (
        put("task", "Find teapot_77."),
        "task",
        "it speaks of 'teapot_77'",
    ),
    "a stranger in a secret": (
        put("agent_secrets/agent_1/2", "Ask agent_4."),
        "agent_secrets.agent_1[2]",
        "who is not in this task",
    ),
    "a secret against a bar": (
        put("agent_secrets/agent_0/0", f"You cannot enter {HALL}."),
        "agent_secrets.agent_0[0]",
        f"no binding keeps agent_0 out of {HALL}",
    ),
    "a secret against the targets": (
        put("agent_secrets/agent_0/1", "You cannot message anyone."),
        "agent_secrets.agent_0[1]",
        "can message agent_1",
    ),
    "a secret against the limit": (
        put("agent_secrets/agent_0/2", "You can send 3 messages."),
        "agent_secrets.agent_0[2]",
        "agent_0 can send 2 messages",
    ),
    "a secret beside the goal": (
        put("agent_secrets/agent_0/3", f"{OTHER} must end closed."),
        "agent_secrets.agent_0[3]",
        "neither the goal nor a private goal",
    ),
    "another's private goal": (
        put("agent_secrets/agent_0/3", f"{THIRD} must end closed."),
        "agent_secrets.agent_0[3]",
        "neither the goal nor a private goal of agent_0",
    ),
    "a secret of no mechanic": (
        put("agent_secrets/agent_1/0", f"{OTHER} works in reverse: opening closes it, and closing opens it."),
        "agent_secrets.agent_1[0]",
        "no binding makes it so",
    ),
    "an unknown tool": (
        put("agent_actions/agent_1/0", "Navigat"),
        "agent_actions.agent_1[0]",
        "did you mean Navigate",
    ),
    "a stranger's tools": (put("agent_actions/agent_8", []), "agent_actions.agent_8", "no agent 'agent_8'"),
    "a goal without an end": (goal("(and (is_open cabinet_1)"), "problem_pddl", "line 1, column 1"),
    "a goal of an unknown predicate": (goal(f"(is_opn {OTHER})"), "problem_pddl", "did you mean is_open"),
    "a goal of locks": (goal(f"(is_locked {OTHER})"), "problem_pddl", "is_locked stands in no goal"),
    "a goal of an unknown thing": (goal("(is_open cabinet_99)"), "problem_pddl", "no furniture 'cabinet_99'"),
    "a goal that cannot be opened": (goal(f"(is_open {DULL})"), "problem_pddl", "cannot be opened or closed"),
    "a goal without a top": (goal(f"(is_on_top {THING} {BARE})"), "problem_pddl", "has no top"),
    "a goal on a floor's top": (
        goal(f"(is_on_top {THING} floor_{ROOM})"),
        "problem_pddl",
        "write is_on_floor",
    ),
    "a goal without an interior": (goal(f"(is_inside {THING} {SWITCH})"), "problem_pddl", "has no interior"),
    "a goal of furniture on furniture": (
        goal(f"(is_on_top {OPENS} {TABLE})"),
        "problem_pddl",
        "not an object",
    ),
    "a goal that a bar forbids": (goal(f"(agent_in_room agent_0 {ROOM})"), "problem_pddl", "may not enter"),
    "a goal of a stranger's knowledge": (
        goal(f"(and (is_open {OTHER}) (K agent_3 (is_open {OTHER})))"),
        "problem_pddl",
        "(K agent_3 ...): no agent",
    ),
    "a goal of knowledge alone": (
        goal(f"(K agent_0 (is_open {OTHER}))"),
        "problem_pddl",
        "asks for knowledge alone",
    ),
    "a private goal that is none": (
        put("private_goals/agent_1", "(is_open"),
        "private_goals.agent_1",
        "line 1",
    ),
    "a private goal of an unknown thing": (
        put("private_goals/agent_1", "(is_open cabinet_99)"),
        "private_goals.agent_1",
        "no furniture 'cabinet_99'",
    ),
    "a stranger's private goal": (
        put("private_goals/agent_4", f"(is_open {OTHER})"),
        "private_goals.agent_4",
        "no agent 'agent_4'",
    ),
    "private goals of a cooperative task": (
        put("category", "cooperative"),
        "category",
        "has no private goals",
    ),
    "a scene without a name": (put("scene_id", ""), "scene_id", "it is empty"),
}


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
