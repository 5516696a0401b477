"""The chart parser finds the readings that trying every rule at every place finds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from otherminds.household.epistemic.words.free.parser import Grammar, WordToken

NAMES = ("First", "Second", "_third", "Fourth")
"""The rules of a name use those after it only, so that none is left-recursive."""
CLASSES = {"THING": False, "SOON": True}
"""The classes of the grammars here, and whether their token is only looked at."""
WORDS = ("a", "b")
TOKENS = (*map(WordToken, WORDS), WordToken("c"), WordToken("x", "THING"), WordToken("a", "OTHER"))
Rules = dict[str, list[list[str]]]


def fits(kind: str, token: WordToken) -> bool:
    return token.kind == "THING" if kind == "THING" else token.text in ("a", "x")


def draw_rules(number: int) -> st.SearchStrategy[list[list[str]]]:
    symbols = st.sampled_from((*NAMES[number + 1 :], *CLASSES, *WORDS))
    return st.lists(st.lists(symbols, max_size=3), min_size=1, max_size=3)


GRAMMARS = st.tuples(*map(draw_rules, range(len(NAMES)))).map(
    lambda rules: dict(zip(NAMES, rules, strict=True))
)

MAY_BE_EMPTY: Rules = {"First": [["Second", "a"]], "Second": [[], ["b"]]}


def derive(
    rules: Rules, symbols: Sequence[str], tokens: Sequence[WordToken], at: int
) -> Iterator[tuple[int, Any]]:
    """Each end and the values of a derivation of the symbols from a place on."""
    if not symbols:
        yield at, ()
        return
    symbol, *others = symbols
    for end, value in derive_one(rules, symbol, tokens, at):
        for last, values in derive(rules, others, tokens, end):
            yield last, values if value is None or symbol[0] == "_" else (value, *values)


def derive_one(rules: Rules, symbol: str, tokens: Sequence[WordToken], at: int) -> Iterator[tuple[int, Any]]:
    if symbol in rules:
        for number, symbols in enumerate(rules[symbol]):
            for end, values in derive(rules, symbols, tokens, at):
                yield end, (symbol, number, *values)
    elif at < len(tokens) and symbol in CLASSES:
        if fits(symbol, tokens[at]):
            yield (at, None) if CLASSES[symbol] else (at + 1, tokens[at].text if tokens[at].kind else None)
    elif at < len(tokens) and tokens[at] == WordToken(symbol):
        yield at + 1, None


@given(GRAMMARS, st.lists(st.lists(st.sampled_from(TOKENS), max_size=4), min_size=1, max_size=8))
@example(MAY_BE_EMPTY, [[WordToken("b"), WordToken("a")], [WordToken("a")]])
def test_no_reading_is_lost_and_none_is_added(rules: Rules, texts: list[list[WordToken]]) -> None:
    """Also by rules of no symbol, and by those that only look at a token; a text leaves nothing behind for the next one."""
    grammar = Grammar()
    for kind, ahead in CLASSES.items():
        grammar.kind(kind, lambda token, kind=kind: fits(kind, token), ahead=ahead)
    for name, several in rules.items():
        for number, symbols in enumerate(several):
            grammar.add(
                name, " ".join(symbols), lambda *values, name=name, number=number: (name, number, *values)
            )
    for tokens in texts:
        expected = {value for end, value in derive_one(rules, "First", tokens, 0) if end == len(tokens)}
        assert grammar.readings("First", tokens) == expected


def test_a_rule_that_is_added_later_is_tried() -> None:
    grammar = Grammar()
    grammar.add("First", "a", lambda: 1)
    assert grammar.readings("First", [WordToken("b")]) == set()
    grammar.add("First", "b", lambda: 2)
    assert grammar.readings("First", [WordToken("b")]) == {2}
