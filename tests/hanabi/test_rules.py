"""The rules of Hanabi: the same games as OpenSpiel's, turn by turn, and what the rules promise."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.core.errors import StudyError, WorldError
from otherminds.hanabi.rules import Rules, Table, size_rules
from tests.cases import for_each
from tests.hanabi.open_spiel_text import PLAYERS, SIZES, digest, write_observation

RECORDED = json.loads((Path(__file__).parents[1] / "data" / "hanabi" / "open_spiel.json").read_text())


def replay(game: dict[str, Any]) -> tuple[Table, list[Any]]:
    table = Table(Rules(*game["rules"]), game["deck"])
    turns: list[Any] = []
    for action in game["actions"]:
        seen = [write_observation(table, seat) for seat in range(table.rules.players)]
        turns.append((table.player, table.list_legal(), seen))
        table.act(action)
    return table, turns


def test_recorded_games_of_open_spiel_are_the_same_here_turn_by_turn() -> None:
    """Observations of all seats, legal actions, whose turn it is, the end, and the score."""
    assert {(game["rules"][0], game["rules"][1]) for game in RECORDED} >= {
        (p, c) for p in (2, 3, 4, 5) for c in (1, 2, 5)
    }
    for game in RECORDED:
        table, turns = replay(game)
        assert digest(turns) == game["digest"]
        assert (table.ended, table.score) == (True, game["score"])


def test_recorded_games_end_in_all_ways() -> None:
    ends = set()
    for game in RECORDED:
        table, _ = replay(game)
        ends.add((table.lives == 0, table.points == table.rules.best, table.turns_left == 0))
    assert {(True, False, False), (False, True, False), (False, False, True)} <= ends


@given(st.sampled_from(SIZES), st.sampled_from(PLAYERS), st.integers(0, 2**32))
def test_cards_tokens_and_length_stay_within_what_the_rules_promise(
    size: Any, choose: Any, seed: int
) -> None:
    rules, rng = size_rules(*size), Random(seed)
    table = Table(rules, rules.shuffle(rng))
    whole = sorted(table.deck)
    while not table.ended:
        assert table.list_legal(), "a player always has a legal action"
        table.act(choose(table, rng))
        played = [
            colour * rules.ranks + rank for colour, n in enumerate(table.fireworks) for rank in range(n)
        ]
        held = [card for hand in table.hands for card in hand]
        assert sorted([*played, *held, *table.discards, *table.deck[table.next_card :]]) == whole
        assert 0 <= table.information <= rules.information
        assert table.points == sum(move.scored for move in table.moves)
    assert len(table.moves) <= rules.longest
    assert not table.list_legal()


@given(st.sampled_from(SIZES), st.integers(0, 2**32))
def test_hints_never_exclude_the_card_itself(size: Any, seed: int) -> None:
    rules, rng = size_rules(*size), Random(seed)
    table = Table(rules, rules.shuffle(rng))
    while not table.ended:
        for hand, colours, ranks in zip(table.hands, table.colours_of, table.ranks_of, strict=True):
            for card, left, still in zip(hand, colours, ranks, strict=True):
                assert left >> card // rules.ranks & 1
                assert still >> card % rules.ranks & 1
        table.act(rng.choice(table.list_legal()))


@given(st.sampled_from(SIZES), st.integers(0, 2**32))
def test_an_illegal_action_is_refused_and_changes_nothing(size: Any, seed: int) -> None:
    rules, rng = size_rules(*size), Random(seed)
    table = Table(rules, rules.shuffle(rng))
    while not table.ended:
        legal = table.list_legal()
        before = write_observation(table, 0), table.turns_left, table.player
        for action in {*range(-1, rules.actions + 1)} - {*legal}:
            with pytest.raises(WorldError):
                table.act(action)
        assert (write_observation(table, 0), table.turns_left, table.player) == before
        table.act(rng.choice(legal))
    with pytest.raises(WorldError):
        table.act(0)


@for_each(
    ("options", "what"),
    [
        ({"players": 1}, "players"),
        ({"players": 6}, "players"),
        ({"colours": 0}, "colours"),
        ({"ranks": 6}, "ranks"),
        ({"hand": 6}, "hand"),
        ({"information": 0}, "information"),
        ({"lives": 4}, "lives"),
        ({"players": 5, "colours": 1, "hand": 3}, "hands"),
    ],
)
def test_a_size_that_cannot_be_is_refused_by_name(options: dict[str, int], what: str) -> None:
    with pytest.raises(StudyError, match=what):
        Rules(**options)


def test_an_unknown_size_is_refused() -> None:
    with pytest.raises(StudyError, match="very_small"):
        size_rules("tiny", 2)
