"""The value of each own behaviour for a mind that knows the population but not the partner.

``V(h)`` is the value of optimal play after history h under the posterior over the population's members,
``Q(h, a)`` that of behaviour a followed by optimal play. They are exact where the reachable beliefs are few
enough to list (``exact``). Elsewhere, as with random members, Q is the posterior mean of the members' own Q:
the value if the partner's name were revealed after this round (QMDP; Littman, Cassandra & Kaelbling 1995).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from otherminds.core.data import Automaton, Game, WeightedPolicy
from otherminds.core.errors import WorldError
from otherminds.games import belief as beliefs
from otherminds.games.belief import Belief, PartnerHypothesis
from otherminds.games.best_response import best_response

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
        self.start = beliefs.initial(self.hypotheses)
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
        return beliefs.prediction(self.hypotheses, belief)

    def _update(self, belief: Belief, own: int, other: int) -> Belief:
        return beliefs.after(self.hypotheses, belief, own, other, self._payoffs[own][other][0])


valuation = lru_cache(maxsize=64)(Valuation)
"""``valuation(game, family, rounds)``: the :class:`Valuation` of a game, a population and a number of rounds."""


def _exact(hypotheses: tuple[PartnerHypothesis, ...], rounds: int) -> Callable[[int, Belief], Worths]:
    """Q from the exact plan over beliefs."""
    plan = beliefs.belief_plan(hypotheses, rounds, min(beliefs.LIMIT, WORK // len(hypotheses)))
    expand = beliefs.branching(hypotheses)

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
