"""Who is entitled to know what: by sight, by sight together, by true messages; and no longer than it holds."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from otherminds.testing.elsewhere import load
from otherminds.worlds.household.world import HouseholdWorld

small = load(Path(__file__).with_name("small_house.py"))

A, B, C = "agent_0", "agent_1", "agent_2"
OPEN = "cabinet_2 is open."


def told(to: str, text: str) -> str:
    return f'Communicate[{to}, "{text}"]'


def since(goal: str, *turns: Mapping[str, str]) -> list[int | None]:
    """For each chain of the goal, in order, the turn since which it is known, after some turns."""
    made = HouseholdWorld(small.house(goal=goal), 40)
    made.reset()
    for calls in turns:
        small.turn(made, calls)
    entitled = made.facts()["entitled"]
    return [turn for name, turn in entitled.items() if name.startswith("k_probe_")]


KNOWS = "(K agent_0 (is_open cabinet_2))"
B_KNOWS = "(K agent_1 (is_open cabinet_2))"
A_KNOWS_B_KNOWS = "(K agent_0 (K agent_1 (is_open cabinet_2)))"
B_KNOWS_A_KNOWS = "(K agent_1 (K agent_0 (is_open cabinet_2)))"
THREE = "(K agent_2 (K agent_1 (K agent_0 (is_open cabinet_2))))"
OPENS = {A: "Open[cabinet_2]"}


class TestSeeing:
    def test_who_sees_it_knows_it_from_that_turn_on(self) -> None:
        assert since(KNOWS) == [None]
        assert since(KNOWS, OPENS) == [1]
        assert since(KNOWS, OPENS, {A: "Navigate[study_1]"}, {}) == [1]

    def test_who_does_not_see_it_does_not_know_it(self) -> None:
        assert since(B_KNOWS, OPENS) == [None]
        assert since(B_KNOWS, OPENS, {B: "Navigate[kitchen_1]"}) == [2]

    def test_who_see_it_together_know_that_of_each_other(self) -> None:
        both = ({B: "Navigate[kitchen_1]"}, OPENS)
        assert since(f"(and {A_KNOWS_B_KNOWS} {B_KNOWS_A_KNOWS})", *both) == [2, 2]

    def test_who_see_it_one_after_the_other_do_not(self) -> None:
        apart = (OPENS, {A: "Navigate[study_1]"}, {B: "Navigate[kitchen_1]"})
        assert since(f"(and {A_KNOWS_B_KNOWS} {B_KNOWS_A_KNOWS})", *apart) == [None, None]
        assert since(f"(and {KNOWS} {B_KNOWS})", *apart) == [1, 3]

    def test_what_a_mechanic_did_elsewhere_is_not_seen_at_the_trigger(self) -> None:
        made = HouseholdWorld(small.house(*small.ALL_SIX, goal="(K agent_2 (is_open fridge_3))"), 40)
        made.reset()
        small.turn(made, {C: "Open[cabinet_10]"})
        assert made.facts()["entitled"] == {"k_probe_0": None}


class TestTelling:
    def test_a_true_message_makes_known_and_known_to_be_known_both_ways(self) -> None:
        goal = f"(and {B_KNOWS} {A_KNOWS_B_KNOWS} {B_KNOWS_A_KNOWS})"
        assert since(goal, OPENS, {A: told(B, OPEN)}) == [2, 2, 2]

    def test_it_makes_nothing_known_to_who_did_not_hear_it(self) -> None:
        assert since("(K agent_2 (is_open cabinet_2))", OPENS, {A: told(B, OPEN)}) == [None]

    def test_what_its_sender_does_not_know_counts_for_nothing_even_if_it_is_true(self) -> None:
        assert since("(K agent_2 (is_open cabinet_2))", OPENS, {B: told(C, OPEN)}) == [None]

    def test_what_is_false_counts_for_nothing(self) -> None:
        assert since(B_KNOWS, {A: told(B, OPEN)}) == [None]
        assert since(B_KNOWS, {A: told(B, OPEN)}, OPENS) == [None]

    def test_a_relay_tells_what_it_was_told(self) -> None:
        relayed = (OPENS, {A: told(B, OPEN)}, {B: told(C, "agent_0 knows that cabinet_2 is open.")})
        assert since(f"(and (K agent_2 (is_open cabinet_2)) {THREE})", *relayed) == [None, 3]
        plain = (OPENS, {A: told(B, OPEN)}, {B: told(C, OPEN)})
        assert since(f"(and (K agent_2 (is_open cabinet_2)) {THREE})", *plain) == [3, None]

    def test_words_outside_the_controlled_language_count_for_nothing(self) -> None:
        assert since(B_KNOWS, OPENS, {A: told(B, "The cabinet with the cups is open now!")}) == [None]

    def test_a_message_to_all_makes_it_known_to_each(self) -> None:
        goal = f"(and {B_KNOWS} (K agent_2 (is_open cabinet_2)))"
        assert since(goal, OPENS, {A: told("all", OPEN)}) == [2, 2]

    def test_a_blocked_message_makes_nothing_known(self) -> None:
        made = HouseholdWorld(small.house(small.ALL_SIX[2], goal="(K agent_2 (is_open fridge_3))"), 40)
        made.reset()
        small.play(made, {A: "Open[fridge_3]"}, {A: told(C, "fridge_3 is open.")})
        assert made.facts()["entitled"] == {"k_probe_0": None}


class TestCeasing:
    @pytest.mark.parametrize("again", [False, True])
    def test_when_it_stops_holding_nobody_knows_it_any_more(self, again: bool) -> None:
        goal = f"(and {KNOWS} {B_KNOWS})"
        turns = (OPENS, {A: told(B, OPEN)}, {A: "Close[cabinet_2]"})
        assert since(goal, *turns) == [None, None]
        # Opened again it is known to who sees it, and not to who was told the first time.
        assert since(goal, *turns, OPENS) == [4, None]

    def test_it_stops_by_an_unseen_hand_too(self) -> None:
        turns = (OPENS, {A: "Navigate[study_1]"}, {B: "Navigate[kitchen_1]"}, {B: "Close[cabinet_2]"})
        assert since(KNOWS, *turns) == [None]

    def test_a_message_that_is_overtaken_in_its_own_turn_makes_nothing_known(self) -> None:
        turns = (OPENS, {B: "Navigate[kitchen_1]"}, {A: told(C, OPEN), B: "Close[cabinet_2]"})
        assert since("(K agent_2 (is_open cabinet_2))", *turns) == [None]


def test_a_denial_can_be_known_as_well() -> None:
    assert since("(K agent_0 (not (is_on_top bowl_0 counter_0)))", {A: "Pick[bowl_0]"}) == [1]


def test_a_goal_without_knowledge_asks_for_none() -> None:
    assert since("(is_open cabinet_2)", OPENS) == []
