"""Grim trigger never forgives."""

from __future__ import annotations

from otherminds.core.data import Automaton, Game
from otherminds.games.partners.grim import grim
from otherminds.games.registry import ipd, rps
from otherminds.testing import PartnerConformance

ROUNDS = 8


class TestOneStrike(PartnerConformance):
    """One defection, and it defects for ever."""

    trajectory = (
        ("cooperate", "cooperate"),
        ("defect", "cooperate"),
        ("cooperate", "defect"),
        ("cooperate", "defect"),
        ("cooperate", "defect"),
    )

    def make_automaton(self) -> tuple[Game, Automaton, int]:
        game = ipd()
        return game, grim(game, ROUNDS), ROUNDS


class TestTwoStrikes(PartnerConformance):
    """Melting Pot's variant lets the first pass; the two need not follow each other."""

    trajectory = (
        ("defect", "cooperate"),
        ("cooperate", "cooperate"),
        ("defect", "cooperate"),
        ("cooperate", "defect"),
        ("cooperate", "defect"),
    )

    def make_automaton(self) -> tuple[Game, Automaton, int]:
        game = ipd()
        return game, grim(game, ROUNDS, strikes=2), ROUNDS


class TestOtherGames(PartnerConformance):
    """Where behaviour 0 is rock and the last one scissors, these are friend and punishment."""

    trajectory = (
        ("rock", "rock"),
        ("rock", "rock"),
        ("paper", "rock"),
        ("rock", "scissors"),
        ("rock", "scissors"),
    )

    def make_automaton(self) -> tuple[Game, Automaton, int]:
        game = rps()
        return game, grim(game, ROUNDS), ROUNDS
