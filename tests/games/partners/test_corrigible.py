"""A corrigible partner exploits until it is punished. Draws under seed 0: .53 .71 .15 .14 .21 .87 .75 .10."""

from __future__ import annotations

import pytest

from otherminds.core.data import Automaton, Game
from otherminds.core.errors import StudyError
from otherminds.games.partners.corrigible import corrigible
from otherminds.games.registry import ipd
from otherminds.testing import PartnerConformance
from tests.cases import for_each

ROUNDS = 12


class TestMakesPeaceAfterThreeDefections(PartnerConformance):
    """The defections need not follow each other; then it cooperates once, and copies."""

    trajectory = (
        ("defect", "defect"),
        ("cooperate", "defect"),
        ("defect", "defect"),
        ("defect", "defect"),
        ("cooperate", "cooperate"),
        ("defect", "cooperate"),
        ("defect", "defect"),
        ("cooperate", "defect"),
        ("cooperate", "cooperate"),
    )

    def make_automaton(self) -> tuple[Game, Automaton, int]:
        game = ipd()
        return game, corrigible(game, ROUNDS), ROUNDS


class TestTremblesOnceCorrected(PartnerConformance):
    """Before that it is sure of itself; after it .53 .71 .15 .14 .21 .87 decide, with a quarter of slips."""

    trajectory = (
        ("defect", "defect"),
        ("cooperate", "cooperate"),
        ("defect", "cooperate"),
        ("cooperate", "cooperate"),
        ("defect", "cooperate"),
        ("defect", "cooperate"),
        ("cooperate", "defect"),
    )

    def make_automaton(self) -> tuple[Game, Automaton, int]:
        game = ipd()
        return game, corrigible(game, ROUNDS, strikes=1, noise=0.25), ROUNDS


@for_each("params", [{"strikes": 0}, {"noise": 1.0}, {"noise": -0.1}])
def test_parameters_of_corrigible_that_make_no_sense_are_refused(params: dict[str, float]) -> None:
    with pytest.raises(StudyError, match="corrigible"):
        corrigible(ipd(), ROUNDS, int(params.get("strikes", 3)), params.get("noise", 0.0))
