"""Exact values of small games: equal to those of a plain enumeration of decks, and those that the scenarios have."""

from __future__ import annotations

from collections.abc import Hashable
from copy import deepcopy
from itertools import permutations
from random import Random

import pytest

from otherminds.core.scenario import Setup, scenario
from otherminds.hanabi.conventions.convention import Convention, choose_legally, conventions
from otherminds.hanabi.rules import Rules, Table, size_rules
from otherminds.hanabi.scenarios import BLIND, INFORMED, POPULATIONS
from otherminds.hanabi.view import look
from otherminds.hanabi.world import EGO
from otherminds.measures.basis import read_score_inputs
from otherminds.play.loop import play_now
from tests.cases import for_each
from tests.hanabi.exact_values import EveryDraw, ExactGame

SMALL = Rules(colours=1, ranks=3, hand=2, information=1, lives=1)
FIXED = ("simple", "holmes", "smart")
"""Conventions that draw nothing at random."""
Game = tuple[Table, Convention]


def list_starts(name: str) -> list[Game]:
    """A game for each order of the cards; all are equally likely."""
    cards = [card for card, count in enumerate(SMALL.copies) for _ in range(count)]
    return [
        (Table(SMALL, deck), conventions.get(name)(SMALL, 1, Random(0)))
        for deck in sorted({*permutations(cards)})
    ]


def see(table: Table) -> Hashable:
    return look(table, 0), tuple(table.moves)


def find_best(games: list[Game]) -> int:
    """The most points that ego can make in all of these games, which look the same to it in its turn."""
    return max(play_on(games, action) for action in games[0][0].list_legal())


def play_on(games: list[Game], action: int) -> int:
    """The same after an action of ego in all of them, and the partner's next turn."""
    points, groups = 0, dict[Hashable, list[Game]]()
    for table, partner in deepcopy(games):
        partner.watch(look(table, 1))
        table.act(action)
        if not table.ended:
            view = look(table, 1)
            partner.watch(view)
            table.act(choose_legally(partner, view))
        if table.ended:
            points += table.score
        else:
            groups.setdefault(see(table), []).append((table, partner))
    return points + sum(map(find_best, groups.values()))


def enumerate_response(names: list[str]) -> float:
    """The mean score of the best response to equally likely conventions, by all orders of all cards."""
    groups: dict[Hashable, list[Game]] = {}
    games = [game for name in names for game in list_starts(name)]
    for table, partner in games:
        groups.setdefault(see(table), []).append((table, partner))
    return sum(map(find_best, groups.values())) / len(games)


@for_each("names", [["simple"], ["holmes"], ["smart"], ["simple", "smart"], [*FIXED]], every=2)
def test_best_responses_are_those_of_a_plain_enumeration(names: list[str]) -> None:
    weights = dict.fromkeys(names, 1 / len(names))
    assert ExactGame(SMALL).value_response(weights) == pytest.approx(enumerate_response(names), abs=1e-9)


@for_each("name", FIXED)
def test_a_pair_scores_what_it_scores_in_all_orders_of_the_cards(name: str) -> None:
    scores = []
    for table, partner in list_starts(name):
        first = conventions.get(name)(SMALL, 0, Random(0))
        while not table.ended:
            for seat, player in enumerate((first, partner)):
                player.watch(look(table, seat))
            table.act(choose_legally((first, partner)[table.player], look(table, table.player)))
        scores.append(table.score)
    assert ExactGame(SMALL).value_pair(name, name) == pytest.approx(sum(scores) / len(scores), abs=1e-9)


def test_every_draw_is_tried_once_with_its_probability() -> None:
    rng, drawn = EveryDraw(), dict[tuple[int, ...], float]()
    for _ in rng.list_passes():
        first = rng.randrange(3)
        rest = (rng.choice([5, 6]),) if first else ()
        drawn[first, *rest] = rng.chance
    assert drawn == {(0,): 1 / 3, **{(first, card): 1 / 6 for first in (1, 2) for card in (5, 6)}}


@pytest.mark.slow
def test_the_ends_of_the_scenarios_are_exact() -> None:
    rules = size_rules("minimal", 2)
    for name, value in INFORMED.items():
        assert ExactGame(rules).value_response({name: 1.0}) == pytest.approx(value, abs=1e-6)
    for population, value in BLIND.items():
        members = POPULATIONS[population]
        equal = dict.fromkeys(members, 1 / len(members))
        assert ExactGame(rules).value_response(equal) == pytest.approx(value, abs=1e-6)


@for_each("population", POPULATIONS)
def test_ends_are_in_order_and_in_the_records(population: str) -> None:
    """Knowing helps, no convention is its own best response, and who knows earns at least what the blind one does."""
    members = POPULATIONS[population]
    best = sum(INFORMED[name] for name in members) / len(members)
    place = scenario(f"hanabi-minimal-2p-{population}-v1", {})
    assert best > BLIND[population]
    for seed in range(len(members)):
        record, _ = play_now(Setup(place, {EGO: place.make("smart", {})}, seed))
        assert record.bounds is not None
        assert record.bounds.informed == INFORMED[record.partners["agent_1"].name]
        inputs = read_score_inputs(record)
        assert inputs.share == (record.total(EGO) - BLIND[population], best - BLIND[population])
