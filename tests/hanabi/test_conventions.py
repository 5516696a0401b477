"""Conventions: their published scores, legal play in any company and any size, and inferences that are true among themselves."""

from __future__ import annotations

from random import Random
from statistics import mean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.hanabi.conventions.convention import choose_legally, conventions, play_conventions
from otherminds.hanabi.conventions.inference import Inference
from otherminds.hanabi.rules import Table, size_rules
from otherminds.hanabi.view import find_playable, find_useless, hinted_cards, list_cards, look
from tests.cases import depth, examples, for_each
from tests.hanabi.open_spiel_text import SIZES

NAMES = [*conventions]
PUBLISHED = {"simple": (16.92, 18.50), "holmes": (20.75, 18.40), "smart": (23.09, 20.69)}


def test_the_conventions_of_the_literature_are_there() -> None:
    assert {"iggi", "piers", "outer", "van_den_bergh", "flawed", "simple", "holmes", "smart"} <= {*NAMES}


@pytest.mark.parametrize("games", depth(80, 2000))
@for_each("name", PUBLISHED)
def test_published_scores_come_out(games: int, name: str) -> None:
    for players, published in zip((2, 5), PUBLISHED[name], strict=True):
        rules = size_rules("full", players)
        points = [
            play_conventions([name] * players, rules, seed).points for seed in range(games // (players - 1))
        ]
        assert abs(mean(points) - published) < 4 * stdev(points) / len(points) ** 0.5


@examples(3)
@given(st.sampled_from(SIZES), st.data(), st.integers(0, 2**32))
def test_any_company_finishes_any_game_with_legal_actions(
    size: tuple[str, int], data: st.DataObject, seed: int
) -> None:
    rules = size_rules(*size)
    names = data.draw(st.lists(st.sampled_from(NAMES), min_size=size[1], max_size=size[1]))
    table = play_conventions(names, rules, seed)
    assert table.ended
    assert [move.action for move in play_conventions(names, rules, seed).moves] == [
        move.action for move in table.moves
    ]


@for_each("name", NAMES)
def test_in_full_games_every_choice_is_legal_without_help(name: str) -> None:
    for seed in range(4):
        rng = Random(seed)
        rules = size_rules("full", 2 + seed)
        table = Table(rules, rules.shuffle(rng))
        players = [conventions.get(name)(rules, seat, rng) for seat in range(rules.players)]
        while not table.ended:
            for seat, player in enumerate(players):
                player.watch(look(table, seat))
            view = look(table, table.player)
            action = players[table.player].choose(view)
            assert action in view.list_legal()
            table.act(action)


@for_each("name", ["holmes", "smart"])
def test_among_themselves_inferences_never_exclude_the_card(name: str) -> None:
    for seed in range(8):
        rng = Random(seed)
        rules = size_rules("full", 2 + seed % 4)
        table = Table(rules, rules.shuffle(rng))
        players = [conventions.get(name)(rules, seat, rng) for seat in range(rules.players)]
        while not table.ended:
            for seat, player in enumerate(players):
                player.watch(look(table, seat))
                assert isinstance(player, Inference)
                for hand, sets in zip(table.hands, player.possible, strict=True):
                    assert all(cards >> card & 1 for card, cards in zip(hand, sets, strict=True))
            table.act(choose_legally(players[table.player], look(table, table.player)))


@given(st.sampled_from(SIZES), st.integers(0, 2**32))
def test_a_view_has_the_legal_actions_and_no_own_card(size: tuple[str, int], seed: int) -> None:
    rules, rng = size_rules(*size), Random(seed)
    table = Table(rules, rules.shuffle(rng))
    while not table.ended:
        view = look(table, table.player)
        assert view.list_legal() == table.list_legal()
        assert view.hands[view.seat] == ()
        for card, cards in zip(table.hands[view.seat], view.list_own(), strict=True):
            assert cards >> card & 1
        unseen = [*table.hands[view.seat], *table.deck[table.next_card :]]
        assert view.count_unseen() == [unseen.count(card) for card in range(len(rules.copies))]
        table.act(rng.choice(view.list_legal()))


@given(st.sampled_from(SIZES), st.integers(0, 2**32))
def test_useless_cards_never_score_and_playable_ones_do(size: tuple[str, int], seed: int) -> None:
    rules, rng = size_rules(*size), Random(seed)
    table = Table(rules, rules.shuffle(rng))
    useless: set[int] = set()
    while not table.ended:
        view = look(table, table.player)
        playable = find_playable(rules, view.fireworks)
        useless |= {*list_cards(find_useless(rules, view.fireworks, view.discarded))}
        assert not useless & {*list_cards(playable)}
        move = table.act(rng.choice(table.list_legal()))
        if move.action >= rules.hand and move.card >= 0:
            assert move.scored == bool(playable >> move.card & 1)


def test_the_cards_of_a_hint() -> None:
    rules = size_rules("full", 2)
    assert [rules.name_card(card) for card in list_cards(hinted_cards(rules, 0b00010, 0b10001))] == [
        "Y1",
        "Y5",
    ]
