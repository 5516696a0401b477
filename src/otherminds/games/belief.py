"""Exact plans for who knows the population but not the partner, and the value of each own behaviour under them.

A hypothesis is a game for the row seat and a partner automaton. The belief is the set of
possible hypotheses with their weights and the states of their automata; the plan over
beliefs is exact and includes the value of information.

``V(h)`` is the value of optimal play after history h under the posterior over the population's members,
``Q(h, a)`` that of behaviour a followed by optimal play. They are exact where the reachable beliefs are few
enough to list (``exact``). Elsewhere, as with random members, Q is the posterior mean of the members' own Q:
the value if the partner's name were revealed after this round (QMDP; Littman, Cassandra & Kaelbling 1995)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TypeAlias

from msgspec import Struct

from otherminds.core.data import Automaton, Game, WeightedPolicy
from otherminds.core.errors import WorldError
from otherminds.games.best_response import Branch, Reachable, Solution, best_response


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


WORK = 240_000
"""The most beliefs times members that are listed."""
KEPT = 100_000
"""The size of each of a valuation's caches."""
Worths = tuple[float, ...]
"""Q of each own behaviour: the expected return of the rounds left."""


class Valuation:
    """Q, V and the posterior's likeliest move for one game, population and length.

    ``family`` are the members with their prior weights; those with equal automata are merged.

    Raises:
        WorldError: a member is too large to solve exactly.
    """

    def __init__(self, game: Game, family: tuple[WeightedPolicy, ...], rounds: int) -> None:
        weights: dict[Automaton, float] = {}
        for member in family:
            weights[member.automaton] = weights.get(member.automaton, 0.0) + member.weight
        self.rounds = rounds
        self.hypotheses = tuple(
            PartnerHypothesis(weight, game, automaton) for automaton, weight in weights.items()
        )
        self.start = initial(self.hypotheses)
        """The prior."""
        self._payoffs = game.payoffs
        try:
            worths = _exact(self.hypotheses, rounds)
            self.exact = True
        except WorldError:
            worths = _average_values(self.hypotheses, rounds)
            self.exact = False
        self._worths = lru_cache(KEPT)(worths)
        self._chances = lru_cache(KEPT)(self._predict)
        self._after = lru_cache(KEPT)(self._update)

    def worths(self, t: int, belief: Belief) -> Worths:
        """Q(h, a) of each own behaviour a in round ``t`` (0-based) under ``belief``."""
        return self._worths(t, belief)

    def value(self, t: int, belief: Belief) -> float:
        """V(h): the largest Q; 0 when no round is left."""
        return max(self.worths(t, belief)) if t < self.rounds else 0.0

    def chances(self, belief: Belief) -> tuple[float, ...]:
        """The distribution of the partner's next behaviour."""
        return self._chances(belief)

    def likeliest(self, belief: Belief) -> int:
        """The partner's likeliest next behaviour; the lowest on ties."""
        chances = self.chances(belief)
        return chances.index(max(chances))

    def after(self, belief: Belief, own: int, other: int) -> Belief:
        """The posterior after one round; empty where no member can have shown ``other``."""
        return self._after(belief, own, other)

    def _predict(self, belief: Belief) -> tuple[float, ...]:
        return prediction(self.hypotheses, belief)

    def _update(self, belief: Belief, own: int, other: int) -> Belief:
        return after(self.hypotheses, belief, own, other, self._payoffs[own][other][0])


valuation = lru_cache(maxsize=64)(Valuation)
"""``valuation(game, family, rounds)``: the :class:`Valuation` of a game, a population and a number of rounds."""


def _exact(hypotheses: tuple[PartnerHypothesis, ...], rounds: int) -> Callable[[int, Belief], Worths]:
    """Q from the exact plan over beliefs."""
    plan = belief_plan(hypotheses, rounds, min(LIMIT, WORK // len(hypotheses)))
    expand = branching(hypotheses)

    def worths(t: int, belief: Belief) -> Worths:
        values, number = plan.values[t + 1], plan.number
        return tuple(
            gain + sum(p * float(values[number[key]]) for p, key in leads) for gain, leads in expand(belief)
        )

    return worths


def _average_values(
    hypotheses: tuple[PartnerHypothesis, ...], rounds: int
) -> Callable[[int, Belief], Worths]:
    """Q as the posterior mean of the members' own Q."""
    plans = [best_response(h.game, h.automaton, rounds) for h in hypotheses]

    def alone(i: int, t: int, state: int, a: int) -> float:
        h, values, number = hypotheses[i], plans[i].values[t + 1], plans[i].number
        output, after = h.automaton.output[state], h.automaton.next[state]
        gains = (h.game.payoffs[a][b][0] + float(values[number[to[a]]]) for b, to in enumerate(after))
        return sum(p * gain for p, gain in zip(output, gains, strict=True) if p)

    def worths(t: int, belief: Belief) -> Worths:
        own = range(len(hypotheses[0].game.payoffs))
        return tuple(sum(weight * alone(i, t, state, a) for i, weight, state in belief) for a in own)

    return worths


def best_replies(game: Game) -> tuple[tuple[int, ...], ...]:
    """The best stage responses to each behaviour of the column seat, by its index; all of them on ties."""
    most = [max(row[b][0] for row in game.payoffs) for b in range(len(game.behaviours[1]))]
    return tuple(tuple(a for a, row in enumerate(game.payoffs) if row[b][0] == m) for b, m in enumerate(most))


def dominant(game: Game) -> bool:
    """Whether one own behaviour is a best stage response to everything, so that no prediction matters."""
    first, *others = best_replies(game)
    return any(all(a in replies for replies in others) for a in first)
