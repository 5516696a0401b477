"""Whatever the text, there is an expression or a message, in bounded work; whatever the program, a distribution."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otherminds.games.expressions import ParseError, examples, formatted, parse, program
from otherminds.games.expressions.parsing import MESSAGE
from otherminds.games.expressions.program import STEPS, ProgramNeeds
from tests.cases import for_each
from tests.games.expressions import kit as tools_now

IPD, RPS, UNEVEN = tools_now.IPD, tools_now.RPS, tools_now.UNEVEN

CALLS = 150_000
"""Function calls that reading one text may take: 2,000 characters, some dozens of calls each."""
DEEPEST = 500
"""Half of Python's stack."""

VALID = [example.text for example in examples(IPD)] + [
    "let n = count(mine, 'defect') in if n * 2 > round then 'defect' else noisy(mine(1), 1 / n)",
    "first(7, cycle('cooperate', 'defect'), mix({best_reply(mine(1)): .5, uniform: 1 - 0.25}))",
    "if streak(their) > 3 or not their_payoff(2) == -5 then most(mine, 4) else frequencies(their)",
]
ATTACKS = [
    "", " ", "\0", "\n", "#", "'", '"', "''", "\\", "(" * 2000, ")" * 2000, "[" * 2000, "{" * 2000,
    "-" * 2000, "not " * 500, "-" * 1999 + "1", "(" * 900 + "1" + ")" * 900, "if " * 600, "let x = " * 250,
    "their(" * 300, "mix({" * 400, "mix({'a':" * 200, "1" * 2000, "9" * 9 + "." + "9" * 9, "1e999", "1E5", "0x10",
    "1_000", "nan", "inf", "-inf", "NaN", "1.2.3", "1..2", ".", "..", ".5", "5.", "1/0", "9**9**9**9", "2^64",
    "__import__('os').system('true')", "().__class__.__bases__", "their.__globals__", "__builtins__", "eval('1')",
    "lambda: 0", "[x for x in ()]", "{'a': 1}", "f'{1}'", "b'a'", "'a' 'b'", "'" + "a" * 1990 + "'", "'a\n'",
    "play('\ud800')", "pl\u0430y('defect')", "\uff50lay('defect')", "‘defect’", "“defect”", "play(\u2019defect\u2019)",
    "\u0661 == \u0661", "x\u0301", "\u202e'defect'", "'defect'\u2028", "\ufeff'defect'", "\U000e0041",
    "their(1)(2)", "their(1).x", "their[1]", "their(0)", "their(-1)", "their(41)", "their(999999999)", "their(1.5)",
    "their(their(1))", "their(round)", "their", "mine", "count", "count(their)", "count(count, 1)", "round(1)(2)",
    "uniform(1)", "play()", "play(uniform)", "mix()", "mix({})", "mix({,})", "mix({'defect'})", "mix({'defect': })",
    "mix({'defect': 'defect'})", "mix({1: 1})", "mix({'defect': 1}, {'defect': 1})", "cycle()", "cycle(1)", "first(1)",
    "let x = x in x", "let play = 1 in 'defect'", "let their = 1 in 'defect'", "let if = 1 in 'defect'",
    "let x = their in count(x, 'defect')", "let x = 1 in let x = 'defect' in x", "if true then 1 else 'defect'",
    "if 'defect' then 'defect' else 'defect'", "true", "True", "1", "1 == 'defect'", "uniform == uniform",
    "1 < 2 < 3", "1 = 1", "'defect' if 1 == 1", "'defect' else 'defect'", "'defect';'defect'", "'defect' # 'x",
    "unary -(1)", "negative(1)", "a" * 2000, "a" * 2001, "a " * 1000, "1+" * 999 + "1", "1 and " * 300 + "1",
    "if round == 1 then 'defect' else " * 60 + "'defect'", "frequencies(their, 40)", "cycle(" + "'defect'," * 180 + "'defect')",
    "mix({" + "frequencies(their, 40): 1, " * 60 + "})",
]  # fmt: skip


def read(text: str, words: object = IPD) -> str:
    """The program that ``text`` is, in its one form; empty if it is none. Anything else that is raised is a fault."""
    try:
        found = program(text, words)
    except ParseError as error:
        said = str(error)
        return "" if 5 < len(said) <= MESSAGE and said.isprintable() else pytest.fail(said)
    assert parse(found.text) == found.expression
    assert found.bits > 0
    assert found.steps <= STEPS
    return found.text


@for_each("text", ATTACKS, ids=[ascii(text[:30]) for text in ATTACKS])
def test_attacks_give_a_program_or_a_message_in_bounded_work(text: str) -> None:
    calls, deepest = tools_now.work(lambda: read(text))
    assert calls < CALLS
    assert deepest < DEEPEST


def test_what_is_no_program_is_refused() -> None:
    meant = {
        text
        for text in ATTACKS
        if read(text)
    }  # fmt: skip
    assert meant == {
        "let x = 1 in let x = 'defect' in x",
        "'defect' # 'x",
        "frequencies(their, 40)",
        "cycle(" + "'defect'," * 180 + "'defect')",
    }


@given(st.text(max_size=300))
def test_any_text_gives_a_program_or_a_message(text: str) -> None:
    read(text)


@given(st.text("thesmincout()'\"{}:,=<>+-*/%. 0123456789\n_#if", max_size=120))
def test_any_text_of_the_languages_characters_gives_a_program_or_a_message(text: str) -> None:
    read(text)


TOKENS = [
    "if", "then", "else", "let", "in", "and", "or", "not", "true", "their", "mine", "round", "count", "streak", "most", "play",
    "uniform", "mix", "noisy", "cycle", "first", "best_reply", "(", ")", "{", "}", ":", ",", "==", "<", "=", "+", "-", "*", "/",
    "//", "%", "1", "2", "0.5", "40", "'defect'", "'cooperate'", "x",
]  # fmt: skip


@given(st.lists(st.sampled_from(TOKENS), max_size=40))
def test_any_words_give_a_program_or_a_message(parts: list[str]) -> None:
    read(" ".join(parts))


@given(st.data())
@settings(max_examples=300)
def test_programs_with_faults_give_a_program_or_a_message(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(VALID))
    for _ in range(data.draw(st.integers(1, 4))):
        at, end = sorted(data.draw(st.integers(0, len(text))) for _ in range(2))
        cut = data.draw(
            st.sampled_from([text[:at] + text[end:], text[:at], text + text[at:end], text[:end] + text[at:]])
        )
        put = data.draw(st.sampled_from(["", *TOKENS]) | st.text(max_size=3))
        text = (cut[:at] + f" {put} " + cut[at:])[:2500]
    read(text)


def play(names: object, data: st.DataObject, longest: int = 12) -> list[tuple[int, int]]:
    pairs = st.tuples(st.integers(0, len(names.theirs) - 1), st.integers(0, len(names.own) - 1))
    return data.draw(st.lists(pairs, max_size=longest))


@pytest.mark.parametrize("names", [IPD, RPS, UNEVEN], ids=["ipd", "rps", "uneven"])
def test_every_program_predicts_a_distribution_and_reads_as_itself(names: object) -> None:
    @given(tools_now.programs(names), st.data())
    @settings(max_examples=2 * settings.default.max_examples)
    def holds(drawn: object, data: st.DataObject) -> None:
        text = formatted(drawn)
        assert parse(text) == drawn
        made = program(text, names)
        predictor = made.predictor("It is so.")
        state = predictor.start
        for theirs, own in play(names, data):
            assert tools_now.sound(predictor.output(state), len(names.theirs))
            state = predictor.after(state, theirs, own)
            hash(state)
        assert tools_now.sound(predictor.output(state), len(names.theirs))

    holds()


@pytest.mark.parametrize("names", [IPD, RPS, UNEVEN], ids=["ipd", "rps", "uneven"])
def test_what_a_program_forgets_it_does_not_need(names: object) -> None:
    infinite = (float("inf"),) * len(names.names)
    everything = ProgramNeeds(float("inf"), 1, (40, 40), (infinite, infinite), (float("inf"),) * 2)

    @given(tools_now.programs(names), st.data())
    @settings(max_examples=2 * settings.default.max_examples)
    def holds(drawn: object, data: st.DataObject) -> None:
        made = program(formatted(drawn), names)
        little, whole = made.needs.empty(), everything.empty()
        for theirs, own in play(names, data, 16):
            number = names.number_of_own[own]
            little, whole = made.needs.after(little, theirs, number), everything.after(whole, theirs, number)
            assert made.chances(little) == made.chances(whole)

    holds()


@given(tools_now.programs(IPD))
def test_a_prediction_takes_no_more_than_its_steps(drawn: object) -> None:
    made = program(formatted(drawn), IPD)
    calls, _ = tools_now.work(lambda: made.chances(made.needs.empty()))
    assert calls <= 8 * made.steps
