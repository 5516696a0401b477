"""What writers are told is true: each example is a program, each line a function that there is."""

import re
from pathlib import Path

from otherminds.games.expressions import BehaviourNames, examples, program, reference
from otherminds.games.expressions.functions import FUNCTIONS
from otherminds.games.expressions.parsing import parse
from tests.cases import for_each
from tests.games.expressions import kit as tools


@for_each("names", ["IPD", "RPS", "UNEVEN"])
def test_worked_examples_are_programs_in_their_one_form(names: str) -> None:
    words = getattr(tools, names)
    for example in examples(words):
        assert program(example.text, words).text == example.text
        assert example.sentence.endswith(".")


def test_worked_examples_are_programs_for_names_that_need_care() -> None:
    words = BehaviourNames(("it's", 'say "x"'), ("it's", 'say "x"', "back\\slash"))
    for example in examples(words):
        assert program(example.text, words).text == example.text


def test_the_reference_shows_every_function_that_can_be_used() -> None:
    known = reference(tools.IPD)
    blind = reference(BehaviourNames(("a", "b"), ("a", "b")))
    for function in FUNCTIONS.values():
        line = f"{function.form}: {function.meaning}"
        assert line in known.splitlines()
        assert (line in blind.splitlines()) is not function.payoffs


def test_the_forms_of_the_reference_are_in_the_languages_grammar() -> None:
    for function in FUNCTIONS.values():
        written = function.form.replace("(k)", "(1)").replace("X", "'A'")
        parse(written)


def test_the_programs_of_the_page_for_users_are_programs() -> None:
    page = (Path(__file__).parents[3] / "docs" / "predictor_language.md").read_text()
    rows = re.findall(r"^\| [a-z][^|`]* \| `([^`]+)` \|$", page, re.MULTILINE)
    assert len(rows) == 10
    for text in rows:
        words = tools.RPS if "rock" in text else tools.IPD
        assert program(text, words).text == text
    for function in FUNCTIONS.values():
        assert f"| `{function.form}` | {function.meaning}" in page
    stated = re.search(
        r"`mine\(1\)` has (\d+) in a game of two behaviours, tit-for-tat with\nits opening (\d+)", page
    )
    assert stated
    texts = ("mine(1)", "if round == 1 then 'cooperate' else mine(1)")
    assert [round(program(text, tools.IPD).bits) for text in texts] == [int(bits) for bits in stated.groups()]
