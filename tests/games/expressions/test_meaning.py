"""What programs mean, beside a plain interpreter that keeps the whole history and works on names; and Python's precedence."""

from __future__ import annotations

import re
from math import floor

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from otherminds.games.expressions import BehaviourNames, Expression, formatted, parse, program
from otherminds.games.expressions.parsing import LONGEST_PROGRAM
from tests.games.expressions import kit

LIMIT = 10**9
Value = float | bool | str | None | dict[str, float]
"""A number, a truth, a behaviour (``None``: unknown), or the probabilities of behaviours."""


class Plain:
    """The meaning of checked programs in one situation, each rule as the documentation says it."""

    def __init__(self, words: BehaviourNames, history: list[tuple[int, int]]) -> None:
        self.words = words
        self.sides = {
            "their": [words.theirs[theirs] for theirs, _ in history],
            "mine": [words.own[own] for _, own in history],
        }

    def mean(self, part: Expression, scope: dict[str, Value]) -> Value:
        name, inside = part.name, part.inside
        if not name:
            return part.value
        if not inside and name in {*scope, "their", "mine"}:
            return scope.get(name, name)
        if name == "let":
            return self.mean(inside[1], {**scope, str(part.value): self.mean(inside[0], scope)})
        if name == "if":
            return self.mean(inside[1 if self.mean(inside[0], scope) else 2], scope)
        values = [self.mean(of, scope) for of in inside]
        if name in {"their", "mine"}:
            return self.back(name, int(values[0]))
        rule = getattr(self, f"do_{name}", None)
        return rule(*values) if rule else self.operate(name, *values)

    def operate(self, name: str, *values: Value) -> Value:
        if name in {"==", "!="} and (None in values):
            return name == "!="
        if name in {"/", "//", "%"} and values[1] == 0:
            return 0.0
        python = {"unary -": "- a"}.get(name, "not a" if name == "not" else f"a {name} b")
        value = eval(python, {}, dict(zip("ab", values, strict=False)))
        return value if isinstance(value, bool) else max(-LIMIT, min(LIMIT, value))

    def back(self, side: str, k: int) -> str | None:
        return self.sides[side][-k] if k <= len(self.sides[side]) else None

    def spread(self, weights: dict[str, float]) -> dict[str, float]:
        total = sum(weights.get(name, 0.0) for name in self.words.theirs)
        if total <= 0:
            return {name: 1 / len(self.words.theirs) for name in self.words.theirs}
        return {name: weights.get(name, 0.0) / total for name in self.words.theirs}

    def do_play(self, value: Value) -> dict[str, float]:
        return value if isinstance(value, dict) else self.spread({str(value): 1.0})

    def do_uniform(self) -> dict[str, float]:
        return self.spread({})

    def do_round(self) -> float:
        return len(self.sides["mine"]) + 1

    def do_count(self, side: str, of: str | None, last: float = LIMIT) -> float:
        return self.sides[side][-int(last) :].count(of)

    def do_streak(self, side: str, *of: str | None) -> float:
        shown = self.sides[side][::-1]
        if not shown or (of and of[0] != shown[0]):
            return 0
        return next((i for i, name in enumerate(shown) if name != shown[0]), len(shown))

    def do_most(self, side: str, last: float = LIMIT) -> str | None:
        shown = self.sides[side][-int(last) :]
        return max(self.words.names, key=shown.count) if shown else None

    def do_frequencies(self, side: str, last: float = LIMIT) -> dict[str, float]:
        return self.spread({name: self.do_count(side, name, last) for name in self.words.names})

    def pay(self, k: float, who: int) -> float:
        own, theirs = self.back("mine", int(k)), self.back("their", int(k))
        return 0 if own is None else self.cell(own, str(theirs))[who]

    def cell(self, own: str, theirs: str) -> tuple[float, float]:
        return self.words.game.payoffs[self.words.own.index(own)][self.words.theirs.index(theirs)]

    def do_my_payoff(self, k: float) -> float:
        return self.pay(k, 0)

    def do_their_payoff(self, k: float) -> float:
        return self.pay(k, 1)

    def do_best_reply(self, own: str | None) -> str | None:
        return (
            max(self.words.theirs, key=lambda name: self.cell(own, name)[1])
            if own in self.words.own
            else None
        )

    def do_my_best_reply(self, theirs: str | None) -> str | None:
        return (
            max(self.words.own, key=lambda name: self.cell(name, theirs)[0])
            if theirs in self.words.theirs
            else None
        )

    def do_next(self, of: str | None, by: float = 1) -> str | None:
        names = self.words.theirs
        return names[(names.index(of) + floor(by)) % len(names)] if of in names else None

    def do_other(self, of: str | None) -> dict[str, float]:
        return self.spread({name: float(name != of) for name in self.words.theirs})

    def do_mix(self, *weighted: Value) -> dict[str, float]:
        pairs = [
            (self.do_play(of), max(weight, 0))
            for of, weight in zip(weighted[::2], weighted[1::2], strict=True)
        ]
        return self.spread(
            {name: sum(of[name] * weight for of, weight in pairs) for name in self.words.theirs}
        )

    def do_noisy(self, of: Value, noise: float) -> dict[str, float]:
        share = max(0.0, min(1.0, noise))
        return self.do_mix(of, 1 - share, self.do_uniform(), share)

    def do_cycle(self, *of: Value) -> Value:
        return of[len(self.sides["mine"]) % len(of)]

    def do_first(self, n: float, early: Value, late: Value) -> Value:
        return early if len(self.sides["mine"]) < n else late

    def do_min(self, a: float, b: float) -> float:
        return a if a < b else b

    def do_max(self, a: float, b: float) -> float:
        return a if a > b else b


@pytest.mark.parametrize("words", [kit.IPD, kit.RPS, kit.UNEVEN], ids=["ipd", "rps", "uneven"])
def test_a_program_predicts_what_the_plain_interpreter_does(words: BehaviourNames) -> None:
    pairs = st.tuples(st.integers(0, len(words.theirs) - 1), st.integers(0, len(words.own) - 1))

    @given(kit.programs(words), st.lists(pairs, max_size=9))
    @settings(max_examples=3 * settings.default.max_examples)
    def holds(drawn: Expression, history: list[tuple[int, int]]) -> None:
        plain = Plain(words, history)
        meant = plain.do_play(plain.mean(drawn, {}))
        predicted = program(formatted(drawn), words).predictor("It is so.").predict(history)
        assert predicted == pytest.approx([meant[name] for name in words.theirs], abs=1e-9)

    holds()


OPERAND = st.sampled_from(["1", "2", "3.5", "-1", "- 2", "(1 - 3)", "(2 if 1 > 2 else 5)"])
SUM = st.lists(st.tuples(st.sampled_from(["+", "-", "*", "/", "//", "%"]), OPERAND), max_size=3)
COMPARISON = st.sampled_from(["==", "!=", "<", "<=", ">", ">="])
JOINED = st.lists(
    st.tuples(st.sampled_from(["and", "or", "and not", "or not"]), st.integers(0, 5)), max_size=2
)


@given(
    st.lists(st.tuples(OPERAND, SUM, COMPARISON, OPERAND, SUM), min_size=6, max_size=6), JOINED, st.booleans()
)
def test_what_python_writes_in_the_same_way_means_the_same(
    drawn: list[tuple[str, list[tuple[str, str]], str, str, list[tuple[str, str]]]],
    joined: list[tuple[str, int]],
    negated: bool,
) -> None:
    def join(first: str, rest: list[tuple[str, str]]) -> str:
        return " ".join([first, *(f"{operator} {operand}" for operator, operand in rest)])

    compared = [f"{join(a, more)} {sign} {join(b, others)}" for a, more, sign, b, others in drawn]
    text = "not " * negated + join(compared[0], [(operator, compared[i]) for operator, i in joined])
    predicted = (
        program(f"if {text} then 'cooperate' else 'defect'", kit.IPD).predictor("It is so.").predict([])
    )
    assert predicted == ((1.0, 0.0) if eval(text) else (0.0, 1.0))


SPACE = re.compile(r"(?<=\w) | (?=\w)")


@given(
    kit.programs(kit.IPD),
    st.lists(st.sampled_from([" ", "\n", "\t", "\r", " # c'(\n"]), min_size=1, max_size=9),
)
def test_spaces_and_comments_between_words_mean_nothing(drawn: Expression, spaces: list[str]) -> None:
    pieces = SPACE.split(formatted(drawn))
    text = "".join(piece + spaces[i % len(spaces)] for i, piece in enumerate(pieces))
    assume(len(text) <= LONGEST_PROGRAM)
    assert parse(text) == drawn
