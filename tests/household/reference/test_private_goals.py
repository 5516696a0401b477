"""Private goals of levels 2 and 3: pursued after what an agent has to do for the shared goal, and never against it."""

from __future__ import annotations

from collections.abc import Mapping

from otherminds.household.epistemic.formula import physical
from otherminds.household.goal_check import holds
from otherminds.household.house import House
from otherminds.household.reference.roster import ROSTER
from otherminds.household.task import Binding
from tests.cases import for_each
from tests.household.proofs.tasks import bars, mixed, told_house
from tests.household.reference import team

OWN = {"agent_0": "(is_open fridge_3)", "agent_1": "(is_on_top bowl_0 table_5)"}
TURNS = 24


def play(house: House, mind: str, **params: int) -> team.Played:
    return team.play(house, {seat: ROSTER[mind](house, **params) for seat in house.agents}, TURNS)


def met(played: team.Played) -> Mapping[str, bool]:
    engine = played.world.engine
    return {
        seat: all(holds(engine, one) for one in physical(goal)) for seat, goal in engine.house.private.items()
    }


@for_each("level", [2, 3])
def test_private_goals_are_met_together_with_the_shared_goal(level: int) -> None:
    played = play(mixed(private=OWN), "level_k", k=level)
    assert played.solved
    assert met(played) == {"agent_0": True, "agent_1": True}


@for_each(
    ("mind", "params"), [("no_message", {}), ("broadcast", {}), ("level_k", {"k": 1}), ("informed", {})]
)
def test_other_teams_do_not_pursue_them(mind: str, params: dict[str, int]) -> None:
    assert not any(met(play(mixed(private=OWN), mind, **params)).values())


@for_each("level", [2, 3])
def test_an_agent_acts_for_the_shared_goal_first(level: int) -> None:
    """The goal is told to agent 1 in the first turn, when it could act for its private goal already."""
    played = play(mixed(private={"agent_1": "(is_open fridge_3)"}), "level_k", k=level)
    calls = played.calls("agent_1")
    assert calls.index("Open[cabinet_12]") < calls.index("Open[fridge_3]")


@for_each(
    ("goal", "own"),
    [
        ("(is_open cabinet_12)", "(is_closed cabinet_12)"),
        ("(and (is_open cabinet_12) (is_closed fridge_3))", "(is_open fridge_3)"),
        ("(and (is_open cabinet_12) (is_on_top bowl_0 table_5))", "(is_on_top bowl_0 sink_1)"),
        ("(and (is_open cabinet_12) (is_in_room bowl_0 study_1))", "(is_on_top bowl_0 sink_1)"),
    ],
)
def test_a_private_goal_against_the_shared_one_that_its_owner_knows_is_given_up(goal: str, own: str) -> None:
    for level in (2, 3):
        played = play(mixed(goal=goal, private={"agent_0": own}), "level_k", k=level)
        assert played.solved, level
        assert not met(played)["agent_0"], level


def test_a_mechanic_that_turns_a_private_goal_against_the_shared_one_counts() -> None:
    mirror = Binding("state_mirroring", trigger_object="fridge_3", target_object="cabinet_12")
    knows = {
        "agent_0": [
            "(goal (is_closed cabinet_12))",
            "(goal (is_open cabinet_2))",
            "(mirrors cabinet_12 fridge_3)",
            "(private_goal (is_open fridge_3))",
        ]
    }
    house = told_house(
        *bars(agent_0="store_1"),
        mirror,
        goal="(and (is_open cabinet_2) (is_closed cabinet_12))",
        knows=knows,
        category="mixed",
        private_goals={"agent_0": "(is_open fridge_3)"},
    )
    played = play(house, "level_k", k=2)
    assert played.solved
    assert met(played) == {"agent_0": False}


def test_nobody_is_told_of_the_private_goal_of_another() -> None:
    for level in (2, 3):
        played = play(mixed(private={"agent_0": "(is_open fridge_3)"}), "level_k", k=level)
        assert met(played) == {"agent_0": True}
        assert not any("fridge_3" in text for _, _, text in played.said)
        assert "fridge_3" not in " ".join(played.calls("agent_1"))


def test_what_was_opened_for_access_stays_open_if_the_private_goal_wants_it() -> None:
    house = mixed(
        goal="(and (is_open cabinet_12) (is_on_top cup_1 table_5))", private={"agent_0": "(is_open fridge_3)"}
    )
    for level in (2, 3):
        calls = play(house, "level_k", k=level).calls("agent_0")
        assert "Close[fridge_3]" not in calls
