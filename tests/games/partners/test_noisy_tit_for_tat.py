"""Noisy tit-for-tat slips with its own draws: under seed 0 they are .53 .71 .15 .14 .21 .87 .75 .10."""

from __future__ import annotations

import pytest

from otherminds.core.data import Automaton, Game
from otherminds.core.encoding import stream
from otherminds.games.partners.tit_for_tat import noisy_tit_for_tat
from otherminds.games.registry import ipd, rps
from otherminds.testing import PartnerConformance

ROUNDS = 8
DRAWS = [0.53, 0.71, 0.15, 0.14, 0.21, 0.87, 0.75, 0.10]


class TestPrisonersDilemma(PartnerConformance):
    """Below 1/4 every draw means cooperation, from 3/4 defection, between them the copy."""

    trajectory = (
        ("cooperate", "cooperate"),
        ("defect", "cooperate"),
        ("defect", "cooperate"),
        ("cooperate", "cooperate"),
        ("cooperate", "cooperate"),
        ("defect", "defect"),
        ("cooperate", "defect"),
        ("cooperate", "cooperate"),
    )

    def make_automaton(self) -> tuple[Game, Automaton, int]:
        game = ipd()
        return game, noisy_tit_for_tat(game, ROUNDS, noise=0.25), ROUNDS


class TestRockPaperScissors(PartnerConformance):
    """A slip is one of the two others, each with 0.15: .21 after paper is paper, .10 after rock is rock."""

    trajectory = (
        ("rock", "paper"),
        ("scissors", "paper"),
        ("scissors", "rock"),
        ("paper", "rock"),
        ("paper", "paper"),
        ("rock", "scissors"),
        ("rock", "paper"),
        ("rock", "rock"),
    )

    def make_automaton(self) -> tuple[Game, Automaton, int]:
        game = rps()
        return game, noisy_tit_for_tat(game, ROUNDS, noise=0.3), ROUNDS


def test_the_draws_are_those_of_the_partners_own_stream() -> None:
    rng = stream(0, "mind", "partner_0")
    assert [round(rng.random(), 2) for _ in DRAWS] == DRAWS


def test_every_slip_is_as_likely_as_the_other() -> None:
    outputs = noisy_tit_for_tat(rps(), ROUNDS).output
    assert len(outputs) == 3
    for output in outputs:
        assert sorted(output) == pytest.approx([0.05, 0.05, 0.9])
