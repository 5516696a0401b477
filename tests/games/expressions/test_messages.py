"""What is wrong with a text, said so that its writer can mend it; and where its bounds are."""

import sys
from unicodedata import normalize

import pytest

from otherminds.games.expressions import BehaviourNames, ParseError, parse, program
from tests.cases import for_each
from tests.games.expressions import kit as tools

MESSAGES = [
    ("their[1] == 'defect'", "there are no lists: write `their(1)`"),
    ("'defect' if round = 2 else 'cooperate'", "compare with `==`"),
    ("if round == 1 then 'defect'", "every `if` needs both, at the end"),
    ("if round == 1: 'defect' else 'cooperate'", "`then` is missing"),
    ("defect", "the behaviour defect is written as a string: 'defect'"),
    ("'Defect'", "no behaviour is called 'Defect'; there are 'cooperate', 'defect'"),
    ("thier(1)", "`thier` is no word of the language; did you mean `their`?"),
    ("history[-1]", "no lists"),
    ("random()", "`random` is no word of the language"),
    ("lambda history: 'defect'", "there is no `lambda`: write one expression alone"),
    ("return 'defect'", "there is no `return`"),
    ("their", "`their` is `their` or `mine` where a distribution is wanted: write play"),
    ("their()", "`their` is `their` or `mine` where a distribution is wanted: write play"),
    ("their(0)", "`0` stands where a whole number of encounters that is written out, 1 to 40 is wanted"),
    ("their(round)", "`round` stands where a whole number"),
    ("count(their)", "`count` does not take 1 arguments: count(their, X), how often they did X so far"),
    ("if count(mine, 2) > 1 then 'defect' else 'cooperate'", "`2` is a number where a behaviour is wanted"),
    ("if their(1) then 'defect' else 'cooperate'", "`their(1)` is a behaviour where true or false is wanted"),
    ("if their(1) == 1 then 'defect' else 'cooperate'", "the left is a behaviour, the right a number"),
    ("if uniform == uniform then 'defect' else 'cooperate'", "compares two numbers or two behaviours"),
    ("let x = if true then 1 else 'defect' in 'defect'", "the branches of an `if` must be of one kind"),
    ("if 1 < round < 3 then 'defect' else 'cooperate'", "join comparisons with `and`"),
    ("if 1 == 2 '==' then 1 else 2", "`then` is missing behind the condition of `if`"),
    ("mix('defect', 0.5)", "write `mix({'A': 0.7, 'B': 0.3})`"),
    ("mix({'defect', 0.5})", "`:` is missing between an outcome of `mix` and its weight"),
    ("mix({'defect': 0.5 'cooperate': 0.5})", "`,` or `}` is missing"),
    ("'defect", "a string ends with the quotation mark that it began with"),
    ("play('defect'", "`,` or `)` is missing in the arguments of `play`"),
    ("('defect'", "`)` is missing to close a bracket, at the end"),
    ("'defect' 'cooperate'", "a program is one expression, and this goes on behind it, at character 10, before \"'cooperate'\""),
    ("their(1).count('defect')", "there are no attributes"),
    ("1e9", "no exponent"),
    ("1234567890", "at most 9 digits"),
    ("round ^ 2", "there are no powers"),
    ("let their = 1 in 'defect'", "that word has a meaning already"),
    ("let x 1 in 'defect'", "`=` is missing behind the name of `let`"),
    ("(" * 70 + "1" + ")" * 70, "expressions stand at most 40 deep"),
    ("1" + " + 1" * 60, "expressions stand at most 40 deep"),
    ("cycle(" + ",".join(["'defect'"] * 199) + ")", ""),
    ("cycle(" + ", ".join(["'defect'"] * 200) + ")", "has at most 2000 characters"),
    ("min(" + ",".join(["1"] * 300) + ")", "a program has at most 200 parts, and this has 301"),
    ("mix({" + ", ".join(["most(their, 40): 40"] * 39) + "})", ""),
    ("cycle(" + ",".join(["frequencies(mine,40)"] * 60) + ")", ""),
    ("", "a value is missing, at the end"),
]  # fmt: skip


@for_each(("text", "message"), MESSAGES, ids=[text[:40] for text, _ in MESSAGES])
def test_messages_name_what_is_wrong(text: str, message: str) -> None:
    try:
        program(text, tools.IPD)
    except ParseError as error:
        found = str(error)
    else:
        found = ""
    assert message in found
    assert bool(message) == bool(found)


def test_they_cannot_do_what_is_the_own_seats() -> None:
    program("if mine(1) == 'x' then 'a' else 'b'", tools.UNEVEN)
    with pytest.raises(ParseError, match="they cannot do 'x'; they have 'a', 'b'"):
        program("'x'", tools.UNEVEN)


def test_a_message_never_repeats_what_could_be_read_as_more_than_text() -> None:
    with pytest.raises(ParseError) as refused:
        program("count(their, '\u202e\u2028<\x1b[0m')", tools.IPD)
    assert str(refused.value).isascii()
    assert str(refused.value).isprintable()


@for_each(("fits", "beyond", "message"), [
    ("1" + " + 1" * 39, "1" + " + 1" * 40, "expressions stand at most 40 deep"),
    ("not " * 39 + "true", "not " * 40 + "true", "expressions stand at most 40 deep"),
    ("(" * 29 + "1" + ")" * 29, "(" * 30 + "1" + ")" * 30, "expressions stand at most 40 deep"),
    ("if true then 1 else " * 39 + "2", "if true then 1 else " * 40 + "2", "expressions stand at most 40 deep"),
    ("1 if true else " * 39 + "2", "1 if true else " * 40 + "2", "expressions stand at most 40 deep"),
    ("(" * 29 + "1" + ")" * 29, "(" * 29 + "-1" + ")" * 29, "expressions stand at most 40 deep"),
    ("min(1, " * 29 + "2" + ")" * 29, "min(1, " * 30 + "2" + ")" * 30, "expressions stand at most 40 deep"),
    ("cycle(" + "1, " * 198 + "1)", "cycle(" + "1, " * 199 + "1)", "at most 200 parts, and this has 201"),
    ("1" + " " * 1999, "1" + " " * 2000, "at most 2000 characters, and this has 2001"),
    ("999999999.999999999", "1000000000", "at most 9 digits before the point"),
])  # fmt: skip
def test_each_bound_of_the_syntax_is_where_it_is_said_to_be(fits: str, beyond: str, message: str) -> None:
    parse(fits)
    with pytest.raises(ParseError, match=message):
        parse(beyond)


def test_no_character_is_read_as_another_that_looks_like_it() -> None:
    alike = [char for char in map(chr, range(128, sys.maxunicode + 1)) if normalize("NFKC", char).isascii()]
    assert len(alike) > 1000
    for char in alike:
        meant = normalize("NFKC", char)
        for text in (f"{char}lay('defect')", f"their({char})", f"1 {char} 1", f"mine(1){char}"):
            with pytest.raises(ParseError, match="is no part of the language"):
                parse(text)
        with pytest.raises(ParseError, match="no behaviour is called"):
            program(f"'defec{char}'", BehaviourNames(("a", "b"), (f"defec{meant}", "b")))
