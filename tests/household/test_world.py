"""The household keeps what every world keeps; what its seats see of each other, hear, and are paid for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
import pytest
from pettingzoo.test import parallel_api_test

from otherminds.core.data import Encounter, Question, ReceivedMessage
from otherminds.household.commands import TOOLS
from otherminds.household.epistemic.household_facts import HouseholdFacts
from otherminds.household.observation_space import OBSERVATIONS
from otherminds.household.probes import probes_of
from otherminds.household.scenes.load import load_scene, shipped_scenes
from otherminds.household.shared import WALKS
from otherminds.household.world import HouseholdWorld
from otherminds.testing import Variant, WorldConformance
from tests.household import drawn_tasks as drawn
from tests.household import small_house as small

A, B, C = "agent_0", "agent_1", "agent_2"
EVERY = tuple(TOOLS)
TELL = 'Communicate[agent_1, "The bowl is here."]'


class HouseholdConformance(WorldConformance):
    turns = 25

    def grants(self) -> dict[str, Any]:
        return {"secrets": ("the key is under the mat",)}


class TestSmallHouse(HouseholdConformance):
    goal = "(and (is_inside towel_0 cabinet_12) (K agent_0 (is_closed cabinet_6)) (K agent_1 (is_open cabinet_2)))"

    def make_world(self) -> HouseholdWorld:
        return self._world()

    def _world(self, **fields: Any) -> HouseholdWorld:
        return HouseholdWorld(small.house(*small.ALL_SIX, goal=self.goal, **fields), self.turns)

    def questions(self) -> list[Question]:
        return [probe.question for probe in probes_of(small.house(goal=self.goal)).probes()]

    def private_variants(self) -> Iterable[Variant]:
        """Far rooms, closed furniture, and what others were told and want."""
        hidden = {"towel_0": {"is_inside": "cabinet_12"}}
        for seat in (A, B, C):
            yield Variant("what is shut away", seat, self._world(), self._world(initial_states=hidden), 0)
        moved = {"lamp_0": {"is_on_top": "heater_13"}}
        yield Variant("what stands in another room", B, self._world(), self._world(initial_states=moved), 0)
        told = {C: ("Nobody may know.",)}
        yield Variant("another's secrets", A, self._world(), self._world(agent_secrets=told), self.turns)
        wants = {C: "(is_open window_16)"}
        yield Variant(
            "another's private goal", A, self._world(), self._world(private_goals=wants), self.turns
        )


class TestShippedScene(HouseholdConformance):
    def make_world(self) -> HouseholdWorld:
        return HouseholdWorld(drawn.house(load_scene(shipped_scenes()[-1]), 0), self.turns)


class TestTwoAgents(HouseholdConformance):
    def make_world(self) -> HouseholdWorld:
        return HouseholdWorld(small.house(agents=2), self.turns)


def test_pettingzoo_accepts_it() -> None:
    parallel_api_test(HouseholdWorld(small.house(*small.ALL_SIX), 20), num_cycles=60)


def test_an_observation_says_all_that_the_docstring_names() -> None:
    made = small.world()
    observations, _ = small.play(made, {B: "Navigate[kitchen_1]"}, {A: "Pick[bowl_0]", C: "Open[chest_11]"})
    heard = observations[B]
    assert set(heard) == set(OBSERVATIONS)
    assert (heard["turn"], heard["call"], heard["room"], heard["holding"]) == (2, "Wait[]", "kitchen_1", [])
    assert heard["events"] == [[A, "Pick[bowl_0]"]]
    assert heard["graph"]["objects"]["bowl_0"] == ["is_held_by", A]
    assert heard["graph"]["objects"]["book_0"] == ["is_on_top", "table_5"]
    assert "lamp_0" not in heard["graph"]["objects"]
    assert heard["graph"]["agents"] == {A: {"room": "kitchen_1"}}
    assert heard["graph"]["states"]["cabinet_2"] == ["is_closed"]
    assert heard["house"]["furniture"]["cabinet_12"] == {
        "room": "store_1",
        "is": ["articulated", "surface", "container"],
    }
    assert sorted(heard["house"]["rooms"]["bedroom_1"]) == ["hallway_1", "store_1"]
    assert observations[A]["holding"] == ["bowl_0"]


def test_who_carried_away_what_is_known_of_it_stays_behind_as_a_gap() -> None:
    made = small.world()
    observations, _ = small.play(
        made,
        {B: "Navigate[kitchen_1]"},
        {B: "Pick[bowl_0]", A: "Navigate[study_1]"},
        {B: "Navigate[hallway_1]"},
        {A: "Navigate[kitchen_1]"},
    )
    assert observations[A]["graph"]["objects"]["bowl_0"] == []


class TestMessages:
    def test_a_message_is_heard_at_the_start_of_the_next_turn_and_once(self) -> None:
        made = small.world()
        observations, infos = small.turn(made, {A: TELL})
        assert infos[B]["told"] == (ReceivedMessage(A, "The bowl is here."),)
        assert observations[A]["result"] == "Successful execution! The message is on its way."
        assert not infos[C]["told"]
        _, infos = small.turn(made, {})
        assert not infos[B]["told"]

    def test_messages_of_one_turn_come_in_the_order_of_seats(self) -> None:
        made = small.world()
        _, infos = small.turn(made, {C: 'Communicate[all, "Third."]', A: 'Communicate[agent_1, "First."]'})
        assert infos[B]["told"] == (ReceivedMessage(A, "First."), ReceivedMessage(C, "Third."))
        assert infos[A]["told"] == (ReceivedMessage(C, "Third."),)

    @pytest.mark.parametrize("ending", ["Done[]", "Wait[]"])
    def test_the_last_message_is_heard_in_the_closing_moment(self, ending: str) -> None:
        made = small.world(turns=2)
        small.turn(made, {B: ending, C: ending})
        _, infos = small.turn(made, {A: TELL})
        assert not made.agents
        assert infos[B]["told"] == (ReceivedMessage(A, "The bowl is here."),)

    def test_who_is_done_still_hears(self) -> None:
        made = small.world()
        _, infos = small.play(made, {B: "Done[]"}, {A: TELL})
        assert infos[B]["told"] == (ReceivedMessage(A, "The bowl is here."),)


class TestSeeingOthers:
    def test_who_is_seen_to_leave_may_have_used_either_tool_that_walks(self) -> None:
        for call in ("Navigate[hallway_1]", "Explore[hallway_1]"):
            made = small.world()
            observations, infos = small.play(made, {B: "Navigate[kitchen_1]"}, {B: call})
            assert observations[A]["events"] == [[B, "left"]]
            (encounter,) = infos[A]["encounters"]
            assert encounter == Encounter(1, {A: ("Wait",), B: WALKS, C: EVERY}, 0.0)

    def test_who_walks_within_sight_is_seen_to_go_there(self) -> None:
        made = small.world()
        observations, _ = small.turn(made, {B: "Navigate[kitchen_1]"})
        assert observations[A]["events"] == [[B, "came in"]]
        observations, _ = small.turn(made, {B: "Navigate[fridge_3]"})
        assert not observations[A]["events"]  # it was in reach already
        observations, _ = small.play(
            made, {B: "Navigate[bed_9]"}, {B: "Navigate[stove_4]"}, {B: "Navigate[fridge_3]"}
        )
        assert observations[A]["events"] == [[B, "went to fridge_3"]]

    def test_to_walk_to_what_is_in_reach_shows_nothing_of_what_one_knows(self) -> None:
        told = []
        for call in ("Navigate[cup_0]", "Wait[]"):
            made = small.world()
            small.play(made, {B: "Navigate[kitchen_1]"}, {B: "Open[cabinet_2]"}, {B: "Close[cabinet_2]"})
            observations, infos = small.turn(made, {B: call})
            assert observations[B]["worked"]
            told.append((observations[A], infos[A]))
        assert told[0] == told[1]

    def test_a_failure_of_another_is_not_seen(self) -> None:
        made = small.world()
        observations, infos = small.play(made, {B: "Navigate[kitchen_1]"}, {B: "Close[cabinet_2]"})
        assert not observations[A]["events"]
        assert infos[A]["encounters"][0].did[B] == EVERY

    def test_round_the_corner_of_a_room_nobody_is_seen(self) -> None:
        made = small.world()
        observations, _ = small.play(
            made, {A: "Navigate[hallway_1]", C: "Navigate[stand_14]"}, {C: "Open[stand_14]"}
        )
        assert not observations[A]["events"]
        assert C not in observations[A]["graph"]["agents"]
        assert "stand_14" not in observations[A]["graph"]["states"]


class TestConflicts:
    def test_of_two_who_want_one_object_the_first_seat_has_it(self) -> None:
        made = small.world()
        observations, _ = small.play(made, {A: "Navigate[table_5]"}, {A: "Pick[cup_1]", B: "Pick[cup_1]"})
        assert observations[A]["holding"] == ["cup_1"]
        assert observations[B]["result"] == "Failed to pick! cup_1 is not there any more."
        assert observations[B]["graph"]["objects"]["cup_1"] == ["is_held_by", A]

    def test_what_an_earlier_seat_opened_a_later_one_can_use_in_the_same_turn(self) -> None:
        made = small.world()
        small.play(made, {A: "Open[cabinet_2]"}, {A: "Close[cabinet_2]", B: "Navigate[kitchen_1]"})
        small.play(made, {A: "Pick[bowl_0]"})
        observations, _ = small.turn(made, {A: "Wait[]", B: "Open[cabinet_2]"})
        assert observations[B]["worked"]
        observations, _ = small.turn(made, {A: "Place[bowl_0, within, cabinet_2]", B: "Close[cabinet_2]"})
        assert observations[A]["worked"]
        assert observations[B]["worked"]

    def test_two_who_open_one_thing_at_once_the_later_finds_it_open(self) -> None:
        made = small.world()
        observations, _ = small.play(
            made, {B: "Navigate[kitchen_1]"}, {A: "Open[fridge_3]", B: "Open[fridge_3]"}
        )
        assert observations[A]["worked"]
        assert observations[B]["result"] == "Failed to open! fridge_3 is already open."


class TestEnds:
    GOAL = "(and (is_held_by bowl_0 agent_0) (K agent_1 (is_held_by bowl_0 agent_0)))"

    def test_after_done_an_agent_waits_and_the_episode_goes_on(self) -> None:
        made = small.world()
        observations, _ = small.play(made, {A: "Done[]"}, {A: "Pick[bowl_0]"})
        assert observations[A]["result"] == "You are done."
        assert observations[A]["call"] == "Wait[]"
        assert not observations[A]["holding"]
        assert made.agents

    def test_it_terminates_when_all_are_done_and_pays_for_the_physical_goal_alone(self) -> None:
        for picks in (True, False):
            made = HouseholdWorld(small.house(goal=self.GOAL), 40)
            made.reset()
            _, rewards, ended, cut, _ = made.step(
                {A: "Pick[bowl_0]" if picks else "Wait[]", B: "Wait[]", C: "Wait[]"}
            )
            assert set(rewards.values()) == {0.0}
            assert not any((*ended.values(), *cut.values()))
            _, rewards, ended, cut, _ = made.step(dict.fromkeys((A, B, C), "Done[]"))
            assert rewards == dict.fromkeys((A, B, C), float(picks))
            assert all(ended.values())
            assert not any(cut.values())
            assert not made.agents

    def test_it_is_truncated_when_the_turns_run_out_and_pays_all_the_same(self) -> None:
        made = HouseholdWorld(small.house(goal=self.GOAL), 2)
        made.reset()
        calls = {A: "Pick[bowl_0]", B: "Done[]", C: "Wait[]"}
        made.step(calls)
        _, rewards, ended, cut, _ = made.step(calls)
        assert set(rewards.values()) == {1.0}
        assert all(cut.values())
        assert not any(ended.values())

    def test_success_is_how_things_are_at_the_end_not_on_the_way(self) -> None:
        made = HouseholdWorld(small.house(goal=self.GOAL), 2)
        made.reset()
        waits = {B: "Wait[]", C: "Wait[]"}
        made.step({A: "Pick[bowl_0]", **waits})
        assert made.solved()
        _, rewards, *_ = made.step({A: "Place[bowl_0, on, stove_4]", **waits})
        assert set(rewards.values()) == {0.0}


def test_seeds_change_nothing() -> None:
    made = HouseholdWorld(small.house(*small.ALL_SIX), 10)
    first = made.reset(seed=1)
    assert made.reset(seed=2) == first
    assert made.reset() == first


def test_a_task_may_leave_some_tools_out_but_waiting_and_ending() -> None:
    made = small.world(agent_actions={A: ("Navigate",)})
    observations, infos = small.turn(made, {A: "Pick[bowl_0]", B: "Pick[book_0]"})
    assert observations[A]["result"] == "You cannot use Pick in this task; your tools are Navigate."
    assert infos[A]["encounters"][0].did[A] == ("Wait",)
    assert observations[B]["worked"]
    observations, _ = small.turn(made, {A: "Wait[]"})
    assert observations[A]["worked"]
    observations, _ = small.turn(made, {A: "Done[]"})
    assert observations[A]["worked"]


def test_the_brief_holds_ones_own_secrets_and_what_is_granted() -> None:
    made = HouseholdWorld(small.house(agent_secrets={A: ("Mine.",), B: ("Yours.",)}), 10)
    made.reset(options={"grants": {A: {"secrets": ("agent_1 was told: Yours.",)}}})
    assert made.brief(A).secrets == ("Mine.", "agent_1 was told: Yours.")
    assert made.brief(B).secrets == ("Yours.",)


def test_the_facts_hold_every_call_and_every_message_with_its_fate() -> None:
    made = small.world(*small.ALL_SIX)
    small.play(made, {A: TELL, B: "Open[fridge_3]"}, {A: 'Communicate[agent_2, "Psst."]', B: "Done[]"}, {})
    facts = made.facts()
    assert [(line["turn"], line["seat"], line["ok"]) for line in facts["log"]] == [
        *((0, A, True), (0, B, False), (0, C, True)),
        *((1, A, False), (1, B, True), (1, C, True)),
        *((2, A, True), (2, C, True)),
    ]
    assert facts["messages"] == [
        {
            "turn": 0,
            "sender": A,
            "to": B,
            "text": "The bowl is here.",
            "delivered": [B],
            "why": "Successful execution! The message is on its way.",
            "arrived": "The bowl is here.",
            "cut": False,
            "conveyed": [],
            "unread": ["The bowl is here."],
            "asides": [],
            "silent": [],
        },
        {
            "turn": 1,
            "sender": A,
            "to": C,
            "text": "Psst.",
            "delivered": [],
            "why": "Blocked: You can only send messages to: agent_1.",
            "arrived": "",
            "cut": False,
            "conveyed": [],
            "unread": [],
            "asides": [],
            "silent": [],
        },
    ]


def test_the_facts_read_back_as_what_happened() -> None:
    made = small.world(*small.ALL_SIX)
    small.play(made, {A: TELL, B: "Open[fridge_3]"}, {B: "Done[]"}, {})
    assert msgspec.convert(made.facts(), HouseholdFacts) == made.happened()


def test_the_house_is_drawn_in_lines_of_text() -> None:
    lines = small.world().render().splitlines()
    assert lines[0] == "agent_0 in kitchen_1"
    assert "bowl_0: is_on_top counter_0" in lines
