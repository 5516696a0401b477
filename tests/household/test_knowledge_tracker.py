"""Who is entitled to know what: by sight, by sight together, by true messages; and no longer than it holds."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from itertools import pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otherminds.household.engine import HouseEngine
from otherminds.household.epistemic.formula import (
    Atom,
    Know,
    KnowledgeChain,
    chains,
    known_to,
    physical,
    probed,
)
from otherminds.household.epistemic.predicates import positive
from otherminds.household.epistemic.words import Fact
from otherminds.household.epistemic.words.sentences import read, say
from otherminds.household.goal_check import holds, visible, watch
from otherminds.household.house import House
from otherminds.household.knowledge_tracker import FollowedChains, KnowledgeTracker
from otherminds.household.transmission import Transmission
from otherminds.household.world import HouseholdWorld
from tests.cases import for_each
from tests.household import small_house as small

A, B, C = "agent_0", "agent_1", "agent_2"
OPEN = "cabinet_2 is open."


def told(to: str, text: str) -> str:
    return f'Communicate[{to}, "{text}"]'


def since(goal: str, *turns: Mapping[str, str], **fields: object) -> list[int | None]:
    """For each chain of the goal, in order, the turn since which it is known, after some turns."""
    made = HouseholdWorld(small.house(goal=goal, **fields), 40)
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
SECRETS = {A: ("book_0 is on table_5. agent_1 knows that cabinet_6 is closed.", "window_16 is open.")}


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

    def test_what_was_seen_on_the_way_through_a_room_is_known(self) -> None:
        goal = "(and (K agent_0 (is_closed stand_14)) (K agent_0 (K agent_1 (is_closed stand_14))))"
        assert since(goal, {A: "Navigate[hallway_1]"}) == [None, None]
        assert since(goal, {A: "Explore[hallway_1]", B: "Navigate[stand_14]"}) == [1, None]

    @pytest.mark.parametrize(("looks", "known"), [(A, None), (C, 2)])
    def test_what_was_turned_after_the_look_was_not_seen(self, looks: str, known: int | None) -> None:
        """Agents move in their order: only a later look shows what a hand did."""
        goal = f"(K {looks} (is_open stand_14))"
        turn = {looks: "Explore[hallway_1]", B: "Open[stand_14]"}
        assert since(goal, {B: "Navigate[stand_14]"}, turn) == [known]

    @pytest.mark.parametrize(("looks", "known"), [(A, None), (C, 5)])
    def test_one_state_that_stays_does_not_show_another_that_changed(
        self, looks: str, known: int | None
    ) -> None:
        """The kettle stays empty, as it was seen; only a later look shows that it was turned on."""
        way = ("Navigate[kitchen_1]", "Navigate[kettle_0]", "Pick[kettle_0]", "Navigate[stand_14]")
        turn = {looks: "Explore[hallway_1]", B: "PowerOn[kettle_0]"}
        assert since(f"(K {looks} (is_powered_on kettle_0))", *({B: call} for call in way), turn) == [known]

    def test_that_a_thing_is_not_in_a_room_is_seen_by_who_sees_all_places_there(self) -> None:
        """It might be in the last piece of furniture that is closed."""
        ways = (
            "Open[cabinet_2]",
            "Navigate[fridge_3]",
            "Open[fridge_3]",
            "Navigate[oven_17]",
            "Open[oven_17]",
        )
        turns = [{A: call} for call in ways]
        goal = "(K agent_0 (not (is_in_room key_0 kitchen_1)))"
        assert since(goal, *turns[:-1]) == [None]
        assert since(goal, *turns) == [len(turns)]

    def test_what_a_mechanic_did_elsewhere_is_not_seen_at_the_trigger(self) -> None:
        made = HouseholdWorld(small.house(*small.ALL_SIX, goal="(K agent_2 (is_open fridge_3))"), 40)
        made.reset()
        small.turn(made, {C: "Open[cabinet_10]"})
        assert made.facts()["entitled"] == {"k_probe_0": None}


class TestTold:
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

    def test_a_relay_in_the_same_turn_tells_nothing(self) -> None:
        """Its sender had not heard it when it wrote."""
        goal = "(and (K agent_1 (is_closed cabinet_2)) (K agent_2 (is_closed cabinet_2)))"
        both = {A: told(B, "cabinet_2 is closed."), B: told(C, "cabinet_2 is closed.")}
        assert since(goal, both) == [1, None]
        assert since(goal, both, both) == [1, 2]

    @for_each("asked", ["(is_closed cabinet_2)", "(not (is_open cabinet_2))"])
    @for_each("said", ["cabinet_2 is closed.", "cabinet_2 is not open."])
    def test_not_open_is_closed(self, asked: str, said: str) -> None:
        goal = f"(and (K agent_1 {asked}) (K agent_0 (K agent_1 {asked})))"
        assert since(goal, {A: told(B, said)}) == [1, 1]

    def test_free_words_count_where_they_are_read(self) -> None:
        free = "I have just opened cabinet_2 in the kitchen and left it open."
        assert since(f"(and {B_KNOWS} {A_KNOWS_B_KNOWS})", OPENS, {A: told(B, free)}) == [2, 2]

    def test_words_that_are_not_read_count_for_nothing(self) -> None:
        assert since(B_KNOWS, OPENS, {A: told(B, "The cabinet with the cups is open now!")}) == [None]

    def test_you_is_who_reads_it(self) -> None:
        goal = "(K agent_0 (K agent_1 (K agent_0 (is_open cabinet_2))))"
        before = (OPENS, {A: told(B, OPEN)})
        assert since(goal, *before) == [None]
        assert since(goal, *before, {B: told(A, f"You know that {OPEN}")}) == [3]

    def test_a_message_to_all_makes_it_known_to_each(self) -> None:
        goal = f"(and {B_KNOWS} (K agent_2 (is_open cabinet_2)))"
        assert since(goal, OPENS, {A: told("all", OPEN)}) == [2, 2]

    def test_a_blocked_message_makes_nothing_known(self) -> None:
        made = HouseholdWorld(small.house(small.ALL_SIX[2], goal="(K agent_2 (is_open fridge_3))"), 40)
        made.reset()
        small.play(made, {A: "Open[fridge_3]"}, {A: told(C, "fridge_3 is open.")})
        assert made.facts()["entitled"] == {"k_probe_0": None}


def report(*turns: Mapping[str, str], **fields: object) -> str:
    """What agent_1 is entitled to say of the cabinet in the kitchen, after some turns; it starts in the study."""
    made = HouseholdWorld(small.house(goal=A_KNOWS_B_KNOWS, **fields), 40)
    made.reset()
    for calls in turns:
        small.turn(made, calls)
    facts = made.facts()
    return facts["questions"][facts["tests"]["k_probe_0"]["probe"]]["truth"]


VAGUE = "You will like what I did in the kitchen!"


class TestReports:
    def test_who_saw_and_heard_nothing_has_nothing_to_say(self) -> None:
        assert report(OPENS) == "unknown"

    def test_who_saw_it_or_was_told_says_so(self) -> None:
        assert report(OPENS, {A: told(B, OPEN)}) == "holds"
        assert report({B: "Navigate[kitchen_1]"}) == "fails"
        assert report({A: told(B, "cabinet_2 is still shut.")}) == "fails"

    def test_what_depends_on_a_message_that_was_not_read_is_not_guessed(self) -> None:
        assert report(OPENS, {A: told(B, VAGUE)}) == "unread"
        assert report(OPENS, {A: told(B, f"{VAGUE} {OPEN}")}) == "holds", "another sentence says it"

    def test_a_message_of_who_cannot_know_tells_nothing_of_it(self) -> None:
        assert report(OPENS, {C: told(B, VAGUE)}) == "unknown"

    def test_by_way_of_another_it_is_not_guessed_either(self) -> None:
        assert report(OPENS, {A: told(C, VAGUE)}, {C: told(B, VAGUE)}) == "unread"

    @for_each("text", ["Hello!", "Where are you?", "I will go to study_1.", "cup_0 is clean."])
    def test_a_message_that_is_read_and_says_nothing_of_it_changes_nothing(self, text: str) -> None:
        assert report(OPENS, {A: told(B, text)}) == "unknown"

    def test_what_was_told_and_is_no_longer_so_or_never_was_is_not_guessed(self) -> None:
        assert report(OPENS, {A: told(B, OPEN)}, {A: "Close[cabinet_2]"}) == "outdated"
        assert report({A: told(B, OPEN)}) == "outdated"

    def test_who_knows_that_somebody_knows_it_knows_it(self) -> None:
        assert report(OPENS, {A: told(B, f"I know that {OPEN}")}) == "holds"
        relayed = (OPENS, {A: told(C, OPEN)}, {C: told(B, f"agent_0 knows that {OPEN}")})
        assert report(*relayed) == "holds"

    def test_where_an_object_is_says_where_it_is_not(self) -> None:
        goal = "(and (K agent_0 (K agent_1 (is_on_top bowl_0 table_5))) (K agent_1 (is_in_room bowl_0 kitchen_1)))"
        made = HouseholdWorld(small.house(goal=goal), 40)
        made.reset()
        small.turn(made, {A: told(B, "bowl_0 is on counter_0.")})
        facts = made.facts()
        first, second = (facts["tests"][name]["probe"] for name in ("k_probe_0", "k_probe_1"))
        assert facts["questions"][first]["truth"] == "fails"
        assert facts["questions"][second]["own"] == "holds"

    def test_who_sees_a_table_without_an_object_knows_that_it_is_not_there(self) -> None:
        goal = "(K agent_0 (K agent_1 (is_on_top bowl_0 table_5)))"
        made = HouseholdWorld(small.house(goal=goal), 40)
        made.reset()
        facts = made.facts()
        assert facts["questions"][facts["tests"]["k_probe_0"]["probe"]]["truth"] == "fails"

    @for_each(
        ("secret", "status"),
        [
            ("cabinet_2 is closed.", "fails"),
            ("Mind cabinet_2, and what it holds!", "unread"),
            ("Be kind!", "unknown"),
        ],
    )
    def test_a_secret_is_read_or_may_tell_of_what_it_names(self, secret: str, status: str) -> None:
        assert report(agent_secrets={B: (secret,)}) == status


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

    def test_it_stops_when_it_did_not_hold_for_a_moment(self) -> None:
        """Who sees it at the end knows it anew; who was told does not."""
        shut = "(and (K agent_2 (is_closed cabinet_2)) (K agent_0 (is_closed cabinet_2)))"
        turns = ({A: told(C, "cabinet_2 is closed."), B: "Navigate[cabinet_2]"},)
        assert since(shut, *turns) == [1, 0]
        moment = {A: "Open[cabinet_2]", B: "Close[cabinet_2]"}
        assert since(shut, *turns, moment) == [None, 2]
        # The same turn again ends that knowledge again, although nothing else changes.
        assert since(shut, *turns, moment, moment) == [None, 3]
        assert since(shut, *turns, moment, moment, moment, {}) == [None, 4]


class TestSecrets:
    def test_what_is_so_at_the_start_its_owner_knows(self) -> None:
        goal = "(and (K agent_0 (is_on_top book_0 table_5)) (K agent_2 (is_on_top book_0 table_5)))"
        assert since(goal, agent_secrets=SECRETS) == [0, None]
        heard = {A: told(C, "book_0 is on table_5.")}
        assert since(goal, heard, agent_secrets=SECRETS) == [0, 1]

    def test_what_is_not_so_it_does_not(self) -> None:
        goal = "(K agent_0 (is_open window_16))"
        assert since(goal, agent_secrets=SECRETS) == [None]
        opens = ({B: "Navigate[window_16]"}, {B: "Open[window_16]"})
        assert since(goal, *opens, agent_secrets=SECRETS) == [None]

    def test_a_secret_gives_no_knowledge_of_knowledge(self) -> None:
        goal = "(and (K agent_0 (is_closed cabinet_6)) (K agent_0 (K agent_1 (is_closed cabinet_6))))"
        assert since(goal, agent_secrets=SECRETS) == [None, None]


class TestCompany:
    """Who sees a fact together with whom, where not everybody sees everybody."""

    @staticmethod
    def know(chains: Iterable[tuple[int, ...]], links: list[tuple[int, int]]) -> list[bool]:
        """Whether each chain is known of a fact that all see, where only those that ``links`` join see each other."""
        agents = [f"agent_{i}" for i in range(4)]
        goal = "".join(
            "".join(f"(K {agents[i]} " for i in chain) + "(is_closed cabinet_2)" + ")" * len(chain)
            for chain in chains
        )
        spawns = {agents[3]: small.Spawn((2.0, 0.0, 1.5), "kitchen_1")}
        made = HouseholdWorld(small.house(agents=4, goal=f"(and {goal})", agent_spawns=spawns), 40)
        meets = {frozenset(link) for link in links}
        engine = made.engine
        engine.current.spot = [engine.spot[0]] * 4
        engine.sight.look()
        engine.sight.company = tuple(
            sum(1 << j for j in range(4) if i == j or frozenset((i, j)) in meets) for i in range(4)
        )
        entitled = KnowledgeTracker(FollowedChains(made.house))
        entitled.look(engine)
        return [since is not None for name, since in entitled.facts().items() if name.startswith("k_probe_")]

    @for_each("links", [[(1, 2), (2, 0), (1, 3)], [(1, 3), (3, 0), (1, 2)], [(2, 3), (3, 0), (2, 1)]])
    def test_every_two_who_see_each_other_know_it_of_each_other(self, links: list[tuple[int, int]]) -> None:
        pairs = [(i, j) for i, j in product(range(4), repeat=2) if i != j]
        meets = {frozenset(link) for link in links}
        assert self.know(pairs, links) == [frozenset(pair) in meets for pair in pairs]

    def test_it_is_known_through_somebody_only_if_all_three_see_each_other(self) -> None:
        """Who sees both others, who do not see each other, joins them in no chain."""
        chains = [(1, 0, 2), (2, 0, 1), (0, 1, 2)]
        assert self.know(chains, [(0, 1), (0, 2)]) == [False] * 3
        assert self.know(chains, [(0, 1), (0, 2), (1, 2)]) == [True] * 3


class Whole:
    """The rules without a bound but depth 5: every chain over all agents is followed."""

    def __init__(self, agents: tuple[str, ...], fact: Atom) -> None:
        self.fact = fact
        self.every = {
            KnowledgeChain(chain, fact)
            for n in range(1, 6)
            for chain in product(agents, repeat=n)
            if all(one != other for one, other in pairwise(chain))
        }
        self.agents = agents
        self.known: set[KnowledgeChain] = set()
        self.before: set[KnowledgeChain] = set()

    def look(self, engine: HouseEngine) -> None:
        if not holds(engine, self.fact) or watch(engine.house, self.fact).failed(engine):
            self.known = set()
        if holds(engine, self.fact):
            sees = {i for i in range(3) if visible(engine, i, self.fact)}
            for chain in self.every:
                group = {self.agents.index(agent) for agent in chain.agents}
                if group <= sees and all(engine.current.meets(i, j) for i, j in product(group, repeat=2)):
                    self.known.add(chain)
        self.before = set(self.known)

    def told(self, sender: str, reached: Iterable[str], text: str) -> None:
        for content in contents(text, sender):
            if known_to(sender, content) in self.before:
                for hearer in reached:
                    deeper = known_to(hearer, content)
                    self.known |= {
                        deeper,
                        known_to(hearer, known_to(sender, content)),
                        known_to(sender, deeper),
                    }


def contents(text: str, sender: str) -> list[KnowledgeChain]:
    """What a text of the controlled language states, each in its positive form."""
    formulas = [one.formula for one in read(text, me=sender) if isinstance(one, Fact)]
    bare = [KnowledgeChain((), fact) for formula in formulas for fact in physical(formula)]
    found = [*bare, *(chain for formula in formulas for chain in chains(formula))]
    return [KnowledgeChain(chain.agents, positive(chain.fact)) for chain in found]


class Compared(KnowledgeTracker):
    """Lets a log without a bound see and hear the same."""

    def __init__(self, house: House, whole: Whole) -> None:
        super().__init__(house)
        self.whole = whole

    def told(self, sent: Transmission) -> None:
        super().told(sent)
        self.whole.told(sent.sender, sent.reached, sent.text)

    def look(self, engine: HouseEngine) -> None:
        super().look(engine)
        self.whole.look(engine)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.lists(st.sampled_from((A, B, C)), min_size=2, max_size=4))
def test_what_is_followed_is_all_that_matters(seed: int, wanted: list[str]) -> None:
    """A log that follows every chain finds the same."""
    draw, fact = random.Random(seed), Atom("is_open", ("cabinet_2",))
    goal = "".join(f"(K {agent} " for agent in wanted) + "(is_open cabinet_2)" + ")" * len(wanted)
    made = HouseholdWorld(small.house(goal=goal), 60)
    made.reset()
    whole = Whole(made.house.agents, fact)
    made.entitled = entitled = Compared(FollowedChains(made.house), whole)
    entitled.look(made.engine)
    calls = ("Open[cabinet_2]", "Close[cabinet_2]", "Navigate[cabinet_2]", "Navigate[study_1]", "Wait[]")
    for _ in range(20):
        turn: dict[str, str] = {}
        for seat in made.possible_agents:
            formula = fact
            for agent in draw.choices((A, B, C), k=draw.choice((0, 0, 1, 2))):
                formula = Know(agent, formula)
            others = [other for other in ("all", A, B, C) if other != seat]
            message = told(draw.choice(others), say(Fact(formula)))
            turn[seat] = message if draw.random() < 0.6 else draw.choice(calls)
        small.turn(made, turn)
        assert {name for name, since in entitled.facts().items() if since is not None} == {
            name for name, chain in probed(made.house.goal).items() if chain in whole.known
        }


def test_a_deep_goal_costs_no_more_than_its_levels() -> None:
    goal = "".join(f"(K agent_{k % 3} " for k in range(8)) + "(is_open cabinet_2)" + ")" * 8
    followed = FollowedChains(small.house(goal=goal))
    assert set(followed.by_fact) == {Atom("is_open", ("cabinet_2",)), Atom("is_closed", ("cabinet_2",))}
    assert all(mask.bit_count() <= 3 * 9 for mask in followed.by_fact.values())


def test_a_denial_can_be_known_as_well() -> None:
    assert since("(K agent_0 (not (is_on_top bowl_0 counter_0)))", {A: "Pick[bowl_0]"}) == [1]


def test_a_goal_without_knowledge_asks_for_none() -> None:
    assert since("(is_open cabinet_2)", OPENS) == []
