"""Planning against a belief: equal to the exact plan where there is one, wise where there is none."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.games.automata import Predictor, Setting, of_automaton
from otherminds.games.belief import PartnerHypothesis, belief_plan
from otherminds.games.filtering import FAR, HORIZON, LIMIT, Floats, PredictorTables, look_ahead
from otherminds.games.registry import games, library
from tests.games import kit

IPD = games.get("ipd")()
RPS = games.get("rps")()
C, D = range(2)


def known(*names: str) -> dict[str, Predictor]:
    return {p.name: p for p in library(Setting(2, 2, IPD)) if p.name in names}


def best(values: Floats) -> int:
    return int((values >= values.max() - 1e-9).argmax())


def chosen(weights: dict[str, float], rounds: int) -> int:
    found = known(*weights)
    believed = [(w, found[n], found[n].start) for n, w in weights.items()]
    return best(look_ahead(PredictorTables(IPD), believed, rounds))


def test_it_is_worth_what_the_exact_plan_is() -> None:
    """Never above, since it values policies that can be followed; below by nothing in most games, 2.5 % in the worst known."""

    @given(kit.games(), kit.families(), st.integers(1, 8))
    def check(game, family, rounds):
        plan = belief_plan(tuple(PartnerHypothesis(m.weight, game, m.automaton) for m in family), rounds)
        believed = [
            (m.weight, of_automaton(m.automaton, str(i)), m.automaton.start) for i, m in enumerate(family)
        ]
        found = float(look_ahead(PredictorTables(game), believed, rounds, 0.0).max())
        span = max(pay for row in game.payoffs for pay, _ in row) - min(
            pay for row in game.payoffs for pay, _ in row
        )
        assert found <= plan.value + 1e-6
        assert found >= plan.value - 0.03 * span * rounds - 1e-6

    check()


def test_against_one_partner_it_is_the_best_response() -> None:
    assert [chosen({"tit for tat": 1.0}, left) for left in (20, 2, 1)] == [C, C, D]
    assert chosen({"always cooperate": 1.0}, 20) == D


def test_grim_is_not_tried_out_and_a_likely_fool_is() -> None:
    """To find out costs 3 a round for ever against grim, and wins 2 a round against who always cooperates."""
    assert chosen({"always cooperate": 0.4, "grim after 1": 0.6}, 20) == C
    assert chosen({"always cooperate": 0.9, "grim after 1": 0.1}, 20) == D


def test_peace_is_worth_one_offer_the_more_rounds_are_left() -> None:
    """Who defects all the time may only be copying: to ask costs 5, and may win 3 a round."""
    found = known("always defect", "copy")
    believed = [(0.8, found["always defect"], 0), (0.2, found["copy"], D)]
    assert best(look_ahead(PredictorTables(IPD), believed, 40)) == C
    assert best(look_ahead(PredictorTables(IPD), believed, 3)) == D


def test_the_corrigible_are_punished_until_they_make_peace() -> None:
    corrigible = known("corrigible after 3")["corrigible after 3"]
    tables, state = PredictorTables(IPD), corrigible.start
    shown: list[int] = []
    for left in range(20, 13, -1):
        act = best(look_ahead(tables, [(1.0, corrigible, state)], left))
        chances = corrigible.output(state)
        state = corrigible.after(state, chances.index(max(chances)), act)
        shown.append(act)
    assert shown[:3] == [D, D, D]
    assert shown[4:] == [C, C, C]


def test_what_chance_plays_is_averaged() -> None:
    anything = next(p for p in library(Setting(3, 3, RPS)) if p.name == "anything")
    found = look_ahead(PredictorTables(RPS), [(1.0, anything, anything.start)], 5)
    assert found == pytest.approx(np.zeros(3), abs=1e-9)
    assert look_ahead(PredictorTables(RPS), [(1.0, anything, anything.start)], 1) == pytest.approx(
        np.zeros(3)
    )


def test_a_partner_that_slips_one_time_in_five_is_exploited_over_a_hundred_rounds() -> None:
    """It plays what comes after its own last behaviour, and slips: what pays is the answer to what it means."""
    chances = (0.8, 0.1, 0.1)
    slips = Predictor(
        "slips",
        "They go round, and slip.",
        5.0,
        0,
        lambda at: (*chances[-at:], *chances[:-at]) if at else chances,
        lambda at, theirs, own: (theirs + 1) % 3,
    )
    for at in range(3):
        found = look_ahead(PredictorTables(RPS), [(1.0, slips, at)], 100)
        assert best(found) == (at + 1) % 3
        assert found.max() == pytest.approx(70.0)


def test_the_far_future_goes_on_as_the_last_rounds_did() -> None:
    cooperator = known("always cooperate")["always cooperate"]
    found = look_ahead(PredictorTables(IPD), [(1.0, cooperator, 0)], 10 * HORIZON)
    assert found[D] == pytest.approx(10.0 * 10 * HORIZON)


def test_tables_hold_a_bounded_number_of_states() -> None:
    endless = Predictor("n", "They count.", 1.0, 0, lambda n: (1.0, 0.0), lambda n, theirs, own: n + 1)
    table, at = PredictorTables(IPD).find(endless, 0)
    assert (len(table.output), at) == (LIMIT, 0)
    assert table.after[LIMIT - 1].tolist() == [[LIMIT - 1] * 2] * 2
    assert table.worth[FAR, 0].tolist() == [10.0 * (FAR - 1) + 8, 10.0 * FAR]
    again, later = PredictorTables(IPD).find(endless, 7)
    assert again.number[7] == later == 0
