"""A small chart parser: context-free rules whose values are built while they are recognised.

A rule has a name and a sequence of symbols. A symbol is the name of other rules (``Clause``), a class of tokens in
capitals (``THING``), or a literal word in lower case. Left recursion is not allowed. All readings of a text are found,
each once, so that ambiguity is detected.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

Value: TypeAlias = Hashable
Build: TypeAlias = Callable[..., Value]
Rule: TypeAlias = tuple[tuple[str, ...], Build | None]
Rules: TypeAlias = dict[str, list[Rule]]
Classes: TypeAlias = dict[str, tuple[Callable[["WordToken"], bool], bool]]
NOTHING: frozenset[str] = frozenset()
NO_TOKEN = frozenset(("",))


@dataclass(frozen=True)
class WordToken:
    """A word or mark (``kind`` is empty), or a name (``kind`` is its class)."""

    text: str
    kind: str = ""


def build_of(
    action: str, plain: Mapping[str, Build], with_words: Mapping[str, Callable[..., Build]]
) -> Build | None:
    """The function of an action: the name of one in ``plain``, or one in ``with_words`` and the words that it takes.

    Numbers behind a name in ``plain`` are the places of the values that it is called with, from 1.

    >>> build_of("pair 2 1", {"pair": lambda *values: values}, {})("a", "b")
    ('b', 'a')
    """
    name, *words = action.split() or ("",)
    if name in plain and words:
        places = [int(word) - 1 for word in words]
        return lambda *values: plain[name](*(values[place] for place in places))
    return (with_words[name](*words) if words else plain[name]) if name else None


class Grammar:
    """Rules by their name, in the order in which they were added."""

    def __init__(self) -> None:
        self._rules: Rules = {}
        self._classes: Classes = {}
        self._entries: Entries | None = None

    def kind(self, name: str, fits: Callable[[WordToken], bool], ahead: bool = False) -> None:
        """Adds a class of tokens, named in capitals. ``ahead``: the token is tested but not consumed."""
        self._classes[name] = (fits, ahead)

    def add(self, name: str, symbols: str, build: Build | None = None) -> None:
        """Adds a rule for ``name``.

        ``build`` is called with the values of the symbols that have one; without it the value is that of the first such
        symbol, or ``None``. Words and rules whose names begin with ``_`` have no value.
        """
        self._rules.setdefault(name, []).append((tuple(symbols.split()), build))
        self._entries = None

    def readings(self, name: str, tokens: Sequence[WordToken]) -> set[Any]:
        """The values of all derivations of ``tokens`` from ``name``."""
        if self._entries is None:
            self._entries = Entries(self._rules)
        chart = _Chart(self._entries, self._rules, self._classes, tokens)
        return {value for end, value in chart.find_parts(name, 0) if end == len(tokens)}


class Entries:
    """Finds the rules that can begin with a token, by their FIRST sets (as in LL parsing): the words and classes of their
    first token, with "" for rules that need no token."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self.words = frozenset(
            symbol for alternatives in rules.values() for symbols, _ in alternatives for symbol in symbols
        )
        self._first = dict.fromkeys(rules, NOTHING)
        self._candidates: dict[tuple[str, frozenset[str]], list[Rule]] = {}
        while (first := {name: self._unite_first(name) for name in rules}) != self._first:
            self._first = first

    def find_rules(self, name: str, fitting: frozenset[str]) -> list[Rule]:
        """The rules for ``name`` that can begin with a token of these words and classes."""
        key = (name, fitting)
        if key not in self._candidates:
            rules = self._rules[name]
            self._candidates[key] = [
                rule for rule in rules if not self._find_first(rule[0]).isdisjoint(fitting)
            ]
        return self._candidates[key]

    def _unite_first(self, name: str) -> frozenset[str]:
        return NOTHING.union(*(self._find_first(symbols) for symbols, _ in self._rules[name]))

    def _find_first(self, symbols: tuple[str, ...]) -> frozenset[str]:
        first = NO_TOKEN
        for symbol in symbols:
            first = first - NO_TOKEN | self._first.get(symbol, frozenset((symbol,)))
            if "" not in first:
                break
        return first


class _Chart:
    """The recognised parts of one text: for each rule and position, the ends and values."""

    def __init__(self, entries: Entries, rules: Rules, classes: Classes, tokens: Sequence[WordToken]) -> None:
        self._entries, self._rules, self._classes, self._tokens = entries, rules, classes, tokens
        self._fitting = [self._fit(token) for token in tokens] + [NO_TOKEN]
        self._known: dict[tuple[str, int], tuple[tuple[int, Value], ...]] = {}

    def find_parts(self, name: str, at: int) -> tuple[tuple[int, Value], ...]:
        key = (name, at)
        if key not in self._known:
            self._known[key] = ()
            ends: dict[tuple[int, Value], None] = {}
            for symbols, build in self._entries.find_rules(name, self._fitting[at]):
                for end, values in self._sequence(symbols, at):
                    ends[end, build(*values) if build else values[0] if values else None] = None
            self._known[key] = tuple(ends)
        return self._known[key]

    def _sequence(self, symbols: tuple[str, ...], at: int) -> list[tuple[int, tuple[Value, ...]]]:
        open_ends: dict[tuple[int, tuple[Value, ...]], None] = {(at, ()): None}
        for symbol in symbols:
            further: dict[tuple[int, tuple[Value, ...]], None] = {}
            for end, values in open_ends:
                for after, value in self._symbol(symbol, end):
                    further[after, values if symbol[0] == "_" or value is None else (*values, value)] = None
            open_ends = further
            if not open_ends:
                break
        return list(open_ends)

    def _symbol(self, symbol: str, at: int) -> tuple[tuple[int, Value], ...]:
        if symbol in self._rules:
            return self.find_parts(symbol, at)
        if at >= len(self._tokens):
            return ()
        token = self._tokens[at]
        if symbol in self._classes:
            fits, ahead = self._classes[symbol]
            if not fits(token):
                return ()
            return ((at, None) if ahead else (at + 1, token.text if token.kind else None),)
        return ((at + 1, None),) if not token.kind and token.text == symbol else ()

    def _fit(self, token: WordToken) -> frozenset[str]:
        """The words and classes of the grammar that a token fits, and "", which all do."""
        classes = {name for name, (fits, _) in self._classes.items() if fits(token)}
        words = {token.text} & self._entries.words if not token.kind else set[str]()
        return NO_TOKEN | classes | words
