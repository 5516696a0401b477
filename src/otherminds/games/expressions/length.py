"""How long a program is in bits: the less it says, the likelier it is beforehand.

A part takes the fewer bits the more usual it is where it stands; numbers take more the
larger they are (as in Elias' gamma code, 1975), behaviours by how many there are.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from math import log2

from otherminds.games.expressions.checking import Typed
from otherminds.games.expressions.functions import FUNCTIONS
from otherminds.games.expressions.operators import OPERATORS
from otherminds.games.expressions.tree import FunctionCall, Identifier, If, Let, Named, NumberLiteral, Truth
from otherminds.games.expressions.values import BehaviourNames, ValueKind

LITERAL = ""

USUAL = {
    ValueKind.NUMBER: (LITERAL, "round", "%"),
    ValueKind.TRUTH: ("==",),
    ValueKind.BEHAVIOUR: (LITERAL, "mine", "their"),
    ValueKind.CHANCES: ("play", "if"),
}
"""What stands most often for each kind: the first takes one bit, the second two, and so on."""
ANYWHERE = 3
"""``if``, ``let`` and what ``let`` has named can stand for every kind of value."""


def bits(program: Typed, words: BehaviourNames) -> float:
    """The description length of a checked program for ``words``, in bits."""
    return _own(program, words) + sum(bits(part, words) for part in program.inside)


def _own(part: Typed, words: BehaviourNames) -> float:
    """Of ``part`` without its own parts."""
    if part.kind is ValueKind.SIDE:
        return 1.0
    match part.expression:
        case NumberLiteral(value) if part.kind is ValueKind.SPAN:
            return _digits(value - 1)
        case NumberLiteral(value):
            return _choice(part.kind, LITERAL) + _digits(value)
        case Named():
            return _choice(part.kind, LITERAL) + log2(len(words.names))
        case Truth():
            return _choice(part.kind, LITERAL) + 1
        case FunctionCall(name, arguments) if name in FUNCTIONS:
            takes = FUNCTIONS[name].takes
            return (
                _choice(part.kind, name)
                + bool(takes.more)
                + (_digits(len(arguments)) if takes.repeats else 0)
            )
        case FunctionCall(name):
            return _choice(part.kind, name) + (_compared(part) if OPERATORS[name].takes is None else 0)
        case Identifier(name):
            return _choice(part.kind, name)
        case If() | Let():
            return _choice(part.kind, "if" if isinstance(part.expression, If) else "let")


def _compared(part: Typed) -> float:
    """The bits of what two things are compared as: mostly behaviours."""
    return 1.0 if part.inside[0].kind is ValueKind.BEHAVIOUR else 2.0


@lru_cache
def _choice(kind: ValueKind, name: str) -> float:
    """The bits of naming one alternative of ``kind``: a function, an operator, a literal, ``if``, ``let``."""
    usual = USUAL[kind]
    if name in usual:
        return usual.index(name) + 1.0
    gives = Counter(known.gives for known in (*FUNCTIONS.values(), *OPERATORS.values()))
    literals = kind is not ValueKind.CHANCES
    return len(usual) + log2(gives[kind] + literals + ANYWHERE - len(usual))


def _digits(value: float) -> float:
    """A whole number by gamma code; what stands behind the point as further digits."""
    behind = f"{value:.9f}".rstrip("0").partition(".")[2]
    return 2 * log2(1 + int(value)) + 1 + len(behind) * log2(10)
