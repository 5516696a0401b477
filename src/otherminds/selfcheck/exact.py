"""Exact optima against all plans of a small game, one by one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from random import Random

from otherminds.core.data import Automaton, Game, WeightedPolicy
from otherminds.games.best_response import best_response
from otherminds.games.registry import games
from otherminds.games.valuing import valuation
from otherminds.testing.compare import promise

ROUNDS = 4
STATES = 3
DRAWN = 25
"""Partners of each kind, and populations of two partners, for each game."""
NEAR = 1e-9


def try_all_plans(folder: Path) -> str:
    """Compares optima with those that brute force finds."""
    rng, worst, tried = Random(0), 0.0, 0
    for name in ("ipd", "ibs", "rps"):
        game: Game = games.get(name)()
        for _ in range(DRAWN):
            first, second = (draw_automaton(game, rng, sure=True) for _ in range(2))
            drawing = draw_automaton(game, rng, sure=False)
            chance = rng.uniform(0.1, 0.9)
            family = (WeightedPolicy(chance, first), WeightedPolicy(1 - chance, second))
            valued = valuation(game, family, ROUNDS)
            promise(valued.exact, f"{name} with two partners is solved exactly", "it is approximated")
            unknown = [(member.weight, member.automaton, member.automaton.start) for member in family]
            for exact, brute in (
                (
                    best_response(game, first, ROUNDS).value,
                    max(_play_plan(game, first, plan) for plan in _plans(game)),
                ),
                (
                    best_response(game, drawing, ROUNDS).value,
                    _best_value(game, [(1, drawing, drawing.start)], ROUNDS),
                ),
                (valued.value(0, valued.start), _best_value(game, unknown, ROUNDS)),
            ):
                gap, tried = abs(exact - brute), tried + 1
                worst = max(worst, gap)
                promise(gap <= NEAR, f"in {name}, brute force finds {brute:.9f}", f"{exact:.9f}")
    return f"{tried} optima: largest difference {worst:.0e}"


def draw_automaton(game: Game, rng: Random, *, sure: bool) -> Automaton:
    """A partner of :data:`STATES` states that plays one behaviour in each if it is ``sure``, else at random."""
    own, theirs = map(len, game.behaviours)
    states = range(STATES)
    behaviours = range(theirs)
    if sure:
        output = tuple(
            tuple(float(b == choice) for b in behaviours) for choice in rng.choices(behaviours, k=STATES)
        )
    else:
        weights = [[rng.uniform(0.1, 1) for _ in behaviours] for _ in states]
        output = tuple(tuple(weight / sum(row) for weight in row) for row in weights)
    following = tuple(tuple(tuple(rng.choices(states, k=own)) for _ in range(theirs)) for _ in states)
    return Automaton(rng.randrange(STATES), output, following)


def _plans(game: Game) -> Iterator[tuple[int, ...]]:
    """Every sequence of own behaviours: a plan suffices against a partner that does not draw."""
    return product(range(len(game.behaviours[0])), repeat=ROUNDS)


def _play_plan(game: Game, partner: Automaton, plan: tuple[int, ...]) -> float:
    state, total = partner.start, 0.0
    for own in plan:
        other = partner.output[state].index(1.0)
        total += game.payoffs[own][other][0]
        state = partner.next[state][other][own]
    return total


def _best_value(game: Game, partners: list[tuple[float, Automaton, int]], rounds: int) -> float:
    """The largest expected return against one of ``partners``, weighted and each in its state, over all ways to react.

    Weights need not add up to 1: the value is weighted with their sum.
    """
    if not rounds or not partners:
        return 0.0
    values: list[float] = []
    for own in range(len(game.behaviours[0])):
        value = 0.0
        for other in range(len(game.behaviours[1])):
            survivors = [
                (weight * partner.output[state][other], partner, partner.next[state][other][own])
                for weight, partner, state in partners
                if partner.output[state][other]
            ]
            value += sum(weight for weight, _, _ in survivors) * game.payoffs[own][other][0]
            value += _best_value(game, survivors, rounds - 1)
        values.append(value)
    return max(values)
