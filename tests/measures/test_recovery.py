"""Minds of known ability: what they leave unused is measured as what it is."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pytest

from otherminds import Record
from otherminds.core.data import Automaton, Game
from otherminds.core.scenario import Setup, scenario
from otherminds.measures.basis import Decomposition, read_score_inputs
from otherminds.measures.intervals import Strata
from otherminds.minds.tabular import Simulated
from otherminds.play.loop import play_now
from tests.cases import thinned
from tests.measures.test_exact import q_values

ROUNDS, EPISODES = 3, 300


def replies(game: Game, said: int) -> list[int]:
    most = max(row[said][0] for row in game.payoffs)
    return [a for a, row in enumerate(game.payoffs) if row[said][0] == most]


def expected(record: Record, q: float) -> float:
    """What a mind that always predicts right leaves unused a round, over all its choices, by enumeration."""
    members = tuple((one.weight, one.name, one.automaton) for one in record.bounds.population)
    return sum(weight * _against(record.game, members, automaton, q) for weight, _, automaton in members)


@cache
def _against(game: Game, members: tuple, automaton: Automaton, q: float) -> float:
    own = range(len(game.payoffs))
    total = 0.0
    for actions in product(own, repeat=ROUNDS):
        chance, unused, state, rows = 1.0, 0.0, automaton.start, []
        for a in actions:
            said = automaton.output[state].index(1.0)
            best = replies(game, said)
            values = q_values(game, members, rows, ROUNDS)
            unused += sum(values[i] for i in best) / len(best) - values[a]
            chance *= q if a == best[0] else (1 - q) / (len(own) - 1)
            rows.append((a, said, said))
            state = automaton.next[state][said][a]
        total += chance * unused
    return total / ROUNDS


@pytest.mark.parametrize("game", ["rps", "ibs", "ipd"])
@pytest.mark.parametrize("q", thinned([0.5, 0.0, 0.25, 1.0, 0.75], 3))
def test_what_is_left_unused_is_recovered(game: str, q: float) -> None:
    """A mind that acts on its word with probability q, in the mixture of constants and tit-for-tat."""
    built = scenario(f"{game}-mixed-v1", {"rounds": ROUNDS})
    records = [play_now(Setup(built, {"ego": Simulated(1.0, q)}, k))[0] for k in range(EPISODES)]
    bases = [read_score_inputs(record) for record in records]
    parts = [one.parts for one in bases]
    assert all(isinstance(one, Decomposition) and one.exact for one in parts)
    found = Strata([one.partner for one in bases], bases[0].population).estimate(
        np.array([one.unused for one in parts])
    )
    truth = expected(records[0], q)
    assert abs(found.mean - truth) <= 3.3 * max(found.error, 1e-9)
    if q == 1.0:
        assert truth == pytest.approx(0, abs=1e-12) or game == "ipd"
