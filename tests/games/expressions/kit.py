"""Histories, programs drawn at random, and what every prediction must be."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from math import isfinite
from types import FrameType
from typing import Any

from hypothesis import strategies as st

from otherminds.core.data import Game
from otherminds.games.automata import Chances, Predictor
from otherminds.games.expressions import BehaviourNames
from otherminds.games.expressions.parsing import NEGATIVE, Expression, ValueKind
from otherminds.games.registry import ipd, rps

Pair = tuple[int, int]


def words(game: Game, payoffs: bool = True) -> BehaviourNames:
    return BehaviourNames(*game.behaviours, game if payoffs else None)


IPD, RPS = words(ipd()), words(rps())
UNEVEN = BehaviourNames(("a", "b", "x"), ("a", "b"), None)
"""One behaviour is only the own seat's."""


def histories(
    own: int, theirs: int, longest: int, predictor: Predictor
) -> Iterator[tuple[list[Pair], Chances]]:
    """Every history up to ``longest``, pairs (theirs, own), with the prediction after it."""
    waiting: list[tuple[list[Pair], Any]] = [([], predictor.start)]
    while waiting:
        history, state = waiting.pop()
        yield history, predictor.output(state)
        if len(history) < longest:
            for t in range(theirs):
                for o in range(own):
                    waiting.append(([*history, (t, o)], predictor.after(state, t, o)))


def sound(chances: Chances, behaviours: int) -> bool:
    """Whether it is a distribution over so many behaviours."""
    right = all(isfinite(p) and p >= 0 for p in chances)
    return right and len(chances) == behaviours and abs(sum(chances) - 1) < 1e-9


def work(task: Callable[[], object]) -> tuple[int, int]:
    """How many functions ``task`` calls, and how deep the stack gets on the way: no clock is read."""
    calls, deepest = 0, 0
    depth = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls, deepest, depth
        if event == "call":
            calls, depth = calls + 1, depth + 1
            deepest = max(deepest, depth)
        elif event == "return":
            depth -= 1
        elif event == "c_call":
            calls += 1

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        task()
    finally:
        sys.setprofile(before)
    return calls, deepest


def write_number(value: float) -> Expression:
    return Expression("", value=float(value), kind=ValueKind.NUMBER)


def write_truth(value: bool) -> Expression:
    return Expression("", value=value, kind=ValueKind.TRUTH)


def write_behaviour(behaviour: str) -> Expression:
    return Expression("", value=behaviour, kind=ValueKind.BEHAVIOUR)


def programs(names: BehaviourNames) -> st.SearchStrategy[Expression]:
    """Programs that pass every check for ``names``."""
    return _chances(names, 3)


def _numbers(names: BehaviourNames, depth: int) -> st.SearchStrategy[Expression]:
    leaves = st.one_of(
        st.integers(0, 12).map(write_number),
        st.integers(0, 10**9 - 1).map(lambda n: write_number(n / 1000)),
        st.just(Expression("round")),
    )
    if not depth:
        return leaves
    number, behaviour = _numbers(names, depth - 1), _behaviours(names, depth - 1)
    pays = st.builds(_call("their_payoff"), _spans()) | st.builds(_call("my_payoff"), _spans())
    return st.one_of(
        leaves,
        st.builds(_call("count"), _sides(), behaviour),
        st.builds(_call("count"), _sides(), behaviour, _spans()),
        st.builds(_call("streak"), _sides()),
        st.builds(_call("streak"), _sides(), behaviour),
        pays if names.game else leaves,
        st.builds(_binary, st.sampled_from(["+", "-", "*", "/", "//", "%"]), number, number),
        st.builds(
            _binary,
            st.sampled_from(["%", "//"]),
            number,
            st.integers(0, 9).map(write_number),
        ),
        st.builds(_call(NEGATIVE), number),
        st.builds(_call("min"), number, number),
        st.builds(_call("max"), number, number),
        st.builds(_call("if"), _truths(names, depth - 1), number, number),
    )


def _truths(names: BehaviourNames, depth: int) -> st.SearchStrategy[Expression]:
    if not depth:
        return st.booleans().map(write_truth)
    number, truth, behaviour = (kind(names, depth - 1) for kind in (_numbers, _truths, _behaviours))
    equal = st.sampled_from(["==", "!="])
    return st.one_of(
        st.builds(_binary, equal, number, number),
        st.builds(_binary, equal, behaviour, behaviour),
        st.builds(_binary, equal, truth, truth),
        st.builds(_binary, st.sampled_from(["<", "<=", ">", ">=", "==", "!="]), number, number),
        st.builds(_binary, st.sampled_from(["and", "or"]), truth, truth),
        st.builds(_call("not"), truth),
    )


def _behaviours(names: BehaviourNames, depth: int, theirs: bool = False) -> st.SearchStrategy[Expression]:
    leaves = st.one_of(
        st.sampled_from(names.theirs if theirs else names.names).map(write_behaviour),
        st.builds(_call("their"), _spans()),
        st.builds(_call("mine"), _spans()),
    )
    if not depth:
        return leaves
    behaviour, number = _behaviours(names, depth - 1), _numbers(names, depth - 1)
    replies = st.builds(_call("best_reply"), behaviour) | st.builds(_call("my_best_reply"), behaviour)
    return st.one_of(
        leaves,
        st.builds(_call("most"), _sides()),
        st.builds(_call("most"), _sides(), _spans()),
        st.builds(_call("next"), behaviour, number),
        replies if names.game else leaves,
    )


def _chances(names: BehaviourNames, depth: int) -> st.SearchStrategy[Expression]:
    leaves = st.one_of(
        _behaviours(names, min(depth, 1), theirs=True),
        st.just(Expression("uniform")),
        st.builds(_call("frequencies"), _sides()),
    )
    if not depth:
        return leaves
    part, number = _chances(names, depth - 1), _numbers(names, depth - 1)
    return st.one_of(
        leaves,
        st.builds(_call("if"), _truths(names, depth), part, part),
        st.builds(_call("play"), _behaviours(names, depth - 1, theirs=True)),
        st.builds(_call("other"), _behaviours(names, depth - 1)),
        st.builds(_call("noisy"), part, number),
        st.builds(_call("mix"), part, number, part, number),
        st.builds(_call("cycle"), part, part, part),
        st.builds(_call("first"), number, part, part),
        st.builds(_let, st.sampled_from(["x", "y_2"]), _numbers(names, depth - 1), part, part),
    )


def _sides() -> st.SearchStrategy[Expression]:
    return st.sampled_from([Expression("their"), Expression("mine")])


def _spans() -> st.SearchStrategy[Expression]:
    return st.integers(1, 5).map(write_number)


def _call(name: str) -> Callable[..., Expression]:
    return lambda *arguments: Expression(name, arguments)


def _binary(name: str, left: Expression, right: Expression) -> Expression:
    return Expression(name, (left, right))


def _let(name: str, value: Expression, one: Expression, other: Expression) -> Expression:
    word = Expression(name)
    body = Expression("mix", (one, word, other, Expression("+", (value, word))))
    return Expression("let", (value, body), name)
