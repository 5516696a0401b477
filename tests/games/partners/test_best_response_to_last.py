"""A best response to the last encounter; the first draw under seed 0, .53, opens."""

from __future__ import annotations

import pytest

from otherminds.core.data import Automaton, Game
from otherminds.games.partners.best_responding import best_response_to_last
from otherminds.games.registry import ipd, rps
from otherminds.testing import PartnerConformance

ROUNDS = 8


class TestBeatsTheLast(PartnerConformance):
    """It opens with the paper that chance draws, then plays what beats the behaviour it met last."""

    trajectory = (
        ("rock", "paper"),
        ("paper", "paper"),
        ("scissors", "scissors"),
        ("scissors", "rock"),
        ("rock", "rock"),
        ("rock", "paper"),
    )

    def make_automaton(self) -> tuple[Game, Automaton, int]:
        game = rps()
        return game, best_response_to_last(game, ROUNDS), ROUNDS


class TestDefectsWhateverItMeets(PartnerConformance):
    """In the Prisoner's Dilemma the best response is always to defect."""

    trajectory = (
        ("cooperate", "defect"),
        ("defect", "defect"),
        ("cooperate", "defect"),
    )

    def make_automaton(self) -> tuple[Game, Automaton, int]:
        game = ipd()
        return game, best_response_to_last(game, ROUNDS), ROUNDS


def test_every_opening_is_as_likely_as_the_other() -> None:
    automaton = best_response_to_last(rps(), ROUNDS)
    assert automaton.output[automaton.start] == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    assert len(automaton.output) == 4
