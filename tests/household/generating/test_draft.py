"""The task of a draft that is written by hand: its bindings, its secrets, its goal."""

from __future__ import annotations

from otherminds.household.epistemic.formula import Atom, Know
from otherminds.household.epistemic.words import Must
from otherminds.household.generating.draft import Draft, placed_in, walkable
from otherminds.household.mechanics.inverse_state import Inverse
from otherminds.household.mechanics.restricted_communication import Reaches
from otherminds.household.scenes.load import load_scene
from otherminds.household.task import Binding
from tests.cases import for_each
from tests.household.generating.drafts import SCENE, drafted, faults, row
from tests.household.small_house import scene

OPEN = Atom("is_open", ("stand_20",))
CLOSED = Atom("is_closed", ("stand_23",))


def written() -> Draft:
    made = row(drafted())
    made.mechanics.append(Binding("inverse_state", trigger_object="cabinet_5"))
    made.want(OPEN, "agent_1", "agent_0", "stand_20")
    made.keep(CLOSED, "agent_1", "agent_0")
    made.inform("agent_2", "agent_0", Inverse("cabinet_5"))
    made.tell("agent_0", Reaches("agent_1", ("agent_0", "agent_2")))
    made.know(["agent_2", "agent_1"], OPEN, "agent_2")
    return made


def test_its_bindings_are_rooms_links_messages_and_mechanics() -> None:
    task = written().task("a_task", "A title", "A day in this house.")
    assert task.mechanic_bindings == (
        Binding("room_restriction", restricted_rooms=("kitchen_1",), for_agents=("agent_1", "agent_2")),
        Binding("room_restriction", restricted_rooms=("living_room_1",), for_agents=("agent_0", "agent_2")),
        Binding("room_restriction", restricted_rooms=("bathroom_1",), for_agents=("agent_0", "agent_1")),
        Binding("restricted_communication", allowed_targets=dict(row(drafted()).links)),
        Binding("limited_bandwidth", message_limits={"agent_0": 2, "agent_1": 2, "agent_2": 2}, statements=1),
        Binding("inverse_state", trigger_object="cabinet_5"),
    )
    assert task.active_mechanics == (
        "room_restriction",
        "restricted_communication",
        "limited_bandwidth",
        "inverse_state",
    )
    assert task.message_targets == row(drafted()).links


def test_its_goal_has_all_parts_in_order() -> None:
    task = written().task("a_task", "A title", "A day in this house.")
    assert task.problem_pddl == (
        "(and (is_open stand_20) (is_closed stand_23) (K agent_2 (K agent_1 (is_open stand_20))))"
    )
    assert (task.task_id, task.title, task.task) == ("a_task", "A title", "A day in this house.")
    assert (task.category, task.private_goals) == ("cooperative", {})


def test_its_secrets_state_limits_first_and_then_what_the_agent_is_told() -> None:
    secrets = written().task("a_task", "", "A day in this house.").agent_secrets
    assert secrets == {
        "agent_0": (
            "You cannot enter living_room_1 or bathroom_1.",
            "You can only message agent_1.",
            "You can send 2 messages.",
            "stand_20 must end open.",
            "stand_23 must end closed.",
            "agent_1 can only message agent_0 or agent_2.",
        ),
        "agent_1": (
            "You cannot enter kitchen_1 or bathroom_1.",
            "You can only message agent_0 or agent_2.",
            "You can send 2 messages.",
        ),
        "agent_2": (
            "You cannot enter kitchen_1 or living_room_1.",
            "You can only message agent_1.",
            "You can send 2 messages.",
            "cabinet_5 works in reverse: opening closes it, and closing opens it.",
            "By the end, you must know that agent_1 knows that stand_20 is open.",
        ),
    }


def test_the_formulas_say_the_same_as_the_prose() -> None:
    made = written()
    assert faults(made) == []
    assert made.task("a_task", "", "A day in this house.").agent_knows["agent_2"] == (
        "(is_restricted agent_2 kitchen_1)",
        "(is_restricted agent_2 living_room_1)",
        "(not (can_communicate agent_2 agent_0))",
        "(can_communicate agent_2 agent_1)",
        "(message_limit agent_2 2)",
        "(is_inverse cabinet_5)",
        "(goal (K agent_2 (K agent_1 (is_open stand_20))))",
    )


def test_what_an_actor_needs_is_counted_as_news() -> None:
    made = written()
    assert made.news == [("agent_0", "agent_1"), ("agent_2", "agent_0")]
    assert made.changes == {"agent_1": [OPEN]}
    assert made.kept == {"agent_1": [CLOSED]}
    assert made.stops == {"agent_1": [("stand_20",)]}
    assert made.goals[-1] == Know("agent_2", Know("agent_1", OPEN))


def test_nobody_is_told_anything_twice() -> None:
    made = written()
    made.tell("agent_0", Must(OPEN), Must(OPEN))
    assert made.told["agent_0"].count(Must(OPEN)) == 1


def test_a_private_goal_makes_the_task_mixed_and_is_told_to_its_agent_alone() -> None:
    made = written()
    made.private_goals["agent_1"] = Atom("is_closed", ("stand_20",))
    task = made.task("a_task", "", "A day in this house.")
    assert (task.category, task.private_goals) == ("mixed", {"agent_1": "(is_closed stand_20)"})
    assert task.agent_secrets["agent_1"][-1] == (
        "Privately, you would like stand_20 to be closed when the day is over; nobody else knows."
    )
    told = {agent for agent, forms in task.agent_knows.items() if any("private_goal" in one for one in forms)}
    assert told == {"agent_1"}
    assert "(private_goal (is_closed stand_20))" in task.agent_knows["agent_1"]
    assert faults(made) == []


def test_without_links_everybody_can_message_everybody() -> None:
    made = drafted()
    made.want(OPEN, "agent_1", "agent_0", "stand_20")
    task = made.task("a_task", "", "A day in this house.")
    assert "restricted_communication" not in task.active_mechanics
    assert task.agent_secrets["agent_0"][1] == "You can send 2 messages."
    assert faults(made) == []


def test_the_rooms_of_others_and_the_locked_one_are_barred() -> None:
    made = drafted(2, locked="bathroom_1")
    assert made.bars("agent_0") == ("living_room_1", "bathroom_1")
    assert made.rooms("agent_0") == ("kitchen_1", "bedroom_1", "hallway_1")
    assert made.common == ("bedroom_1", "hallway_1")
    made.want(OPEN, "agent_1", "agent_0", "stand_20")
    locked = made.task("a_task", "", "A day in this house.").mechanic_bindings[2]
    assert (locked.restricted_rooms, locked.for_agents) == (("bathroom_1",), ("agent_0", "agent_1"))


@for_each(
    ("allowed", "reached"),
    [
        (("kitchen_1", "hallway_1", "bedroom_1"), {"kitchen_1", "hallway_1", "bedroom_1"}),
        (("kitchen_1", "bedroom_1"), {"kitchen_1"}),
        (("hallway_1", "store_1"), {"kitchen_1", "hallway_1"}),
    ],
)
def test_a_walk_uses_allowed_rooms_only(allowed: tuple[str, ...], reached: set[str]) -> None:
    """The store has one door, to the bedroom; the room of the start needs no permission."""
    assert walkable(scene(), "kitchen_1", allowed) == reached


def test_places_are_those_on_and_in_furniture() -> None:
    places = placed_in(scene())
    assert places["key_0"] == ("cabinet_12", "store_1")
    assert places["bowl_0"] == ("counter_0", "kitchen_1")
    assert "ball_0" not in places
    assert placed_in(load_scene(SCENE))["pillow_0"] == ("couch_21", "living_room_1")
