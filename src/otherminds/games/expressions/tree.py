"""Programs as trees, and the canonical text of a tree."""

from __future__ import annotations

from dataclasses import dataclass

from otherminds.core.errors import ReplyError
from otherminds.games.expressions.values import ValueKind

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


@dataclass(frozen=True, slots=True)
class Expression:
    """One part of a program, with the parts ``inside`` it.

    ``name`` is a word, a function, an operator, ``if`` (condition, then, else) or ``let`` (value, body), and empty for
    a literal. Arguments of ``mix`` alternate between outcome and weight. ``value`` is the value of a literal (a number
    is never negative) and the name that ``let`` defines. ``kind`` is known of a literal; of the other parts it is
    ``None`` until they are checked.
    """

    name: str
    inside: tuple[Expression, ...] = ()
    value: float | bool | str | None = None
    kind: ValueKind | None = None


def formatted(expression: Expression) -> str:
    """``expression`` as a text that parses to it again.

    >>> from otherminds.games.expressions.parsing import parse
    >>> formatted(parse("'b' if (their(1)=='a') else uniform()"))
    "if their(1) == 'a' then 'b' else uniform"
    """
    return _write_part(expression, 0)


def _write_part(expression: Expression, least: int) -> str:
    """``expression``, in brackets where it binds less strongly than ``least``."""
    text, binds = _bare(expression)
    return text if binds >= least else f"({text})"


def _bare(expression: Expression) -> tuple[str, int]:
    """The text of ``expression`` without brackets around it, and how strongly it binds."""
    name, inside, value = expression.name, expression.inside, expression.value
    if not name:
        return _literal(value), ATOM
    if name == "not":
        return f"not {_write_part(inside[0], NOT)}", NOT
    if name == NEGATIVE:
        return f"-{_write_part(inside[0], MINUS)}", MINUS
    if name in BINDS:
        binds = BINDS[name]
        first = binds + 1 if binds == COMPARES else binds
        return f"{_write_part(inside[0], first)} {name} {_write_part(inside[1], binds + 1)}", binds
    parts = [_write_part(part, 0) for part in inside]
    if name == "if":
        return "if {} then {} else {}".format(*parts), 0
    if name == "let":
        return f"let {value} = {parts[0]} in {parts[1]}", 0
    if name == "mix" and parts:
        pairs = ", ".join(f"{of}: {weight}" for of, weight in zip(parts[::2], parts[1::2], strict=True))
        return f"mix({{{pairs}}})", ATOM
    return f"{name}({', '.join(parts)})" if parts else name, ATOM


def _literal(value: float | bool | str | None) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str):
        return f"{value:.9f}".rstrip("0").rstrip(".")
    quote = '"' if "'" in value and '"' not in value else "'"
    return quote + value.replace("\\", "\\\\").replace(quote, f"\\{quote}") + quote
