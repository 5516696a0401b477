"""Plans and predictions without observing the partner.

F = 0 is the best open-loop sequence of behaviours, on average over a family of partners;
L = 0 is the likeliest behaviour under the family's prior, given the own actions alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TypeAlias

from otherminds.core.data import Automaton, Game, WeightedPolicy
from otherminds.games.planning import Branch, solve

Spread: TypeAlias = tuple[tuple[int, float], ...]
"""A distribution over an automaton's states."""

LIMIT = 20_000
"""The most situations of an exact plan."""
WORK = 120_000
"""The most situations times members of an exact plan."""


@lru_cache(maxsize=128)
def blind_plan(game: Game, family: tuple[WeightedPolicy, ...], rounds: int) -> tuple[int, ...]:
    """The row seat's best open-loop sequence of ``rounds`` behaviours against ``family``.

    The situation after a sequence is a distribution over states for each member. Ties go to
    the lowest behaviour.

    Raises:
        WorldError: too many situations can be reached to solve it exactly.
    """
    rows = range(len(game.behaviours[0]))

    def expand(key: tuple[Spread, ...]) -> list[Branch[tuple[Spread, ...]]]:
        branches: list[Branch[tuple[Spread, ...]]] = []
        for a in rows:
            moved = [advance_spread(game, m.automaton, s, a) for m, s in zip(family, key, strict=True)]
            gain = sum(m.weight * g for m, (g, _) in zip(family, moved, strict=True))
            branches.append((gain, ((1.0, tuple(spread for _, spread in moved)),)))
        return branches

    start = tuple(((m.automaton.start, 1.0),) for m in family)
    plan = solve(start, expand, rounds, min(LIMIT, WORK // len(family)))
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
        gain, spread = advance_spread(game, automaton, spread, a)
        total += gain
    return total


def blind_value(game: Game, family: tuple[WeightedPolicy, ...], rounds: int) -> float:
    """The expected return of :func:`blind_plan` over ``family``.

    Raises:
        WorldError: see :func:`blind_plan`.
    """
    plan = blind_plan(game, family, rounds)
    return sum(member.weight * open_loop_return(game, member.automaton, plan) for member in family)


class BlindPredictor:
    """Predicts from the prior over ``family`` and the own actions alone.

    It caches situations: use one for all episodes with the same family.
    """

    def __init__(self, game: Game, family: tuple[WeightedPolicy, ...]) -> None:
        self._game = game
        self._family = family
        self._start: tuple[Spread, ...] = tuple(((m.automaton.start, 1.0),) for m in family)
        self._advance = lru_cache(LIMIT)(self._compute_next)
        self._likelihood = lru_cache(LIMIT)(self._largest)

    def accuracies(self, own: Sequence[int]) -> list[float]:
        """For each round, the prior probability of the likeliest column behaviour after the actions so far.

        ``own`` are the row seat's behaviours, round by round, taken as fixed in advance.
        """
        accuracies: list[float] = []
        key = self._start
        for a in own:
            accuracies.append(self._likelihood(key))
            key = self._advance(key, a)
        return accuracies

    def _largest(self, key: tuple[Spread, ...]) -> float:
        chances = [0.0] * len(self._game.behaviours[1])
        for member, spread in zip(self._family, key, strict=True):
            for state, share in spread:
                for b, p in enumerate(member.automaton.output[state]):
                    chances[b] += member.weight * share * p
        return max(chances)

    def _compute_next(self, key: tuple[Spread, ...], a: int) -> tuple[Spread, ...]:
        moved = zip(self._family, key, strict=True)
        return tuple(advance_spread(self._game, m.automaton, spread, a)[1] for m, spread in moved)


blind_predictor = lru_cache(maxsize=64)(BlindPredictor)
"""``blind_predictor(game, family)``: the :class:`BlindPredictor` of a game and a family."""


def advance_spread(game: Game, automaton: Automaton, spread: Spread, a: int) -> tuple[float, Spread]:
    """The expected payoff of row behaviour ``a`` against ``automaton`` in a distribution of states, and the next one."""
    gain = 0.0
    after: dict[int, float] = {}
    for state, weight in spread:
        for b, p in enumerate(automaton.output[state]):
            if p:
                gain += weight * p * game.payoffs[a][b][0]
                n = automaton.next[state][b][a]
                after[n] = after.get(n, 0.0) + weight * p
    return gain, tuple((n, round(p, 12)) for n, p in sorted(after.items()))
