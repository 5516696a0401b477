"""The exact optimal return against a finite automaton, and how much a population requires it."""

from __future__ import annotations

from functools import lru_cache

from otherminds.core.data import Automaton, Game, WeightedPolicy
from otherminds.games.planning import Branch, Solution, solve


@lru_cache(maxsize=256)
def best_response(game: Game, automaton: Automaton, rounds: int) -> Solution[int]:
    """The row seat's optimal plan for ``rounds`` rounds, over the automaton's states.

    Riemer et al. 2025, definition 2.2: the optimal T-step response. The plan also covers
    states that this partner never reaches, so that it can be followed against another partner.

    Raises:
        WorldError: the automaton is too large to solve exactly.
    """
    rows = range(len(game.behaviours[0]))

    def expand(state: int) -> list[Branch[int]]:
        output = automaton.output[state]
        after = automaton.next[state]
        branches: list[Branch[int]] = []
        for a in rows:
            reward = sum(p * game.payoffs[a][b][0] for b, p in enumerate(output) if p)
            leads = dict.fromkeys((after[b][a] for b in range(len(output))), 0.0)
            for b, p in enumerate(output):
                leads[after[b][a]] += p
            branches.append((reward, tuple((p, n) for n, p in leads.items())))
        return branches

    return solve(automaton.start, expand, rounds)


@lru_cache(maxsize=256)
def optimal_rewards(game: Game, automaton: Automaton, rounds: int) -> tuple[float, ...]:
    """The expected reward of each round under :func:`best_response`."""
    return tuple(_expect_rewards(game, automaton, automaton, rounds))


def interest(game: Game, family: tuple[WeightedPolicy, ...], rounds: int) -> float:
    """E[Δ_Functional(π′*, π″)/T] over two independent draws π′, π″ of ``family``.

    π′* is the optimal response to π′, with its regret against π″. Zero means that one plan is
    best for all partners. Riemer et al. 2025, section 2.1. Exact, by expectation over both automata.
    """
    return sum(
        first.weight * second.weight * misplaced(game, first.automaton, second.automaton, rounds)
        for first in family
        for second in family
    )


def misplaced(game: Game, supposed: Automaton, actual: Automaton, rounds: int) -> float:
    """The regret per round of the best response to ``supposed`` when the partner is ``actual``."""
    earned = sum(_expect_rewards(game, supposed, actual, rounds))
    return (best_response(game, actual, rounds).value - earned) / rounds


def _expect_rewards(game: Game, supposed: Automaton, actual: Automaton, rounds: int) -> list[float]:
    """The expected reward of each round against ``actual`` of the best response to ``supposed``."""
    plan = best_response(game, supposed, rounds)
    at: dict[tuple[int, int], float] = {(supposed.start, actual.start): 1.0}
    rewards: list[float] = []
    for t in range(rounds):
        gain = 0.0
        after: dict[tuple[int, int], float] = {}
        for (imagined, real), weight in at.items():
            a = plan.act(t, imagined)
            for b, p in enumerate(actual.output[real]):
                if p:
                    gain += weight * p * game.payoffs[a][b][0]
                    key = (supposed.next[imagined][b][a], actual.next[real][b][a])
                    after[key] = after.get(key, 0.0) + weight * p
        rewards.append(gain)
        at = after
    return rewards
