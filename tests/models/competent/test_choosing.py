from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.gridworlds.in_the_matrix.naming import pays
from otherminds.gridworlds.in_the_matrix.rules import PD_REPEATED, RWS_REPEATED
from otherminds.gridworlds.in_the_matrix.world import possible
from otherminds.models.competent.strategies import (
    StrategySetting,
    best,
    estimate_payoffs,
    explain_history,
    infer_class,
    kind,
    returns,
    rules,
)
from tests.cases import for_each

KINDS = ("rock", "paper", "scissors")
ROCK, PAPER, SCISSORS = range(3)
DUEL = RWS_REPEATED.row
DUELS = StrategySetting(KINDS, KINDS, tuple(zip(*RWS_REPEATED.row, strict=True)))
DILEMMA = StrategySetting(("C", "D"), ("C", "D"), ((3, 5), (0, 1)), (0, 0))
PD = ((3, 0), (5, 1))


def choice(sentence: str, setting: StrategySetting, mine, history=()) -> int:
    rule = rules(setting)[sentence]
    return best(returns(rule, history, mine, rule.says(rule.state(history))))


@pytest.mark.parametrize("rules_of", [RWS_REPEATED, PD_REPEATED])
@given(data=st.data())
def test_a_single_raised_class_is_inferred_where_the_reward_gives_it_away(rules_of, data):
    kinds = len(rules_of.classes)
    j, count = data.draw(st.integers(0, kinds - 1)), data.draw(st.integers(3, 8))
    own = data.draw(
        st.lists(st.integers(1, 6), min_size=kinds, max_size=kinds).filter(lambda held: max(held) > 1)
    )
    other = [count if k == j else 1 for k in range(kinds)]
    reward = round(pays(rules_of.game, own, other)[0], 3)
    fits = [
        k
        for k in range(kinds)
        for c in range(2, 13)
        if abs(pays(rules_of.game, own, [c if i == k else 1 for i in range(kinds)])[0] - reward) < 0.011
    ]
    found = infer_class(own, reward, rules_of.row)
    assert found in fits
    if len({*fits}) == 1:
        assert found == j


def test_inference_agrees_with_what_is_possible():
    own, other = (1, 6, 1), (5, 1, 1)
    reward = float(Fraction(pays(RWS_REPEATED.game, own, other)[0]))
    assert infer_class(own, round(reward, 3), DUEL) in possible(DUEL, own, other)


def test_kindness_is_what_helps_the_other_and_costs_oneself():
    assert kind(((3, 0), (5, 1)), ((3, 5), (0, 1))) == (0, 0)
    assert kind(((1, 5), (0, 3)), ((1, 0), (5, 3))) == (1, 1)
    assert kind(((10, 0), (0, 7)), ((7, 0), (0, 10))) is None
    assert kind(DUEL, DUELS.partner_payoffs or DUEL) is None


@for_each(
    ("sentence", "history"),
    [
        ("They always play rock.", [(ROCK, ROCK), (ROCK, PAPER)]),
        ("They play what does best against my last play.", [(ROCK, PAPER), (SCISSORS, ROCK), (PAPER, ROCK)]),
        (
            "They play rock 2 times and scissors from then on.",
            [(ROCK, PAPER)] * 2 + [(SCISSORS, SCISSORS)] * 3,
        ),
        ("They go through rock, paper, scissors in turn.", [(i % 3, PAPER) for i in range(6)]),
    ],
)
def test_the_simplest_strategy_that_fits_is_found(sentence, history):
    assert explain_history(DUELS, history, ()).sentence == sentence


@for_each(
    ("sentence", "history"),
    [
        ("They always play D.", [(1, 1)] * 2),
        (
            "They play C until I have played D once, and D ever after.",
            [(0, 0)] * 4 + [(0, 1)] + [(1, 0), (1, 1)] * 3,
        ),
        (
            "They play D until I have played D 3 times, and copy my last play from then on.",
            [(1, 1)] * 3 + [(0, 0), (0, 1), (1, 0), (0, 0)],
        ),
        ("They copy my last play.", [(0, 1), (1, 0), (0, 0), (0, 1), (1, 1), (1, 0)]),
    ],
)
def test_partners_of_the_dilemma_are_told_apart(sentence, history):
    assert explain_history(DILEMMA, history, ()).sentence == sentence


def test_an_earlier_hypothesis_of_value_comes_first_while_it_fits():
    history = [(ROCK, PAPER), (SCISSORS, PAPER)]
    flip = "They play rock once and scissors from then on."
    assert explain_history(DUELS, history, ()).sentence != flip
    assert explain_history(DUELS, history, [(0.9, flip)]).sentence == flip
    assert explain_history(DUELS, [*history, (ROCK, PAPER), (ROCK, PAPER)], [(0.9, flip)]).sentence != flip


def test_one_wrong_inference_among_many_is_taken_for_one():
    history = [(ROCK, PAPER)] * 6 + [(PAPER, PAPER)] + [(ROCK, PAPER)] * 6
    assert "rock" in explain_history(DUELS, history, ()).sentence.split("play")[1]


@for_each(
    ("sentence", "history", "own"),
    [
        ("They always play C.", (), 1),
        ("They always play D.", (), 1),
        ("They copy my last play.", ((0, 0),), 0),
        ("They copy my last play.", ((1, 1),), 0),
        ("They play C until I have played D once, and D ever after.", (), 0),
        ("They play C until I have played D 2 times, and D ever after.", ((0, 1),), 0),
        ("They play C until I have played D once, and D ever after.", ((0, 1),), 1),
        ("They play D until I have played D 3 times, and copy my last play from then on.", (), 1),
        ("They play D until I have played D 3 times, and copy my last play from then on.", ((1, 1),) * 3, 0),
    ],
)
def test_looking_ahead_handles_partners_that_answer(sentence, history, own):
    assert choice(sentence, DILEMMA, PD, history) == own


def test_one_behaviour_is_met_by_what_beats_it():
    assert [choice(f"They always play {name}.", DUELS, DUEL) for name in KINDS] == [PAPER, SCISSORS, ROCK]


def test_payoffs_are_learned_as_means():
    plays = [(0, 0, 2.0), (0, 0, 4.0), (1, 0, -3.0), (None, 1, 5.0)]
    assert estimate_payoffs(plays, 2, 2) == ((3.0, -3.0), (2.0, 2.0))
    assert estimate_payoffs([], 1, 1) == ((0.0,),)
