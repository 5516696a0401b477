"""How well a predictor does that never observes its partner: the floor of L.

Such a predictor fixes in advance what it plays and what it predicts. It knows the population, and what each member would
answer to its plan. Nothing here depends on an episode: a floor computed from a mind's own moves would take the room
from those minds whose moves answer their partner.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from typing import TypeAlias

from msgspec import Struct

from otherminds.core.data import Game, WeightedPolicy
from otherminds.games.blind import LIMIT, WORK, Spread, advance_spread
from otherminds.games.planning import TIE, Branch, Solution, solve

LEAST_ROOM = 0.05
"""A member counts in L only if knowing it improves predictions about it by at least this share."""

Situation: TypeAlias = tuple[int, tuple[Spread, ...]]
"""A round, and for each member the distribution of its state."""


class LiteralRoom(Struct, frozen=True):
    """What there is to know about each member of a population, for predictions from round ``first`` (0-based) on.

    ``floors`` and ``ceilings`` are float[members]: the accuracy about each of the best predictor that never
    observes its partner (ties between plans averaged), and of one who knows the member. ``weights`` are the
    members' shares in L, summing to 1: 0 without room between the two. ``base`` is the largest L that any plan fixed in
    advance can reach; above 0 where populations have unequal weights. ``weights`` are all 0 where nothing can be known.
    """

    floors: tuple[float, ...]
    ceilings: tuple[float, ...]
    weights: tuple[float, ...]
    base: float

    def slope(self, member: int) -> float:
        """The L that one unit of accuracy about a member with room is worth."""
        return 1 / ((self.ceilings[member] - self.floors[member]) * (1 - self.base))

    def rescale(self, member: int, accuracy: float) -> float:
        """L of predictions about one member that has room: 0 for the best fixed plan, 1 for one who knows it."""
        floor, ceiling = self.floors[member], self.ceilings[member]
        return ((accuracy - floor) / (ceiling - floor) - self.base) / (1 - self.base)


@lru_cache(maxsize=256)
def literal_room(game: Game, family: tuple[WeightedPolicy, ...], rounds: int, first: int) -> LiteralRoom:
    """The room of each member of ``family`` in rounds ``first`` to ``rounds`` - 1.

    Raises:
        WorldError: too many situations can be reached to find the floors exactly.
    """
    plans = _UnseeingPlans(game, family, rounds, first)
    prior = [member.weight for member in family]
    floors, ceilings = plans.accuracies(plans.solve(prior), prior)
    shares = [
        weight / (ceiling - floor) if ceiling - floor >= LEAST_ROOM else 0.0
        for weight, floor, ceiling in zip(prior, floors, ceilings, strict=True)
    ]
    there = sum(weight for weight, share in zip(prior, shares, strict=True) if share)
    nothing = LiteralRoom(floors, ceilings, (0.0,) * len(family), 0.0)
    if not there:
        return nothing
    shares = [share / there for share in shares]
    reached = plans.solve(shares).value / (rounds - first)
    base = max(0.0, reached - sum(share * floor for share, floor in zip(shares, floors, strict=True)))
    if base > 1 - LEAST_ROOM:
        return nothing
    weights = tuple(weight / there if share else 0.0 for weight, share in zip(prior, shares, strict=True))
    return LiteralRoom(floors, ceilings, weights, base if base > TIE else 0.0)


class _UnseeingPlans:
    """Plans of own behaviours and predictions that are fixed in advance, against a population."""

    def __init__(self, game: Game, family: tuple[WeightedPolicy, ...], rounds: int, first: int) -> None:
        self._game, self._family, self._rounds, self._first = game, family, rounds, first
        rows, columns = (range(len(names)) for names in game.behaviours)
        self._options = list(product(rows, columns))
        self._start: Situation = (0, tuple(((member.automaton.start, 1.0),) for member in family))
        self._after = lru_cache(LIMIT)(self._move)
        self._chances = lru_cache(LIMIT)(self._predict)

    def solve(self, shares: Sequence[float]) -> Solution[Situation]:
        """The plan that maximises the number of right predictions, each member counted with its share."""

        def expand(at: Situation) -> list[Branch[Situation]]:
            gains = self._gains(at, shares)
            moved = [self._after(at, a) for a in range(len(self._game.behaviours[0]))]
            return [(gains[x], ((1.0, moved[a]),)) for a, x in self._options]

        return solve(self._start, expand, self._rounds, min(LIMIT, WORK // len(self._family)))

    def accuracies(
        self, plan: Solution[Situation], shares: Sequence[float]
    ) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """The accuracy about each member of the best plans, and of one who knows it, averaged over ties."""
        floors, ceilings = ([0.0] * len(self._family) for _ in range(2))
        reached = {self._start: 1.0}
        for t in range(self._rounds):
            following: dict[Situation, float] = {}
            for at, chance in reached.items():
                gains = self._gains(at, shares)
                worths = [
                    gains[x] + float(plan.values[t + 1, plan.number[self._after(at, a)]])
                    for a, x in self._options
                ]
                best = [
                    option
                    for option, worth in zip(self._options, worths, strict=True)
                    if worth > max(worths) - TIE
                ]
                for a, x in best:
                    share = chance / len(best)
                    after = self._after(at, a)
                    following[after] = following.get(after, 0.0) + share
                    if t >= self._first:
                        for i, (chances, surest) in enumerate(self._chances(at)):
                            floors[i] += share * chances[x]
                            ceilings[i] += share * surest
            reached = following
        settled = self._rounds - self._first
        return tuple(sum_ / settled for sum_ in floors), tuple(sum_ / settled for sum_ in ceilings)

    def _gains(self, at: Situation, shares: Sequence[float]) -> list[float]:
        """For each prediction, the expected number of right ones in this round."""
        columns = range(len(self._game.behaviours[1]))
        if at[0] < self._first:
            return [0.0 for _ in columns]
        members = self._chances(at)
        return [
            sum(share * chances[x] for share, (chances, _) in zip(shares, members, strict=True))
            for x in columns
        ]

    def _predict(self, at: Situation) -> tuple[tuple[tuple[float, ...], float], ...]:
        """For each member, the chances of its behaviours, and the expected chance of the likeliest in its state."""
        columns = range(len(self._game.behaviours[1]))
        return tuple(
            (
                tuple(sum(p * member.automaton.output[state][x] for state, p in spread) for x in columns),
                sum(p * max(member.automaton.output[state]) for state, p in spread),
            )
            for member, spread in zip(self._family, at[1], strict=True)
        )

    def _move(self, at: Situation, a: int) -> Situation:
        moved = zip(self._family, at[1], strict=True)
        return at[0] + 1, tuple(
            advance_spread(self._game, member.automaton, spread, a)[1] for member, spread in moved
        )
