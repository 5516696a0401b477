"""Programs as trees: the result of the parser, and the canonical form of a program."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from otherminds.core.errors import ReplyError

MESSAGE = 500
"""Characters of an error message, at most."""
NEGATIVE = "unary -"
"""The name of the operator before a single number; no function can have this name."""
BINDS = {
    "or": 1,
    "and": 2,
    **dict.fromkeys(("==", "!=", "<", "<=", ">", ">="), 4),
    **dict.fromkeys(("+", "-"), 5),
    **dict.fromkeys(("*", "/", "//", "%"), 6),
}
"""The precedence of binary operators; all associate to the left."""
COMPARES, NOT, MINUS, ATOM = BINDS["=="], 3, 7, 9
"""The precedence of comparisons, ``not``, a sign, and of everything that needs no brackets."""


class ParseError(ReplyError):
    """A text is not a program. The message says what is wrong, where, and how to correct it.

    It is one line of at most :data:`MESSAGE` characters.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text if len(text) <= MESSAGE else f"{text[: MESSAGE - 3]}...")


@dataclass(frozen=True)
class NumberLiteral:
    """A number literal, never negative."""

    value: float


@dataclass(frozen=True)
class Truth:
    """``true`` or ``false``."""

    value: bool


@dataclass(frozen=True)
class Named:
    """A behaviour by its name."""

    behaviour: str


@dataclass(frozen=True)
class Identifier:
    """A word without arguments: ``round``, ``uniform``, ``their``, or a name that ``let`` has defined."""

    name: str


@dataclass(frozen=True)
class FunctionCall:
    """A function or an operator with its arguments; those of ``mix`` alternate between outcome and weight."""

    name: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True)
class If:
    """A conditional expression."""

    condition: Expression
    then: Expression
    otherwise: Expression


@dataclass(frozen=True)
class Let:
    """``value`` under a name of its own inside ``body``."""

    name: str
    value: Expression
    body: Expression


Expression: TypeAlias = NumberLiteral | Truth | Named | Identifier | FunctionCall | If | Let


def levels(expression: Expression) -> Iterator[int]:
    """The depth of every part of ``expression``, 1 for the whole; without recursion."""
    waiting = [(expression, 1)]
    while waiting:
        found, level = waiting.pop()
        yield level
        match found:
            case FunctionCall(_, arguments):
                inside = arguments
            case If(condition, then, otherwise):
                inside = condition, then, otherwise
            case Let(_, value, body):
                inside = value, body
            case _:
                continue
        waiting += [(part, level + 1) for part in inside]


def formatted(expression: Expression) -> str:
    """``expression`` as a text that parses to it again.

    >>> from otherminds.games.expressions.parsing import parse
    >>> formatted(parse("'b' if (their(1)=='a') else uniform()"))
    "if their(1) == 'a' then 'b' else uniform"
    """
    return _written(expression, 0)


def _written(expression: Expression, least: int) -> str:
    """``expression``, in brackets where it binds less strongly than ``least``."""
    text, binds = _bare(expression)
    return text if binds >= least else f"({text})"


def _bare(expression: Expression) -> tuple[str, int]:
    match expression:
        case NumberLiteral(value):
            return f"{value:.9f}".rstrip("0").rstrip("."), ATOM
        case Truth(value):
            return str(value).lower(), ATOM
        case Named(behaviour):
            return _string(behaviour), ATOM
        case Identifier(name):
            return name, ATOM
        case If(condition, then, otherwise):
            parts = (_written(part, 0) for part in (condition, then, otherwise))
            return "if {} then {} else {}".format(*parts), 0
        case Let(name, value, body):
            return f"let {name} = {_written(value, 0)} in {_written(body, 0)}", 0
        case FunctionCall("not", (part,)):
            return f"not {_written(part, NOT)}", NOT
        case FunctionCall(name, (part,)) if name == NEGATIVE:
            return f"-{_written(part, MINUS)}", MINUS
        case FunctionCall(name, (left, right)) if name in BINDS:
            binds = BINDS[name]
            first = binds + 1 if binds == COMPARES else binds
            return f"{_written(left, first)} {name} {_written(right, binds + 1)}", binds
        case FunctionCall(name, arguments):
            parts = [_written(part, 0) for part in arguments]
            if name == "mix":
                pairs = ", ".join(
                    f"{of}: {weight}" for of, weight in zip(parts[::2], parts[1::2], strict=True)
                )
                return f"mix({{{pairs}}})", ATOM
            return f"{name}({', '.join(parts)})", ATOM


def _string(text: str) -> str:
    quote = '"' if "'" in text and '"' not in text else "'"
    return quote + text.replace("\\", "\\\\").replace(quote, f"\\{quote}") + quote
