"""Inference from a history: hidden behaviours, the best explanation, and the best response."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

from otherminds.models.competent.strategies import (
    History,
    Matrix,
    State,
    StrategyRule,
    StrategySetting,
    rules,
)

AHEAD = 10
"""The planning horizon in encounters."""
STRONGEST = 12
"""The most boxes of one kind that an inferred inventory has."""
USUAL = 6
"""The number of boxes of a kind that is preferred among inventories that explain a reward equally."""
TRUST = 2.0
"""Bits that an earlier hypothesis gains per unit of its value."""


def kind(mine: Matrix, partner_payoffs: Matrix) -> tuple[int, int] | None:
    """The pair of behaviours that always help the other side at a cost to the player.

    >>> kind(((3, 0), (5, 1)), ((3, 5), (0, 1)))
    (0, 0)
    """
    if len(mine) != 2 or len(mine[0]) != 2:
        return None
    own = _costly(mine, partner_payoffs)
    theirs = _costly(tuple(zip(*partner_payoffs, strict=True)), tuple(zip(*mine, strict=True)))
    return None if own is None or theirs is None else (own, theirs)


def _costly(self_pays: Matrix, other_pays: Matrix) -> int | None:
    """The behaviour that always pays its player less and the other more than the alternative."""
    for b in (0, 1):
        less = all(x < y for x, y in zip(self_pays[b], self_pays[1 - b], strict=True))
        gains = all(x > y for x, y in zip(other_pays[b], other_pays[1 - b], strict=True))
        if less and gains:
            return b
    return None


def infer_class(own: Sequence[float], reward: float, mine: Matrix) -> int:
    """The class whose inventory, one of each and more of that, explains ``reward`` best."""
    kinds = range(len(mine[0]))

    def brings(j: int, count: int) -> float:
        other = [count if k == j else 1 for k in kinds]
        total = sum(own) * sum(other)
        return sum(own[i] * other[k] * mine[i][k] for i in range(len(own)) for k in kinds) / total

    guesses = [(j, count) for j in kinds for count in range(2, STRONGEST + 1)]
    # Prompts round rewards to three decimals.
    best = min(guesses, key=lambda g: (round(abs(brings(*g) - reward), 2), abs(g[1] - USUAL)))
    return best[0]


def explain_history(
    setting: StrategySetting, history: History, earlier: Iterable[tuple[float, str]]
) -> StrategyRule:
    """The rule that explains ``history`` with the fewest bits; earlier hypotheses have an advantage."""
    trusted = {text: max(0.0, value) * TRUST for value, text in earlier}
    many = len(setting.theirs)
    return min(
        rules(setting).values(), key=lambda rule: rule.cost(history, many) - trusted.get(rule.sentence, 0.0)
    )


def returns(rule: StrategyRule, history: History, mine: Matrix, expected: int | None) -> list[float]:
    """The return of each own behaviour over the horizon with optimal play against ``rule``.

    ``expected`` is the other's behaviour now, if known.
    """

    def each(state: State, expected: int | None, remaining: int) -> list[float]:
        now = range(len(mine[0])) if expected is None else (expected,)
        return [
            sum(row[j] + value(rule.after(state, j, i), remaining - 1) for j in now) / len(now)
            for i, row in enumerate(mine)
        ]

    @cache
    def value(state: State, remaining: int) -> float:
        return max(each(state, rule.says(state), remaining)) if remaining else 0.0

    return each(rule.state(history), expected, AHEAD)


def best(values: Sequence[float]) -> int:
    """The index of the largest value; the first on ties."""
    return max(range(len(values)), key=lambda i: round(values[i], 9))


def estimate_payoffs(plays: Iterable[tuple[int | None, int | None, float]], own: int, theirs: int) -> Matrix:
    """Estimated payoffs: the mean reward of each pair of behaviours; of all rewards where unseen."""
    brought: dict[tuple[int, int], list[float]] = {}
    everything: list[float] = []
    for j, i, reward in plays:
        everything.append(reward)
        if i is not None and j is not None:
            brought.setdefault((i, j), []).append(reward)
    return tuple(tuple(_mean(brought.get((i, j), everything)) for j in range(theirs)) for i in range(own))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
