"""The interest measure: how much a population of partners calls for adaptation."""

from __future__ import annotations

from otherminds.core.data import Automaton, Game, Likely
from otherminds.games.best_response import best_response


def interest(game: Game, family: tuple[Likely, ...], rounds: int) -> float:
    """E[Δ_Functional(π′*, π″)/T] over two independent draws π′, π″ of ``family``.

    π′* is the optimal response to π′; its regret is taken against π″. Zero means
    that one plan is best for all, so nothing about the partner need be known.
    Riemer et al. 2025, section 2.1. Exact, by expectation over both automata.
    """
    return sum(
        one.weight * two.weight * misplaced(game, one.automaton, two.automaton, rounds)
        for one in family
        for two in family
    )


def misplaced(game: Game, supposed: Automaton, actual: Automaton, rounds: int) -> float:
    """Regret a round of the best response to ``supposed`` when the partner is ``actual``."""
    plan = best_response(game, supposed, rounds)
    at: dict[tuple[int, int], float] = {(supposed.start, actual.start): 1.0}
    total = 0.0
    for t in range(rounds):
        after: dict[tuple[int, int], float] = {}
        for (imagined, real), weight in at.items():
            a = plan.act(t, imagined)
            for b, p in enumerate(actual.output[real]):
                if p:
                    total += weight * p * game.payoffs[a][b][0]
                    key = (supposed.next[imagined][b][a], actual.next[real][b][a])
                    after[key] = after.get(key, 0.0) + weight * p
        at = after
    return (best_response(game, actual, rounds).value - total) / rounds
