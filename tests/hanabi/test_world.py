"""Hanabi as a world and its scenarios: conformance, records, questions, and what a player is told."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.core.contracts import Mind
from otherminds.core.data import Moment, Question, Turn
from otherminds.core.record import Record
from otherminds.core.scenario import Scenario, Setup, World, scenario, scenarios
from otherminds.hanabi.conventions.convention import play_conventions
from otherminds.hanabi.rules import Table, size_rules
from otherminds.hanabi.view import look
from otherminds.hanabi.world import EGO, HanabiWorld, find_topic, read_view, write_view
from otherminds.play.loop import play_now
from otherminds.testing import MindConformance, ScenarioConformance, WorldConformance
from tests.cases import for_each
from tests.hanabi.open_spiel_text import SIZES

FULL = [name for name in scenarios if name.startswith("hanabi-")]


def play(name: str, mind: str, seed: int = 0) -> Record:
    place = scenario(name, {})
    return play_now(Setup(place, {EGO: place.make(mind, {})}, seed))[0]


class TestHanabiWorld(WorldConformance):
    has_chance = True

    def make_world(self) -> World:
        return HanabiWorld(size_rules("small", 3))

    def questions(self) -> Sequence[Question]:
        return [probe.question for probe in scenario("hanabi-small-3p-mixed-v1", {}).probes_for({})]

    def grants(self) -> dict[str, object]:
        return {"secrets": super().grants()["secrets"]}


class TestHanabiScenario(ScenarioConformance):
    def make_scenario(self) -> Scenario:
        return scenario("hanabi-small-2p-mixed-v1", {})


class TestConventionMind(MindConformance):
    def make_mind(self) -> Mind:
        return self.make_scenario().make("smart", {})

    def make_scenario(self) -> Scenario:
        return scenario("hanabi-small-3p-inferring-v1", {})


def test_every_size_has_its_scenarios() -> None:
    assert {
        "hanabi-2p-mixed-v1",
        "hanabi-3p-mixed-v1",
        "hanabi-small-2p-mixed-v1",
        "hanabi-5p-inferring-v1",
    } <= {*FULL}


@given(st.sampled_from(SIZES), st.integers(0, 2**32))
def test_an_observation_is_the_view(size: tuple[str, int], seed: int) -> None:
    rules, rng = size_rules(*size), Random(seed)
    world, table = HanabiWorld(rules), Table(rules, rules.shuffle(rng))
    while not table.ended:
        for seat, name in enumerate(world.possible_agents):
            written = write_view(look(table, seat))
            assert world.observation_space(name).contains(written)
            assert read_view(rules, seat, written) == look(table, seat)
        table.act(rng.choice(table.list_legal()))


@for_each("name, mind", [(name, mind) for name in FULL for mind in ("smart", "iggi", "legal_random")])
def test_a_game_is_scored_and_its_questions_have_their_truth(name: str, mind: str) -> None:
    record = play(name, mind, 3)
    assert record.outcome.status == "scored"
    fact = record.facts["hanabi"]
    assert record.total(EGO) == fact["score"]
    assert fact["refused"] == 0
    own = [asked for asked in record.asked if record.questions[asked.question].id == "own:scores"]
    players = len(record.seats)
    assert [asked.step for asked in own] == [*range(0, len(record.actions), players)]
    assert {asked.truth for asked in own} <= {"yes", "no"}
    coming = [asked for asked in record.asked if record.questions[asked.question].id == "next:agent_1"]
    assert all((asked.truth is None) == (asked.step + 1 >= len(record.actions)) for asked in coming)


def test_conventions_play_in_the_world_as_they_do_among_themselves() -> None:
    """Among equals, smart players in the world score as well as at the table."""
    scores = [
        record.total(EGO)
        for seed in range(21)
        if (record := play("hanabi-2p-mixed-v1", "smart", seed)).partners["agent_1"].name == "smart"
    ]
    table = [play_conventions(["smart", "smart"], size_rules("full", 2), seed).score for seed in range(21)]
    assert len(scores) == 3
    assert min(scores) > 15
    assert sum(table) / len(table) > 20


def test_an_answer_about_the_own_card_follows_the_convention() -> None:
    """Among its own kind, a smart player is right where hints say more than they tell; a random one is at chance."""
    right = {}
    for mind in ("smart", "legal_random"):
        records = [play("hanabi-2p-inferring-v1", mind, seed) for seed in range(2, 30, 3)]
        asked = [
            one
            for record in records
            for one in record.asked
            if record.questions[one.question].id == "own:scores"
        ]
        right[mind] = sum(one.answer == one.truth for one in asked) / len(asked)
    assert right["smart"] > 0.9


def test_the_topic_is_the_newest_card_that_was_hinted() -> None:
    rules = size_rules("full", 2)
    table = Table(rules, rules.shuffle(Random(0)))
    assert find_topic(look(table, 1)) == 0
    rank = table.hands[1][2] % rules.ranks
    move = table.act(rules.hint_rank(1, rank))
    assert find_topic(look(table, 1)) == move.touched.bit_length() - 1


def test_a_forbidden_action_is_replaced_and_counted() -> None:
    world = HanabiWorld(size_rules("full", 2))
    world.reset(seed=0)
    world.step(dict.fromkeys(world.possible_agents, 0))  # a discard with all tokens there
    assert world.facts()["hanabi"]["refused"] == 1


def test_a_newcomer_is_told_the_rules_the_table_and_what_is_legal() -> None:
    place = scenario("hanabi-3p-mixed-v1", {})
    assert place.verbalizer is not None
    words, world = place.verbalizer({}, EGO), place.world()
    observations, _ = world.reset(seed=1)
    text = words.rules(world.brief(EGO))
    for part in ("score", "25 points", "3 lives", "Card 1 of a hand is the oldest", "hint", "one more turn"):
        assert part in text
    moment = Moment(0, observations[EGO])
    told, ask = words.tell(moment), words.ask(Turn(), moment)
    assert "agent_1 has card 1" in told
    assert "Of your own cards you know: card 1 nothing" in told
    assert "discard_1" not in ask.labels, "all tokens are there"
    assert [words.read(ask, f"A: Option {label}") for label in ask.labels] == list(ask.options)
    later, *_ = world.step(dict.fromkeys(world.possible_agents, ask.options[-1]))
    assert words.settled(Moment(1, later[EGO])) == 0
    assert words.tell(Moment(1, later[EGO])).startswith("You told agent_2: card")


def test_nobody_is_told_its_own_cards_before_they_leave_the_hand() -> None:
    """What a player is told is the same whatever it holds, hints aside: its words are made of its view alone."""
    place = scenario("hanabi-2p-mixed-v1", {})
    assert place.verbalizer is not None
    words = place.verbalizer({}, EGO)
    rules = size_rules("full", 2)
    deck = rules.shuffle(Random(5))
    other = [*deck[10:15], *deck[5:10], *deck[:5], *deck[15:]]
    told = {words.tell(Moment(0, write_view(look(Table(rules, cards), 0)))) for cards in (deck, other)}
    assert len(told) == 1


@pytest.mark.parametrize("name", ["hanabi-2p-mixed-v1"])
def test_full_hanabi_has_no_ends(name: str) -> None:
    bounds = play(name, "smart").bounds
    assert bounds is not None
    assert (bounds.informed, bounds.best, bounds.blind) == (None, None, None)
    assert "cannot be solved" in bounds.reason
