"""Axelrod-Python's strategies as automata: the learner, the scenario without the library, and the table with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from math import isclose
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tools.axelrod_automata.learning import Chances, NoAutomatonError, Word, disagreement, learn

from otherminds.core.data import Automaton
from otherminds.core.errors import StudyError
from otherminds.core.record import Record, SeatSpec
from otherminds.core.scenario import Scenario, Setup, scenario
from otherminds.games.automata import check
from otherminds.games.blind import STATES as LISTED
from otherminds.games.registry import automaton, ipd
from otherminds.matrix import axelrod as bridge
from otherminds.matrix.axelrod import AUTOMATA, STATES, table
from otherminds.measures.basis import Decomposition, decomposition
from otherminds.measures.regret import delta_functional
from otherminds.minds.registry import make_mind
from otherminds.play.loop import play_now
from otherminds.testing import ScenarioConformance
from tests.cases import for_each
from tests.games import kit

installed = pytest.mark.skipif(
    not bridge.available(), reason="Axelrod-Python is not installed (docs/axelrod.md)"
)
FEW = ["TitForTat", "Grudger", "FirstByJoss", "EvolvedFSM4"]


class Hidden:
    """A subject whose automaton the learner does not see."""

    def __init__(self, machine: Automaton) -> None:
        self.machine = machine

    def chances(self, word: Word) -> list[Chances]:
        state, found = self.machine.start, [self.machine.output[self.machine.start]]
        for own, other in word:
            output = found[-1]
            state = self.machine.next[state][own if output[own] else output.index(max(output))][other]
            found.append(self.machine.output[state])
        return found


class Count:
    """Defects once the other has defected ``patience`` times."""

    def __init__(self, patience: int) -> None:
        self.patience = patience

    def chances(self, word: Word) -> list[Chances]:
        wronged = [sum(other for _, other in word[:t]) for t in range(len(word) + 1)]
        return [(0.0, 1.0) if count >= self.patience else (1.0, 0.0) for count in wronged]


def words(rounds: int) -> st.SearchStrategy[Word]:
    return st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), max_size=rounds).map(tuple)


@settings(max_examples=30, deadline=None)
@given(machine=kit.automata(most=4, noisy=True), word=words(40))
def test_the_learner_finds_an_equal_automaton_that_is_no_larger(machine: Automaton, word: Word) -> None:
    """With as many extra states as the machine has, the W-method leaves nothing out."""
    learnt = learn(Hidden(machine), limit=4, extra=3)
    assert len(learnt.automaton.output) <= len(machine.output)
    assert disagreement(Hidden(machine), learnt, word) is None
    check(learnt.automaton, ipd())


@for_each(("patience", "extra", "states"), [(3, 2, 4), (6, 5, 7), (6, 2, 1)])
def test_the_extra_states_bound_what_the_learner_can_miss(patience: int, extra: int, states: int) -> None:
    """Six defections in a row are not tried with two extra states: the random histories find them."""
    assert len(learn(Count(patience), 20, extra).automaton.output) == states


def test_a_history_that_differs_is_learnt_from() -> None:
    subject, history = Count(6), ((0, 1),) * 6

    learnt = learn(subject, 20, 2, lambda learnt: [history] if disagreement(subject, learnt, history) else [])
    assert len(learnt.automaton.output) == 7


def test_a_strategy_with_more_states_than_the_limit_has_no_automaton() -> None:
    learn(Count(6), limit=7, extra=5)
    with pytest.raises(NoAutomatonError, match="more than 6 states"):
        learn(Count(6), limit=6, extra=5)


def test_a_strategy_that_contradicts_itself_has_no_automaton() -> None:
    with pytest.raises(NoAutomatonError, match="differently"):
        learn(Count(1), 20, 1, lambda learnt: [((0, 1),)])


def test_the_table_fits_the_game_and_a_record() -> None:
    automata = table().automata
    for one in automata.values():
        check(one, ipd())
        assert len(one.output) <= STATES
    assert sum(len(one.output) for one in automata.values()) <= LISTED
    assert not automata.keys() & table().others.keys()


@for_each(
    ("theirs", "family"),
    [("TitForTat", "tit_for_tat"), ("WinStayLoseShift", "win_stay_lose_shift"), ("Grudger", "grim")],
)
def test_partners_of_the_same_name_are_the_same(theirs: str, family: str) -> None:
    ours = learn(Hidden(automaton(family, ipd(), 100, {})), STATES, 2)
    rng = Random(1)
    for _ in range(100):
        word = tuple((0, rng.randrange(2)) for _ in range(50))
        assert disagreement(Hidden(table().automata[theirs]), ours, word) is None


@cache
def few() -> Scenario:
    return scenario(AUTOMATA, {"rounds": 20, "strategies": FEW})


class TestScenario(ScenarioConformance):
    def make_scenario(self) -> Scenario:
        return few()


def played(built: Scenario, mind: str, partner: str, seed: int = 0, **params: str) -> Record:
    setup = Setup(built, {"ego": make_mind(SeatSpec(mind, params))}, seed, {"partner_0": SeatSpec(partner)})
    record, _ = play_now(setup)
    assert record.outcome.status == "scored", record.outcome
    return record


def test_a_mind_that_knows_its_partner_gets_the_optimum() -> None:
    for name in ("TitForTat", "Grudger", "EvolvedFSM4"):
        record = played(few(), "informed", name)
        assert record.bounds is not None
        assert record.bounds.informed == record.total("ego")
        assert delta_functional(record) == 0
    best = [played(few(), "informed", name).bounds.informed for name in FEW]  # type: ignore[union-attr]
    assert isclose(sum(best) / len(best), record.bounds.best or 0)


def test_bayes_plans_over_the_strategies_themselves() -> None:
    """Against strategies that it knows, its regret is not negative and it is told apart from the blind plan."""
    strategies = ["TitForTat", "Grudger", "Defector"]
    built = scenario(AUTOMATA, {"rounds": 20, "strategies": strategies})
    totals = [played(built, "bayes", name).total("ego") for name in strategies]
    bounds = played(built, "bayes", "Defector").bounds
    assert bounds is not None
    assert bounds.best is not None
    assert bounds.blind is not None
    assert bounds.blind <= sum(totals) / 3 <= bounds.best


def test_regret_is_split_into_its_parts_against_all_strategies() -> None:
    built = scenario(AUTOMATA, {"rounds": 5})
    record = played(built, "bayesian", "Grudger")
    parts = decomposition(record)
    assert isinstance(parts, Decomposition)
    assert isclose(parts.regret, delta_functional(record))  # type: ignore[arg-type]


def test_a_population_too_large_for_a_blind_plan_keeps_its_other_references() -> None:
    bounds = played(scenario(AUTOMATA, {"rounds": 30}), "uniform", "TitForTat").bounds
    assert bounds is not None
    assert bounds.informed == 8 * 29 + 10
    assert bounds.best is not None
    assert bounds.blind is None
    assert "situations" in bounds.reason


def test_a_single_strategy_is_referred_to_its_mixture_with_constant_partners() -> None:
    bounds = played(
        scenario(AUTOMATA, {"rounds": 20, "strategies": ["TitForTat"]}), "uniform", "TitForTat"
    ).bounds
    native = played(scenario("ipd-tit_for_tat-v1", {"rounds": 20}), "uniform", "tit_for_tat").bounds
    assert bounds is not None
    assert native is not None
    assert [one.weight for one in bounds.population] == [0.25, 0.25, 0.5]
    assert [one.name for one in bounds.population] == [
        "single(behaviour=0)",
        "single(behaviour=1)",
        "TitForTat",
    ]
    assert bounds.informed == native.informed


@for_each(("strategies", "reason"), [(["FirstByDowning"], "no finite strategy"), ([], "at least one")])
def test_strategies_without_an_automaton_are_refused(strategies: list[str], reason: str) -> None:
    with pytest.raises(StudyError, match=reason):
        scenario(AUTOMATA, {"strategies": strategies})


@installed
@pytest.mark.slow
class TestItself:
    """With Axelrod-Python 4.14.0: the table against the strategies, on histories that did not make it."""

    def test_every_length_blind_strategy_is_in_the_table_or_has_a_reason(self) -> None:
        assert sorted([*table().automata, *table().others]) == sorted(bridge.length_blind())
        assert bridge.library().__version__ == table().version

    @pytest.mark.parametrize("name", table().automata)
    def test_an_automaton_plays_as_its_strategy(self, name: str) -> None:
        """1,000 histories of 100 rounds: every move, or its exact probability where the strategy draws lots."""
        from tools.axelrod_automata.strategies import first_difference, random_opponent

        make, rng = bridge.length_blind()[name], Random(f"check {name}")
        for _ in range(1000):
            others = random_opponent(rng, 100)
            word = first_difference(lambda: bridge.for_game(make, ipd()), table().automata[name], others, rng)
            assert word is None, f"after {word}"

    def test_an_automaton_of_another_strategy_is_told_apart(self) -> None:
        from tools.axelrod_automata.strategies import first_difference, random_opponent

        rng, known = Random(0), bridge.length_blind()
        for name, other in (("TitForTat", "Grudger"), ("FirstByJoss", "GTFT"), ("GTFT", "TitForTat")):
            words = [
                first_difference(known[name], table().automata[other], random_opponent(rng, 100), rng)
                for _ in range(20)
            ]
            assert any(words), name

    def test_four_vectors_are_the_probabilities_in_the_table(self) -> None:
        """Strategies of memory one state their probability of C after CC, CD, DC and DD."""
        import axelrod

        compared = 0
        for name, one in table().automata.items():
            strategy = bridge.for_game(bridge.length_blind()[name], ipd())
            if not isinstance(strategy, axelrod.MemoryOnePlayer):
                continue
            vector = [strategy._four_vector[key] for key in _pairs(axelrod.Action)]
            reached = {one.start} | {n for rows in one.next for row in rows for n in row}
            for state in reached:
                for own in (0, 1):
                    if one.output[state][own]:
                        after = [one.output[one.next[state][own][other]][0] for other in (0, 1)]
                        assert after == pytest.approx(vector[2 * own : 2 * own + 2], abs=1e-12), name
            compared += 1
        assert compared == 16

    def test_frequencies_of_moves_are_the_probabilities_in_the_table(self) -> None:
        """Played with the library's own random numbers, within five standard errors at every round."""
        episodes, rounds = 400, 6
        for name in ("FirstByJoss", "PSOGambler1_1_1", "ZDGTFT2", "SecondByLeyvraz"):
            one, make = table().automata[name], bridge.length_blind()[name]
            residuals = [0.0] * rounds
            spread = [1e-9] * rounds
            for seed in range(episodes):
                others = [(seed >> t) & 1 for t in range(rounds)]
                for t, (move, p) in enumerate(_library_play(make, others, one, seed)):
                    residuals[t] += (move == 0) - p
                    spread[t] += p * (1 - p)
            for t in range(rounds):
                assert abs(residuals[t]) <= 5 * spread[t] ** 0.5 + 1e-6, (name, t)

    def test_the_real_strategies_have_the_same_references(self) -> None:
        real = scenario(bridge.NAME, {"rounds": 20, "strategies": FEW})
        for name in FEW:
            ours, theirs = (played(built, "uniform", name) for built in (few(), real))
            assert ours.bounds == theirs.bounds
        partial = scenario(bridge.NAME, {"rounds": 20, "strategies": [*FEW, "FirstByDowning"]})
        bounds = played(partial, "uniform", "TitForTat").bounds
        assert bounds is not None
        assert bounds.informed is None
        assert "1 of 5 strategies" in bounds.reason


def _pairs(action: Any) -> list[tuple[Any, Any]]:
    return [(own, other) for own in (action.C, action.D) for other in (action.C, action.D)]


def _library_play(
    make: Callable[[], Any], others: list[int], one: Automaton, seed: int
) -> Iterator[tuple[int, float]]:
    """Each move of the strategy, and the automaton's probability of C in that round."""
    import axelrod

    moves = (axelrod.Action.C, axelrod.Action.D)
    strategy, opponent, state = bridge.for_game(make, ipd()), axelrod.Player(), one.start
    strategy.set_seed(seed)
    for other in others:
        own = moves.index(strategy.strategy(opponent))
        yield own, one.output[state][0]
        strategy.update_history(moves[own], moves[other])
        opponent.update_history(moves[other], moves[own])
        state = one.next[state][own][other]
