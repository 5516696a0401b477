"""Minds of known nature in worlds whose partners are of several types."""

import pytest

from otherminds.core.errors import StudyError
from otherminds.hanabi.tiny.minds import ReaderMind
from otherminds.household.acted_beliefs.minds import PolicyMind as EncounterMind
from otherminds.household.acted_beliefs.rules import EncounterRules
from otherminds.minds.known_nature import find_policy
from otherminds.wordgames.minds import PolicyMind as WordGameMind
from otherminds.wordgames.rules import GameRules
from otherminds.wordgames.words import make_form

WORDS = GameRules("taboo", "mixed", 0.05, ())
ENCOUNTERS = EncounterRules("meet", "first", ("shelf", "table", "desk"), 0.0, ())


def test_an_unknown_policy_is_refused_and_the_known_ones_are_named() -> None:
    for make in (
        lambda: WordGameMind(WORDS, make_form(WORDS, 4), "clever"),
        lambda: EncounterMind(ENCOUNTERS, "clever"),
        lambda: ReaderMind("clever"),
    ):
        with pytest.raises(StudyError, match=r"there is no policy 'clever' of .*; there are informed, bayes"):
            make()


def test_only_the_informed_one_is_told_the_partner() -> None:
    policies = {"informed": 1, "bayes": 2}
    assert find_policy(policies, "informed", "these games") == (1, frozenset({"policy"}))
    assert find_policy(policies, "bayes", "these games") == (2, frozenset())
