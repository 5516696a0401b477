"""A constant partner never moves."""

from __future__ import annotations

from otherminds.core.data import Automaton, Game
from otherminds.games.partners.single import single
from otherminds.games.registry import ibs, ipd, rps
from otherminds.testing import PartnerConformance

ROUNDS = 8


class TestPaper(PartnerConformance):
    """Paper for ever, whatever comes."""

    trajectory = (
        ("rock", "paper"),
        ("paper", "paper"),
        ("scissors", "paper"),
        ("rock", "paper"),
        ("scissors", "paper"),
    )

    def make_automaton(self) -> tuple[Game, Automaton, int]:
        game = rps()
        return game, single(game, ROUNDS, behaviour=1), ROUNDS


class TestDefect(PartnerConformance):
    """Defection for ever, whatever comes."""

    trajectory = (
        ("cooperate", "defect"),
        ("defect", "defect"),
        ("cooperate", "defect"),
        ("cooperate", "defect"),
    )

    def make_automaton(self) -> tuple[Game, Automaton, int]:
        game = ipd()
        return game, single(game, ROUNDS, behaviour=1), ROUNDS


class TestFirst(PartnerConformance):
    """Behaviour 0 unless told otherwise."""

    trajectory = (
        ("fight", "fight"),
        ("ballet", "fight"),
        ("ballet", "fight"),
        ("fight", "fight"),
    )

    def make_automaton(self) -> tuple[Game, Automaton, int]:
        game = ibs()
        return game, single(game, ROUNDS), ROUNDS
