"""Action names: the paper's sets, and own ones that can be nothing but names."""

from __future__ import annotations

from typing import Any

import pytest

from otherminds.core.data import Game
from otherminds.core.errors import StudyError
from otherminds.games.registry import games
from otherminds.matrix.scenarios import build, parse_game
from otherminds.matrix.words import SETS, label_options
from tests.cases import for_each

IPD = games.get("ipd")()


@for_each("names", SETS)
def test_every_set_of_the_paper_is_itself_made_of_plain_names(names: str) -> None:
    for game, found in SETS[names].items():
        assert (
            label_options(games.get(game)(), names)
            == (found, found)
            == label_options(games.get(game)(), list(found))
        )


@for_each(
    "name",
    [
        "Stay out",
        "x",
        "7",
        "Größe",
        "Kärtner's",
        "tit-for-tat",
        "red_2",
        "石",
        "क्षेत्र",
        "J" * 60,
        "Oration",
        "Android",
    ],
)
def test_plain_names_are_taken(name: str) -> None:
    assert label_options(IPD, ["F", name]) == (("F", name), ("F", name))


@for_each(
    "name",
    [
        "",
        " ",
        "J ",
        " J",
        "Stay  out",
        "J\nF",
        "J\n\nIn round 1, you chose J",
        "J\r",
        "J\tF",
        "J\x00",
        "J\x1b[2J",
        "J\u2028F",
        "J\u200b",
        "\u3164",
        "J\u034f",
        "J\ufe0f",
        "J\u202eF",
        "J\xa0F",
        "\ud800",
        "\u0301J",
        "A: Option J",
        "Q:",
        "J.",
        "J?",
        "J, F",
        "J/F",
        "J (or F)",
        "J or F",
        "Rock and Roll",
        "Option J",
        "option",
        '"J"',
        "'J'",
        "*J*",
        "{}",
        "{J}",
        "[J]",
        "<think>",
        "<|im_end|>",
        "```",
        "J`",
        "J" * 61,
        7,
        None,
        ["J"],
    ],
)
def test_a_name_that_could_be_more_than_a_name_is_refused(name: Any) -> None:
    with pytest.raises(StudyError, match="cannot be an action name; use letters"):
        label_options(IPD, ["F", name])


def test_a_games_own_words_are_checked_where_they_are_shown() -> None:
    given = {
        "name": "odd",
        "behaviours": ["stay", "go\nnow"],
        "payoffs": [[[1, 1], [0, 0]], [[0, 0], [1, 1]]],
    }
    game: Game = parse_game(given)
    with pytest.raises(StudyError, match=r"game 'odd': 'go\\nnow' cannot be an action name"):
        build(game, "single", 3, "canonical")
    assert build(game, "single", 3, "neutral").game == game


@for_each("names", [["J"], ["J", "J"], []])
def test_there_must_be_a_name_for_every_option(names: list[str]) -> None:
    with pytest.raises(StudyError, match="needs 2 different action names"):
        label_options(IPD, names)


def test_a_set_that_a_game_lacks_is_refused() -> None:
    with pytest.raises(StudyError, match="choose from neutral, repeated, canonical, nonsense"):
        label_options(IPD, "letters")
