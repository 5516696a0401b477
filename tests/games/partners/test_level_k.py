"""Level-k thinkers go by the last encounter; the first is played as if both had shown behaviour 0."""

from __future__ import annotations

from otherminds.core.data import Automaton, Game
from otherminds.games.partners.best_responding import level_k
from otherminds.games.registry import ibs, ipd, rps
from otherminds.testing import PartnerConformance

ROUNDS = 8


class TestLevelZero(PartnerConformance):
    """Repeats itself."""

    trajectory = (
        ("defect", "cooperate"),
        ("cooperate", "cooperate"),
        ("defect", "cooperate"),
        ("defect", "cooperate"),
    )

    def make_automaton(self) -> tuple[Game, Automaton, int]:
        game = ipd()
        return game, level_k(game, ROUNDS, level=0), ROUNDS


class TestLevelOneInRockPaperScissors(PartnerConformance):
    """Beats what the other showed."""

    trajectory = (
        ("rock", "paper"),
        ("scissors", "paper"),
        ("paper", "rock"),
        ("rock", "scissors"),
    )

    def make_automaton(self) -> tuple[Game, Automaton, int]:
        game = rps()
        return game, level_k(game, ROUNDS), ROUNDS


class TestLevelOneInTheBattle(PartnerConformance):
    """Meets the other where it was."""

    trajectory = (
        ("ballet", "fight"),
        ("ballet", "ballet"),
        ("fight", "ballet"),
        ("ballet", "fight"),
    )

    def make_automaton(self) -> tuple[Game, Automaton, int]:
        game = ibs()
        return game, level_k(game, ROUNDS), ROUNDS


class TestLevelTwo(PartnerConformance):
    """Beats what would beat its own last behaviour, whatever the other showed."""

    trajectory = (
        ("rock", "scissors"),
        ("rock", "paper"),
        ("paper", "rock"),
        ("scissors", "scissors"),
        ("rock", "paper"),
    )

    def make_automaton(self) -> tuple[Game, Automaton, int]:
        game = rps()
        return game, level_k(game, ROUNDS, level=2), ROUNDS


class TestLevelTwoInMatchingPennies(PartnerConformance):
    """Takes the other for one who matches its own last behaviour, and plays the opposite of that."""

    trajectory = (
        ("heads", "tails"),
        ("heads", "heads"),
        ("tails", "tails"),
        ("tails", "heads"),
    )

    def make_automaton(self) -> tuple[Game, Automaton, int]:
        sides = ("heads", "tails")
        game = Game("pennies", (sides, sides), (((1.0, -1.0), (-1.0, 1.0)), ((-1.0, 1.0), (1.0, -1.0))))
        return game, level_k(game, ROUNDS, level=2), ROUNDS
