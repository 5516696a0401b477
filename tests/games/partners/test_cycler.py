"""A cycler goes round, whatever comes."""

from __future__ import annotations

from otherminds.core.data import Automaton, Game
from otherminds.games.partners.cycler import cycler
from otherminds.games.registry import ipd, rps
from otherminds.testing import PartnerConformance

ROUNDS = 8


class TestEveryBehaviour(PartnerConformance):
    """Every behaviour in order."""

    trajectory = (
        ("rock", "rock"),
        ("rock", "paper"),
        ("rock", "scissors"),
        ("rock", "rock"),
        ("rock", "paper"),
    )

    def make_automaton(self) -> tuple[Game, Automaton, int]:
        game = rps()
        return game, cycler(game, ROUNDS), ROUNDS


class TestPattern(PartnerConformance):
    """A pattern of its own."""

    trajectory = (
        ("cooperate", "cooperate"),
        ("defect", "defect"),
        ("defect", "defect"),
        ("cooperate", "cooperate"),
        ("cooperate", "defect"),
        ("defect", "defect"),
    )

    def make_automaton(self) -> tuple[Game, Automaton, int]:
        game = ipd()
        return game, cycler(game, ROUNDS, pattern=(0, 1, 1)), ROUNDS
