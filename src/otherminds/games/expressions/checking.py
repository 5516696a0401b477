"""Finds out what every part of a program is, and refuses what cannot mean anything.

A program that passes gives a distribution whatever happened: nothing is left that
could go wrong when it runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from otherminds.games.expressions.functions import FUNCTIONS
from otherminds.games.expressions.operators import COMPARED, OPERATORS
from otherminds.games.expressions.tree import (
    Expression,
    FunctionCall,
    Identifier,
    If,
    Let,
    Named,
    NumberLiteral,
    ParseError,
    Truth,
    formatted,
)
from otherminds.games.expressions.values import LONGEST, BehaviourNames, ValueKind

SIDES = ("their", "mine")
EXCERPT = 60
"""Characters of a part of the program that a message quotes."""


@dataclass(frozen=True)
class Typed:
    """A part of a checked program: its kind, and its own parts; behaviours that mean distributions are in ``play``."""

    kind: ValueKind
    expression: Expression
    inside: tuple[Typed, ...] = ()


def check(expression: Expression, words: BehaviourNames) -> Typed:
    """``expression`` as a predictor: a distribution over the partner's behaviours.

    Raises:
        ParseError: a name is unknown, or something stands where it makes no sense.
    """
    return _Checker(words).wanted(expression, ValueKind.CHANCES, {})


class _Checker:
    def __init__(self, words: BehaviourNames) -> None:
        self.words = words

    def wanted(self, expression: Expression, kind: ValueKind, scope: Mapping[str, ValueKind]) -> Typed:
        """``expression`` where ``kind`` is wanted; a behaviour may stand for its distribution."""
        if kind is ValueKind.SPAN:
            return self.span(expression)
        if isinstance(expression, If | Let):
            return self.branching(expression, kind, scope)
        found = self.typed(expression, scope)
        if kind is ValueKind.CHANCES and found.kind is ValueKind.BEHAVIOUR:
            found = self.played(found)
        if found.kind is not kind:
            raise ParseError(
                f"{quoted(expression)} is {found.kind.value} where {kind.value} is wanted{_hint(kind)}"
            )
        return found

    def typed(self, expression: Expression, scope: Mapping[str, ValueKind]) -> Typed:
        """``expression`` as what it is by itself."""
        match expression:
            case NumberLiteral():
                return Typed(ValueKind.NUMBER, expression)
            case Truth():
                return Typed(ValueKind.TRUTH, expression)
            case Named(behaviour):
                if behaviour not in self.words.names:
                    raise ParseError(
                        f"no behaviour is called {_cut(behaviour)!a}; there are {_listed(self.words.names)}"
                    )
                return Typed(ValueKind.BEHAVIOUR, expression)
            case Identifier(name):
                return self.word(expression, name, scope)
            case FunctionCall(name, arguments) if name in OPERATORS:
                return self.operation(expression, name, arguments, scope)
            case FunctionCall(name, arguments):
                return self.call(expression, name, arguments, scope)
            case If() | Let():
                return self.branching(expression, None, scope)

    def branching(
        self, expression: If | Let, kind: ValueKind | None, scope: Mapping[str, ValueKind]
    ) -> Typed:
        if isinstance(expression, Let):
            name = expression.name
            if name in FUNCTIONS or name in SIDES:
                raise ParseError(
                    f"`let` cannot name something `{_cut(name)}`: that word has a meaning already"
                )
            value = self.typed(expression.value, scope)
            if value.kind is ValueKind.SIDE:
                raise ParseError(f"`let {_cut(name)}` cannot stand for `their` or `mine`")
            body = self.either(expression.body, kind, {**scope, name: value.kind})
            return Typed(body.kind, expression, (value, body))
        condition = self.wanted(expression.condition, ValueKind.TRUTH, scope)
        then = self.either(expression.then, kind, scope)
        otherwise = self.either(expression.otherwise, kind, scope)
        if {then.kind, otherwise.kind} == {ValueKind.CHANCES, ValueKind.BEHAVIOUR}:
            then = self.wanted(expression.then, ValueKind.CHANCES, scope)
            otherwise = self.wanted(expression.otherwise, ValueKind.CHANCES, scope)
        if then.kind is not otherwise.kind:
            raise ParseError(
                f"the branches of an `if` must be of one kind: {quoted(expression.then)} is {then.kind.value}, "
                f"{quoted(expression.otherwise)} is {otherwise.kind.value}"
            )
        return Typed(then.kind, expression, (condition, then, otherwise))

    def either(self, expression: Expression, kind: ValueKind | None, scope: Mapping[str, ValueKind]) -> Typed:
        return self.typed(expression, scope) if kind is None else self.wanted(expression, kind, scope)

    def word(self, expression: Expression, name: str, scope: Mapping[str, ValueKind]) -> Typed:
        if name in scope:
            return Typed(scope[name], expression)
        if name in SIDES:
            return Typed(ValueKind.SIDE, expression)
        function = FUNCTIONS.get(name)
        if function is None:
            raise ParseError(_unknown(name, scope, self.words))
        if function.takes.kinds(0) is None:
            raise ParseError(f"`{name}` needs arguments: {function.form}, {function.meaning}")
        return Typed(function.gives, expression)

    def call(
        self,
        expression: Expression,
        name: str,
        arguments: tuple[Expression, ...],
        scope: Mapping[str, ValueKind],
    ) -> Typed:
        function = FUNCTIONS.get(name)
        if function is None:
            raise ParseError(_unknown(name, scope, self.words))
        if function.payoffs and self.words.game is None:
            raise ParseError(f"`{name}` cannot be used here: nobody was told the payoffs")
        kinds = function.takes.kinds(len(arguments))
        if kinds is None:
            raise ParseError(
                f"`{name}` does not take {len(arguments)} arguments: {function.form}, {function.meaning}"
            )
        found = [self.wanted(part, kind, scope) for part, kind in zip(arguments, kinds, strict=True)]
        if name == "play":
            return self.played(found[0])
        return Typed(function.gives, expression, tuple(found))

    def operation(
        self,
        expression: Expression,
        name: str,
        arguments: tuple[Expression, ...],
        scope: Mapping[str, ValueKind],
    ) -> Typed:
        operator = OPERATORS[name]
        if operator.takes is not None:
            found = [
                self.wanted(part, kind, scope) for part, kind in zip(arguments, operator.takes, strict=True)
            ]
            return Typed(operator.gives, expression, tuple(found))
        left, right = (self.typed(part, scope) for part in arguments)
        if left.kind is not right.kind or left.kind not in COMPARED:
            raise ParseError(
                f"`{name}` compares two numbers or two behaviours; in {quoted(expression)} the left is "
                f"{left.kind.value}, the right {right.kind.value}"
            )
        return Typed(operator.gives, expression, (left, right))

    def played(self, found: Typed) -> Typed:
        """A behaviour as the distribution that is sure of it."""
        of = found.expression
        if isinstance(of, Named) and of.behaviour not in self.words.theirs:
            raise ParseError(f"they cannot do {of.behaviour!a}; they have {_listed(self.words.theirs)}")
        return Typed(ValueKind.CHANCES, FunctionCall("play", (of,)), (found,))

    def span(self, expression: Expression) -> Typed:
        if isinstance(expression, NumberLiteral) and expression.value in range(1, LONGEST + 1):
            return Typed(ValueKind.SPAN, expression)
        raise ParseError(f"{quoted(expression)} stands where {ValueKind.SPAN.value} is wanted")


def quoted(expression: Expression) -> str:
    """A part of a program as a message shows it."""
    return f"`{ascii(_cut(formatted(expression)))[1:-1]}`"


def _cut(text: str) -> str:
    return text if len(text) <= EXCERPT else f"{text[:EXCERPT]}..."


def _hint(kind: ValueKind) -> str:
    if kind is ValueKind.CHANCES:
        return ": write play(X), uniform, mix({X: 0.7, Y: 0.3}), or a behaviour alone"
    return ": compare something, such as their(1) == mine(1)" if kind is ValueKind.TRUTH else ""


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(map(ascii, names))


def _unknown(name: str, scope: Mapping[str, ValueKind], words: BehaviourNames) -> str:
    if name in words.names:
        return f"the behaviour {name} is written as a string: {name!a}"
    known = [*scope, *FUNCTIONS, *SIDES]
    close = get_close_matches(_cut(name), known, 1)
    said = f"`{_cut(name)}` is no word of the language"
    return f"{said}; did you mean `{close[0]}`?" if close else f"{said}; there are {', '.join(FUNCTIONS)}"
