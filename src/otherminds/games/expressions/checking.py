"""The operators of the language, and the type checker.

A checked program gives a distribution for every history and cannot fail when it runs.
Comparing with something unknown is false, unequal true.
"""

from __future__ import annotations

import operator as op
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from otherminds.games.expressions import tree
from otherminds.games.expressions.functions import FUNCTIONS, Function, bounded
from otherminds.games.expressions.tree import Expression, FunctionCall, ParseError
from otherminds.games.expressions.values import LONGEST, UNKNOWN, BehaviourNames, ValueKind

SIDES = ("their", "mine")
EXCERPT = 60
"""Characters of a part of the program that a message quotes."""


@dataclass(frozen=True)
class Operator:
    """An operator on ``takes``; ``None``: on two of one kind. A lazy one takes functions without arguments."""

    takes: tuple[ValueKind, ...] | None
    gives: ValueKind
    rule: Callable[..., Any]
    lazy: bool = False


def alike(a: int, b: int) -> bool:
    """``==`` between behaviours: whether both are known and the same."""
    return a == b != UNKNOWN


def _or(a: Callable[[], bool], b: Callable[[], bool]) -> bool:
    return a() or b()


def _and(a: Callable[[], bool], b: Callable[[], bool]) -> bool:
    return a() and b()


def _total(rule: Callable[[float, float], float]) -> Operator:
    def bound(a: float, b: float) -> float:
        try:
            return bounded(rule(a, b))
        except ZeroDivisionError:
            return 0.0

    return Operator(TWO_NUMBERS, ValueKind.NUMBER, bound)


TWO_NUMBERS = (ValueKind.NUMBER, ValueKind.NUMBER)
TWO_TRUTHS = (ValueKind.TRUTH, ValueKind.TRUTH)
COMPARED = (ValueKind.NUMBER, ValueKind.BEHAVIOUR, ValueKind.TRUTH)
"""The kinds that ``==`` and ``!=`` compare."""

OPERATORS: dict[str, Operator] = {
    "or": Operator(TWO_TRUTHS, ValueKind.TRUTH, _or, lazy=True),
    "and": Operator(TWO_TRUTHS, ValueKind.TRUTH, _and, lazy=True),
    "not": Operator((ValueKind.TRUTH,), ValueKind.TRUTH, op.not_),
    "==": Operator(None, ValueKind.TRUTH, op.eq),
    "!=": Operator(None, ValueKind.TRUTH, op.ne),
    "<": Operator(TWO_NUMBERS, ValueKind.TRUTH, op.lt),
    "<=": Operator(TWO_NUMBERS, ValueKind.TRUTH, op.le),
    ">": Operator(TWO_NUMBERS, ValueKind.TRUTH, op.gt),
    ">=": Operator(TWO_NUMBERS, ValueKind.TRUTH, op.ge),
    "+": _total(lambda a, b: a + b),
    "-": _total(lambda a, b: a - b),
    "*": _total(lambda a, b: a * b),
    "/": _total(lambda a, b: a / b),
    "//": _total(lambda a, b: a // b),
    "%": _total(lambda a, b: a % b),
    tree.NEGATIVE: Operator((ValueKind.NUMBER,), ValueKind.NUMBER, op.neg),
}


@dataclass(frozen=True)
class Typed:
    """A checked part: its kind, and its own parts. Behaviours used as distributions are inside ``play``."""

    kind: ValueKind
    expression: Expression
    inside: tuple[Typed, ...] = ()


def check(expression: Expression, words: BehaviourNames) -> Typed:
    """``expression`` as a predictor: a distribution over the partner's behaviours.

    Raises:
        ParseError: a name is unknown, or a part has the wrong kind.
    """
    return _Checker(words).wanted(expression, ValueKind.CHANCES, {})


class _Checker:
    def __init__(self, words: BehaviourNames) -> None:
        self.words = words

    def wanted(self, expression: Expression, kind: ValueKind, scope: Mapping[str, ValueKind]) -> Typed:
        """``expression`` as a ``kind``; a behaviour is also a distribution."""
        if kind is ValueKind.SPAN:
            return self.span(expression)
        if isinstance(expression, tree.If | tree.Let):
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
        """``expression`` with its own kind."""
        match expression:
            case tree.NumberLiteral():
                return Typed(ValueKind.NUMBER, expression)
            case tree.Truth():
                return Typed(ValueKind.TRUTH, expression)
            case tree.Named(behaviour):
                if behaviour not in self.words.names:
                    raise ParseError(
                        f"no behaviour is called {_cut(behaviour)!a}; there are {_listed(self.words.names)}"
                    )
                return Typed(ValueKind.BEHAVIOUR, expression)
            case tree.Identifier(name):
                return self.word(expression, name, scope)
            case FunctionCall(name):
                return (self.operation if name in OPERATORS else self.call)(expression, scope)
            case tree.If() | tree.Let():
                return self.branching(expression, None, scope)

    def branching(
        self, expression: tree.If | tree.Let, kind: ValueKind | None, scope: Mapping[str, ValueKind]
    ) -> Typed:
        if isinstance(expression, tree.Let):
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
        function = self.function(name, scope)
        if function.takes.kinds(0) is None:
            raise ParseError(f"`{name}` needs arguments: {function.form}, {function.meaning}")
        return Typed(function.gives, expression)

    def call(self, expression: FunctionCall, scope: Mapping[str, ValueKind]) -> Typed:
        name, arguments = expression.name, expression.arguments
        function = self.function(name, scope)
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

    def operation(self, expression: FunctionCall, scope: Mapping[str, ValueKind]) -> Typed:
        operator = OPERATORS[expression.name]
        if operator.takes is not None:
            pairs = zip(expression.arguments, operator.takes, strict=True)
            return Typed(
                operator.gives, expression, tuple(self.wanted(part, kind, scope) for part, kind in pairs)
            )
        left, right = (self.typed(part, scope) for part in expression.arguments)
        if left.kind is not right.kind or left.kind not in COMPARED:
            raise ParseError(
                f"`{expression.name}` compares two numbers or two behaviours; in {quoted(expression)} the left is "
                f"{left.kind.value}, the right {right.kind.value}"
            )
        return Typed(operator.gives, expression, (left, right))

    def function(self, name: str, scope: Mapping[str, ValueKind]) -> Function:
        if name in FUNCTIONS:
            return FUNCTIONS[name]
        if name in self.words.names:
            raise ParseError(f"the behaviour {name} is written as a string: {name!a}")
        close = get_close_matches(_cut(name), [*scope, *FUNCTIONS, *SIDES], 1)
        hint = f"did you mean `{close[0]}`?" if close else f"there are {', '.join(FUNCTIONS)}"
        raise ParseError(f"`{_cut(name)}` is no word of the language; {hint}")

    def played(self, found: Typed) -> Typed:
        """A behaviour as a distribution with all mass on it."""
        of = found.expression
        if isinstance(of, tree.Named) and of.behaviour not in self.words.theirs:
            raise ParseError(f"they cannot do {of.behaviour!a}; they have {_listed(self.words.theirs)}")
        return Typed(ValueKind.CHANCES, FunctionCall("play", (of,)), (found,))

    def span(self, expression: Expression) -> Typed:
        if isinstance(expression, tree.NumberLiteral) and expression.value in range(1, LONGEST + 1):
            return Typed(ValueKind.SPAN, expression)
        raise ParseError(f"{quoted(expression)} stands where {ValueKind.SPAN.value} is wanted")


def quoted(expression: Expression) -> str:
    """A part of a program in a message."""
    return f"`{ascii(_cut(tree.formatted(expression)))[1:-1]}`"


def _cut(text: str) -> str:
    return text if len(text) <= EXCERPT else f"{text[:EXCERPT]}..."


def _hint(kind: ValueKind) -> str:
    if kind is ValueKind.CHANCES:
        return ": write play(X), uniform, mix({X: 0.7, Y: 0.3}), or a behaviour alone"
    return ": compare something, such as their(1) == mine(1)" if kind is ValueKind.TRUTH else ""


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(map(ascii, names))
