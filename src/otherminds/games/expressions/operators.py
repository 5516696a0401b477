"""The operators of the language. Comparing with something unknown is false, unequal true."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import eq, ge, gt, le, lt, ne, neg, not_
from typing import Any

from otherminds.games.expressions.functions import bounded
from otherminds.games.expressions.tree import NEGATIVE
from otherminds.games.expressions.values import UNKNOWN, Kind


@dataclass(frozen=True)
class Operator:
    """An operator on ``takes``; ``None``: on two of one kind. A lazy one takes functions without arguments."""

    takes: tuple[Kind, ...] | None
    gives: Kind
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


TWO_NUMBERS = (Kind.NUMBER, Kind.NUMBER)
TWO_TRUTHS = (Kind.TRUTH, Kind.TRUTH)
COMPARED = (Kind.NUMBER, Kind.BEHAVIOUR, Kind.TRUTH)
"""What ``==`` and ``!=`` can compare with its like."""

OPERATORS: dict[str, Operator] = {
    "or": Operator(TWO_TRUTHS, Kind.TRUTH, _or, lazy=True),
    "and": Operator(TWO_TRUTHS, Kind.TRUTH, _and, lazy=True),
    "not": Operator((Kind.TRUTH,), Kind.TRUTH, not_),
    "==": Operator(None, Kind.TRUTH, eq),
    "!=": Operator(None, Kind.TRUTH, ne),
    "<": Operator(TWO_NUMBERS, Kind.TRUTH, lt),
    "<=": Operator(TWO_NUMBERS, Kind.TRUTH, le),
    ">": Operator(TWO_NUMBERS, Kind.TRUTH, gt),
    ">=": Operator(TWO_NUMBERS, Kind.TRUTH, ge),
    "+": Operator(TWO_NUMBERS, Kind.NUMBER, _sum),
    "-": Operator(TWO_NUMBERS, Kind.NUMBER, _difference),
    "*": Operator(TWO_NUMBERS, Kind.NUMBER, _product),
    "/": Operator(TWO_NUMBERS, Kind.NUMBER, _quotient),
    "//": Operator(TWO_NUMBERS, Kind.NUMBER, _whole),
    "%": Operator(TWO_NUMBERS, Kind.NUMBER, _rest),
    NEGATIVE: Operator((Kind.NUMBER,), Kind.NUMBER, neg),
}
