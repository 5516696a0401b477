"""The best plan fixed in advance: what can be had without any adaptation.

``R_blind`` of the functional score F: the open-loop sequence of behaviours that
is best on average over a family of partners, and what it earns against each.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

from otherminds.core.data import Automaton, Game, Likely
from otherminds.games.planning import Branch, solve

Spread: TypeAlias = tuple[tuple[int, float], ...]
"""A distribution over an automaton's states."""

LIMIT = 20_000


@lru_cache(maxsize=128)
def blind_plan(game: Game, family: tuple[Likely, ...], rounds: int) -> tuple[int, ...]:
    """The row seat's best open-loop sequence of ``rounds`` behaviours against ``family``.

    What the partners do is never seen, so the situation after a sequence is one
    spread of states a member. Ties go to the lowest behaviour.

    Raises:
        WorldError: too many situations can be reached to solve it exactly.
    """
    rows = range(len(game.behaviours[0]))

    def expand(key: tuple[Spread, ...]) -> list[Branch[tuple[Spread, ...]]]:
        branches: list[Branch[tuple[Spread, ...]]] = []
        for a in rows:
            moved = [_advance(game, m.automaton, s, a) for m, s in zip(family, key, strict=True)]
            gain = sum(m.weight * g for m, (g, _) in zip(family, moved, strict=True))
            branches.append((gain, ((1.0, tuple(spread for _, spread in moved)),)))
        return branches

    start = tuple(((m.automaton.start, 1.0),) for m in family)
    plan = solve(start, expand, rounds, LIMIT)
    sequence: list[int] = []
    key = start
    for t in range(rounds):
        a = plan.act(t, key)
        sequence.append(a)
        key = expand(key)[a][1][0][1]
    return tuple(sequence)


def open_loop_return(game: Game, automaton: Automaton, plan: tuple[int, ...]) -> float:
    """The expected return of a fixed sequence of behaviours against one partner."""
    spread: Spread = ((automaton.start, 1.0),)
    total = 0.0
    for a in plan:
        gain, spread = _advance(game, automaton, spread, a)
        total += gain
    return total


def _advance(game: Game, automaton: Automaton, spread: Spread, a: int) -> tuple[float, Spread]:
    gain = 0.0
    after: dict[int, float] = {}
    for state, weight in spread:
        for b, p in enumerate(automaton.output[state]):
            if p:
                gain += weight * p * game.payoffs[a][b][0]
                n = automaton.next[state][b][a]
                after[n] = after.get(n, 0.0) + weight * p
    return gain, tuple((n, round(p, 12)) for n, p in sorted(after.items()))
