"""The operators of the language. Comparing with something unknown is false, unequal true."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import eq, ge, gt, le, lt, ne, neg, not_
from typing import Any

from otherminds.games.expressions.functions import bounded
from otherminds.games.expressions.tree import NEGATIVE
from otherminds.games.expressions.values import UNKNOWN, ValueKind


@dataclass(frozen=True)
class Operator:
    """An operator on ``takes``; ``None``: on two of one kind. A lazy one takes functions without arguments."""

    takes: tuple[ValueKind, ...] | None
    gives: ValueKind
    rule: Callable[..., Any]
    lazy: bool = False


def alike(a: int, b: int) -> bool:
    """Whether two behaviours are known and the same: ``==`` between behaviours."""
    return a == b != UNKNOWN


def _or(a: Callable[[], bool], b: Callable[[], bool]) -> bool:
    return a() or b()


def _and(a: Callable[[], bool], b: Callable[[], bool]) -> bool:
    return a() and b()


def _sum(a: float, b: float) -> float:
    return bounded(a + b)


def _difference(a: float, b: float) -> float:
    return bounded(a - b)


def _product(a: float, b: float) -> float:
    return bounded(a * b)


def _quotient(a: float, b: float) -> float:
    return bounded(a / b) if b else 0.0


def _whole(a: float, b: float) -> float:
    return bounded(a // b) if b else 0.0


def _rest(a: float, b: float) -> float:
    return a % b if b else 0.0


TWO_NUMBERS = (ValueKind.NUMBER, ValueKind.NUMBER)
TWO_TRUTHS = (ValueKind.TRUTH, ValueKind.TRUTH)
COMPARED = (ValueKind.NUMBER, ValueKind.BEHAVIOUR, ValueKind.TRUTH)
"""What ``==`` and ``!=`` can compare with its like."""

OPERATORS: dict[str, Operator] = {
    "or": Operator(TWO_TRUTHS, ValueKind.TRUTH, _or, lazy=True),
    "and": Operator(TWO_TRUTHS, ValueKind.TRUTH, _and, lazy=True),
    "not": Operator((ValueKind.TRUTH,), ValueKind.TRUTH, not_),
    "==": Operator(None, ValueKind.TRUTH, eq),
    "!=": Operator(None, ValueKind.TRUTH, ne),
    "<": Operator(TWO_NUMBERS, ValueKind.TRUTH, lt),
    "<=": Operator(TWO_NUMBERS, ValueKind.TRUTH, le),
    ">": Operator(TWO_NUMBERS, ValueKind.TRUTH, gt),
    ">=": Operator(TWO_NUMBERS, ValueKind.TRUTH, ge),
    "+": Operator(TWO_NUMBERS, ValueKind.NUMBER, _sum),
    "-": Operator(TWO_NUMBERS, ValueKind.NUMBER, _difference),
    "*": Operator(TWO_NUMBERS, ValueKind.NUMBER, _product),
    "/": Operator(TWO_NUMBERS, ValueKind.NUMBER, _quotient),
    "//": Operator(TWO_NUMBERS, ValueKind.NUMBER, _whole),
    "%": Operator(TWO_NUMBERS, ValueKind.NUMBER, _rest),
    NEGATIVE: Operator((ValueKind.NUMBER,), ValueKind.NUMBER, neg),
}
