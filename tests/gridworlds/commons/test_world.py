"""The PettingZoo world passes the conformance kit, under each law of growth, where much happens."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from otherminds.core.data import Question
from otherminds.core.errors import StudyError
from otherminds.gridworlds.commons.acts import BEHAVIOURS
from otherminds.gridworlds.commons.rules import CLEAN_UP, COINS, SUBSTRATES, Rules, read_rules
from otherminds.gridworlds.commons.world import CommonsWorld, list_vector
from otherminds.testing import WorldConformance
from tests.cases import for_each
from tests.gridworlds.commons.test_kernel import BROOK, PATCH, SMALL_COINS


class CommonsConformance(WorldConformance):
    has_chance = True
    rules: Rules = SMALL_COINS

    def make_world(self) -> CommonsWorld:
        return CommonsWorld(self.rules)

    def questions(self) -> list[Question]:
        options = BEHAVIOURS[self.rules.law]
        return [
            Question("next:partner_0", "ego", "before", "?", options, 1 / len(options), about="partner_0")
        ]


class TestCoins(CommonsConformance):
    pass


class TestHarvest(CommonsConformance):
    rules = replace(
        PATCH, drawing="WWWWWW\nWQAAQW\nWAPPAW\nWPAPAW\nWWWWWW", players=4, rates=(0.5, 0.9), ending=0.0
    )


class TestCleanUp(CommonsConformance):
    rules = BROOK


@for_each("name", SUBSTRATES)
def test_seats_observe_what_melting_pot_names(name: str) -> None:
    rules = SUBSTRATES[name]
    world = CommonsWorld(rules, rgb=True)
    observations, _ = world.reset(seed=0)
    assert set(observations["ego"]) == {"WINDOW", "POSITION", "ORIENTATION", "RGB", *dict(list_vector(rules))}
    assert observations["ego"]["RGB"].shape == (88, 88, 3)
    space = world.action_space("ego")
    assert [space.contains(action) for action in range(10)] == [
        action < len(rules.actions) for action in range(10)
    ]


def test_a_file_with_an_error_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "pond.toml"
    text = 'law = "density"\nmap = """\nWWWW\nWPAW\nWWWW\n"""\nplayers = 1\ngrows = "A"\nrates = [0.0, 0.1]\n'
    path.write_text(text)
    assert read_rules(path).name == "pond"
    for old, new, says in (
        ("WPAW", "WPA ", "line 2: the map of pond is not enclosed"),
        ("players = 1", "players = 3", "3 avatars and 1 spawn points"),
        ('"density"', '"cleanness"', "line 1: law cleanness needs banks"),
        ("grows", "growz", "growz"),
        ("rates = [0.0, 0.1]", "rates = [nan]", r"line 9: rates\[0\]: a number is from"),
        ("players = 1", "players = 1\nharm = -1e308", "line 8: harm: a number is from"),
        (
            "players = 1",
            "players = 1\nminimum = 9\nmaximum = 8",
            "line 8: minimum must be at most maximum, 8",
        ),
        ('"A"', '"B"', "line 2: nothing can grow: the map has none of 'B'"),
        ("WPAW", "WPA" + "W" * 900, "line 2: the map has 903 x 3 cells; it may have 2,500 at most"),
        ("players = 1", "players = 1\nview = [9, 9, 99, 9]", "line 8: the window has 19 x 109 cells"),
    ):
        path.write_text(text.replace(old, new))
        with pytest.raises(StudyError, match=says):
            read_rules(path)


def test_the_two_players_of_coins_have_different_colours() -> None:
    for seed in range(20):
        world = CommonsWorld(COINS)
        world.reset(seed=seed)
        first, second = world.engine.state.avatars[0, :, 7].tolist()
        assert first != second


def test_the_river_begins_more_than_half_dirty() -> None:
    """As drawn: 79 of the 147 cells that can be dirty are, so that no apple grows until somebody cleans."""
    world = CommonsWorld(CLEAN_UP)
    world.reset(seed=0)
    dirty = int(world.engine.state.clock[0, 5])
    banks = sum(char in CLEAN_UP.banks for line in CLEAN_UP.drawn for char in line)
    assert (dirty, banks) == (79, 147)
    assert dirty / banks > CLEAN_UP.depletion
