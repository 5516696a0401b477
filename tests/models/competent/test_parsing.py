from gymnasium.spaces import Discrete
from hypothesis import given
from hypothesis import strategies as st

from otherminds.core.data import Brief, Message
from otherminds.games.registry import ibs, ipd, rps
from otherminds.gridworlds.in_the_matrix import naming as told_rules
from otherminds.gridworlds.in_the_matrix.naming import SeatVocabulary
from otherminds.gridworlds.in_the_matrix.rules import PD_REPEATED, RWS_ARENA, RWS_REPEATED
from otherminds.matrix.words import MatrixVerbalizer
from otherminds.matrix.world import EGO, PARTNER
from otherminds.models.competent.parsing import Met, Prompt, encounter, literal
from tests.cases import for_each


def brief(game) -> Brief:
    own, others = game.behaviours
    return Brief(EGO, (PARTNER,), Discrete(len(own)), {EGO: own, PARTNER: others}, (0, 10), 100, game=game)


def prompt(*lines: str, system: str = "") -> Prompt:
    return Prompt([Message("system", system), Message("user", "\n".join(lines))])


def test_blocks_are_told_apart():
    told = prompt(
        "It is step 143.",
        "Your encounters with player 3:",
        "- step 131: you played {'rock': 1, 'paper': 6}, your reward +3.571; they played {'rock': 5, 'paper': 1}",
        "- step 140: you played {'rock': 2, 'paper': 1}, your reward -1.2; they played: unknown",
        "Your earlier hypotheses about player 3:",
        "- [0.51] They always play rock.",
        "The hypothesis about player 3:",
        "They always play rock.",
        "Your prediction of what player 3 will do:",
        "{'rock': 5, 'paper': 1}",
        "Your strategy: wait and see",
        "What they can play: ['rock']",
        "Think: it may help.",
        "Answer with one Python dictionary in this form: {'they_play': {'rock': 5, 'paper': 1}}",
    )
    assert told.encounters == {
        "player 3": (
            Met("step 131", {"rock": 1, "paper": 6}, 3.571, {"rock": 5, "paper": 1}),
            Met("step 140", {"rock": 2, "paper": 1}, -1.2),
        )
    }
    assert told.earlier == {"player 3": ((0.51, "They always play rock."),)}
    assert told.hypotheses == {"player 3": "They always play rock."}
    assert told.predictions == {"player 3": {"rock": 5, "paper": 1}}
    assert told.strategy == "wait and see"
    assert told.value("What they can play") == ["rock"]
    assert told.form == {"they_play": {"rock": 5, "paper": 1}}


def test_the_last_encounter_may_end_with_the_reward():
    assert encounter("- step 9: you played 'J', your reward 0") == Met("step 9", "J", 0.0)
    assert encounter("- none so far") is None


def test_the_last_form_counts_and_examples_before_it_do_not():
    told = prompt(
        "{'x': 1}", "in this form: {'a': 1}", "Your last reply could not be used.", "in this form: {'b': 2}"
    )
    assert told.form == {"b": 2}
    assert prompt("{'x': 1}").form is None


@for_each("rules", [RWS_REPEATED, RWS_ARENA, PD_REPEATED])
def test_payoffs_of_duels_are_read_from_their_telling(rules):
    names = rules.classes
    order = tuple(reversed(range(len(names))))
    words = told_rules.payoffs(SeatVocabulary(rules, EGO), rules.game, order)
    found = prompt(system=words).payoffs
    assert found is not None
    assert found.own == found.theirs == tuple(reversed(names))
    for i, own in enumerate(found.own):
        for j, other in enumerate(found.theirs):
            there = rules.game.payoffs[names.index(own)][names.index(other)]
            assert (found.mine[i][j], found.partner_payoffs[i][j]) == there


@for_each("make", [rps, ipd, ibs])
def test_payoffs_of_matrix_games_are_read_from_their_telling(make):
    game = make()
    labels = ("J", "F", "B")[: len(game.behaviours[0])]
    telling = MatrixVerbalizer(game, EGO, PARTNER, labels, labels, (2, 0, 1), 100)
    found = prompt(system=telling.rules(brief(game))).payoffs
    assert found is not None
    assert {*found.own} == {*labels}
    for i, own in enumerate(found.own):
        for j, other in enumerate(found.theirs):
            there = game.payoffs[labels.index(own)][labels.index(other)]
            assert (found.mine[i][j], found.partner_payoffs[i][j]) == there


@given(st.text())
def test_nothing_written_breaks_the_reading(text):
    told = prompt(text, f"- step 1: you played {text}, your reward +1", f"Pots: {text}", system=text)
    assert isinstance(told.blocks, dict)
    assert isinstance(told.told, dict)
    assert told.payoffs is None or told.payoffs.own
    literal(text)
