"""The best plan fixed in advance, against all plans fixed in advance."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.core.data import Game, WeightedPolicy
from otherminds.core.errors import WorldError
from otherminds.games.best_response import best_response
from otherminds.games.blind import blind_plan, blind_value, open_loop_return
from otherminds.games.registry import automaton, games
from tests.cases import for_each
from tests.games import kit


@given(data=st.data(), rounds=st.integers(1, 5))
def test_no_other_sequence_earns_more_on_average(data: st.DataObject, rounds: int) -> None:
    noisy = data.draw(st.booleans())
    game, family = data.draw(kit.games()), data.draw(kit.families(noisy=noisy))

    def worth(sequence: tuple[int, ...]) -> float:
        return sum(m.weight * kit.open_loop(game, m.automaton, sequence) for m in family)

    every = list(product((0, 1), repeat=rounds))
    best = max(map(worth, every))
    plan = blind_plan(game, family, rounds)
    assert worth(plan) == pytest.approx(best)
    first = next(sequence for sequence in every if worth(sequence) >= best - kit.EXACT)
    assert plan == first, "ties go to the lowest behaviour, round by round"


@given(data=st.data(), sequence=st.lists(st.integers(0, 2), max_size=5).map(tuple))
def test_what_a_sequence_earns(data: st.DataObject, sequence: tuple[int, ...]) -> None:
    game = data.draw(kit.games(rows=3, columns=2))
    partner = data.draw(kit.automata(rows=3, columns=2, noisy=True))
    earned = open_loop_return(game, partner, sequence)
    assert earned == pytest.approx(kit.open_loop(game, partner, sequence))


@given(data=st.data(), rounds=st.integers(1, 4))
def test_knowing_the_partner_is_never_worse(data: st.DataObject, rounds: int) -> None:
    game, family = data.draw(kit.games()), data.draw(kit.families(noisy=True))
    plan = blind_plan(game, family, rounds)
    for member in family:
        blind = open_loop_return(game, member.automaton, plan)
        assert blind <= best_response(game, member.automaton, rounds).value + kit.EXACT


@for_each(("name", "average"), [("rps", 0.0), ("ibs", 500.0), ("ipd", 750.0)])
def test_against_constant_partners(name: str, average: float) -> None:
    """In RPS nothing fixed wins on average; in IBS one goes to the better place; in IPD one defects."""
    game = games.get(name)()
    columns = len(game.behaviours[1])
    family = tuple(
        WeightedPolicy(1 / columns, automaton("single", game, 100, {"behaviour": b})) for b in range(columns)
    )
    plan = blind_plan(game, family, 100)
    returns = [open_loop_return(game, m.automaton, plan) for m in family]
    assert sum(returns) / columns == pytest.approx(average)
    assert set(plan) == {1 if name == "ipd" else 0}


def test_a_rare_partner_has_the_weight_that_it_has() -> None:
    """What pays 2 against one of ten is worth less than what pays 1 against the other nine."""
    game = Game(
        "rare", (("safe", "rash"), ("usual", "rare")), (((1.0, 0.0), (0.0, 0.0)), ((0.0, 0.0), (2.0, 0.0)))
    )
    family = tuple(
        WeightedPolicy(weight, automaton("single", game, 5, {"behaviour": b}))
        for b, weight in enumerate((0.9, 0.1))
    )
    assert blind_plan(game, family, 5) == (0,) * 5
    assert blind_value(game, family, 5) == pytest.approx(4.5)


def test_too_many_situations_are_refused() -> None:
    game = games.get("rps")()
    rounds = 49  # The counts of three behaviours: 20825 situations
    slow = automaton("best_response_to_frequency", game, rounds, {})
    with pytest.raises(WorldError, match="more than 20000 situations"):
        blind_plan(game, (WeightedPolicy(1.0, slow),), rounds)
