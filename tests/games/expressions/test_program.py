"""What has no value elsewhere has one here; what a program keeps is no more than it needs."""

import pytest

from otherminds.games.automata import Predictor
from otherminds.games.expressions import BehaviourNames, ParseError, program
from otherminds.games.expressions.program import ProgramNeeds
from tests.cases import for_each
from tests.games.expressions import kit as tools

INFINITE = float("inf")


def made(text: str, words: BehaviourNames) -> Predictor:
    return program(text, words).predictor(text)


@for_each(
    ("condition", "holds"),
    [
        ("1 / 0 == 0", True),
        ("1 // 0 == 0", True),
        ("1 % 0 == 0", True),
        ("0 / 0 == 0", True),
        ("7 // 2 == 3", True),
        ("-7 // 2 == -4", True),
        ("-7 % 3 == 2", True),
        ("2 + 3 * 4 == 14", True),
        ("(2 + 3) * 4 == 20", True),
        ("10 - 3 - 2 == 5", True),
        ("12 / 3 / 2 == 2", True),
        ("999999999 * 999999999 <= 1000 * 1000 * 1000", True),
        ("-999999999 * 999999999 >= -1000 * 1000 * 1000", True),
        ("true or false and false", True),
        ("(true or false) and false", False),
        ("not false and false", False),
        ("not (false and false)", True),
        ("not 1 == 2", True),
        ("true == not false", True),
        ("min(2, 3) == 2 and max(2, 3) == 3", True),
        ("their(1) == their(1)", False),
        ("their(1) != their(1)", True),
        ("their(1) == 'defect' or their(1) != 'defect'", True),
        ("most(their) == most(their)", False),
        ("next(their(1)) == next(their(1))", False),
        ("best_reply(their(1)) == best_reply(their(1))", False),
        ("count(their, their(1)) == 0", True),
        ("streak(mine) == 0", True),
        ("streak(mine, 'defect') == 0", True),
        ("their_payoff(3) == 0 and my_payoff(3) == 0", True),
        ("next('defect') == 'cooperate'", True),
        ("next('cooperate', 2) == 'cooperate'", True),
        ("next('cooperate', -1) == 'defect'", True),
        ("next('cooperate', 1.5) == 'defect'", True),
        ("best_reply('cooperate') == 'defect'", True),
        ("my_best_reply('cooperate') == 'defect'", True),
        ("let x = 1 in let x = 2 in x == 2", True),
        ("let x = 2 in (let x = 1 in x) < x", True),
        ("let x = 1 in let y = 2 in x + y == 3", True),
        ("(if round == 1 then 3 else 4) == 3", True),
    ],
)
def test_before_the_first_encounter(condition: str, holds: bool) -> None:
    found = made(f"if {condition} then 'cooperate' else 'defect'", tools.IPD).predict([])
    assert found == ((1.0, 0.0) if holds else (0.0, 1.0))


@for_each(
    ("text", "chances"),
    [
        ("uniform", (0.5, 0.5)),
        ("uniform()", (0.5, 0.5)),
        ("their(1)", (0.5, 0.5)),
        ("play(their(1))", (0.5, 0.5)),
        ("other(their(1))", (0.5, 0.5)),
        ("frequencies(mine)", (0.5, 0.5)),
        ("mix({'cooperate': 0, 'defect': 0})", (0.5, 0.5)),
        ("mix({'cooperate': -1, 'defect': -2})", (0.5, 0.5)),
        ("mix({'cooperate': -1, 'defect': 2})", (0.0, 1.0)),
        ("mix({'cooperate': -1, uniform: 2})", (0.5, 0.5)),
        ("mix({'cooperate': 1, 'cooperate': 1, 'defect': 2,})", (0.5, 0.5)),
        ("mix({mix({'cooperate': 1, 'defect': 3}): 1, 'defect': 1})", (0.125, 0.875)),
        ("mix({'cooperate': 1 / 999999999 / 999999999, 'defect': 0})", (1.0, 0.0)),
        ("noisy('cooperate', 0.2)", (0.9, 0.1)),
        ("noisy('cooperate', 5)", (0.5, 0.5)),
        ("noisy('cooperate', -5)", (1.0, 0.0)),
        ("first(0, 'cooperate', 'defect')", (0.0, 1.0)),
        ("first(0.5, 'cooperate', 'defect')", (1.0, 0.0)),
        ("cycle('defect')", (0.0, 1.0)),
        ("if true then 'cooperate' else uniform", (1.0, 0.0)),
        ("let d = if true then 'cooperate' else uniform in noisy(d, 0.5)", (0.75, 0.25)),
        ("'defect' if round > 1 else 'cooperate'", (1.0, 0.0)),
        ("'defect' if round > 1 else 'cooperate' if round == 1 else uniform", (1.0, 0.0)),
    ],
)
def test_distributions_are_always_whole(text: str, chances: tuple[float, ...]) -> None:
    assert made(text, tools.IPD).predict([]) == pytest.approx(chances)


def test_numbers_never_leave_their_bounds() -> None:
    huge = " * ".join(["999999999"] * 30)
    for number in (huge, f"-{huge}", f"1 / ({' / '.join(['999999999'] * 30)})", f"{huge} // (1 / {huge})"):
        chances = made(f"mix({{'cooperate': {number}, 'defect': 1}})", tools.IPD).predict([])
        assert tools.sound(chances, 2)


def test_an_own_behaviour_that_they_do_not_have_is_anything() -> None:
    assert made("mine(1)", tools.UNEVEN).predict([(0, 0)]) == (1.0, 0.0)
    assert made("mine(1)", tools.UNEVEN).predict([(0, 2)]) == (0.5, 0.5)
    assert made("next(mine(1))", tools.UNEVEN).predict([(0, 2)]) == (0.5, 0.5)
    assert made("frequencies(mine)", tools.UNEVEN).predict([(0, 2), (0, 1)]) == (0.0, 1.0)
    assert made("if count(mine, 'x') == 1 then 'a' else 'b'", tools.UNEVEN).predict([(0, 2)]) == (1.0, 0.0)


def test_names_decide_what_is_alike_not_places() -> None:
    crossed = BehaviourNames(("b", "a"), ("a", "b"))
    assert made("mine(1)", crossed).predict([(0, 0)]) == (0.0, 1.0)
    assert made("if their(1) == mine(1) then 'a' else 'b'", crossed).predict([(0, 1)]) == (1.0, 0.0)


@for_each(
    ("text", "needs"),
    [
        ("'defect'", ProgramNeeds()),
        ("mine(1)", ProgramNeeds(depths=(0, 1))),
        ("if their(3) == mine(2) then 'defect' else mine(1)", ProgramNeeds(depths=(3, 2))),
        ("if their_payoff(2) > 3 then 'defect' else 'cooperate'", ProgramNeeds(depths=(2, 2))),
        ("if round == 1 then 'defect' else 'cooperate'", ProgramNeeds(rounds=1)),
        ("if 7 >= round then 'defect' else 'cooperate'", ProgramNeeds(rounds=7)),
        ("first(7, 'defect', cycle('defect', 'cooperate'))", ProgramNeeds(rounds=7, period=2)),
        ("first(2.5, 'defect', 'cooperate')", ProgramNeeds(rounds=3)),
        ("first(round, 'defect', 'cooperate')", ProgramNeeds(rounds=INFINITE)),
        ("if round % 2 == 0 then 'defect' else cycle('defect', 'defect', 'cooperate')", ProgramNeeds(period=6)),
        ("if (round - 1) // 5 % 2 == 0 then 'defect' else 'cooperate'", ProgramNeeds(period=10)),
        ("if round // 5 * 2 % 3 == 0 then 'defect' else 'cooperate'", ProgramNeeds(rounds=INFINITE)),
        ("if round % 150 > cycle_ then 'defect' else 'cooperate'".replace("cycle_", "round % 7"), ProgramNeeds(rounds=INFINITE)),
        ("if round % 500 == 1 then 'defect' else 'cooperate'", ProgramNeeds(rounds=INFINITE)),
        ("if round > count(mine, 'defect') then 'defect' else 'cooperate'",
            ProgramNeeds(rounds=INFINITE, counts=((0, 0), (0, INFINITE)))),
        ("if count(mine, 'defect') >= 2 then 'defect' else 'cooperate'", ProgramNeeds(counts=((0, 0), (0, 3)))),
        ("if count(mine, their(1)) >= 2 then 'defect' else 'cooperate'", ProgramNeeds(depths=(1, 0), counts=((0, 0), (3, 3)))),
        ("if count(mine, 'defect', 4) >= 2 then 'defect' else 'cooperate'", ProgramNeeds(depths=(0, 4))),
        ("if streak(their) > 4 then 'defect' else 'cooperate'", ProgramNeeds(depths=(1, 0), runs=(5, 0))),
        ("frequencies(their)", ProgramNeeds(counts=((INFINITE,) * 2, (0, 0)))),
        ("most(mine, 7)", ProgramNeeds(depths=(0, 7))),
        ("if count(if round > 3 then their else mine, 'defect') > 0 then 'defect' else 'cooperate'",
            ProgramNeeds(rounds=3, counts=((0, 1), (0, 1)))),
    ],
)  # fmt: skip
def test_a_program_keeps_only_what_it_asks_for(text: str, needs: ProgramNeeds) -> None:
    assert program(text, tools.IPD).needs == needs


@for_each(
    ("text", "states"),
    [
        ("'defect'", 1),
        ("mine(1)", 3),
        ("if their(2) == mine(2) then 'defect' else 'cooperate'", 1 + 4 + 16),
        ("if count(mine, 'defect') > 0 then 'defect' else 'cooperate'", 2),
        ("if (round - 1) // 5 % 2 == 0 then 'defect' else 'cooperate'", 10),
        ("first(3, 'defect', mine(1))", 1 + 3 * 2),
        ("noisy(if streak(mine, 'defect') >= 2 then 'defect' else 'cooperate', 0.1)", 1 + 2 * 3),
    ],
)
def test_equal_situations_are_one_state(text: str, states: int) -> None:
    predictor = made(text, tools.IPD)
    reached, waiting = {predictor.start}, [predictor.start]
    for state in waiting:
        for pair in ((0, 0), (0, 1), (1, 0), (1, 1)):
            after = predictor.after(state, *pair)
            if after not in reached:
                reached.add(after)
                waiting.append(after)
        assert len(reached) < 1000
    assert len(reached) == states


def test_a_predictor_says_what_it_is() -> None:
    written = program("(mine( 1 ))", tools.IPD)
    predictor = written.predictor("They copy me.", "copy")
    assert (predictor.name, predictor.sentence, predictor.bits) == ("copy", "They copy me.", written.bits)
    assert written.text == "mine(1)"


def test_payoffs_are_no_word_where_nobody_knows_them() -> None:
    for text in (
        "best_reply(mine(1))",
        "my_best_reply(their(1))",
        "if my_payoff(1) > 0 then 'defect' else 'cooperate'",
    ):
        program(text, tools.IPD)
        with pytest.raises(ParseError, match="nobody was told the payoffs"):
            program(text, BehaviourNames(("cooperate", "defect"), ("cooperate", "defect")))
