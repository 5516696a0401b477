"""An episode in the household, played again turn by turn."""

from __future__ import annotations

from copy import deepcopy

import pytest
from msgspec.structs import replace

from otherminds.core.errors import StudyError
from otherminds.core.scenario import Scenario, Setup, scenario
from otherminds.household.goal_check import holds
from otherminds.household.reports.replay import HouseReplay, household_again, wishes
from otherminds.household.reports.state import falsehoods
from otherminds.household.world import HouseholdWorld
from otherminds.testing import RandomMind
from otherminds.testing.episodes import played
from tests.household.reports import household_episodes as small


def test_every_turn_is_a_frame_and_nothing_departs(house_replay: HouseReplay) -> None:
    assert house_replay.fault == ""
    assert (house_replay.first, house_replay.last, len(house_replay.turns)) == (
        0,
        small.TURNS,
        small.TURNS + 1,
    )


def test_a_turn_holds_what_was_done_and_what_came_of_it(house_replay: HouseReplay) -> None:
    assert house_replay.turns[0].did == {}
    for number, row in enumerate(small.CALLS[:6], 1):
        assert [house_replay.turns[number].did[seat].call for seat in house_replay.record.seats] == list(row)
    did = house_replay.turns[5].did["agent_1"]
    assert (did.ok, did.text.split("!")[0]) == (False, "Malformed call")
    assert set(house_replay.turns[8].did) == {"agent_0"}  # the others were done


def test_states_and_beliefs_go_with_the_turns(house_replay: HouseReplay) -> None:
    assert house_replay.turns[2].state.objects["bowl_0"].rest.how == "on"
    assert str(house_replay.turns[3].state.objects["bowl_0"].rest) == "held by agent_0"
    assert ("cup_1", "held by agent_1") in [
        (one.about, one.believed) for one in falsehoods(house_replay.turns[4].state, "agent_2")
    ]


def test_what_of_the_goal_holds_is_what_the_world_says(made: Scenario, house_replay: HouseReplay) -> None:
    world = made.world()
    assert isinstance(world, HouseholdWorld)
    world.reset()
    goals = wishes(world.house)
    assert [seat for seat, _ in goals] == ["", "", "agent_2"]
    for turn, actions in zip(house_replay.turns[1:], house_replay.record.actions, strict=True):
        world.step(dict(zip(house_replay.record.seats, actions, strict=True)))
        assert turn.holding == tuple(holds(world.engine, literal) for _, literal in goals)
    assert house_replay.turns[-1].holding == (True, True, False)


def test_knowing_begins_with_a_truthful_message(house_replay: HouseReplay) -> None:
    known = [turn.known["k_probe_0"] for turn in house_replay.turns]
    assert known == [False] * 4 + [True] * 5


def test_messages_say_whom_they_reached_or_why_nobody(house_replay: HouseReplay) -> None:
    first, blocked, second, last = house_replay.facts.messages
    assert (first.turn + 1, first.sender, first.delivered, first.text) == (
        4,
        "agent_0",
        ("agent_1",),
        "cabinet_2 is open.",
    )
    assert (blocked.delivered, blocked.text) == ((), small.EVIL)
    assert blocked.why.startswith("Blocked")
    assert (second.turn + 1, second.delivered) == (5, ("agent_0",))
    assert (last.to, last.delivered) == ("all", ("agent_1", "agent_2"))
    kinds = [one.kind for one in house_replay.happenings]
    assert (kinds.count("message"), kinds.count("blocked message")) == (3, 1)
    assert kinds.count("call") + kinds.count("failed call") == len(house_replay.record.facts["log"])


def test_other_rewards_than_recorded_are_a_fault(made: Scenario, house_replay: HouseReplay) -> None:
    rewards = [(1.0, 1.0, 1.0), *house_replay.record.rewards[1:]]
    assert household_again(replace(house_replay.record, rewards=rewards), made).fault.startswith(
        "from step 1 on the replay"
    )


def test_other_texts_than_recorded_are_a_fault(made: Scenario, house_replay: HouseReplay) -> None:
    facts = deepcopy(house_replay.record.facts)
    facts["log"][4]["text"] = "Successful execution! You hold the moon."
    fault = household_again(replace(house_replay.record, facts=facts), made).fault
    assert fault.startswith("in turn 2 the replay is not what was recorded: agent_1 was told")
    assert "the moon" in fault


def test_a_record_without_facts_replays_all_the_same(made: Scenario, house_replay: HouseReplay) -> None:
    assert household_again(replace(house_replay.record, facts={}), made).fault == ""


def test_other_worlds_are_refused() -> None:
    record = played(Setup(scenario("rps-single-v1", {"rounds": 2}), {"ego": RandomMind()}, 0))
    with pytest.raises(StudyError, match="not in the household"):
        household_again(record)
