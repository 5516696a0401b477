"""Tit-for-tat answers the round before."""

from __future__ import annotations

from otherminds.core.data import Automaton, Game
from otherminds.games.partners.tit_for_tat import tit_for_tat
from otherminds.games.registry import ibs, ipd, rps
from otherminds.testing import PartnerConformance

ROUNDS = 8


class TestCopies(PartnerConformance):
    """In the Prisoner's Dilemma it opens with cooperation and then copies."""

    trajectory = (
        ("cooperate", "cooperate"),
        ("defect", "cooperate"),
        ("defect", "defect"),
        ("cooperate", "defect"),
        ("defect", "cooperate"),
    )

    def make_automaton(self) -> tuple[Game, Automaton, int]:
        game = ipd()
        return game, tit_for_tat(game, ROUNDS), ROUNDS


class TestMeetsTastes(PartnerConformance):
    """In the Battle of the Sexes it copies too."""

    trajectory = (
        ("fight", "fight"),
        ("ballet", "fight"),
        ("ballet", "ballet"),
        ("fight", "ballet"),
        ("ballet", "fight"),
    )

    def make_automaton(self) -> tuple[Game, Automaton, int]:
        game = ibs()
        return game, tit_for_tat(game, ROUNDS), ROUNDS


class TestBeats(PartnerConformance):
    """In Rock, Paper, Scissors it plays what beats the last behaviour; it opens as if that had been rock."""

    trajectory = (
        ("rock", "paper"),
        ("paper", "paper"),
        ("scissors", "scissors"),
        ("scissors", "rock"),
        ("rock", "rock"),
    )

    def make_automaton(self) -> tuple[Game, Automaton, int]:
        game = rps()
        return game, tit_for_tat(game, ROUNDS), ROUNDS
