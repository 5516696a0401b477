"""Executable programs: a checked text as a predictor, with its cost and its description length in bits.

A part takes fewer bits the more usual it is at its place; numbers take more the larger they
are (as in Elias' gamma code, 1975), behaviours by how many there are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from math import log2
from typing import Any, TypeAlias, cast

from otherminds.games.expressions import tree
from otherminds.games.expressions.checking import OPERATORS, SIDES, alike, check
from otherminds.games.expressions.functions import FUNCTIONS
from otherminds.games.expressions.needs import ProgramNeeds, needs
from otherminds.games.expressions.parsing import parse
from otherminds.games.expressions.tree import Expression, ParseError
from otherminds.games.expressions.values import BehaviourNames, Memory, ValueKind
from otherminds.games.predictor import Chances, Predictor, State

STEPS = 5_000
"""The most steps of one prediction: parts evaluated and encounters read."""
LITERAL = ""
USUAL = {
    ValueKind.NUMBER: (LITERAL, "round", "%"),
    ValueKind.TRUTH: ("==",),
    ValueKind.BEHAVIOUR: (LITERAL, "mine", "their"),
    ValueKind.CHANCES: ("play", "if"),
}
"""The most usual parts of each kind: the first takes one bit, the second two, and so on."""
ANYWHERE = 3
"""``if``, ``let`` and names of ``let`` can have every kind."""

Run: TypeAlias = Callable[[Memory, tuple[Any, ...]], Any]
"""Evaluates a part, given the memory and the values of ``let``, outermost first."""


@dataclass(frozen=True)
class Program:
    """A predictor as a program.

    ``bits`` is its description length, ``steps`` an upper bound of the cost of one prediction,
    ``needs`` the part of the history that it keeps.
    """

    expression: Expression
    words: BehaviourNames
    bits: float
    steps: int
    needs: ProgramNeeds
    run: Run

    @property
    def text(self) -> str:
        """The program in canonical form, which parses to the same program."""
        return tree.formatted(self.expression)

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
    """Parses and checks ``text`` for a seat that knows ``words``.

    Raises:
        ParseError: the text is no valid program; the message says how to correct it.
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


def cost(part: Expression, behaviours: int) -> int:
    """An upper bound of the steps to evaluate ``part``, a checked one.

    One for the part itself, one for each encounter that it reads, one for each of the
    ``behaviours`` whose chances or counts it or its own parts give.
    """
    spans = (of.value for of in part.inside if of.kind is ValueKind.SPAN and isinstance(of.value, float))
    own = 1 + int(sum(spans)) + behaviours * (1 + len(part.inside))
    return own + sum(cost(of, behaviours) for of in part.inside)


def bits(part: Expression, words: BehaviourNames) -> float:
    """The description length of a checked program, or of a part of one, for ``words``, in bits."""
    return _own_bits(part, words) + sum(bits(of, words) for of in part.inside)


def _own_bits(part: Expression, words: BehaviourNames) -> float:
    """The bits of ``part`` without its own parts."""
    assert part.kind is not None, "bits are those of a checked program"
    if part.kind is ValueKind.SIDE:
        return 1.0
    match part.name, part.value:
        case "", float(value) if part.kind is ValueKind.SPAN:
            return _digits(value - 1)
        case "", float(value):
            extra = _digits(value)
        case "", str():
            extra = log2(len(words.names))
        case "", _:
            extra = 1
        case "==" | "!=", _:  # the kind that is compared: mostly behaviours
            extra = 1 if part.inside[0].kind is ValueKind.BEHAVIOUR else 2
        case name, _ if name in FUNCTIONS:
            takes = FUNCTIONS[name].takes
            extra = bool(takes.more) + (_digits(len(part.inside)) if takes.repeats else 0)
        case _:
            extra = 0
    return _choice_bits(part.kind, part.name) + extra


@lru_cache
def _choice_bits(kind: ValueKind, name: str) -> float:
    """The bits of naming one alternative of ``kind``: a function, an operator, a literal, ``if``, ``let``."""
    usual = USUAL[kind]
    if name in usual:
        return usual.index(name) + 1.0
    gives = Counter(function.gives for function in (*FUNCTIONS.values(), *OPERATORS.values()))
    literals = kind is not ValueKind.CHANCES
    return len(usual) + log2(gives[kind] + literals + ANYWHERE - len(usual))


def _digits(value: float) -> float:
    """The bits of a number: gamma code of the whole part, then the digits behind the point."""
    behind = f"{value:.9f}".rstrip("0").partition(".")[2]
    return 2 * log2(1 + int(value)) + 1 + len(behind) * log2(10)


def _run(part: Expression, words: BehaviourNames, scope: tuple[str, ...]) -> Run:
    """``part`` as a function; ``scope`` are the names of ``let``, outermost first."""
    name, value = part.name, part.value
    if name == "let":
        of = _run(part.inside[0], words, scope)
        body = _run(part.inside[1], words, (*scope, str(value)))
        return lambda memory, bindings: body(memory, (*bindings, of(memory, bindings)))
    if part.kind is ValueKind.SIDE and name in SIDES:
        return _constant(SIDES.index(name))
    if not part.inside and name in scope:
        place = len(scope) - 1 - scope[::-1].index(name)
        return lambda memory, bindings: bindings[place]
    if part.kind is ValueKind.SPAN and isinstance(value, float):
        return _constant(int(value))
    if not name:
        return _constant(words.names.index(value) if isinstance(value, str) else value)
    inside = [_run(of, words, scope) for of in part.inside]
    if name == "if":
        condition, then, otherwise = inside
        return lambda memory, bindings: (then if condition(memory, bindings) else otherwise)(memory, bindings)
    if name in OPERATORS:
        return _operation(part, inside)
    function = FUNCTIONS[name]
    arguments = _lazy(inside) if function.lazy else _eager(inside)
    return lambda memory, bindings: function.rule(words, memory, *arguments(memory, bindings))


def _constant(value: Any) -> Run:
    return lambda memory, bindings: value


def _operation(part: Expression, inside: Sequence[Run]) -> Run:
    operator = OPERATORS[part.name]
    if part.inside[0].kind is ValueKind.BEHAVIOUR:
        a, b = inside
        same = part.name == "=="
        return lambda memory, bindings: alike(a(memory, bindings), b(memory, bindings)) is same
    arguments = _lazy(inside) if operator.lazy else _eager(inside)
    return lambda memory, bindings: operator.rule(*arguments(memory, bindings))


def _lazy(inside: Sequence[Run]) -> Run:
    return lambda memory, bindings: (partial(of, memory, bindings) for of in inside)


def _eager(inside: Sequence[Run]) -> Run:
    return lambda memory, bindings: (of(memory, bindings) for of in inside)
