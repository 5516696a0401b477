"""Programs as trees: what the parser makes, and what everything else reads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

NEGATIVE = "unary -"
"""The name of the operator before a single number; no function can be called so."""


@dataclass(frozen=True)
class Number:
    """A number as it is written: never negative."""

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
class Word:
    """A word without arguments: ``round``, ``uniform``, ``their``, or what a ``let`` has named."""

    name: str


@dataclass(frozen=True)
class Call:
    """A function or an operator with its arguments; those of ``mix`` alternate between outcome and weight."""

    name: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True)
class If:
    """One of two."""

    condition: Expression
    then: Expression
    otherwise: Expression


@dataclass(frozen=True)
class Let:
    """``value`` under a name of its own inside ``body``."""

    name: str
    value: Expression
    body: Expression


Expression: TypeAlias = Number | Truth | Named | Word | Call | If | Let


def inside(expression: Expression) -> tuple[Expression, ...]:
    """The expressions that ``expression`` is made of, in the order in which they are written."""
    match expression:
        case Call(_, arguments):
            return arguments
        case If(condition, then, otherwise):
            return condition, then, otherwise
        case Let(_, value, body):
            return value, body
        case _:
            return ()


def levels(expression: Expression) -> Iterator[tuple[Expression, int]]:
    """Every expression in ``expression`` with its level: 1 for the whole. Needs no stack of its own size."""
    waiting = [(expression, 1)]
    while waiting:
        found, level = waiting.pop()
        yield found, level
        waiting += [(part, level + 1) for part in inside(found)]
