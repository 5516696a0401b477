"""Exact plans under uncertainty about the partner and the payoffs.

A hypothesis is a game for the row seat and a partner automaton. The belief is the set of
possible hypotheses with their weights and the states of their automata; the plan over
beliefs is exact and includes the value of information.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TypeAlias

from msgspec import Struct

from otherminds.core.data import Automaton, Game, WeightedPolicy
from otherminds.games.planning import Branch, Reachable, Solution


class PartnerHypothesis(Struct, frozen=True):
    """A hypothesis: the game (row seat first) and the partner's automaton."""

    weight: float
    game: Game
    automaton: Automaton


Belief: TypeAlias = tuple[tuple[int, float, int], ...]
"""(index of the hypothesis, its probability, its automaton's state) of each possible one."""

LIMIT = 60_000


def initial(hypotheses: tuple[PartnerHypothesis, ...]) -> Belief:
    """The belief before the first round: the prior."""
    prior = [(i, h.weight, h.automaton.start) for i, h in enumerate(hypotheses)]
    return _normal(prior, _total(prior))


def after(hypotheses: tuple[PartnerHypothesis, ...], belief: Belief, a: int, b: int, reward: float) -> Belief:
    """The belief after playing ``a`` and seeing the partner's ``b`` and the own ``reward``.

    Empty if no hypothesis allows it.
    """
    survivors: list[tuple[int, float, int]] = []
    for i, weight, state in belief:
        h = hypotheses[i]
        p = h.automaton.output[state][b]
        if p and h.game.payoffs[a][b][0] == reward:
            survivors.append((i, weight * p, h.automaton.next[state][b][a]))
    return _normal(survivors, _total(survivors))


def prediction(hypotheses: tuple[PartnerHypothesis, ...], belief: Belief) -> tuple[float, ...]:
    """The partner's next behaviour as a distribution under ``belief``."""
    chances = [0.0] * len(hypotheses[0].game.behaviours[1])
    for i, weight, state in belief:
        for b, p in enumerate(hypotheses[i].automaton.output[state]):
            chances[b] += weight * p
    return tuple(chances)


@lru_cache(maxsize=128)
def belief_plan(
    hypotheses: tuple[PartnerHypothesis, ...], rounds: int, limit: int = LIMIT
) -> Solution[Belief]:
    """The Bayes-optimal plan for ``rounds`` rounds (exact belief dynamic programming).

    Raises:
        WorldError: more than ``limit`` beliefs can be reached, as with noisy partners.
    """
    return _reachable(hypotheses).plan(rounds, limit)


@lru_cache(maxsize=8)
def _reachable(hypotheses: tuple[PartnerHypothesis, ...]) -> Reachable[Belief]:
    """The beliefs that can be reached from the prior; episodes of different lengths share them."""
    return Reachable(initial(hypotheses), branching(hypotheses))


def branching(hypotheses: tuple[PartnerHypothesis, ...]) -> Callable[[Belief], list[Branch[Belief]]]:
    """The expected reward of each own behaviour under a belief, and the beliefs it leads to."""
    rows = range(len(hypotheses[0].game.behaviours[0]))

    def expand(belief: Belief) -> list[Branch[Belief]]:
        branches: list[Branch[Belief]] = []
        for a in rows:
            gain = 0.0
            groups: dict[tuple[int, float], list[tuple[int, float, int]]] = {}
            for i, weight, state in belief:
                h = hypotheses[i]
                row = h.game.payoffs[a]
                for b, p in enumerate(h.automaton.output[state]):
                    if p:
                        reward = row[b][0]
                        gain += weight * p * reward
                        explained = (i, weight * p, h.automaton.next[state][b][a])
                        groups.setdefault((b, reward), []).append(explained)
            totals = [(_total(group), group) for _, group in sorted(groups.items())]
            leads = tuple([(total, _normal(group, total)) for total, group in totals])
            branches.append((gain, leads))
        return branches

    return expand


class FamilyPlan:
    """Follows :func:`belief_plan` over the members of ``family`` for ``rounds`` rounds.

    Raises:
        WorldError: see :func:`belief_plan`.
    """

    def __init__(self, game: Game, family: Sequence[WeightedPolicy], rounds: int) -> None:
        self._game = game
        self._hypotheses = tuple(PartnerHypothesis(m.weight, game, m.automaton) for m in family)
        self._plan = belief_plan(self._hypotheses, rounds)
        self._belief = initial(self._hypotheses)
        self._round = 0

    def learn(self, own: int, could: Sequence[int]) -> bool:
        """Takes in a round: the own behaviour, and what the partner may have shown, the likeliest first.

        Returns whether a member explains it. If none does, the belief stays.
        """
        chances = self.chances()
        theirs = max(could, key=chances.__getitem__)
        reward = self._game.payoffs[own][theirs][0]
        belief = after(self._hypotheses, self._belief, own, theirs, reward)
        self._belief = belief or self._belief
        self._round += 1
        return bool(belief)

    def act(self) -> int:
        """The optimal behaviour now."""
        return self._plan.act(min(self._round, self._plan.rounds - 1), self._belief)

    def chances(self) -> tuple[float, ...]:
        """The distribution of the partner's next behaviour."""
        return prediction(self._hypotheses, self._belief)

    def chances_after(self, own: int) -> tuple[float, ...]:
        """The distribution of the partner's behaviour in the round after, if ``own`` is shown in this one."""
        later = [
            (i, weight * p, self._hypotheses[i].automaton.next[state][b][own])
            for i, weight, state in self._belief
            for b, p in enumerate(self._hypotheses[i].automaton.output[state])
            if p
        ]
        return prediction(self._hypotheses, tuple(later))


def _normal(weighted: Sequence[tuple[int, float, int]], total: float) -> Belief:
    shares = [(i, round(weight / total, 15), state) for i, weight, state in weighted]
    return tuple([share for share in shares if share[1]])


def _total(weighted: Sequence[tuple[int, float, int]]) -> float:
    return sum([weight for _, weight, _ in weighted])
