"""A task without a fault, and one mutant of it for every kind of fault: what is changed, the place, words of the text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from otherminds.household.scenes.load import load_scene

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
        "calibration": {"turns": 1, "least": 1, "plan": [["Wait[]", "Wait[]"]], "found": "by hand"},
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
    "a spawn in an unknown room, without a position": (
        put("agent_spawns/agent_0", {"room": "attic_9"}),
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
    "a bound above the plan": (put("calibration/least", 2), "calibration", "calibrate again"),
    "a plan of other turns": (put("calibration/plan", []), "calibration", "a plan of 0 turns"),
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
        put("mechanic_bindings/4/trigger_object", DULL),
        "mechanic_bindings[4].trigger_object",
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
    "a goal of locks": (goal(f"(is_locked {OTHER})"), "problem_pddl", "is_locked is not allowed in a goal"),
    "a goal of an unknown thing": (goal("(is_open cabinet_99)"), "problem_pddl", "no furniture 'cabinet_99'"),
    "a goal that cannot be opened": (goal(f"(is_open {DULL})"), "problem_pddl", "cannot be opened or closed"),
    "a goal without a top": (goal(f"(is_on_top {THING} {BARE})"), "problem_pddl", "has no top"),
    "a goal inside a floor": (goal(f"(is_inside {THING} floor_{ROOM})"), "problem_pddl", "has no interior"),
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
