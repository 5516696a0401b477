"""The operators of the language, and the type checker.

A checked program gives a distribution for every history and cannot fail when it runs.
Comparing with something unknown is false, unequal true.
"""

from __future__ import annotations

import operator as op
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any, TypeAlias

from otherminds.games.expressions import tree
from otherminds.games.expressions.functions import FUNCTIONS, Function, clip_number
from otherminds.games.expressions.tree import Expression, ParseError
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
            return clip_number(rule(a, b))
        except ZeroDivisionError:
            return 0.0

    return Operator(TWO_NUMBERS, ValueKind.NUMBER, bound)


TWO_NUMBERS = (ValueKind.NUMBER, ValueKind.NUMBER)
TWO_TRUTHS = (ValueKind.TRUTH, ValueKind.TRUTH)
COMPARED = {ValueKind.NUMBER, ValueKind.BEHAVIOUR, ValueKind.TRUTH}
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


def check(expression: Expression, words: BehaviourNames) -> Expression:
    """``expression`` as a predictor: a distribution over the partner's behaviours.

    In the result every part has its kind, and behaviours used as distributions are inside ``play``.

    Raises:
        ParseError: a name is unknown, or a part has the wrong kind.
    """
    return _Checker(words).check_kind(expression, ValueKind.CHANCES, {})


Scope: TypeAlias = Mapping[str, ValueKind | None]
"""The kinds of the names that ``let`` has defined."""


class _Checker:
    def __init__(self, words: BehaviourNames) -> None:
        self.words = words

    def check_kind(self, part: Expression, kind: ValueKind | None, scope: Scope) -> Expression:
        """``part`` as a ``kind``, or as its own where that is ``None``; a behaviour is also a distribution."""
        if kind is ValueKind.SPAN:
            return self.check_span(part)
        if part.name == "let":
            return self.check_let(part, kind, scope)
        if part.name == "if":
            return self.check_if(part, kind, scope)
        checked = self.check_part(part, scope)
        if kind is ValueKind.CHANCES and checked.kind is ValueKind.BEHAVIOUR:
            checked = self.play(checked)
        if kind is not None and checked.kind is not kind:
            raise ParseError(
                f"{quote_part(part)} is {_say(checked)} where {kind.value} is wanted{_hint(kind)}"
            )
        return checked

    def check_let(self, let: Expression, kind: ValueKind | None, scope: Scope) -> Expression:
        name = str(let.value)
        if name in FUNCTIONS or name in SIDES:
            raise ParseError(
                f"`let` cannot name something `{_shorten_text(name)}`: that word has a meaning already"
            )
        value = self.check_kind(let.inside[0], None, scope)
        if value.kind is ValueKind.SIDE:
            raise ParseError(f"`let {_shorten_text(name)}` cannot stand for `their` or `mine`")
        body = self.check_kind(let.inside[1], kind, {**scope, name: value.kind})
        return replace(let, inside=(value, body), kind=body.kind)

    def check_if(self, part: Expression, kind: ValueKind | None, scope: Scope) -> Expression:
        condition = self.check_kind(part.inside[0], ValueKind.TRUTH, scope)
        then, otherwise = (self.check_kind(branch, kind, scope) for branch in part.inside[1:])
        if {then.kind, otherwise.kind} == {ValueKind.CHANCES, ValueKind.BEHAVIOUR}:
            then, otherwise = (self.check_kind(of, ValueKind.CHANCES, scope) for of in part.inside[1:])
        if then.kind is not otherwise.kind:
            raise ParseError(
                f"the branches of an `if` must be of one kind: {quote_part(part.inside[1])} is {_say(then)}, "
                f"{quote_part(part.inside[2])} is {_say(otherwise)}"
            )
        return replace(part, inside=(condition, then, otherwise), kind=then.kind)

    def check_part(self, part: Expression, scope: Scope) -> Expression:
        """A literal, word, call or operator with its own kind."""
        if not part.name:
            if part.kind is ValueKind.BEHAVIOUR and part.value not in self.words.names:
                raise ParseError(
                    f"no behaviour is called {_shorten_text(str(part.value))!a}; there are {_list_names(self.words.names)}"
                )
            return part
        if part.name in OPERATORS:
            return self.check_operator(part, scope)
        if not part.inside and part.name in scope:
            return replace(part, kind=scope[part.name])
        if not part.inside and part.name in SIDES:
            return replace(part, kind=ValueKind.SIDE)
        return self.check_call(part, scope)

    def check_operator(self, part: Expression, scope: Scope) -> Expression:
        operator = OPERATORS[part.name]
        takes = operator.takes or (None, None)
        inside = tuple(self.check_kind(of, kind, scope) for of, kind in zip(part.inside, takes, strict=True))
        kinds = {of.kind for of in inside}
        if operator.takes is None and (len(kinds) > 1 or not kinds <= COMPARED):
            first, second = map(_say, inside)
            raise ParseError(
                f"`{part.name}` compares two numbers or two behaviours; in {quote_part(part)} the left is "
                f"{first}, the right {second}"
            )
        return replace(part, inside=inside, kind=operator.gives)

    def check_call(self, part: Expression, scope: Scope) -> Expression:
        """A function with its arguments, which may be none."""
        name = part.name
        function = self.find_function(name, scope)
        kinds = function.takes.kinds(len(part.inside))
        if kinds is None and not part.inside:
            raise ParseError(f"`{name}` needs arguments: {function.form}, {function.meaning}")
        if function.payoffs and self.words.game is None:
            raise ParseError(f"`{name}` cannot be used here: nobody was told the payoffs")
        if kinds is None:
            raise ParseError(
                f"`{name}` does not take {len(part.inside)} arguments: {function.form}, {function.meaning}"
            )
        inside = tuple(self.check_kind(of, kind, scope) for of, kind in zip(part.inside, kinds, strict=True))
        return self.play(inside[0]) if name == "play" else replace(part, inside=inside, kind=function.gives)

    def find_function(self, name: str, scope: Scope) -> Function:
        if name in FUNCTIONS:
            return FUNCTIONS[name]
        if name in self.words.names:
            raise ParseError(f"the behaviour {name} is written as a string: {name!a}")
        close = get_close_matches(_shorten_text(name), [*scope, *FUNCTIONS, *SIDES], 1)
        hint = f"did you mean `{close[0]}`?" if close else f"there are {', '.join(FUNCTIONS)}"
        raise ParseError(f"`{_shorten_text(name)}` is no word of the language; {hint}")

    def play(self, behaviour: Expression) -> Expression:
        """A checked behaviour as a distribution with all mass on it."""
        if not behaviour.name and behaviour.value not in self.words.theirs:
            raise ParseError(
                f"they cannot do {behaviour.value!a}; they have {_list_names(self.words.theirs)}"
            )
        return Expression("play", (behaviour,), kind=ValueKind.CHANCES)

    def check_span(self, part: Expression) -> Expression:
        if part.kind is ValueKind.NUMBER and part.value in range(1, LONGEST + 1):
            return replace(part, kind=ValueKind.SPAN)
        raise ParseError(f"{quote_part(part)} stands where {ValueKind.SPAN.value} is wanted")


def _say(checked: Expression) -> str:
    """The kind of a checked part, in words."""
    return checked.kind.value if checked.kind else ""


def quote_part(expression: Expression) -> str:
    """A part of a program in a message."""
    return f"`{ascii(_shorten_text(tree.formatted(expression)))[1:-1]}`"


def _shorten_text(text: str) -> str:
    return text if len(text) <= EXCERPT else f"{text[:EXCERPT]}..."


def _hint(kind: ValueKind) -> str:
    if kind is ValueKind.CHANCES:
        return ": write play(X), uniform, mix({X: 0.7, Y: 0.3}), or a behaviour alone"
    return ": compare something, such as their(1) == mine(1)" if kind is ValueKind.TRUTH else ""


def _list_names(names: tuple[str, ...]) -> str:
    return ", ".join(map(ascii, names))
