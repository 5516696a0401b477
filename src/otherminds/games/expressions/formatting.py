"""Writes a program out again, in one form."""

from __future__ import annotations

from otherminds.games.expressions.parsing import BINDS, MINUS, NOT
from otherminds.games.expressions.tree import NEGATIVE, Call, Expression, If, Let, Named, Number, Truth, Word

ATOM = 9
"""Binds more strongly than every operator."""


def formatted(expression: Expression) -> str:
    """``expression`` as a text that parses to it again.

    >>> from otherminds.games.expressions.parsing import parse
    >>> formatted(parse("'b' if (their(1)=='a') else uniform()"))
    "if their(1) == 'a' then 'b' else uniform"
    """
    return _written(expression, 0)


def _written(expression: Expression, least: int) -> str:
    """``expression`` where only what binds at least as strongly as ``least`` may stand without brackets."""
    text, binds = _bare(expression)
    return text if binds >= least else f"({text})"


def _bare(expression: Expression) -> tuple[str, int]:
    match expression:
        case Number(value):
            return _number(value), ATOM
        case Truth(value):
            return str(value).lower(), ATOM
        case Named(behaviour):
            return _string(behaviour), ATOM
        case Word(name):
            return name, ATOM
        case If(condition, then, otherwise):
            parts = (_written(part, 0) for part in (condition, then, otherwise))
            return "if {} then {} else {}".format(*parts), 0
        case Let(name, value, body):
            return f"let {name} = {_written(value, 0)} in {_written(body, 0)}", 0
        case Call("not", (part,)):
            return f"not {_written(part, NOT)}", NOT
        case Call(name, (part,)) if name == NEGATIVE:
            return f"-{_written(part, MINUS)}", MINUS
        case Call(name, (left, right)) if name in BINDS:
            binds = BINDS[name]
            first = binds + 1 if binds == BINDS["=="] else binds
            return f"{_written(left, first)} {name} {_written(right, binds + 1)}", binds
        case Call(name, arguments):
            parts = [_written(part, 0) for part in arguments]
            if name == "mix":
                pairs = ", ".join(
                    f"{of}: {weight}" for of, weight in zip(parts[::2], parts[1::2], strict=True)
                )
                return f"mix({{{pairs}}})", ATOM
            return f"{name}({', '.join(parts)})", ATOM


def _number(value: float) -> str:
    return f"{value:.9f}".rstrip("0").rstrip(".")


def _string(text: str) -> str:
    quote = '"' if "'" in text and '"' not in text else "'"
    return quote + text.replace("\\", "\\\\").replace(quote, f"\\{quote}") + quote
