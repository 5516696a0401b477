"""A small chart parser: context-free rules whose values are built while they are recognised.

A rule gives a name and the symbols that form it. A symbol is the name of other rules (``Clause``), a class of
tokens in capitals (``THING``), or a word in small letters that means itself. Rules must not begin
with themselves. Every reading of a text is found, each once, so that a text with two meanings is
known to have two.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

Value: TypeAlias = Hashable
Build: TypeAlias = Callable[..., Value]
Rules: TypeAlias = dict[str, list[tuple[tuple[str, ...], Build | None]]]
Classes: TypeAlias = dict[str, tuple[Callable[["WordToken"], bool], bool]]


@dataclass(frozen=True)
class WordToken:
    """A word or mark, ``kind`` empty; or a name, of which ``kind`` says what it names."""

    text: str
    kind: str = ""


class Grammar:
    """Rules by their name, in the order in which they were added."""

    def __init__(self) -> None:
        self._rules: Rules = {}
        self._classes: Classes = {}

    def kind(self, name: str, fits: Callable[[WordToken], bool], ahead: bool = False) -> None:
        """A class of tokens, in capitals. ``ahead``: the token is only looked at, and read by what follows."""
        self._classes[name] = (fits, ahead)

    def add(self, name: str, symbols: str, build: Build | None = None) -> None:
        """One more way to form ``name``.

        ``build`` is called with the values of those symbols that have one; without it the value is that
        of the only symbol with a value, or none. Words and rules whose names begin with ``_`` have no value.
        """
        self._rules.setdefault(name, []).append((tuple(symbols.split()), build))

    def words(self, name: str, *texts: str, value: Value = None) -> None:
        """Ways to form ``name`` out of words alone, all with the same value; an empty text is nothing at all."""
        for text in texts:
            self.add(name, text, (lambda *_: value) if value is not None else None)

    def readings(self, name: str, tokens: Sequence[WordToken]) -> set[Any]:
        """The values of all ways in which the whole of ``tokens`` forms ``name``."""
        chart = _Chart(self._rules, self._classes, tokens)
        return {value for end, value in chart.found(name, 0) if end == len(tokens)}


class _Chart:
    """What was recognised in one text: for each rule and place the ends and values, worked out once."""

    def __init__(self, rules: Rules, classes: Classes, tokens: Sequence[WordToken]) -> None:
        self._rules, self._classes, self._tokens = rules, classes, tokens
        self._known: dict[tuple[str, int], tuple[tuple[int, Value], ...]] = {}

    def found(self, name: str, at: int) -> tuple[tuple[int, Value], ...]:
        key = (name, at)
        if key not in self._known:
            self._known[key] = ()
            ends: dict[tuple[int, Value], None] = {}
            for symbols, build in self._rules[name]:
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
            return self.found(symbol, at)
        if at >= len(self._tokens):
            return ()
        token = self._tokens[at]
        if symbol in self._classes:
            fits, ahead = self._classes[symbol]
            return (
                ((at if ahead else at + 1, None if ahead or not token.kind else token.text),)
                if fits(token)
                else ()
            )
        return ((at + 1, None),) if not token.kind and token.text == symbol else ()
