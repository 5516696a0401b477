"""Programs that run: a checked text, as a predictor among the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias, cast

from otherminds.games.expressions.checking import Typed, check
from otherminds.games.expressions.functions import FUNCTIONS
from otherminds.games.expressions.length import bits
from otherminds.games.expressions.needs import ProgramNeeds, needs
from otherminds.games.expressions.operators import OPERATORS, alike
from otherminds.games.expressions.parsing import parse
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
from otherminds.games.expressions.values import MINE, THEIR, BehaviourNames, Memory, ValueKind
from otherminds.games.predictor import Chances, Predictor, State

STEPS = 5_000
"""What a program may cost to run once, in parts worked out and encounters looked at."""

Run: TypeAlias = Callable[[Memory, tuple[Any, ...]], Any]
"""Works a part out, given what was shown and the values that ``let`` has named, outermost first."""


@dataclass(frozen=True)
class Program:
    """A predictor as it is written.

    ``bits`` is its description length, ``steps`` bounds what one prediction costs, ``needs``
    is what it keeps of the history.
    """

    expression: Expression
    words: BehaviourNames
    bits: float
    steps: int
    needs: ProgramNeeds
    run: Run

    @property
    def text(self) -> str:
        """The program in one form; reads as the same program."""
        return formatted(self.expression)

    def chances(self, memory: Memory) -> Chances:
        """The distribution over the partner's next behaviour: finite, none below 0, sums to 1."""
        return self.run(memory, ())

    def predictor(self, sentence: str, name: str = "program") -> Predictor:
        """The program as a hypothesis that says ``sentence``. Its states are :class:`Memory`."""
        numbers = self.words.number_of_own

        def after(state: State, theirs: int, own: int) -> State:
            return self.needs.after(cast(Memory, state), theirs, numbers[own])

        output = cast("Callable[[State], Chances]", lru_cache(maxsize=4096)(self.chances))
        return Predictor(name, sentence, self.bits, self.needs.empty(), output, after)


def program(text: str, words: BehaviourNames) -> Program:
    """The program that ``text`` is, for a seat that knows ``words``.

    Raises:
        ParseError: the text is no program there; the message tells how to mend it.
    """
    expression = parse(text)
    checked = check(expression, words)
    steps = cost(checked, len(words.theirs))
    if steps > STEPS:
        raise ParseError(
            f"a prediction may take {STEPS} steps, and this takes up to {steps}; look back less far, or say less"
        )
    return Program(
        expression, words, bits(checked, words), steps, needs(checked, words), _run(checked, words, ())
    )


def cost(part: Typed, behaviours: int) -> int:
    """An upper bound of what working ``part`` out takes.

    One step for a part itself, one for each encounter that it looks at, one for each of
    the ``behaviours`` whose chances or counts it or its own parts give.
    """
    looked = (
        of.expression.value
        for of in part.inside
        if of.kind is ValueKind.SPAN and isinstance(of.expression, NumberLiteral)
    )
    own = 1 + int(sum(looked)) + behaviours * (1 + len(part.inside))
    return own + sum(cost(of, behaviours) for of in part.inside)


def _run(part: Typed, words: BehaviourNames, scope: tuple[str, ...]) -> Run:
    """``part`` as a function; ``scope`` are the names that ``let`` gave, outermost first."""
    expression = part.expression
    if isinstance(expression, Let):
        value = _run(part.inside[0], words, scope)
        body = _run(part.inside[1], words, (*scope, expression.name))
        return lambda memory, named: body(memory, (*named, value(memory, named)))
    inside = [_run(of, words, scope) for of in part.inside]
    match expression:
        case NumberLiteral(value):
            return _constant(int(value) if part.kind is ValueKind.SPAN else value)
        case Truth(value):
            return _constant(value)
        case Named(behaviour):
            return _constant(words.names.index(behaviour))
        case Identifier(name) if name in scope:
            place = len(scope) - 1 - scope[::-1].index(name)
            return lambda memory, named: named[place]
        case Identifier(name) if part.kind is ValueKind.SIDE:
            return _constant({"their": THEIR, "mine": MINE}[name])
        case If():
            condition, then, otherwise = inside
            return lambda memory, named: (then if condition(memory, named) else otherwise)(memory, named)
        case FunctionCall(name) if name in OPERATORS:
            return _operation(name, part, inside)
        case FunctionCall(name) | Identifier(name):
            return _function(name, words, inside)


def _constant(value: Any) -> Run:
    return lambda memory, named: value


def _operation(name: str, part: Typed, inside: Sequence[Run]) -> Run:
    operator = OPERATORS[name]
    rule = operator.rule
    if part.inside[0].kind is ValueKind.BEHAVIOUR:
        a, b = inside
        same = name == "=="
        return lambda memory, named: alike(a(memory, named), b(memory, named)) is same
    if operator.lazy:
        a, b = inside
        return lambda memory, named: rule(lambda: a(memory, named), lambda: b(memory, named))
    return lambda memory, named: rule(*(of(memory, named) for of in inside))


def _function(name: str, words: BehaviourNames, inside: Sequence[Run]) -> Run:
    function = FUNCTIONS[name]
    rule = function.rule
    if function.lazy:
        return lambda memory, named: rule(words, memory, *(_later(of, memory, named) for of in inside))
    return lambda memory, named: rule(words, memory, *(of(memory, named) for of in inside))


def _later(run: Run, memory: Memory, named: tuple[Any, ...]) -> Callable[[], Any]:
    return lambda: run(memory, named)
