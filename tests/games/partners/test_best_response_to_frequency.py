"""Fictitious play answers all that it has met."""

from __future__ import annotations

from otherminds.core.data import Automaton, Game
from otherminds.games.partners.best_responding import best_response_to_frequency
from otherminds.games.registry import ibs, rps
from otherminds.testing import PartnerConformance

ROUNDS = 8


class TestRockPaperScissors(PartnerConformance):
    """After one rock and two papers, paper and scissors are worth 1 each: the lowest is kept."""

    trajectory = (
        ("rock", "rock"),
        ("paper", "paper"),
        ("paper", "paper"),
        ("paper", "paper"),
        ("rock", "scissors"),
    )

    def make_automaton(self) -> tuple[Game, Automaton, int]:
        game = rps()
        return game, best_response_to_frequency(game, ROUNDS), ROUNDS


class TestBattleOfTheSexes(PartnerConformance):
    """Meeting on ballet pays it 10, on fight 7: ballet once that is worth more against what it met."""

    trajectory = (
        ("fight", "fight"),
        ("ballet", "fight"),
        ("fight", "ballet"),
        ("ballet", "fight"),
        ("fight", "ballet"),
    )

    def make_automaton(self) -> tuple[Game, Automaton, int]:
        game = ibs()
        return game, best_response_to_frequency(game, ROUNDS), ROUNDS
