"""Win-stay, lose-shift goes by what the last round paid."""

from __future__ import annotations

from otherminds.core.data import Automaton, Game
from otherminds.games.partners.win_stay_lose_shift import win_stay_lose_shift
from otherminds.games.registry import ipd, rps
from otherminds.testing import PartnerConformance

ROUNDS = 8


class TestPavlov(PartnerConformance):
    """Stays after 8 and 10, shifts after 0 and 5 (mean payoff 5.75)."""

    trajectory = (
        ("cooperate", "cooperate"),
        ("cooperate", "cooperate"),
        ("defect", "cooperate"),
        ("cooperate", "defect"),
        ("defect", "defect"),
        ("cooperate", "cooperate"),
    )

    def make_automaton(self) -> tuple[Game, Automaton, int]:
        game = ipd()
        return game, win_stay_lose_shift(game, ROUNDS), ROUNDS


class TestThreeBehaviours(PartnerConformance):
    """Stays after a win or a tie, else takes the next behaviour, round the clock."""

    trajectory = (
        ("rock", "rock"),
        ("paper", "rock"),
        ("rock", "paper"),
        ("scissors", "paper"),
        ("rock", "scissors"),
        ("rock", "rock"),
    )

    def make_automaton(self) -> tuple[Game, Automaton, int]:
        game = rps()
        return game, win_stay_lose_shift(game, ROUNDS), ROUNDS
