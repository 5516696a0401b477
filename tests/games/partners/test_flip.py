"""A flip plays one behaviour so many times and another for ever, whatever it meets."""

from __future__ import annotations

import pytest

from otherminds.core.data import Automaton, Game
from otherminds.core.errors import StudyError
from otherminds.games.partners.flip import flip
from otherminds.games.registry import ipd, rps
from otherminds.testing import PartnerConformance
from tests.cases import for_each

ROUNDS = 8


class TestTurnsToDefection(PartnerConformance):
    """Unless told otherwise it cooperates twice and then defects."""

    trajectory = (
        ("defect", "cooperate"),
        ("cooperate", "cooperate"),
        ("cooperate", "defect"),
        ("defect", "defect"),
        ("cooperate", "defect"),
    )

    def make_automaton(self) -> tuple[Game, Automaton, int]:
        game = ipd()
        return game, flip(game, ROUNDS), ROUNDS


class TestFromScissorsToPaper(PartnerConformance):
    """Melting Pot's ``flip_s2p_1`` flips after one duel."""

    trajectory = (
        ("rock", "scissors"),
        ("rock", "paper"),
        ("scissors", "paper"),
        ("paper", "paper"),
    )

    def make_automaton(self) -> tuple[Game, Automaton, int]:
        game = rps()
        return game, flip(game, ROUNDS, first=2, second=1, after=1), ROUNDS


class TestTurnsToCooperation(PartnerConformance):
    """It may flip to the first behaviour of a game, as from the first to another."""

    trajectory = (("defect", "defect"), ("cooperate", "cooperate"), ("defect", "cooperate"))

    def make_automaton(self) -> tuple[Game, Automaton, int]:
        game = ipd()
        return game, flip(game, ROUNDS, first=1, second=0, after=1), ROUNDS


def test_it_has_a_state_for_every_round_before_the_flip_and_one_after() -> None:
    assert len(flip(ipd(), 100, after=5).output) == 6


@for_each("params", [{"first": 3}, {"second": -1}, {"after": 0}])
def test_parameters_of_a_flip_that_make_no_sense_are_refused(params: dict[str, int]) -> None:
    with pytest.raises(StudyError, match="flip"):
        flip(rps(), ROUNDS, **params)
