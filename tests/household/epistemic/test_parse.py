"""What is a formula, and what is said, with its place, of what is none."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.core.errors import TaskError
from otherminds.household.epistemic.formula import DEEPEST, And, Atom, FormulaError, Know, Not
from otherminds.household.epistemic.parse import MOST, goal_of, parse
from tests.cases import for_each

OPEN = Atom("is_open", ("cabinet_3",))


@for_each(
    ("text", "formula"),
    [
        ("(is_open cabinet_3)", OPEN),
        ("( is_open\n\tcabinet_3\r\n)", OPEN),
        ("(not (is_open cabinet_3))", Not(OPEN)),
        ("; what must hold\n(AND (is_open cabinet_3) ; here (and\n)", And((OPEN,))),
        ("(k agent_0 (K agent_1 (is_open cabinet_3)))", Know("agent_0", Know("agent_1", OPEN))),
        ("(and(is_open cabinet_3)(and(is_open cabinet_3)))", And((OPEN, And((OPEN,))))),
        ("(is_on_top Bowl-0 TABLE)", Atom("is_on_top", ("Bowl-0", "TABLE"))),
        ("(has_item agent_0 key_1)", Atom("has_item", ("agent_0", "key_1"))),
        ("(is_restricted agent_0 kitchen_1)", Atom("is_restricted", ("agent_0", "kitchen_1"))),
    ],
)
def test_what_is_written_is_taken_as_it_stands(text: str, formula: object) -> None:
    assert parse(text) == formula


@for_each(
    ("text", "place", "words"),
    [
        ("", (1, 1), "a formula is missing"),
        ("  ; nothing\n", (2, 1), "a formula is missing"),
        ("cabinet_3", (1, 1), "is not a formula"),
        ("()", (1, 1), "begins with no predicate"),
        ("((is_open cabinet_3))", (1, 1), "begins with no predicate"),
        ("(and)", (1, 1), "put a formula in it"),
        ("(and\n  (is_open cabinet_3)\n  (and))", (3, 3), "empty"),
        ("(is_open cabinet_3", (1, 1), "never closed"),
        ("(and (is_open cabinet_3)\n (is_open cabinet_4)", (1, 1), "never closed"),
        ("(and\n (is_open cabinet_3", (2, 2), "never closed"),
        ("(is_open cabinet_3))", (1, 20), "closes nothing"),
        ("(is_open cabinet_3) (is_open cabinet_4)", (1, 21), "join them: (and"),
        ("(is_opne cabinet_3)", (1, 1), "did you mean is_open"),
        ("(Is_Open cabinet_3)", (1, 1), "did you mean is_open"),
        ("(zzz cabinet_3)", (1, 1), "a goal speaks of is_on_top"),
        ("(is_on_top bowl_0)", (1, 1), "(is_on_top object furniture): object is on furniture; here it has 1"),
        ("(is_open)", (1, 1), "takes 1 argument,"),
        ("(is_open ?f)", (1, 10), "is a variable"),
        ("(is_open (cabinet_3))", (1, 10), "write the name itself"),
        ("(not (K agent_0 (is_open cabinet_3)))", (1, 1), "(K agent (not atom))"),
        ("(K agent_0 (not (K agent_1 (is_open cabinet_3))))", (1, 12), "(K agent (not atom))"),
        ("(not (not (is_open cabinet_3)))", (1, 1), "take both out"),
        ("(not (and (is_open cabinet_3)))", (1, 1), "before the atoms"),
        ("(not is_open cabinet_3)", (1, 1), "here it has 2"),
        ("(not is_open)", (1, 6), "is not a formula"),
        ("(K agent_0)", (1, 1), "an agent and one formula"),
        ("(K agent_0 (is_open c_1) (is_open c_2))", (1, 1), "join several formulas by `and`"),
        ("(K (agent_0) (is_open c_1))", (1, 4), "in place of an agent"),
        ("(K ?a (is_open c_1))", (1, 4), "is a variable"),
        ("(or (is_open c_1) (is_open c_2))", (1, 1), "leaves no choice"),
        ("(imply (is_open c_1) (is_open c_2))", (1, 1), "no conditions"),
        ("(when (is_open c_1) (is_open c_2))", (1, 1), "no conditions"),
        ("(forall (?x - object) (is_clean ?x))", (1, 1), "names each thing"),
        ("(exists (?x - object) (is_clean ?x))", (1, 1), "names each thing"),
        ("(knows agent_0 (is_open c_1))", (1, 1), "(K agent formula)"),
    ],
)
def test_what_is_no_formula_is_refused_with_its_place_and_the_mend(
    text: str, place: tuple[int, int], words: str
) -> None:
    with pytest.raises(FormulaError) as caught:
        parse(text)
    assert caught.value.places == (place,)
    assert str(caught.value).startswith(f"line {place[0]}, column {place[1]}: ")
    assert words in str(caught.value)


def test_every_fault_is_named_at_once_in_the_order_of_the_text() -> None:
    with pytest.raises(TaskError) as caught:
        parse("(and (is_opne c_1)\n (K agent_0 (or (is_open c_1)))\n (is_on_top ?x))")
    assert isinstance(caught.value, FormulaError)
    assert caught.value.places == ((1, 6), (2, 13), (3, 2), (3, 13))


def test_of_countless_faults_the_first_are_named() -> None:
    with pytest.raises(FormulaError) as caught:
        parse("(and " + "(zzz c_1) " * 50_000 + ")")
    assert len(caught.value.places) == MOST


def nested(levels: int) -> str:
    return "(and " * levels + "(is_open c_1)" + ")" * levels


def test_nesting_is_bounded() -> None:
    parse(nested(DEEPEST - 1))
    with pytest.raises(FormulaError, match="nest less"):
        parse(nested(DEEPEST))


@for_each(
    "text",
    [nested(100_000), "(" * 100_000, "(K agent_0 " * 100_000, "(not " * 100_000, ")" * 100_000],
)
def test_the_deepest_text_gives_an_error_and_no_crash(text: str) -> None:
    for read in (parse, goal_of):
        with pytest.raises(FormulaError):
            read(text)


def test_a_text_that_is_too_long_is_not_read() -> None:
    with pytest.raises(FormulaError, match="at most 1,000,000 characters"):
        parse(" " * 1_000_001)


@for_each("word", ["x" * 10_000, "is\x00open", "\u202eis_open", "is_\nopen", "\ud800"])
def test_a_message_is_one_short_line_whatever_the_text(word: str) -> None:
    with pytest.raises(FormulaError) as caught:
        parse(f"({word} c_1)")
    assert len(str(caught.value)) < 500
    assert str(caught.value).isascii()
    assert str(caught.value).isprintable()


PIECES = ["(", ")", "and", "not", "K", "agent_0", "is_open", "c_1", ";", "?x", "\n", ":goal", "define"]


@given(st.text() | st.lists(st.sampled_from(PIECES)).map(" ".join))
def test_any_text_is_a_formula_or_an_error(text: str) -> None:
    for read in (parse, goal_of):
        with suppress(FormulaError):
            read(text)


PROBLEM = """
; (:goal (is_open wrong_1))
(define (problem task-7) (:domain household)
  (:objects agent_0 agent_1 - agent cabinet_3 - furniture)
  (:init (agent_in_room agent_0 kitchen_1) (= (cost ?x) 3) (forall (?x) (unheard_of ?x)))
  (:GOAL (and (is_open cabinet_3)
              (K agent_0 (is_open cabinet_3))))
  (:metric minimize (total-cost)))
"""


def test_the_goal_is_found_in_a_whole_problem() -> None:
    assert goal_of(PROBLEM) == And((OPEN, Know("agent_0", OPEN)))


@for_each(
    "text", ["(:goal (is_open cabinet_3))", "(is_open cabinet_3)", "(define (:goal (is_open cabinet_3)))"]
)
def test_the_goal_may_come_alone(text: str) -> None:
    assert goal_of(text) == OPEN


@for_each(
    ("text", "place", "words"),
    [
        ("(define (problem x)\n (:init))", (1, 1), "add (:goal ...)"),
        ("(define (:goal (is_open c_1)) (:goal (is_open c_1)))", (1, 31), "join both by `and`"),
        ("(define (problem x)\n (:goal))", (2, 2), "a formula is missing"),
        ("(define (:goal (is_open c_1)\n (is_open c_2)))", (2, 2), "join them: (and"),
        ("(define (problem x)\n (:goal (and (is_opne c_1))))", (2, 14), "did you mean is_open"),
    ],
)
def test_a_problem_without_one_goal_is_refused(text: str, place: tuple[int, int], words: str) -> None:
    with pytest.raises(FormulaError) as caught:
        goal_of(text)
    assert caught.value.places == (place,)
    assert words in str(caught.value)
